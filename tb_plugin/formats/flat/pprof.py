"""pprof's profile: a sample per distinct call stack of the host, with what was spent in its innermost range itself.

    calls  host self  device self  allocated   stack
        2     20 us        0            0       main > aten::linear
        2     15 us       80 us       512 B     main > aten::linear > aten::mm

Device work counts for the operator that it belongs to, else for the call that launched it; what has neither has a stack of
its stream's own. Kernels that run at the same time both count. Allocations count where memory was taken, on host and device.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.formats import slices, whole_file
from tb_plugin.formats.flat import pprof_messages
from tb_plugin.formats.flat.host_stacks import HostStacks, host_stacks
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.modules.call_sites import split_frame

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.trace.model import Trace

_VALUES: Final = (("calls", "count"), ("host_self", "nanoseconds"), ("device_self", "nanoseconds"), ("allocated", "bytes"))
_LARGEST: Final = int(np.iinfo(np.int64).max)
_LOST: Final = "all but stacks and, for each, calls, self times and allocated bytes: no arguments, and no order in time"


def write(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """Writes the file, compressed when the name ends in .gz, and says what it cannot hold."""
    stacks = host_stacks(trace)
    values, alone = _values(trace, stacks)
    writer = _Writer(trace)
    columns = (stacks.above, stacks.name_id, stacks.track)
    locations: list[list[int]] = []
    for above, name_id, track, value in zip(*(column.tolist() for column in columns), values.tolist(), strict=True):
        outer = [writer.title(track)] if above == NONE else locations[above]
        locations.append([writer.location(trace.text(name_id)), *outer])
        if any(value):
            writer.sample(locations[-1], value)
    for (track, name_id), value in alone.items():
        writer.sample([*([] if name_id == NONE else [writer.location(trace.text(name_id))]), writer.title(track)], value)
    with whole_file.written(Path(path)) as file:
        file.write(writer.finish())
    return (_LOST,)


def _values(trace: Trace, stacks: HostStacks) -> tuple[npt.NDArray[np.int64], dict[tuple[int, int], list[int]]]:
    """(calls, host ns, device ns, bytes) of each stack, and the same by (track, name or NONE) of what belongs to none."""
    events, memory = trace.events, trace.memory
    values = np.zeros((len(stacks), len(_VALUES)), np.int64)
    alone: dict[tuple[int, int], list[int]] = {}
    on_stack = np.flatnonzero(stacks.of_row != NONE)
    np.add.at(values[:, 0], stacks.of_row[on_stack], 1)
    _add(values[:, 1], stacks.of_row[on_stack], stacks.self_ns[on_stack])

    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    stack = _stack_of(stacks, np.where(events.owner[work] != NONE, events.owner[work], events.launch[work]))
    length_ns = events.end_ns[work] - events.start_ns[work]
    known = stack != NONE
    _add(values[:, 2], stack[known], length_ns[known])
    for track, name_id, ns in zip(
        events.track[work[~known]].tolist(), events.name_id[work[~known]].tolist(), length_ns[~known].tolist(), strict=True
    ):
        counted = alone.setdefault((track, name_id), [0] * len(_VALUES))
        counted[0] += 1
        counted[2] += ns

    taken = memory.bytes > 0
    stack = _stack_of(stacks, events.parent[memory.row[taken]])
    known = stack != NONE
    _add(values[:, 3], stack[known], memory.bytes[taken][known])
    for track, n_bytes in zip(
        events.track[memory.row[taken][~known]].tolist(), memory.bytes[taken][~known].tolist(), strict=True
    ):
        alone.setdefault((track, NONE), [0] * len(_VALUES))[3] += n_bytes
    return values, alone


def _add(column: Int64Array, place: Int64Array, amount: Int64Array) -> None:
    """Sums that the format has no room for are its largest number."""
    np.add.at(column, place, amount)
    column[np.bincount(place, weights=amount, minlength=len(column)) >= _LARGEST] = _LARGEST


def _stack_of(stacks: HostStacks, rows: npt.NDArray[np.integer]) -> Int64Array:
    """Of each of these rows, or NONE."""
    return np.where(rows == NONE, NONE, stacks.of_row[rows] if len(stacks.of_row) else NONE).astype(np.int64)


class _Writer:
    """Texts, functions and locations as they are first used; a function has one location."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._profile: Any = pprof_messages.profile_class()()
        self._texts: dict[str, int] = {"": 0}
        self._functions: dict[str, int] = {}
        self._titles: dict[int, int] = {}
        info = trace.info
        for kind, unit in _VALUES:
            self._profile.sample_type.add(type=self._text(kind), unit=self._text(unit))
        self._profile.default_sample_type = self._text("device_self" if _has_device(trace) else "host_self")
        self._profile.time_nanos = info.base_ns + info.start_ns
        self._profile.duration_nanos = info.end_ns - info.start_ns
        if info.source:
            self._profile.comment.append(self._text(f"PyTorch profile {info.source}"))

    def title(self, track: int) -> int:
        """The location of a thread or stream, outermost in its stacks."""
        if track not in self._titles:
            self._titles[track] = self.location(slices.track_title(self._trace, track))
        return self._titles[track]

    def location(self, name: str) -> int:
        """`train.py(12): step` is function `step` of file `train.py`."""
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = len(self._functions) + 1
            file, line, function = "", 0, name
            if "(" in name:
                with contextlib.suppress(ValueError):  # else a name like any other
                    file, line, function = split_frame(name)
            self._profile.function.add(
                id=found,
                name=self._text(function or "(no name)"),
                system_name=self._text(name),
                filename=self._text(file),
                start_line=line,
            )
            self._profile.location.add(id=found).line.add(function_id=found, line=line)
        return found

    def sample(self, locations: list[int], value: list[int]) -> None:
        """Innermost first."""
        self._profile.sample.add(location_id=locations, value=[min(each, _LARGEST) for each in value])

    def finish(self) -> bytes:
        self._profile.string_table.extend(self._texts)
        data: bytes = self._profile.SerializeToString(deterministic=True)
        return data

    def _text(self, text: str) -> int:
        return self._texts.setdefault(text.encode("utf-8", "replace").decode(), len(self._texts))


def _has_device(trace: Trace) -> bool:
    return bool(is_kind(trace.events.kind, DEVICE_KINDS).any())
