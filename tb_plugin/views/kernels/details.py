"""One row of kernels in full: how its calls spread, what launched them and how, and the longest of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.grouping import Groups, count_by, group_by, sum_by, weighted_mean_by
from tb_plugin.trace.call_sites import call_sites
from tb_plugin.trace.module_paths import module_paths
from tb_plugin.trace.spread import spread
from tb_plugin.views.kernels.chosen import Chosen, chosen, grouped, of_category, part, paths_for
from tb_plugin.views.kernels.result import KernelCall, KernelDetails, KernelDetailsParams, KernelLaunch, KernelPart
from tb_plugin.views.kernels.rows import group_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

MOST_PARTS: Final = 40
_LONGEST: Final = 10


def details(trace: Trace, params: KernelDetailsParams) -> KernelDetails:
    """Everything behind one row of `view/kernels`. Raises NotFoundError for an event that the filters leave out."""
    work = of_category(chosen(trace, params), params.category)
    place = np.flatnonzero(work.rows == params.row)
    if len(place) == 0:
        raise NotFoundError(f"event {params.row} is no device work, or the filters leave it out")
    groups = grouped(trace, work, params.group_by, paths_for(trace, params.group_by))
    work = part(work, np.flatnonzero(groups.of == groups.of[place[0]]))
    paths, sites = module_paths(trace), call_sites(trace)
    return KernelDetails(
        count=len(work.rows),
        total_ns=int(work.duration_ns.sum()),
        spread=spread(work.duration_ns),
        names=_by(trace, work, "name"),
        operators=_by(trace, work, "operator"),
        modules=_parts(work, paths.of_row[work.rows], paths.texts.__getitem__) if len(paths) else [],
        call_sites=_parts(work, sites.of_row[work.rows], sites.texts.__getitem__) if sites.texts else [],
        streams=_by(trace, work, "stream"),
        launches=_launches(work),
        longest=_longest(trace, work),
    )


def _by(trace: Trace, work: Chosen, by: str) -> list[KernelPart]:
    groups = grouped(trace, work, by, None)
    names = group_names(trace, work, groups.first, by, None)
    return _shortened(work, groups, [name or None for name in names])


def _parts(work: Chosen, key: npt.NDArray[np.integer], text: Callable[[int], str]) -> list[KernelPart]:
    groups = group_by(key)
    return _shortened(work, groups, [None if k == NONE else text(k) for k in key[groups.first].tolist()])


def _shortened(work: Chosen, groups: Groups, names: list[str | None]) -> list[KernelPart]:
    count, total = count_by(groups).tolist(), sum_by(groups, work.duration_ns).tolist()
    rows = [KernelPart(name=name, count=n, total_ns=ns) for name, n, ns in zip(names, count, total, strict=True)]
    rows.sort(key=lambda row: (-row.total_ns, row.name or ""))
    rest = rows[MOST_PARTS:]
    if not rest:
        return rows
    left = KernelPart(name=None, is_rest=True, count=sum(r.count for r in rest), total_ns=sum(r.total_ns for r in rest))
    return [*rows[:MOST_PARTS], left]


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
    rows.sort(key=lambda row: -row.total_ns)
    rest = rows[MOST_PARTS:]
    if not rest:
        return rows
    left = KernelLaunch(
        grid=None,
        block=None,
        registers=None,
        shared_bytes=None,
        is_rest=True,
        count=sum(row.count for row in rest),
        total_ns=sum(row.total_ns for row in rest),
        blocks_per_sm=None,
        occupancy_percent=None,
    )
    return [*rows[:MOST_PARTS], left]


def _longest(trace: Trace, work: Chosen) -> list[KernelCall]:
    order = np.lexsort((work.rows, -work.duration_ns))[:_LONGEST]
    events, rows = trace.events, work.rows[order]
    columns = (rows, events.name_id[rows], events.start_ns[rows], work.duration_ns[order])
    return [
        KernelCall(row=row, name=trace.text(name), start_ns=start, duration_ns=duration)
        for row, name, start, duration in zip(*(column.tolist() for column in columns), strict=True)
    ]


def _means(groups: Groups, values: Float64Array, weights: Int64Array) -> list[float | None]:
    return [None if value != value else value for value in weighted_mean_by(groups, values, weights).tolist()]


def _triple(values: list[int]) -> tuple[int, int, int] | None:
    x, y, z = values
    return None if x == NONE else (x, y, z)
