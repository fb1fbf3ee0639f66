"""One row of kernels in full: how its calls spread, what launched them and how, and the longest of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec import structs

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.grouping import Groups, count_by, group_by, sum_by, weighted_mean_by
from tb_plugin.compute.largest import largest
from tb_plugin.question.listed_event import ListedEvent
from tb_plugin.trace.event_ref import event_ref
from tb_plugin.trace.groupings.launches import OPERATOR, STREAM
from tb_plugin.trace.groupings.names import NAME
from tb_plugin.trace.groupings.places import CALL_SITE, MODULE
from tb_plugin.trace.times.spread import spread
from tb_plugin.views.kernels.chosen import Chosen, chosen, of_category, part
from tb_plugin.views.kernels.collectives import collective_parts
from tb_plugin.views.kernels.groupings import GROUPINGS
from tb_plugin.views.kernels.result import KernelDetails, KernelDetailsParams, KernelLaunch, KernelPart

if TYPE_CHECKING:
    from tb_plugin.trace.groupings.grouping import Grouping
    from tb_plugin.trace.model import Trace

_LONGEST: Final = 10


def details(trace: Trace, params: KernelDetailsParams) -> KernelDetails:
    """Everything behind one row of `view/kernels`. Raises NotFoundError for an event that the filters leave out."""
    work = of_category(chosen(trace, params), params.category)
    place = np.flatnonzero(work.rows == params.row)
    if len(place) == 0:
        raise NotFoundError(f"event {params.row} is no device work, or the filters leave it out")
    groups = GROUPINGS[params.group_by].keys(trace, work.rows).groups()
    work = part(work, np.flatnonzero(groups.of == groups.of[place[0]]))
    return KernelDetails(
        count=len(work.rows),
        total_ns=int(work.duration_ns.sum()),
        spread=spread(work.duration_ns),
        names=_parts(trace, work, NAME),
        operators=_parts(trace, work, OPERATOR),
        modules=_parts(trace, work, MODULE),
        call_sites=_parts(trace, work, CALL_SITE),
        streams=_parts(trace, work, STREAM),
        launches=_launches(work),
        collectives=collective_parts(trace, work.rows),
        longest=_longest(trace, work),
    )


def _parts(trace: Trace, work: Chosen, grouping: Grouping) -> list[KernelPart]:
    """None where the profile has nothing to group by."""
    keys = grouping.keys(trace, work.rows)
    if keys.missing is not None:
        return []
    groups = keys.groups()
    names = keys.name.texts(groups.first)
    count, total = count_by(groups).tolist(), sum_by(groups, work.duration_ns).tolist()
    rows = [KernelPart(name=name or None, count=n, total_ns=ns) for name, n, ns in zip(names, count, total, strict=True)]
    return largest(
        rows,
        by=lambda row: (-row.total_ns, row.name or ""),
        rest=lambda left: KernelPart(
            name=None, is_rest=True, count=sum(row.count for row in left), total_ns=sum(row.total_ns for row in left)
        ),
    )


def _launches(work: Chosen) -> list[KernelLaunch]:
    groups = group_by(*work.shape.T)
    columns = (
        work.shape[groups.first].tolist(),
        count_by(groups).tolist(),
        sum_by(groups, work.duration_ns).tolist(),
        _means(groups, work.blocks_per_sm, work.duration_ns),
        _means(groups, work.occupancy_percent, work.duration_ns),
    )
    rows = [
        KernelLaunch(
            grid=_triple(shape[0:3]),
            block=_triple(shape[3:6]),
            registers=None if shape[6] == NONE else shape[6],
            shared_bytes=None if shape[7] == NONE else shape[7],
            count=n,
            total_ns=ns,
            blocks_per_sm=blocks,
            occupancy_percent=occupancy,
        )
        for shape, n, ns, blocks, occupancy in zip(*columns, strict=True)
    ]
    return largest(
        rows,
        by=lambda row: -row.total_ns,
        rest=lambda left: KernelLaunch(
            grid=None,
            block=None,
            registers=None,
            shared_bytes=None,
            is_rest=True,
            count=sum(row.count for row in left),
            total_ns=sum(row.total_ns for row in left),
            blocks_per_sm=None,
            occupancy_percent=None,
        ),
    )


def _longest(trace: Trace, work: Chosen) -> list[ListedEvent]:
    order = np.lexsort((work.rows, -work.duration_ns))[:_LONGEST]
    return [ListedEvent(**structs.asdict(event_ref(trace, row))) for row in work.rows[order].tolist()]


def _means(groups: Groups, values: Float64Array, weights: Int64Array) -> list[float | None]:
    return [None if value != value else value for value in weighted_mean_by(groups, values, weights).tolist()]


def _triple(values: list[int]) -> tuple[int, int, int] | None:
    x, y, z = values
    return None if x == NONE else (x, y, z)
