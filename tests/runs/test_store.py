"""From a file on disk to an open Trace, with the real converter in a real child process."""

from __future__ import annotations

import gzip
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.formats import profile_pb, reader
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.child import Converter, ConverterDiedError
from tb_plugin.runs.loading import Loader, Loading
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tests.runs.small import chrome_json, no_thread_left, put, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tb_plugin.runs.catalogue import ProfileFile, Span
    from tb_plugin.trace.model import Trace


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def cache_dir(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(logdir: Path, cache_dir: Path) -> Iterator[ProfileStore]:
    with no_thread_left():
        made = ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=0), cache=ProfileCache(cache_dir))
        yield made
        made.close()


def loaded(store: ProfileStore, worker: str | None = None) -> Loading:
    return until(lambda: store.ask(store.find(None, worker, None)), lambda now: now.state in ("ready", "failed"))


def test_a_profile_is_found_asked_for_and_ready(store: ProfileStore, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json.gz")
    span = store.find(None, None, None)
    assert store.look(span.span) == Loading(state="found")
    assert store.ask(span).state in ("queued", "loading")
    now = loaded(store)
    assert now.error is None
    assert now.trace is not None
    assert len(now.trace.steps) == 1
    assert now.rank == 3
    assert store.look(span.span).state == "ready"


def test_the_second_opening_reads_the_cache_and_nothing_lands_in_the_logdir(
    store: ProfileStore, logdir: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "w.1.pt.trace.json")
    first = loaded(store)
    assert [path.suffixes for path in cache_dir.iterdir()] == [[".pt", ".profile", ".pb"]]
    assert [path.name for path in logdir.iterdir()] == ["w.1.pt.trace.json"]

    def never(*_: object) -> None:
        raise AssertionError("converted again")

    again = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    monkeypatch.setattr(Converter, "convert", never)
    second = loaded(again)
    assert first.trace is not None
    assert second.trace is not None
    assert second.trace.events.start_ns.tolist() == first.trace.events.start_ns.tolist()
    assert second.trace.info.source == "w.1.pt.trace.json"


def test_a_broken_cache_entry_is_made_anew(store: ProfileStore, logdir: Path, cache_dir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    loaded(store)
    (entry,) = cache_dir.iterdir()
    entry.write_bytes(entry.read_bytes()[:60] + b"\xff" * 50)
    again = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    assert loaded(again).state == "ready"
    again.close()


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "empty"), (b"<html>not found</html>", "HTML"), (b"\x80\x04pickle", "pickle"), (b'{"lr": 1}', "")],
    ids=["empty", "html", "pickle", "foreign json"],
)
def test_a_file_that_is_no_profile_fails_with_a_reason_and_loses_only_itself(
    store: ProfileStore, logdir: Path, content: bytes, says: str
) -> None:
    put(logdir / "bad.1.pt.trace.json", content)
    put(logdir / "good.1.pt.trace.json")
    now = loaded(store, "bad")
    assert now.state == "failed"
    assert says in (now.error or "")
    assert "\n" not in (now.error or "")
    assert str(logdir) not in (now.error or "")
    assert loaded(store, "good").state == "ready"


