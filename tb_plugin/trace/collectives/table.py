"""The collectives of a rank, one row each, whoever recorded them: the one table for kernels, advice and the ranks of a job.

    row   call  kind        group  bytes_in  bytes_out  sequence  peer  step
    5012   311  all_reduce      0  16777216   16777216        17    -1    10     a NCCL kernel, and the call around its launch
    5090   344  recv            1  16777216   16777216         4     4    10
      -1   377  all_reduce      0  16777216   16777216        18    -1    10     issued, but its kernel is not in the file
      88    88  all_gather     -1        -1         -1        -1    -1     2     `gloo:all_gather`, on a thread of the host

Rows are in the order in which they were issued. A kernel is one row, but of a batch of sends and receives (`batches.py`).

What stood in a queue when the recording began comes first, and is of no step: it was issued before, how many of it there are
differs by rank, and the host may be steps ahead by the time that it runs.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.batches import BatchCalls, with_parts
from tb_plugin.trace.collectives.call_args import CallArgs, said_by
from tb_plugin.trace.collectives.calls import calls_of
from tb_plugin.trace.collectives.groups import ProcessGroup, configured, resolved
from tb_plugin.trace.collectives.kinds import element_bytes
from tb_plugin.trace.json_text import is_shape, list_of, texts_of
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.names import judged, rows_named
from tb_plugin.trace.queued import queued_rows
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

HOST_RANGE: Final = re.compile(r"(gloo|mpi|ucc):")
"""Collectives that the host carries out. Sample: `gloo:all_reduce`; `nccl:all_reduce` only starts a kernel."""

_BETWEEN: Final = re.compile(r"(?:send|recv) \d{1,9}(?:->|<-)(\d{1,9})$")

_LARGEST: Final = 1 << 60


@dataclass(frozen=True, kw_only=True)
class Collectives:
    """One row per collective; see the module's head. NONE is "not recorded"."""

    row: Int64Array  # of its kernel or its range on the host; NONE: issued, and not in the file
    call: Int64Array  # the row of `record_param_comms`, or of the range around its launch
    kind: Int64Array  # a place in kinds.KINDS
    group: Int64Array  # a place in `groups`
    bytes_in: Int64Array
    bytes_out: Int64Array
    dtype: Int64Array  # a place in `dtypes`
    sequence: Int64Array  # torch's count in the group; sends and receives have one of their own
    peer: Int64Array  # global rank of the other side of a send or recv
    step: Int64Array  # row in `trace.steps` of its launch
    dispatched: Int64Array  # what an all-to-all brought here, as it is split (rows of a tensor); NONE of those that bring back
    sent: tuple[tuple[int, ...], ...]  # of an all-to-all that splits by sizes what goes to each rank, else ()
    size_said: Int64Array  # ranks in its group, as the call says
    is_host: BoolArray  # a range on the host, not a kernel
    groups: tuple[ProcessGroup, ...]
    dtypes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.row)

    @property
    def message_bytes(self) -> Int64Array:
        return kinds.message_bytes(self.kind, self.bytes_in, self.bytes_out)

    @property
    def n_ranks(self) -> Int64Array:
        """Of its group; NONE where not recorded."""
        sizes = np.array([group.size for group in self.groups] + [NONE], np.int64)[self.group]
        return np.where(sizes == NONE, self.size_said, sizes)

    @property
    def bus_bytes(self) -> Float64Array:
        """Over the busiest link; NaN where not known."""
        size = self.message_bytes
        return np.where(size > 0, size, np.nan) * kinds.bus_factor(self.kind, self.n_ranks)


@once_per_trace
def collectives(trace: Trace) -> Collectives:
    """All of the trace: kernels, issued calls without a kernel, and ranges of gloo, MPI and UCC."""
    kernels = np.flatnonzero(collective_kernels(trace))
    calls = calls_of(trace, kernels)
    ranges = calls.ranges[rows_named(trace, calls.ranges, HOST_RANGE.match)]
    lost = calls.lost if len(kernels) else calls.lost[:0]
    row = np.concatenate((kernels, np.full(len(lost), NONE), ranges)).astype(np.int64)
    call = np.concatenate((calls.kernel_call, lost, ranges)).astype(np.int64)
    row, call, said = with_parts(trace, BatchCalls(row, call, _said(trace, row, call)))
    is_alone = np.array([one is not None and one.group.size == 1 for one in said], np.bool_)
    is_queued = np.isin(row, queued_rows(trace)) & (call == NONE)
    order = np.lexsort((np.where(row == NONE, 0, row), _issued_ns(trace, row, call), ~is_queued))
    order = order[~is_alone.reshape(-1)[order]]
    inside = _inside(trace, calls.ranges, call[order])
    found = _table(trace, row[order], call[order], inside, [said[place] for place in order.tolist()], (row == call)[order])
    return replace(found, step=np.where(is_queued[order], NONE, found.step))


