"""Self values of modules by (path, forward or backward): each instant, each device event and each allocation counts once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import union_length
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind, is_kind
from tb_plugin.trace.modules.scopes import AUTOGRAD, FRAME, LABEL

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.modules.paths import ModuleWalk

FORWARD, BACKWARD = 0, 1

_CPU: Final = 0  # c10::DeviceType

COLUMNS: Final = (
    *("host_ns", "device_ns", "kernels", "calls", "operators"),
    *("host_allocated", "host_net", "device_allocated", "device_net"),
)


@dataclass(frozen=True, kw_only=True)
class Sums:
    """`values[path, phase, column]`; the last path is "not in a module"."""

    values: Int64Array
    not_attributed_ns: int
    not_attributed_kernels: int
    has_host_memory: bool
    has_device_memory: bool


def sums_of(trace: Trace, walk: ModuleWalk, kept: BoolArray) -> Sums:
    """Of the event rows that count."""
    scopes, n_paths = walk.scopes, len(walk.tree)
    counter = _Counter(walk)
    counts = kept[scopes.row]
    counter.add("host_ns", np.flatnonzero(counts), scopes.exclusive_ns[counts], is_scope=True)
    inside_ns = int(scopes.exclusive_ns[counts].sum())
    counter.values[n_paths, FORWARD, COLUMNS.index("host_ns")] += max(0, _covered_ns(trace, walk, kept) - inside_ns)
    called = np.flatnonzero(counts & is_call(walk))
    counter.add("calls", called, np.ones(len(called), np.int64), is_scope=True)

    events = trace.events
    operators = np.flatnonzero((events.kind == Kind.OPERATOR) & kept)
    counter.count("operators", operators[~_called_by_another(trace, walk, operators)])

    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS) & kept)
    known = (events.launch[work] != NONE) | (events.owner[work] != NONE)
    counter.add("device_ns", work[known], events.duration_ns(work[known]))
    is_kernel = events.kind[work] == Kind.KERNEL
    counter.count("kernels", work[known & is_kernel])

    memory = trace.memory
    on_host = memory.device_type == _CPU
    for side, is_there in (("host", on_host), ("device", ~on_host)):
        there = is_there & kept[memory.row]
        counter.add(f"{side}_net", memory.row[there], memory.bytes[there])
        there &= memory.bytes > 0
        counter.add(f"{side}_allocated", memory.row[there], memory.bytes[there])
    return Sums(
        values=counter.values,
        not_attributed_ns=int(events.duration_ns(work[~known]).sum()),
        not_attributed_kernels=int(is_kernel[~known].sum()),
        has_host_memory=bool(on_host.any()),
        has_device_memory=bool((~on_host).any()),
    )


def _called_by_another(trace: Trace, walk: ModuleWalk, operators: Int64Array) -> BoolArray:
    """For each of these rows: is the event around it an operator of the same module?"""
    events = trace.events
    path = np.append(walk.node, np.int32(NONE))[walk.around]
    above = events.nest_parent[operators]
    called: BoolArray = (above != NONE) & (events.kind[above] == Kind.OPERATOR) & (path[above] == path[operators])
    return called


def is_call(walk: ModuleWalk) -> BoolArray:
    """Scopes that are calls. Lightning's range in the frame of the same call is none."""
    kind, parent = walk.scopes.kind, walk.scopes.parent
    again = (kind == LABEL) & (parent != NONE)
    again[again] &= (kind[parent[again]] == FRAME) & (walk.node[parent[again]] == walk.node[again])
    calls: BoolArray = np.isin(kind, (FRAME, LABEL)) & ~again
    return calls


class _Counter:
    def __init__(self, walk: ModuleWalk) -> None:
        n_paths = len(walk.tree)
        backward = _in_autograd(walk)
        place = np.where(walk.node == NONE, n_paths, walk.node).astype(np.int64)
        self._slot = np.append(2 * place + backward, 2 * n_paths + FORWARD)  # of each scope; of none
        self._around = walk.around
        self.values: Int64Array = np.zeros((n_paths + 1, 2, len(COLUMNS)), np.int64)

    def add(self, column: str, rows: npt.NDArray[np.integer], amount: npt.NDArray[np.integer], *, is_scope: bool = False) -> None:
        """Adds an amount of each event row (or scope) to where it belongs."""
        slot = self._slot[rows if is_scope else self._around[rows]]
        found = np.bincount(slot, weights=amount, minlength=self.values.shape[0] * 2).astype(np.int64)
        self.values[:, :, COLUMNS.index(column)] += found.reshape(-1, 2)

    def count(self, column: str, rows: npt.NDArray[np.integer]) -> None:
        self.add(column, rows, np.ones(len(rows), np.int64))


def _in_autograd(walk: ModuleWalk) -> BoolArray:
    """For each scope: is it a range of the autograd engine, or in one? Scopes come after what they are in."""
    inside: BoolArray = nearest_marked(walk.scopes.parent, walk.scopes.kind == AUTOGRAD) != NONE
    return inside


def _covered_ns(trace: Trace, walk: ModuleWalk, kept: BoolArray) -> int:
    """Time in which anything was open, summed over the threads that have scopes."""
    events = trace.events
    on_host = is_kind(events.kind, HOST_KINDS) & kept
    covered = 0
    for track in distinct(events.track[walk.scopes.row]).tolist():
        rows = np.flatnonzero(on_host & (events.track == track))
        covered += union_length(events.start_ns[rows], events.end_ns[rows])
    return covered
