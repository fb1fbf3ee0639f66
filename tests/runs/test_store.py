"""From a file on disk to an open Trace, with the real converter in a real child process."""

from __future__ import annotations

import gzip
import os
import signal
import sys
import threading
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin import views
from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.base.units import format_bytes
from tb_plugin.formats import reader
from tb_plugin.formats.stored import mapped, profile_pb
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.child import Children, ConverterDiedError
from tb_plugin.runs.loading import Loader, Loading, alone
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore, n_bytes
from tb_plugin.runs.watch import Watch
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Events
from tests.formats.same_trace import assert_same
from tests.runs.small import LONG_S, chrome_json, entries, loaded, no_thread_left, put, until
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.runs.catalogue import ProfileFile, Span
    from tb_plugin.trace.model import Trace


def test_a_profile_is_found_asked_for_and_ready(store: ProfileStore, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json.gz")
    span = store.find(None, None, None)
    assert store.look(span.span) == Loading(state="found")
    assert store.ask(span).state in ("queued", "loading")
    now = loaded(store)
    assert now.error is None
    assert now.value is not None
    assert len(now.value.steps) == 1
    assert now.value.info.rank == 3
    assert store.look(span.span).state == "ready"


def test_a_file_that_is_still_being_written_says_how_much_there_is_and_is_read_once_it_rests(
    store: ProfileStore, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = chrome_json(n_operators=200)
    file = put(logdir / "w.1.pt.trace.json", whole[: len(whole) // 2])
    store.ask(store.find(None, None, None))  # nobody can know yet that there is more to come
    file.write_bytes(whole[: len(whole) * 3 // 4])
    now = store.ask(store.find(None, None, None))
    assert (now.state, now.stage) == ("loading", f"written a moment ago, {format_bytes(len(whole) * 3 // 4)} so far")
    file.write_bytes(whole)
    assert "written a moment ago" in store.ask(store.find(None, None, None)).stage
    done = loaded(store)
    assert done.value is not None
    assert done.value.issues == ()
    assert np.count_nonzero(done.value.events.kind == Kind.OPERATOR) == 200


def test_what_failed_is_tried_again_when_somebody_says_so(
    store: ProfileStore, logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "w.1.pt.trace.json")
    convert = Children.convert

    def unreachable(*_: object) -> None:
        raise OSError("the disk does not answer")

    monkeypatch.setattr(Children, "convert", unreachable)
    assert loaded(store).state == "failed"
    monkeypatch.setattr(Children, "convert", convert)
    assert loaded(store).state == "failed"  # the file is the same
    assert store.ask(store.find(None, None, None), again=True).state in ("queued", "loading")
    assert loaded(store).state == "ready"


def test_the_second_opening_reads_the_cache_and_nothing_lands_in_the_logdir(
    store: ProfileStore, logdir: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(logdir / "w.1.pt.trace.json")
    first = loaded(store)
    assert len(entries(cache_dir)) == 1
    assert [path.name for path in logdir.iterdir()] == ["w.1.pt.trace.json"]

    def never(*_: object) -> None:
        raise AssertionError("converted again")

    again = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    monkeypatch.setattr(Children, "convert", never)
    second = loaded(again)
    assert first.value is not None
    assert second.value is not None
    assert second.value.events.start_ns.tolist() == first.value.events.start_ns.tolist()
    assert second.value.info.source == "w.1.pt.trace.json"


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
    whole = gzip.compress(chrome_json(5000), mtime=0)
    put(logdir / "w.1.pt.trace.json.gz", whole[: len(whole) // 2])
    now = loaded(store)
    assert now.value is not None
    assert 0 < len(now.value.events) < 5001
    assert now.value.issues


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
    assert [len(now.value.events) for now in (first, second) if now.value is not None] == [2, 8]


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
    (columns,) = entries(cache_dir)
    assert_same(mapped.read(columns), profile_pb.read(logdir / "w.1.pt.profile.pb"))


def test_a_stored_profile_whose_parents_form_a_circle_is_refused_by_the_child(store: ProfileStore, logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json", chrome_json(20))
    trace = reader.read(path)
    path.unlink()
    parent = np.array(trace.events.parent)
    parent[:2] = 1, 0
    circle = Events.from_columns(trace.events.columns() | {"parent": parent})
    profile_pb.write(replace(trace, events=circle), logdir / "w.1.pt.profile.pb")
    now = loaded(store)
    assert (now.state, now.error) == ("failed", "a damaged profile: events that are each other's parents")


def test_a_stored_profile_that_could_be_mended_is_opened_mended(store: ProfileStore, logdir: Path) -> None:
    path = put(logdir / "w.1.pt.trace.json", chrome_json(20))
    trace = reader.read(path)
    path.unlink()
    long = (*trace.strings[:-1], "x" * 100_000)
    profile_pb.write(replace(trace, strings=long), logdir / "w.1.pt.profile.pb")
    now = loaded(store)
    assert now.value is not None
    assert [issue.kind for issue in now.value.issues] == ["long text"]
    assert max(map(len, now.value.strings)) < 40_000


def test_a_broken_stored_form_falls_back_to_the_json_and_says_so(store: ProfileStore, logdir: Path) -> None:
    put(logdir / "w.1.pt.trace.json")
    put(logdir / "w.1.pt.profile.pb", b"rubbish")
    now = loaded(store)
    assert now.value is not None
    assert now.value.issues[0].kind == "file_not_readable"
    assert "w.1.pt.profile.pb" in now.value.issues[0].text


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
    real = Children.convert

    def full(self: Children, source: Path, target: Path, *rest: Any) -> None:
        if target.is_relative_to(tmp_path / "cache"):
            raise FormatError(source.name, "No space left on device")
        real(self, source, target, *rest)

    monkeypatch.setattr(Children, "convert", full)
    assert loaded(store).state == "ready"


def test_a_killed_child_is_a_reason_and_can_be_tried_again(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no signal ends a process there")
    converter = Children()
    source = put(tmp_path / "w.1.pt.trace.json", chrome_json(200_000))
    target = tmp_path / "w.pt.profile.pb"

    def kill(_fraction: float, _stage: str) -> None:
        for child in list(converter._children):
            os.kill(child.pid, signal.SIGKILL)

    with (
        no_thread_left(),
        pytest.raises(ConverterDiedError, match=r"SIGKILL, often because memory ran out; reading it takes up to 1\d\d MiB"),
    ):
        converter.convert(source, target, kill)
    assert not target.exists()


def test_a_child_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no named pipes there")
    os.mkfifo(tmp_path / "fifo.json")  # opening it waits for ever, like a dead mount
    with no_thread_left(), pytest.raises(ConverterDiedError, match="nothing happened"):
        Children(stalled_after_s=0.5).convert(tmp_path / "fifo.json", tmp_path / "out.pb", lambda _f, _s: None)


def test_closing_ends_the_children(logdir: Path, cache_dir: Path) -> None:
    put(logdir / "w.1.pt.trace.json", chrome_json(300_000))
    with no_thread_left():
        store = ProfileStore(Watch(from_flags(str(logdir), None)), cache=ProfileCache(cache_dir))
        until(lambda: store.ask(store.find(None, None, None)), lambda now: now.progress > 0)
        store.close()
        assert store.children._children == {}
    assert not list(cache_dir.glob("*.columns")), "it was waited for, not ended"


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
    return list(watch.catalogue(LONG_S).spans())


def test_no_more_than_two_load_at_a_time_and_the_last_asked_is_next(logdir: Path, trace: Trace) -> None:
    go_on, order = threading.Event(), list[str]()

    def slow(files: tuple[ProfileFile, ...], _progress: object) -> Trace:
        order.append(files[0].name)
        go_on.wait(LONG_S)
        return trace

    loader = Loader(alone(slow), size_of=n_bytes)
    spans = spans_in(logdir, 4)
    with no_thread_left():
        assert [loader.ask(span.key, span.files).state for span in spans] == ["loading", "loading", "queued", "queued"]
        go_on.set()
        until(lambda: [loader.look(span.key, span.files).state for span in spans], lambda states: set(states) == {"ready"})
        loader.close()
    assert order[2:] == ["w.3.pt.trace.json", "w.2.pt.trace.json"]


def test_traces_unused_for_longest_are_closed_when_memory_is_full(logdir: Path, trace: Trace) -> None:
    def opened(_files: tuple[ProfileFile, ...], _progress: object) -> Trace:
        return trace

    loader = Loader(alone(opened), size_of=n_bytes, max_open_bytes=1)
    spans = spans_in(logdir, 3)
    for span in spans:
        until(lambda span=span: loader.ask(span.key, span.files), lambda now: now.state == "ready")  # type: ignore[misc]
    assert [loader.look(span.key, span.files).state for span in spans] == ["found", "found", "ready"]


def test_what_is_closed_is_gone_though_what_was_worked_out_of_it_leads_back(logdir: Path) -> None:
    gone: list[weakref.ref[Trace]] = []

    def opened(_files: tuple[ProfileFile, ...], _progress: object) -> Trace:
        made = trace_from_text("""
            thread 1 | ProfilerStep#1 0-100 | aten::mm 1-15
            stream 7 | gemm 5-25 <- aten::mm
        """)
        for view in views.OF_ONE:
            view.main.answer(made, view.main.params())
        gone.append(weakref.ref(made))
        return made

    loader = Loader(alone(opened), size_of=n_bytes, max_open_bytes=1)
    for span in spans_in(logdir, 3):
        until(lambda span=span: loader.ask(span.key, span.files), lambda now: now.state == "ready")  # type: ignore[misc]
    assert until(lambda: [each() is None for each in gone], lambda found: found[:2] == [True, True]) == [True, True, False]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_error_nobody_expected_ends_the_waiting_too(logdir: Path) -> None:
    def broken(_files: object, _progress: object) -> Trace:
        raise ZeroDivisionError

    loader = Loader(alone(broken), size_of=n_bytes)
    spans = spans_in(logdir, 3)
    with no_thread_left():  # their errors belong to this test, not to the next
        for span in spans:
            loader.ask(span.key, span.files)
        states = until(
            lambda: [loader.look(span.key, span.files).state for span in spans], lambda found: set(found) == {"failed"}
        )
        assert states == ["failed"] * 3
        loader.close()
