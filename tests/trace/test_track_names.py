"""What a track is called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.trace.track_names import process_name, track_name
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("tid", "args", "said", "name"),
    [
        (12, {}, "", "thread 12"),
        (12, {}, "thread 12 (pt_autograd_0)", "thread 12 (pt_autograd_0)"),
        (-549452224, {}, "", "thread -549452224"),
        (-549452224, {}, "thread -549452224 (python)", "thread -549452224 (python)"),
        ("Trace PyTorch Profiler", {}, "", "Trace PyTorch Profiler"),
        (7, {"stream": 7, "device": 0}, "stream 7", "stream 7"),
        (-1, {"stream": 4294967295, "device": 0}, "Device 0", "all streams"),
        (-1, {"stream": -1, "device": 0}, "", "all streams"),
    ],
)
def test_a_track_is_a_thread_a_stream_all_streams_or_what_the_file_says(
    tmp_path: Path, tid: int | str, args: dict[str, int], said: str, name: str
) -> None:
    is_device = bool(args)
    event = {"ph": "X", "cat": "cuda_sync" if is_device else "cpu_op", "name": "x", "pid": 0, "tid": tid, "ts": 1, "dur": 2}
    names = [{"ph": "M", "name": "thread_name", "pid": 0, "tid": tid, "args": {"name": said}}] if said else []
    path = tmp_path / "w.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [*names, event | {"args": args}]}))
    trace = trace_of(path)
    assert track_name(trace, int(trace.events.track[0])) == name


@pytest.mark.parametrize(("pid", "said", "name"), [(-1, "", "no process"), (-1, "Overhead", "Overhead"), (7, "", "process 7")])
def test_what_is_of_no_process_says_so(tmp_path: Path, pid: int, said: str, name: str) -> None:
    """Kineto writes -1 for what no process did."""
    event = {"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": pid, "tid": 0, "ts": 1, "dur": 2}
    names = [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": said}}] if said else []
    path = tmp_path / "w.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [*names, event]}))
    trace = trace_of(path)
    assert process_name(trace, int(trace.events.track[0])) == name
