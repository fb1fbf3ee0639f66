"""A RankSummary of a Trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import intersect, length
from tb_plugin.trace.collectives.groups import configured
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.rank import summary
from tb_plugin.trace.rank.device_waits import DEVICE_WAITS, device_waits_of_steps
from tb_plugin.trace.rank.host_stretches import HOST_STRETCHES, host_stretches
from tb_plugin.trace.rank.impossible_times import with_possible_times
from tb_plugin.trace.rank.kernel_shapes import kernel_shapes
from tb_plugin.trace.rank.memory_peaks import MEMORY, memory_peaks
from tb_plugin.trace.rank.order import NEEDS, ORDER, order_of
from tb_plugin.trace.rank.own_ranges import own_ranges
from tb_plugin.trace.rank.packed import Packed, packed
from tb_plugin.trace.rank.passes import passes
from tb_plugin.trace.rank.step_work import busy, computation_of_file, has_ranges, hiding, work_of_steps
from tb_plugin.trace.rank.summary import RankSummary
from tb_plugin.trace.rank.whole_recording import with_a_step
from tb_plugin.trace.rank.windows import Holes, holes, rank_windows, windows_of_rank
from tb_plugin.trace.scope.recording import is_cut_off, without_length
from tb_plugin.trace.work.kernel_launches import kernel_launches

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace


def summarise(trace: Trace) -> RankSummary:
    """One pass over each of its tables; equal for equal traces."""
    has_steps, (trace, impossible, is_in) = len(trace.steps) > 0, with_possible_times(with_a_step(trace))
    info, what, shapes, found = trace.info, busy(trace), kernel_shapes(trace), collectives(trace)
    ranges, between, waits = own_ranges(trace), rank_windows(trace), device_waits_of_steps(trace, what.all)
    work = work_of_steps(trace, what, *between)
    lacking = holes(trace, work.columns["idle"])
    lacking = Holes([*lacking.said, *impossible], lacking.is_in | is_in)
    hides, computed = hiding(what), computation_of_file(trace, what)
    device = _device_index(trace)
    memory = memory_peaks(trace, is_on_host=what.is_on_host, has_steps=has_steps)
    groups, order = configured(info), order_of(trace)
    return RankSummary(
        rank=info.rank,
        world_size=info.world_size,
        host=info.host,
        backend=info.backend,
        device=next((each.name for each in info.devices if each.name and each.index == device), None),
        device_index=device,
        torch_version=info.torch_version,
        trace_id=info.trace_id,
        base_ns=info.base_ns,
        start_ns=info.start_ns,
        end_ns=info.end_ns,
        resolution_ns=info.resolution_ns,
        n_events=len(trace.events),
        has_steps=has_steps,
        is_on_host=what.is_on_host,
        has_ranges=has_ranges(trace),
        has_launches=len(kernel_launches(trace)) > 0,
        is_cut_off=is_cut_off(trace),
        computation_ns=length(computed),
        communication_ns=length(what.communication),
        overlap_ns=length(intersect(computed, what.communication)),
        damage=lacking.said,
        groups=list(found.groups),
        n_groups_of_rank=sum(group.size > 1 for group in groups) if groups else None,
        dtypes=list(found.dtypes),
        names=shapes.names,
        pause_events=work.pause_events,
        collectives=_collectives(trace),
        steps=_table(summary.STEPS, windows_of_rank(trace, lacking)._asdict()),
        work=_table(summary.WORK, {**work.columns, **passes(trace, *between)}),
        computing=_table(summary.COMPUTING, {"start": hides.start, "end": hides.end}),
        shapes=_table(summary.SHAPES, shapes.columns),
        order=_table(ORDER, order.rows),
        needs=_table(NEEDS, order.needs),
        inputs=shapes.inputs,
        range_names=ranges.names,
        ranges=_table(summary.RANGES, ranges.columns),
        wait_names=waits.names,
        device_waits=_table(DEVICE_WAITS, waits.columns),
        host_waits=_table(summary.HOST_WAITS, {"start": what.beyond_ranges.start, "end": what.beyond_ranges.end}),
        stretches=_table(HOST_STRETCHES, host_stretches(trace, order.rows)),
        memory=None if memory is None else _table(MEMORY, memory),
        without_length=without_length(trace),
    )


def _collectives(trace: Trace) -> Packed:
    found, events = collectives(trace), trace.events
    is_there = found.row != NONE
    row = np.maximum(found.row, 0)
    issued = np.where(found.call != NONE, events.start_ns[np.maximum(found.call, 0)], events.start_ns[row])
    track = events.track[row]
    number = np.append(trace.steps.number, NONE)
    columns = {
        "start": np.where(is_there, events.start_ns[row], NONE),
        "end": np.where(is_there, events.end_ns[row], NONE),
        "issued": issued,
        "group": found.group,
        "kind": found.kind,
        "sequence": found.sequence,
        "size": found.message_bytes,
        "bytes_in": found.bytes_in,
        "bytes_out": found.bytes_out,
        "dtype": found.dtype,
        "stream": np.where(is_there, trace.tracks.stream[track], NONE),
        "peer": found.peer,
        "step": number[found.step],
        "row": found.row,
        "dispatched": found.dispatched,
    }
    return _table(summary.COLLECTIVES, columns)


def _device_index(trace: Trace) -> int | None:
    work = np.flatnonzero(is_kind(trace.events.kind, DEVICE_KINDS))
    devices = trace.tracks.device[trace.events.track[work]]
    devices = devices[devices != NONE]
    return int(devices.min()) if len(devices) else None


def _table(names: tuple[str, ...], columns: dict[str, Int64Array]) -> Packed:
    return packed({name: np.asarray(columns[name], np.int64) for name in names})
