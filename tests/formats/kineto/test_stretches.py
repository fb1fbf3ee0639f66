"""A file that several read is what one reads of it, to the last byte, whatever is in it."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import signal
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import FormatError
from tb_plugin.compute import nesting
from tb_plugin.formats.kineto import helpers, json_stream, kineto_json, so_far, stretches
from tb_plugin.formats.kineto.stretches import ByteRange, ReadAlone, read_alone
from tb_plugin.trace import build
from tests.formats.same_trace import assert_same

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.so_far import SoFar

_BLOCK = 512
_IN_SMALL = HealthCheck.function_scoped_fixture


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of half a kilobyte, stretches of one to three of them, and no file too small to be shared."""
    for module in (json_stream, stretches, kineto_json):
        monkeypatch.setattr(module, "CHUNK_BYTES", _BLOCK)
    monkeypatch.setattr(stretches, "_LEAST_BLOCKS", 1)
    monkeypatch.setattr(stretches, "_MOST_BLOCKS", 3)
    monkeypatch.setattr(kineto_json, "_FIRST_BLOCKS", 1)
    monkeypatch.setattr(kineto_json, "LARGE_BYTES", 0)
    monkeypatch.setattr(build, "_LARGE", 0)
    monkeypatch.setattr(helpers, "_EARLY", 1)  # without helpers all but the first stretch is read first, each alone


def outcome(path: Path, n_helpers: int, *, told: list[SoFar] | None = None) -> Trace | str:
    """A Trace, or the error's words."""
    try:
        return kineto_json.read(path, on_so_far=None if told is None else told.append, n_helpers=n_helpers)
    except FormatError as error:
        return str(error)


def assert_as_one(path: Path, n_helpers: int = 0) -> None:
    """Read by one, in one go, and in stretches, by helpers or each alone by this process."""
    expected = outcome(path, 0)
    found = outcome(path, n_helpers, told=[])
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
        return
    assert_same(found, expected)
    assert list(found.args) == list(expected.args)


TEXT = st.text(st.sampled_from('ab{}[],:"\\/é\u2028\n') | st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ['}, {"ph": "X"', '"}, {"name":', "[]", 'a"}]}', "\\", "\\\\"]
)
ODD = st.sampled_from(
    [
        '{"ph": "X", "cat": "cpu_op", "name": "half \\ud800", "pid": 1, "tid": 1, "ts": 5, "dur": 1}',
        '{"ph": "X", "cat": "cpu_op", "name": "nan", "pid": 1, "tid": 1, "ts": NaN, "dur": Infinity}',
        '{"ph": "X", "name": "twice", "name": "again", "ts": 7, "ts": 8, "pid": 1, "pid": 2, "tid": 1, "dur": 3}',
        '{"ph": "X", "cat": "cpu_op", "name": "say "hi"", "pid": 1, "tid": 1, "ts": 5, "dur": 1}',
        '{"ph": "X", "name": "list", "pid": 1, "tid": 1, "ts": 9, "args": {"of": [{"ph": "X"}, {"ph": "Y"}, {"name": 1}]}}',
        '{"ph": "B", "name": "pair", "pid": 1, "tid": 1, "ts": 3}',
        '{"ph": "E", "name": "pair", "pid": 1, "tid": 1, "ts": 60.5}',
        '{"ph": "s", "id": "a name", "name": "arrow", "cat": "c", "pid": 1, "tid": 1, "ts": 4}',
        '{"ph": "f", "id": "0x7f", "name": "arrow", "cat": "c", "pid": "1", "tid": "stream 1", "ts": 4}',
        '{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}}',
        '{"ph": "X", "name": 7, "pid": "1", "tid": 1, "ts": "12", "dur": "3"}',
        '{"ph": "X", "name": "open", "pid": 1, "tid": 1, "ts": 5, "args": {"a": [1, 2}',
        "7",
        "\x00" * 70,
        " " * 1500,
        '{"ph": "X", "name": "' + "long " * 300 + '", "pid": 1, "tid": 1, "ts": 2, "dur": 2}',
        "]",
        "]}",
    ]
)


