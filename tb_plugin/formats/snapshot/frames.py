"""Stacks of consecutive events as ranges: a frame lasts as long as the events that share it, and all above it, follow each other.

time        10    12    14    16          train.py: step     10 - 17
stack     step  step  step  other   ->    model.py: forward  10 - 13
          fwd   fwd                       other              16 - 17
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.formats.interning import Strings

_NATIVE = re.compile(r"(?:\?\?|.*\.(?:c|cc|cpp|cxx|cu|cuh|h|hpp|S|so[\d.]*))?\Z", re.DOTALL)
"""Files of frames that are not Python's, recorded with `stacks="all"`. Sample: `/build/aten/src/ATen/core/boxing.h`."""


_MOST_FRAMES = 1_000  # of one stack, innermost first: Python itself stops there
_MOST_LINES = 1 << 31
_MOST_ROWS = 64
"""Ranges an event, on the average. Real stacks are as deep, and neighbours share most of theirs."""


class FrameRows(NamedTuple):
    """One entry per range, by start, outer ones first."""

    start_ns: Int64Array
    end_ns: Int64Array
    name_id: Int64Array


class FrameStacks:
    """Lists of frames to numbers: lists that are one object in the file, or say the same, have one number. 0 is no stack."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._by_object: dict[int, int] = {}
        self._numbers: dict[tuple[int, ...], int] = {(): 0}
        self.stacks: list[tuple[int, ...]] = [()]  # name ids, outermost first

    def number(self, frames: Any) -> int:
        if not isinstance(frames, (list, tuple)) or not frames:
            return 0
        known = self._by_object.get(id(frames))
        if known is None:
            stack = self._stack(frames)
            known = self._numbers.setdefault(stack, len(self.stacks))
            if known == len(self.stacks):
                self.stacks.append(stack)
            self._by_object[id(frames)] = known
        return known

    def _stack(self, frames: Sequence[Any]) -> tuple[int, ...]:
        """The Python frames, or all where there are none."""
        # A list may name one frame a million times.
        known = [frame for frame in frames[:_MOST_FRAMES] if isinstance(frame, dict)]
        python = [frame for frame in known if not _NATIVE.match(_text(frame, "filename"))]
        return tuple(self._strings[_name(frame)] for frame in reversed(python or known))


def ranges(time_ns: Int64Array, stack: Int64Array, stacks: Sequence[tuple[int, ...]]) -> FrameRows:
    """`time_ns` grows by 2 at least; a range ends 1 ns after its last event, and so before the next one.

    Events behind `_MOST_ROWS` ranges each have none: a file may have one stack of a thousand frames before every event.
    """
    starts: list[int] = []
    ends: list[int] = []
    names: list[int] = []
    if len(stack):
        firsts = np.flatnonzero(np.concatenate(([True], stack[1:] != stack[:-1])))
        lasts = np.append(firsts[1:], len(stack)) - 1
        open_rows: list[int] = []
        before: tuple[int, ...] = ()
        columns = (stack[firsts].tolist(), time_ns[firsts].tolist(), (time_ns[lasts] + 1).tolist())
        for number, first_ns, end_ns in zip(*columns, strict=True):
            now = stacks[number] if len(starts) < _MOST_ROWS * len(stack) + _MOST_FRAMES else ()
            shared = _shared(before, now)
            del open_rows[shared:]
            for name_id in now[shared:]:
                open_rows.append(len(starts))
                starts.append(first_ns)
                ends.append(end_ns)
                names.append(name_id)
            for row in open_rows[:shared]:
                ends[row] = end_ns
            before = now
    return FrameRows(np.array(starts, np.int64), np.array(ends, np.int64), np.array(names, np.int64))


def _shared(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """How many frames both begin with."""
    for place, (left, right) in enumerate(zip(a, b, strict=False)):
        if left != right:
            return place
    return min(len(a), len(b))


def _name(frame: dict[Any, Any]) -> str:
    """As torch's profiler writes frames: `train.py(12): step`."""
    line = frame.get("line")
    line = line if isinstance(line, int) and abs(line) < _MOST_LINES else 0
    return f"{_text(frame, 'filename')}({line}): {_text(frame, 'name')}"


def _text(frame: dict[Any, Any], key: str) -> str:
    """Of anything but text nothing: what a pickle shares again and again is huge when it is written."""
    value = frame.get(key)
    return value if isinstance(value, str) else ""
