"""Which kernels cost, and how were they launched? Groups device rows by name, or by name, operator and launch shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.grouping import Groups, count_by, group_by, max_by, min_by, sum_by, weighted_mean_by
from tb_plugin.compute.intervals import union_length
from tb_plugin.trace.kinds import COLLECTIVE_NAME, DEVICE_KINDS, Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.operator_times import key_text, name_keys
from tb_plugin.views.kernels.result import KernelKind, KernelRow, Kernels, KernelsParams

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_KINDS = {"kernel": (Kind.KERNEL,), "copy": (Kind.COPY,), "set": (Kind.SET,), "all": DEVICE_KINDS}
_KIND_NAMES: dict[int, KernelKind] = {Kind.KERNEL: "kernel", Kind.COPY: "copy", Kind.SET: "set"}


@dataclass(frozen=True, kw_only=True)
class _Launches:
    """How each of the device rows was launched, aligned with them; NONE and NaN where the file does not say."""

    shape: Int64Array  # grid x, y, z, block x, y, z, registers, shared bytes
    blocks_per_sm: Float64Array
    occupancy_percent: Float64Array
    bytes: Int64Array


def compute(trace: Trace, params: KernelsParams) -> Kernels:
    """Rows whose totals add up to the summed time of the chosen kinds."""
    events = trace.events
    rows = np.flatnonzero(np.isin(events.kind, _KINDS[params.kind]))
    duration = (events.end_ns - events.start_ns)[rows]
    launches = _launches(trace, rows)
    operator = _operator(trace, rows)
    columns: list[npt.NDArray[np.integer]] = [events.kind[rows], events.name_id[rows]]
    if params.group_by == "launch":
        columns += [operator, *launches.shape.T]
    groups = group_by(*columns)
    table = _rows(trace, rows, groups, launches, operator if params.group_by == "launch" else None)
    table.sort(key=lambda row: (-row.total_ns, row.name))
    return Kernels(
        group_by=params.group_by,
        kind=params.kind,
        rows=table,
        count=len(rows),
        total_ns=int(duration.sum()),
        busy_ns=_busy_ns(trace, rows),
    )


def missing(trace: Trace) -> str | None:
    if np.isin(trace.events.kind, DEVICE_KINDS).any():
        return None
    return "No device activity was recorded: profile with the accelerator's ProfilerActivity (CUDA, XPU, ...) beside CPU."


def _launches(trace: Trace, rows: Int64Array) -> _Launches:
    work = trace.work
    n_rows = len(rows)
    shape = np.full((n_rows, 8), NONE, np.int64)
    blocks, occupancy, n_bytes = np.full(n_rows, np.nan), np.full(n_rows, np.nan), np.full(n_rows, NONE, np.int64)
    if len(work):
        place = np.minimum(np.searchsorted(work.row, rows), len(work) - 1)
        known = work.row[place] == rows
        source = place[known]
        shape[known] = np.column_stack((work.grid, work.block, work.registers, work.shared_bytes))[source]
        blocks[known], occupancy[known] = work.blocks_per_sm[source], work.occupancy_percent[source]
        n_bytes[known] = work.bytes[source]
    return _Launches(shape=shape, blocks_per_sm=blocks, occupancy_percent=occupancy, bytes=n_bytes)


def _operator(trace: Trace, rows: Int64Array) -> Int64Array:
    """Name key of what each row belongs to, NONE where nothing was found."""
    owner = trace.events.owner[rows]
    return np.where(owner == NONE, NONE, name_keys(trace)[owner])


def _rows(trace: Trace, rows: Int64Array, groups: Groups, launches: _Launches, operator: Int64Array | None) -> list[KernelRow]:
    events, first = trace.events, groups.first
    duration = (events.end_ns - events.start_ns)[rows]
    total, count = sum_by(groups, duration), count_by(groups)
    all_ns = max(int(total.sum()), 1)
    collective = rows_named(trace, rows[first], COLLECTIVE_NAME.search).tolist()
    kinds = events.kind[rows[first]].tolist()
    names = events.name_id[rows[first]].tolist()
    low, high = min_by(groups, duration).tolist(), max_by(groups, duration).tolist()
    blocks = weighted_mean_by(groups, launches.blocks_per_sm, duration).tolist()
    occupancy = weighted_mean_by(groups, launches.occupancy_percent, duration).tolist()
    has_bytes = np.flatnonzero(launches.bytes != NONE)
    n_with_bytes = np.bincount(groups.of[has_bytes], minlength=len(groups)).tolist()
    n_bytes = sum_by(groups, np.maximum(launches.bytes, 0)).tolist()
    shapes = launches.shape[first].tolist() if operator is not None else None
    operators = operator[first].tolist() if operator is not None else None
    return [
        KernelRow(
            name=trace.text(names[g]),
            kind="communication" if collective[g] and kinds[g] == Kind.KERNEL else _KIND_NAMES[kinds[g]],
            operator=key_text(trace, operators[g]) if operators is not None and operators[g] != NONE else None,
            grid=_triple(shapes[g][0:3]) if shapes is not None else None,
            block=_triple(shapes[g][3:6]) if shapes is not None else None,
            registers=_known(shapes[g][6]) if shapes is not None else None,
            shared_bytes=_known(shapes[g][7]) if shapes is not None else None,
            count=n,
            total_ns=ns,
            mean_ns=ns / n,
            min_ns=low[g],
            max_ns=high[g],
            share=ns / all_ns,
            blocks_per_sm=_number(blocks[g]),
            occupancy_percent=_number(occupancy[g]),
            bytes=n_bytes[g] if n_with_bytes[g] else None,
        )
        for g, (n, ns) in enumerate(zip(count.tolist(), total.tolist(), strict=True))
    ]


def _busy_ns(trace: Trace, rows: Int64Array) -> int:
    device = trace.tracks.device[trace.events.track[rows]]
    return sum(
        union_length(trace.events.start_ns[of_device], trace.events.end_ns[of_device])
        for of_device in (rows[device == d] for d in np.unique(device).tolist())
    )


def _triple(values: list[int]) -> tuple[int, int, int] | None:
    x, y, z = values
    return None if x == NONE else (x, y, z)


def _known(value: int) -> int | None:
    return None if value == NONE else value


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
