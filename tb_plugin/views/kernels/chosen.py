"""The device rows that a question is about, with what groups and describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.grouping import Groups, group_by
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.module_paths import module_paths
from tb_plugin.trace.occupancy import occupancy_percent
from tb_plugin.trace.operator_times import name_keys
from tb_plugin.trace.selection import selected
from tb_plugin.trace.taxonomy import CATEGORIES, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.module_paths import ModulePaths
    from tb_plugin.views.kernels.result import KernelsParams

_KINDS: Final = {"kernel": (Kind.KERNEL,), "copy": (Kind.COPY,), "set": (Kind.SET,), "all": DEVICE_KINDS}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """`rows` of events, and aligned with them how each was launched: NONE and NaN where the file does not say."""

    rows: Int64Array
    duration_ns: Int64Array
    category: npt.NDArray[np.uint8]
    operator: Int64Array  # name key of what each row belongs to
    shape: Int64Array  # grid x, y, z, block x, y, z, registers, shared bytes
    blocks_per_sm: Float64Array
    occupancy_percent: Float64Array
    bytes: Int64Array


def chosen(trace: Trace, params: KernelsParams) -> Chosen:
    """The rows of these kinds under the filters, of all categories."""
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, _KINDS[params.kind]) & selected(trace, params))
    work, n_rows = trace.work, len(rows)
    shape = np.full((n_rows, 8), NONE, np.int64)
    blocks, occupancy, n_bytes = np.full(n_rows, np.nan), np.full(n_rows, np.nan), np.full(n_rows, NONE, np.int64)
    if len(work):
        place = np.minimum(np.searchsorted(work.row, rows), len(work) - 1)
        known = work.row[place] == rows
        source = place[known]
        shape[known] = np.column_stack((work.grid, work.block, work.registers, work.shared_bytes))[source]
        blocks[known], occupancy[known] = work.blocks_per_sm[source], occupancy_percent(work)[source]
        n_bytes[known] = work.bytes[source]
    owner = events.owner[rows]
    return Chosen(
        rows=rows,
        duration_ns=(events.end_ns - events.start_ns)[rows],
        category=category_by_row(trace)[rows],
        operator=np.where(owner == NONE, NONE, name_keys(trace)[owner]),
        shape=shape,
        blocks_per_sm=blocks,
        occupancy_percent=occupancy,
        bytes=n_bytes,
    )


def of_category(all_rows: Chosen, category: str) -> Chosen:
    """Those of one category, by its id; all for an empty one. Raises UsageError for an unknown one."""
    if not category:
        return all_rows
    ids = [info.id for info in CATEGORIES]
    if category not in ids:
        raise UsageError(f"category: {category!r} is none of {', '.join(ids)}")
    return part(all_rows, np.flatnonzero(all_rows.category == ids.index(category)))


def part(of: Chosen, places: Int64Array) -> Chosen:
    """Some of the rows."""
    return Chosen(**{name: column[places] for name, column in vars(of).items()})


def grouped(trace: Trace, work: Chosen, by: str, paths: ModulePaths | None) -> Groups:
    """Rows that make one row of the table."""
    events, rows = trace.events, work.rows
    if by == "operator":
        return group_by(work.operator)
    if by == "module":
        return group_by(np.full(len(rows), NONE) if paths is None else paths.of_row[rows])
    if by == "stream":
        track = events.track[rows]
        return group_by(trace.tracks.device[track], trace.tracks.stream[track])
    if by == "category":
        return group_by(work.category)
    columns: list[npt.NDArray[np.integer]] = [events.kind[rows], events.name_id[rows]]
    if by == "launch":
        columns += [work.operator, *work.shape.T]
    return group_by(*columns)


def paths_for(trace: Trace, by: str) -> ModulePaths | None:
    """Modules are worked out only where they are asked for: they take several passes over all rows."""
    return module_paths(trace) if by == "module" else None
