"""What is known, and what can be done, while a profile is opened."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import msgspec

from tb_plugin.base.progress import silent
from tb_plugin.formats import reader
from tb_plugin.runs.child import Children
from tb_plugin.runs.loading import CANCELLED, Loader, Loading, alone
from tests.profiles import sample
from tests.runs.small import LONG_S, chrome_json, put, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.runs.store import ProfileStore
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.so_far import SoFar


def loaded(store: ProfileStore) -> Loading[Trace]:
    return until(lambda: store.ask(store.find(None, None, None)), lambda now: now.state in ("ready", "failed"))


def test_what_is_cancelled_ends_at_once_leaves_nothing_and_is_opened_when_asked_again(
    store: ProfileStore, logdir: Path, cache_dir: Path
) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(300_000))
    asked = store.find(None, None, None)
    assert not store.cancel(asked.span)  # nobody opens it
    until(lambda: store.ask(asked), lambda now: now.progress > 0)
    assert store.cancel(asked.span)
    now = loaded(store)
    assert (now.state, now.error, now.is_cancelled) == ("failed", CANCELLED, True)
    assert store.children._children == {}
    assert [path for path in cache_dir.iterdir() if not path.name.endswith(".lock")] == []
    assert not store.has_failed(asked.span), "another would be shown in its place"
    assert store.ask(asked).state == "failed"  # nobody asked for it anew
    assert store.ask(asked, again=True).state in ("queued", "loading")
    assert loaded(store).state == "ready"


def test_what_waits_for_its_turn_is_cancelled_too(logdir: Path) -> None:
    for name in "ab":
        put(logdir / f"{name}.1.pt.trace.json")
    goes_on = threading.Event()

    def load(what: str, on_progress: OnProgress) -> str:
        goes_on.wait(LONG_S)
        on_progress(0.5, "on")
        return what

    loader: Loader[str, str] = Loader(alone(load), size_of=len, max_loading=1)
    for key in "ab":
        loader.ask(key, key)
    assert loader.cancel("b")
    assert loader.cancel("a")
    goes_on.set()
    for key in "ab":
        assert until(lambda key=key: loader.look(key, key), lambda now: now.state == "failed").is_cancelled  # type: ignore[misc]
    loader.close()


def test_what_is_known_so_far_is_told_while_it_is_read_and_forgotten_then(
    store: ProfileStore, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = told_of(sample("transformer"), monkeypatch)
    put(logdir / "w.1.pt.trace.json")
    asked = store.find(None, None, None)
    goes_on = threading.Event()
    convert = Children.convert

    def slow(self: Children, source: Path, target: Path, on_progress: OnProgress, on_told: Callable[[str], None]) -> None:
        on_progress(0.0, "opening")
        on_progress(0.5, "reading")
        on_told("noise of a library")
        on_told(msgspec.json.encode(known).decode())
        goes_on.wait(LONG_S)
        convert(self, source, target, on_progress, on_told)

    monkeypatch.setattr(Children, "convert", slow)
    assert store.so_far(asked.span) is None
    store.ask(asked)
    assert until(lambda: store.so_far(asked.span), lambda found: found is not None) == known
    assert store.look(asked.span).seconds_left is not None
    goes_on.set()
    assert loaded(store).state == "ready"
    assert store.so_far(asked.span) is None
    assert store.look(asked.span).seconds_left is None


def test_who_asks_second_hears_how_far_the_reading_is_that_goes_on(
    store: ProfileStore, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "w.1.pt.trace.json")
    asked = store.find(None, None, None)
    (file,) = asked.span.files
    begun, goes_on, ends = threading.Event(), threading.Event(), threading.Event()
    convert = Children.convert

    def slow(self: Children, source: Path, target: Path, on_progress: OnProgress, *rest: Callable[[str], None]) -> None:
        on_progress(0.4, "reading")
        begun.set()
        goes_on.wait(LONG_S)
        on_progress(0.5, "reading")
        ends.wait(LONG_S)
        convert(self, source, target, on_progress, *rest)

    monkeypatch.setattr(Children, "convert", slow)
    first = threading.Thread(target=store.stored, args=(file, silent))  # as for its line in the list of runs
    first.start()
    assert begun.wait(LONG_S)
    store.ask(asked)
    assert until(lambda: store.look(asked.span), lambda now: now.progress > 0.39).stage == "reading"
    goes_on.set()
    assert until(lambda: store.look(asked.span), lambda now: now.progress > 0.49).seconds_left is not None
    ends.set()
    assert loaded(store).state == "ready"
    first.join()


def told_of(path: Path, monkeypatch: pytest.MonkeyPatch) -> SoFar:
    """The first of what a reader tells that tells at every chunk."""
    monkeypatch.setattr("tb_plugin.formats.kineto.so_far.EVERY_S", 0.0)
    found: list[SoFar] = []
    reader.read(path, on_so_far=found.append)
    return found[0]