@st.composite
def events(draw: st.DrawFn) -> str:
    event: dict[str, Any] = {
        "ph": "X",
        "cat": draw(st.sampled_from(["cpu_op", "kernel", "cuda_runtime", "python_function", "gpu_memcpy"])),
        "name": draw(TEXT),
        "pid": draw(st.sampled_from([0, 1, "1"])),
        "tid": draw(st.sampled_from([1, "1", "stream 1", 7])),
        "ts": draw(st.integers(0, 10**6)) / draw(st.sampled_from([1, 8, 1000])),
        "dur": draw(st.integers(0, 1000)) / draw(st.sampled_from([1, 1000])),
        "args": {
            "External id": draw(st.integers(1, 9)),
            "correlation": draw(st.integers(1, 9)),
            "Input Dims": [[draw(st.integers(1, 3))], []],
            "grid": [draw(st.integers(1, 2)), 1, 1],
            "stream": draw(st.sampled_from([7, "7"])),
            "Call stack": draw(TEXT),
        },
    }
    return json.dumps(event, ensure_ascii=draw(st.booleans()))


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Mostly sound; cut off, or hit in one byte, in one of four each."""
    listed = draw(st.lists(events(), min_size=10, max_size=40))
    for odd in draw(st.lists(ODD, max_size=3)):
        listed.insert(draw(st.integers(0, len(listed))), odd)
    between = draw(st.sampled_from([",", ", ", ",\n  ", " , "]))
    head = draw(st.sampled_from(["[", '{"traceEvents": [', '{"deviceProperties": [{"id": 0, "name": "H"}], "traceEvents": [ ']))
    tail = "]" if head == "[" else draw(st.sampled_from(["]}", '], "distributedInfo": {"rank": 3}}\n', "]} {", ""]))
    text = bytearray((head + between.join(listed) + tail).encode("utf-8", "surrogatepass"))
    fate = draw(st.integers(0, 3))
    if fate == 0:
        del text[draw(st.integers(1, len(text))) :]
    elif fate == 1:
        text[draw(st.integers(0, len(text) - 1))] = draw(st.integers(0, 255))
    return bytes(text)


@pytest.mark.usefixtures("small")
@settings(max_examples=100, deadline=None, suppress_health_check=[_IN_SMALL])
@given(content=files())
def test_stretches_of_anything_are_the_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.pt.trace.json"
    path.write_bytes(content)
    assert_as_one(path)


def many(path: Path, n: int = 400) -> Path:
    listed = [
        {
            "ph": "X",
            "cat": "kernel" if k > n * 0.7 else "cpu_op",
            "name": f"n{k % 7}",
            "pid": 0,
            "tid": k % 3,
            "ts": k / 8,
            "dur": 1,
        }
        for k in range(n)
    ]
    path.write_text(json.dumps({"traceEvents": listed, "deviceProperties": [{"id": 0, "name": "H100"}]}))
    return path


forks = pytest.mark.skipif(not hasattr(os, "fork") or os.uname().sysname != "Linux", reason="helpers are forked on Linux alone")


@forks
@pytest.mark.usefixtures("small")
def test_helpers_read_what_one_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = many(tmp_path / "w.pt.trace.json")
    others = set(multiprocessing.active_children())
    joined: list[bool] = []

    def join(*arguments: Any) -> bool:
        joined.append(stretches.join(*arguments))
        return joined[-1]

    threads = []

    def replay(*arguments: Any) -> Any:
        threads.append(threading.current_thread())
        return nesting.replay(*arguments)

    monkeypatch.setattr(kineto_json, "join", join)
    monkeypatch.setattr(build, "nesting", SimpleNamespace(**{**vars(nesting), "replay": replay}))
    assert_as_one(path, n_helpers=2)
    assert any(joined)
    assert {thread is threading.main_thread() for thread in threads} == {True, False}  # by one; where helpers had cores
    assert set(multiprocessing.active_children()) <= others


@forks
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("after", [0, 3])
def test_what_a_killed_helper_had_is_read_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    path = many(tmp_path / "w.pt.trace.json")
    here, begun = os.getpid(), []

    def read(path: Path, stretch: ByteRange, base_us: float) -> ReadAlone | None:
        assert os.getpid() != here
        begun.append(stretch)
        if len(begun) > after:
            os.kill(os.getpid(), signal.SIGKILL)
        return read_alone(path, stretch, base_us)

    monkeypatch.setattr(helpers, "read_alone", read)
    assert_as_one(path, n_helpers=1)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("n_helpers", [0, pytest.param(1, marks=forks)])
def test_what_stands_at_the_end_is_known_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_helpers: int) -> None:
    """Kernels, and the devices that a rewritten file lists behind its events."""
    monkeypatch.setattr(so_far, "EVERY_S", 0.0)
    monkeypatch.setattr(so_far, "_MOST_OF_THE_TIME", 1e9)
    monkeypatch.setattr(helpers, "_EARLY", 8)
    told: list[SoFar] = []
    path = many(tmp_path / "w.pt.trace.json")
    trace = outcome(path, n_helpers, told=told)
    assert not isinstance(trace, str)
    first, last = next(each for each in told if each.kernels), told[-1]
    # On a busy machine a helper may begin when this process has read half, and tell the end when this one has reached kernels.
    assert n_helpers > 0 or (first.device_names == ["H100"] and first.part < 0.5)
    assert last.device_names == ["H100"]
    assert (last.n_events, last.part, last.n_tracks) == (400, 1.0, 3)
    assert sum(each.count for each in last.operators) + sum(each.count for each in last.kernels) == 400
    assert all(a.part <= b.part for a, b in itertools.pairwise(told))


@pytest.mark.usefixtures("small")
def test_the_work_that_is_not_read_yet_is_no_idle_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels of one device from begin to end of the file, busy half of the time, of which the end is read first."""
    monkeypatch.setattr(so_far, "EVERY_S", 0.0)
    monkeypatch.setattr(so_far, "_MOST_OF_THE_TIME", 1e9)
    monkeypatch.setattr(helpers, "_EARLY", 8)
    kernel = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "dur": 5}
    arrows = [{"ph": phase, "id": 1, "name": "ac2g", "cat": "ac2g", "pid": 0, "tid": 7, "ts": 1} for phase in "sf"]
    path = tmp_path / "w.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [*arrows, *({**kernel, "ts": 10 * i} for i in range(1000))]}))
    told: list[SoFar] = []
    trace = outcome(path, 0, told=told)
    assert not isinstance(trace, str)
    known = [device for each in told for device in each.devices]
    assert len(known) > 10
    (lane,) = next(each for each in told if each.devices and each.part > 0.3).lanes
    assert lane.shares[0] is not None
    assert lane.shares[-1] is not None
    assert None in lane.shares
    assert all(0.3 < share < 0.7 for share in lane.shares[1:-1] if share is not None)
    assert all(0.5 <= device.busy_ns / device.span_ns < 0.6 for device in known)
    # The first look: the end of the file and its beginning, which lie far apart.
    assert 10_000 * known[0].n_events > known[0].span_ns
    assert told[-1].n_events == len(trace.events) == 1000
