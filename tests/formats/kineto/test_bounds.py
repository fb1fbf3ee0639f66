"""Small files that were made to take much: what they take is bounded, and what was left out is said."""

from __future__ import annotations

import gzip
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader
from tb_plugin.formats.flat import collapsed_stacks
from tb_plugin.trace.check import DEEPEST, MOST_BYTES, MOST_DEVICES
from tb_plugin.trace.memory.series import all_series
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.modules.tree import LONGEST_PATH

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def op(name: str, ts: float, dur: float = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 2, "ts": ts, "dur": dur, **more}


def read(tmp_path: Path, content: bytes | list[dict[str, Any]]) -> Trace:
    path = tmp_path / "x.pt.trace.json.gz"
    text = content if isinstance(content, bytes) else json.dumps({"schemaVersion": 1, "traceEvents": content}).encode()
    path.write_bytes(gzip.compress(text, 1, mtime=0))
    return reader.read(path)


def issues(trace: Trace) -> dict[str, int]:
    return {issue.kind: issue.count for issue in trace.issues}


def test_modules_in_modules_do_not_grow_as_a_square(tmp_path: Path) -> None:
    n = 3 * DEEPEST
    nested = [op(f"nn.Module: Linear_{i}", i, 2 * (n - i) + 5, cat="python_function") for i in range(n)]
    trace = read(tmp_path, nested)
    assert int(trace.events.depth.max()) == DEEPEST
    assert issues(trace) == {"nested deep": n - 1 - DEEPEST}
    assert len(trace.events) == DEEPEST + 1
    paths = module_paths(trace)
    assert max(map(len, paths.texts)) <= LONGEST_PATH
    assert (paths.of_row >= 0).all()
    collapsed_stacks.write(trace, tmp_path / "a.collapsed")
    lines = (tmp_path / "a.collapsed").read_text().splitlines()
    assert max(map(len, lines)) < 20_000
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == sum(event["dur"] for event in nested[:1])


def test_an_event_larger_than_any_ends_the_reading(tmp_path: Path) -> None:
    trace = read(tmp_path, [op("first", 1), op("n" * (17 << 20), 5), op("last", 9)])
    assert len(trace.events) <= 1
    assert issues(trace) == {"truncated": 1}


def test_large_arguments_are_left_out_and_counted(tmp_path: Path) -> None:
    trace = read(tmp_path, [op("a", 1, args={"x": "y" * (2 << 20)}), op("b", 5, args={"External id": 3})])
    assert issues(trace) == {"long arguments": 1}
    assert [trace.args.get(order) for order in (0, 1)] == [{}, {"External id": 3}]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("first", [b"", b"["])
def test_text_of_several_bytes_a_character_is_refused_at_once(tmp_path: Path, encoding: str, first: bytes) -> None:
    text = json.dumps([op("a", n) for n in range(3000)])
    with pytest.raises(FormatError, match=r"UTF-16|not a PyTorch profile"):
        read(tmp_path, first + text.encode(encoding))


def test_blanks_between_events_are_not_kept(tmp_path: Path) -> None:
    one = json.dumps(op("a", 1)).encode()
    blanks = b" " * (40 << 20)
    for text in (b"[" + blanks + one + b"]", b"[" + one + b"]" + blanks):
        assert len(read(tmp_path, text).events) == 1
    with pytest.raises(FormatError):
        read(tmp_path, blanks)


@pytest.mark.parametrize(
    "text",
    [b'},{"ph"' * 50_000, b'{"a' * 100_000, b"[{" * 60_000, b'{"ph":"X","name":"a"b' * 20_000, b'{"name":"' * 40_000],
    ids=["ends", "quotes", "brackets", "bare quotes", "names"],
)
def test_beginnings_without_ends_do_not_take_minutes(tmp_path: Path, text: bytes) -> None:
    started = time.process_time()
    try:
        trace = read(tmp_path, b'{"traceEvents":[' + text)
    except FormatError:
        trace = None
    assert time.process_time() - started < 10  # the first took 40 s
    assert trace is None or issues(trace)


def test_thousands_of_named_processes_do_not_take_minutes(tmp_path: Path) -> None:
    n = 20_000
    named = [{"ph": "M", "name": "process_name", "pid": i, "tid": 2, "args": {"name": f"p{i}"}} for i in range(n)]
    started = time.process_time()
    trace = read(tmp_path, [*(op("a", i, pid=i) for i in range(n)), *named])
    assert time.process_time() - started < 15  # it took 20 s on a fast machine
    assert trace.text(int(trace.tracks.process_name_id[n - 1])) == f"p{n - 1}"


def test_thousands_of_devices_are_shown_as_few(tmp_path: Path) -> None:
    def kernel(i: int) -> dict[str, Any]:
        return {
            "ph": "X",
            "cat": "kernel",
            "name": "k",
            "pid": i,
            "tid": 7,
            "ts": i,
            "dur": 1,
            "args": {"device": i, "stream": 7},
        }

    trace = read(tmp_path, [kernel(i) for i in range(2 * MOST_DEVICES)])
    assert len(set(trace.tracks.device.tolist())) == MOST_DEVICES
    assert issues(trace) == {"many devices": 2 * MOST_DEVICES}
    assert len(read(tmp_path, [kernel(i) for i in (0, 3, 2**31 - 1)]).events) == 3


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 2**62, -(2**63)])
def test_a_size_of_memory_that_no_machine_has_is_not_counted(size: int, tmp_path: Path) -> None:
    def change(ts: int, n_bytes: int) -> dict[str, Any]:
        args = {"Addr": ts, "Bytes": n_bytes, "Device Type": 0, "Device Id": -1}
        return {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 2, "ts": ts, "args": args}

    trace = read(tmp_path, [op("a", 0, 100), *(change(ts, size) for ts in range(1, 9)), change(10, 512), change(11, -512)])
    (series,) = all_series(trace)
    assert series.allocated.tolist() == [512, 0]
    assert issues(trace) == {"impossible size": 8}
