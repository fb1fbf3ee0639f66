"""A file that is opened while it is written: what it was is never shown for what it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.answers import bodies, questions
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.catalogue import ProfileFile
from tb_plugin.runs.child import Children
from tb_plugin.runs.growing import AT_REST_AFTER_S, Growing
from tb_plugin.runs.store import ProfileStore
from tb_plugin.trace.kinds import Kind
from tests.runs.small import chrome_json, entries, loaded, put, until

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

EVER = float("inf")


def n_operators(trace: Trace | None) -> int:
    assert trace is not None
    return int(np.count_nonzero(trace.events.kind == Kind.OPERATOR))


def rests(store: ProfileStore, after_s: float) -> None:
    store._growing._at_rest_after_s = after_s


def test_what_is_kept_of_a_file_is_not_shown_once_it_grew_or_shrank(
    store: ProfileStore, logdir: Path, cache_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = chrome_json(200)
    half = len(whole) // 2
    file = put(logdir / "w.1.pt.trace.json", whole[:half])
    rests(store, EVER)
    first = loaded(store).value  # nobody can know yet that there is more to come
    assert n_operators(first) < 200
    for view in ("overview", "operators", "timeline", "advice"):
        question = questions.of_one(f"view/{view}")
        assert first is not None
        assert b"the file ends before its list of events does" in bodies.body(
            question, first, question.params_from({}), "sent", None
        )
    for end in range(half + 1000, len(whole), 3000):
        with file.open("ab") as more:
            more.write(whole[file.stat().st_size : end])
        now = store.ask(store.find(None, None, None))
        assert (now.state, now.value) == ("loading", None)
        assert "written a moment ago" in now.stage
    with file.open("ab") as more:
        more.write(whole[file.stat().st_size :])
    assert "written a moment ago" in store.ask(store.find(None, None, None)).stage
    rests(store, 0)
    second = loaded(store).value
    assert second is not None
    assert (n_operators(second), second.issues) == (200, ())
    assert len(entries(cache_dir)) == 2

    os.truncate(file, half)
    assert n_operators(loaded(store).value) == n_operators(first)
    file.write_bytes(whole)
    again = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    assert n_operators(loaded(again).value) == 200
    monkeypatch.setattr(Children, "convert", None)
    third = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    assert n_operators(loaded(third).value) == 200
    for each in (again, third):
        each.close()


def test_a_file_written_again_to_the_same_size_and_time_is_read_again(store: ProfileStore, logdir: Path, cache_dir: Path) -> None:
    if os.name == "nt":
        pytest.skip("there is no time of change there, which nobody can set back")
    content = chrome_json(3)
    file = put(logdir / "w.1.pt.trace.json", content)
    before = file.stat()
    assert "aten::mm" in getattr(loaded(store).value, "strings", ())
    with file.open("r+b") as same:
        same.write(content.replace(b"aten::mm", b"aten::mv"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    again = ProfileStore(store.watch, cache=ProfileCache(cache_dir))
    for each in (store, again):
        trace = loaded(each).value
        assert trace is not None
        assert "aten::mv" in trace.strings
        assert "aten::mm" not in trace.strings
    again.close()


def test_what_reads_a_file_that_grows_meanwhile_is_ended(store: ProfileStore, logdir: Path, cache_dir: Path) -> None:
    whole = chrome_json(300_000)
    file = put(logdir / "w.1.pt.trace.json", whole[:-100])
    rests(store, EVER)
    until(lambda: store.ask(store.find(None, None, None)), lambda now: now.progress > 0)
    with file.open("ab") as more:
        more.write(whole[-100:])
    assert "written a moment ago" in store.ask(store.find(None, None, None)).stage
    assert until(lambda: (store.is_opening(), len(store.children._children)), lambda now: now == (False, 0)) == (False, 0)
    assert entries(cache_dir) == []
    assert "written a moment ago" in store.ask(store.find(None, None, None)).stage
    rests(store, 0)
    assert n_operators(loaded(store).value) == 300_000


@pytest.mark.parametrize(
    ("mtime_ns", "changed_ns", "waits"),
    [
        (99_000_000_000, 99_000_000_000, True),
        (96_000_000_000, 96_000_000_000, False),
        (99_000_000_000, 99_000_000_001, False),
        (99_000_000_001, 99_000_000_000, False),
        (500_000_000_000, 500_000_000_000, False),
    ],
    ids=["this second", "old enough", "time of change in ns", "time in ns", "the disk's clock is ahead"],
)
def test_a_disk_that_counts_seconds_is_waited_for(
    mtime_ns: int, changed_ns: int, waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 97.0 + AT_REST_AFTER_S)
    file = ProfileFile(path="w", size_bytes=7, mtime_ns=mtime_ns, changed_ns=changed_ns)
    assert Growing().size_so_far([file]) == (7 if waits else None)