def test_a_truncated_gzip_shows_what_is_readable(store: ProfileStore, logdir: Path) -> None:
    whole = gzip.compress(chrome_json(5000))
    put(logdir / "w.1.pt.trace.json.gz", whole[: len(whole) // 2])
    now = loaded(store)
    assert now.trace is not None
    assert 0 < len(now.trace.events) < 5001
    assert now.trace.issues


def test_a_failed_file_is_tried_again_when_it_changes(store: ProfileStore, logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json", b"")
    before = store.find(None, None, None).fingerprint
    assert loaded(store).state == "failed"
    put(path)
    now = loaded(store)
    assert now.state == "ready"
    assert store.find(None, None, None).fingerprint != before


def test_a_changed_file_is_loaded_anew(store: ProfileStore, logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json", chrome_json(1))
    first = loaded(store)
    put(path, chrome_json(7))
    second = loaded(store)
    assert [len(now.trace.events) for now in (first, second) if now.trace is not None] == [2, 8]


def test_a_deleted_file_is_not_found(store: ProfileStore, logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json")
    loaded(store)
    path.unlink()
    with pytest.raises(NotFoundError):
        store.find(logdir.name, "w", "1")


def test_the_stored_form_is_opened_when_both_are_there(store: ProfileStore, logdir: Path, cache_dir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json")
    profile_pb.write(reader.read(path), logdir / "w.1.pt.profile.pb")
    assert loaded(store).state == "ready"
    assert not cache_dir.exists(), "nothing was converted"


def test_a_broken_stored_form_falls_back_to_the_json_and_says_so(store: ProfileStore, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    put(logdir / "w.1.pt.profile.pb", b"rubbish")
    now = loaded(store)
    assert now.trace is not None
    assert now.trace.issues[0].kind == "file_not_readable"
    assert "w.1.pt.profile.pb" in now.trace.issues[0].text


def test_a_pair_that_is_broken_twice_says_both_reasons(store: ProfileStore, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", b"")
    put(logdir / "w.1.pt.profile.pb", b"rubbish")
    error = loaded(store).error or ""
    assert "w.1.pt.profile.pb" in error
    assert "w.1.pt.trace.json" in error


def test_a_full_cache_directory_moves_to_the_temporary_one(
    store: ProfileStore, logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "w.1.pt.trace.json")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    real = Converter.convert

    def full(self: Converter, source: Path, target: Path, on_progress: Callable[[float, str], None]) -> None:
        if target.is_relative_to(tmp_path / "cache"):
            raise FormatError(source.name, "No space left on device")
        real(self, source, target, on_progress)

    monkeypatch.setattr(Converter, "convert", full)
    assert loaded(store).state == "ready"


def test_a_killed_child_is_a_reason_and_can_be_tried_again(tmp_path: Path) -> None:
    converter = Converter()
    source = put(tmp_path / "w.1.pt.trace.json", chrome_json(200_000))
    target = tmp_path / "w.pt.profile.pb"

    def kill(_fraction: float, _stage: str) -> None:
        for child in list(converter._children):
            os.kill(child.pid, signal.SIGKILL)

    with no_thread_left(), pytest.raises(ConverterDiedError, match="SIGKILL"):
        converter.convert(source, target, kill)
    assert not target.exists()


def test_a_child_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.json")  # opening it waits for ever, like a dead mount
    with no_thread_left(), pytest.raises(ConverterDiedError, match="nothing happened"):
        Converter(stalled_after_s=0.5).convert(tmp_path / "fifo.json", tmp_path / "out.pb", lambda _f, _s: None)


def test_closing_ends_the_children(logdir: Path, cache_dir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(300_000))
    with no_thread_left():
        store = ProfileStore(Watch(from_flags(str(logdir), None)), cache=ProfileCache(cache_dir))
        until(lambda: store.ask(store.find(None, None, None)), lambda now: now.progress > 0)
        store.close()
        assert store._converter._children == set()
    assert not list(cache_dir.glob("*.pb")), "it was waited for, not ended"


def test_modules_in_the_current_directory_cannot_shadow_the_converters(
    store: ProfileStore, logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "job" / "json.py", b"raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path / "job")
    put(logdir / "w.1.pt.trace.json")
    assert loaded(store).error is None


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    return reader.read(put(tmp_path / "any.json"))


def spans_in(logdir: Path, count: int) -> list[Span]:
    for place in range(count):
        put(logdir / f"w.{place}.pt.trace.json")
    watch = Watch(from_flags(str(logdir), None))
    return list(watch.catalogue(5).spans())


def test_no_more_than_two_load_at_a_time_and_the_last_asked_is_next(logdir: Path, trace: Trace) -> None:
    go_on, order = threading.Event(), list[str]()

    def slow(files: tuple[ProfileFile, ...], _progress: object) -> Trace:
        order.append(files[0].name)
        go_on.wait(10)
        return trace

    loader = Loader(slow)
    spans = spans_in(logdir, 4)
    with no_thread_left():
        assert [loader.ask(span).state for span in spans] == ["loading", "loading", "queued", "queued"]
        go_on.set()
        until(lambda: [loader.look(span).state for span in spans], lambda states: set(states) == {"ready"})
        loader.close()
    assert order[2:] == ["w.3.pt.trace.json", "w.2.pt.trace.json"]


def test_traces_unused_for_longest_are_closed_when_memory_is_full(logdir: Path, trace: Trace) -> None:
    loader = Loader(lambda _files, _progress: trace, max_open_bytes=1)
    spans = spans_in(logdir, 3)
    for span in spans:
        until(lambda span=span: loader.ask(span), lambda now: now.state == "ready")  # type: ignore[misc]
    assert [loader.look(span).state for span in spans] == ["found", "found", "ready"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_nobody_expected_ends_the_waiting_too(logdir: Path) -> None:
    def broken(_files: object, _progress: object) -> Trace:
        raise ZeroDivisionError

    loader = Loader(broken)
    spans = spans_in(logdir, 3)
    with no_thread_left():  # their errors belong to this test, not to the next
        for span in spans:
            loader.ask(span)
        states = until(lambda: [loader.look(span).state for span in spans], lambda found: set(found) == {"failed"})
        assert states == ["failed"] * 3
        loader.close()
