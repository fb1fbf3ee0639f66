"""What a track is called, and the order of such names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_NUMBERS: Final = re.compile(r"(\d+)")
_ID: Final = re.compile(r"-?\d+")  # pthread_self() in 32 bits with a sign, in files of PyTorch 2.0 and before
_ALL_STREAMS: Final = 0xFFFFFFFF  # CUPTI_SYNCHRONIZATION_INVALID_VALUE: a wait for a whole context or device


def track_name(trace: Trace, track: int) -> str:
    """`stream 7`, `thread 1234 (pt_autograd_0)`, or what the file calls it."""
    table = trace.tracks
    tid, name = trace.text(table.tid_id[track]), trace.text(table.thread_name_id[track])
    if table.device[track] != NONE and (tid == "-1" or table.stream[track] == _ALL_STREAMS):
        return "all streams"
    if table.stream[track] != NONE and table.device[track] != NONE:
        return f"stream {table.stream[track]}"
    if named := re.fullmatch(r"thread -?\d+ \((.+)\)", name):
        name = named[1]
    process = trace.text(table.process_name_id[track])
    if not name or name.lower() in (tid, f"thread {tid}") or process.startswith(name):  # says nothing new
        return f"thread {tid}" if _ID.fullmatch(tid) else tid or "no thread"
    if name.startswith(("thread ", "stream ")):
        return name
    return f"thread {tid} ({name})" if _ID.fullmatch(tid) else name


def process_name(trace: Trace, track: int) -> str:
    """`process 4000 (python)`, or what the file calls the process of this track."""
    pid, name = (trace.text(ids[track]) for ids in (trace.tracks.pid_id, trace.tracks.process_name_id))
    if pid.isdecimal():
        return f"process {pid}" + (f" ({name})" if name and name != pid else "")
    return name or ("" if pid == "-1" else pid) or "no process"


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts `stream 7` before `stream 20`."""
    return tuple(_number(p) if p.isdecimal() else (1, 0, p) for p in _NUMBERS.split(text) if p)


def _number(digits: str) -> tuple[int, int, str]:
    """In the order of numbers, however long: a file may have a thread of 5 000 digits, which Python does not convert."""
    digits = digits.lstrip("0")
    return 0, len(digits), digits


def main_tracks(trace: Trace) -> set[int]:
    """The thread that runs the steps; without steps the one whose id is its process's."""
    with_steps = set(distinct(trace.events.track[trace.steps.row]).tolist()) if len(trace.steps) else set()
    if with_steps:
        return with_steps
    return set(np.flatnonzero((trace.tracks.pid_id == trace.tracks.tid_id) & (trace.tracks.device == NONE)).tolist())