def _table(
    trace: Trace, row: Int64Array, call: Int64Array, inside: Int64Array, said: list[CallArgs | None], is_host: BoolArray
) -> Collectives:
    """`inside`: of each the range around it, or NONE."""
    known = configured(trace.info)
    resolve = cache(lambda one: resolved(one, known))
    groups: dict[ProcessGroup, int] = {}
    dtypes: dict[str, int] = {}
    group = [NONE if one is None or not one.group.name else groups.setdefault(resolve(one.group), len(groups)) for one in said]
    dtype = [NONE if one is None or not one.dtype else dtypes.setdefault(one.dtype, len(dtypes)) for one in said]
    places = tuple(groups)

    def column(of: Callable[[CallArgs], int]) -> Int64Array:
        return np.array([NONE if one is None else of(one) for one in said], np.int64).reshape(-1)

    kind = _kinds(trace, row, inside, said)
    bytes_in = column(lambda one: one.bytes_in)
    group_column = np.array(group, np.int64).reshape(-1)
    name = np.where(inside == NONE, NONE, trace.events.name_id[np.maximum(inside, 0)]).tolist()
    place_by_name = {each: _place_of_peer(trace.text(each)) for each in set(name)}
    own = NONE if trace.info.rank is None else trace.info.rank
    by_row = zip(said, group, (place_by_name[each] for each in name), strict=True)
    peer = np.array([_peer(one, places[at] if at != NONE else None, place, own) for one, at, place in by_row], np.int64)
    return Collectives(
        row=row,
        call=call,
        kind=kind,
        group=group_column,
        bytes_in=np.where(np.array([one is None for one in said], np.bool_), _input_bytes(trace, inside), bytes_in),
        bytes_out=column(lambda one: one.bytes_out),
        dtype=np.array(dtype, np.int64).reshape(-1),
        sequence=column(lambda one: one.sequence),
        peer=np.where(np.isin(kind, (kinds.SEND, kinds.RECV)), peer.reshape(-1), NONE),
        step=_steps(trace, row, call, kind),
        dispatched=np.array(_dispatched(said, group), np.int64).reshape(-1),
        sent=tuple(() if one is None else one.sent for one in said),
        size_said=column(lambda one: one.group.size),
        is_host=is_host,
        groups=places,
        dtypes=tuple(dtypes),
    )


def _said(trace: Trace, row: Int64Array, call: Int64Array) -> list[CallArgs | None]:
    """What its kernel says, else what its call says."""
    of = said_by(trace)
    return [of(kernel) or of(its_call) for kernel, its_call in zip(row.tolist(), call.tolist(), strict=True)]


def _kinds(trace: Trace, row: Int64Array, inside: Int64Array, said: list[CallArgs | None]) -> Int64Array:
    """By the name that is said, else of the range around the launch, else of the kernel."""
    of_kernel = judged(trace, np.maximum(row, 0), kinds.kind_of).astype(np.int64)
    of_range = judged(trace, np.maximum(inside, 0), kinds.kind_of).astype(np.int64)
    by_name = np.where(row == NONE, kinds.OTHER, of_kernel)
    by_range = np.where(inside == NONE, kinds.OTHER, of_range)
    by_said = np.array([kinds.OTHER if one is None else kinds.kind_of(one.name) for one in said], np.int64).reshape(-1)
    kind: Int64Array = np.where(by_said != kinds.OTHER, by_said, np.where(by_range != kinds.OTHER, by_range, by_name))
    return kind


def _inside(trace: Trace, ranges: Int64Array, call: Int64Array) -> Int64Array:
    """`nccl:all_reduce` of each call: itself, or directly inside of a `record_param_comms` of before 2024; NONE without."""
    events = trace.events
    of_row = np.full(len(events) + 1, NONE, np.int64)
    parent = events.nest_parent[ranges]
    of_row[parent[parent != NONE]] = ranges[parent != NONE]
    of_row[ranges] = ranges
    of_row[-1] = NONE
    found: Int64Array = of_row[call]
    return found


def _input_bytes(trace: Trace, inside: Int64Array) -> Int64Array:
    """Of the first input of the range, where shapes were recorded: all that files before 2024, and gloo, say of a size."""
    events = trace.events
    texts = list(zip(events.shapes_id[inside].tolist(), events.types_id[inside].tolist(), strict=True))
    of_text = {each: _bytes_of(trace.text(each[0]), trace.text(each[1])) for each in set(texts)}
    found = np.array([of_text[each] for each in texts], np.int64).reshape(-1)
    return np.where(inside == NONE, NONE, found)


