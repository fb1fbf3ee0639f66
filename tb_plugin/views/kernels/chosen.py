"""The device rows that a question is about, with what groups and describes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.scope.selection import selected
from tb_plugin.trace.times.occupancy import occupancy_percent
from tb_plugin.trace.work.launch_shapes import launch_shapes, work_places
from tb_plugin.trace.work.taxonomy import CATEGORIES, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.kernels.result import KernelsParams

_KINDS: Final = {"kernel": (Kind.KERNEL,), "copy": (Kind.COPY,), "set": (Kind.SET,), "all": DEVICE_KINDS}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """`rows` of events, and aligned with them how each was launched: NONE and NaN where the file does not say."""

    rows: Int64Array
    duration_ns: Int64Array
    category: npt.NDArray[np.uint8]
    shape: Int64Array  # LAUNCH_SHAPE
    blocks_per_sm: Float64Array
    occupancy_percent: Float64Array
    bytes: Int64Array


def chosen(trace: Trace, params: KernelsParams) -> Chosen:
    """The rows of these kinds under the filters, of all categories."""
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, _KINDS[params.kind]) & selected(trace, params))
    work, n_rows = trace.work, len(rows)
    blocks, occupancy, n_bytes = np.full(n_rows, np.nan), np.full(n_rows, np.nan), np.full(n_rows, NONE, np.int64)
    known, place = work_places(trace, rows)
    blocks[known], occupancy[known] = work.blocks_per_sm[place], occupancy_percent(work)[place]
    n_bytes[known] = work.bytes[place]
    return Chosen(
        rows=rows,
        duration_ns=events.duration_ns(rows),
        category=category_by_row(trace)[rows],
        shape=launch_shapes(trace, rows),
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