def _bytes_of(shapes: str, types: str) -> int:
    shape, dtype = next(iter(list_of(shapes)), None), next(iter(texts_of(types)), "")
    each = element_bytes(dtype) if dtype else None
    if not is_shape(shape) or each is None:
        return NONE
    n_bytes = math.prod(cast("list[int]", shape)) * each
    return n_bytes if n_bytes < _LARGEST else NONE


def _dispatched(said: list[CallArgs | None], group: list[int]) -> list[int]:
    """An all-to-all that splits as the one before it in its group, the other way round, brings back what that one took."""
    found, last = [], dict[int, tuple[tuple[int, ...], tuple[int, ...]]]()
    for one, at in zip(said, group, strict=True):
        if one is None or not one.received:
            found.append(NONE)
        elif last.get(at) == (one.received, one.sent):
            found.append(NONE)
            del last[at]
        else:
            found.append(sum(one.received))
            last[at] = (one.sent, one.received)
    return found


def _peer(said: CallArgs | None, group: ProcessGroup | None, on_range: int, own: int) -> int:
    """2024's files say its place in the group, as "Rank" or in the name of the range; of two the peer is the other one."""
    if said is None:
        return NONE
    members = group.ranks if group is not None else None
    if said.peer != NONE or members is None:
        return said.peer
    for place in (said.place, on_range):
        if 0 <= place < len(members):
            return members[place]
    return sum(members) - own if len(members) == 2 and own in members else NONE


def _place_of_peer(name: str) -> int:
    """In the group. Samples: `nccl:send 0->1`, `nccl:recv 1<-0`: the rank itself is named first."""
    found = _BETWEEN.search(name)
    return int(found[1]) if found else NONE


def _issued_ns(trace: Trace, row: Int64Array, call: Int64Array) -> Int64Array:
    """When the host called for it; without a call when it began."""
    start = trace.events.start_ns
    at_call, at_row = start[np.maximum(call, 0)], start[np.maximum(row, 0)]
    issued: Int64Array = np.where(call != NONE, at_call, at_row)
    return issued


def _steps(trace: Trace, row: Int64Array, call: Int64Array, kind: Int64Array) -> Int64Array:
    """The step of the launch; of what ran without one the step in which it began; of a receive that of the first work launched
    after it that began once it was over: what a stage posts in one step may bring what the next one begins with.
    """
    steps, events = trace.steps, trace.events
    if len(steps) == 0:
        return np.full(len(row), NONE, np.int64)
    of_row = np.where(row == NONE, NONE, events.step[np.maximum(row, 0)]).astype(np.int64)
    is_device = (row != NONE) & is_kind(events.kind[np.maximum(row, 0)], DEVICE_KINDS)
    issued = _issued_ns(trace, row, call)
    place = np.searchsorted(steps.start_ns, issued, side="right") - 1
    inside = (place >= 0) & (issued < steps.end_ns[np.maximum(place, 0)])
    found: Int64Array = np.where(is_device & (of_row != NONE), of_row, np.where(inside, place, NONE))
    is_launched = (row != NONE) & (events.launch[np.maximum(row, 0)] != NONE)
    received = np.flatnonzero(_only_received(row, kind) & is_launched & (found != NONE))
    if len(received):
        found[received] = _step_of_next(trace, row[received], issued[received])
    return found


def _step_of_next(trace: Trace, received: Int64Array, issued: Int64Array) -> Int64Array:
    """Of the first work but these, launched after each was issued, that began no earlier than it ended."""
    events = trace.events
    work = np.setdiff1d(np.flatnonzero(is_kind(events.kind, DEVICE_KINDS)), received)
    work = work[events.launch[work] != NONE]
    work = work[np.argsort(events.start_ns[events.launch[work]], kind="stable")]
    launched = np.searchsorted(events.start_ns[events.launch[work]], issued)
    begun = np.searchsorted(np.maximum.accumulate(events.start_ns[work]), np.append(events.end_ns, 0)[received])
    step: Int64Array = np.append(events.step[work], NONE).astype(np.int64)[np.maximum(launched, begun)]
    return step


def _only_received(row: Int64Array, kind: Int64Array) -> BoolArray:
    """Of each: its kernel, where there is one, sends nothing."""
    received: BoolArray = kind == kinds.RECV
    if received.any():
        received &= ~np.isin(row, row[(row != NONE) & (kind != kinds.RECV)])
    return received
