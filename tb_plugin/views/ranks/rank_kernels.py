"""Kernels that cost a rank more than its peers, on CPUs operators: as each call takes longer, or as there are more of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import numpy as np

from tb_plugin.compute.grouping import group_by
from tb_plugin.question.figure import Figure

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.ranks.analysed import Analysed

_MOST: Final = 12
_MORE: Final = 1.03


class MoreKernelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel that costs more than on its peers, of the same grid and block. Without a median there: none of them ran it."""

    kernel: Annotated[str, Figure("Kernel", "text")]
    more_ns: Annotated[int, Figure("More, all calls", "ns")]
    n_calls: Annotated[int, Figure("Calls", "count")]
    peers_calls: Annotated[int, Figure("Peers, calls", "count")]
    median_ns: Annotated[int, Figure("Median", "ns")]
    peers_median_ns: Annotated[int | None, Figure("Peers, median", "ns")]


def kernels_that_cost_more(of: Analysed, place: int, peers: Int64Array) -> list[MoreKernelRow]:
    """The first twelve of those that cost 3 % more, in the steps that the rank has, than in the median of its peers. Not those
    that these ran of other grids alone.
    """
    ranks, steps = of.job.of.ranks, np.unique(of.job.of.ranks[place].shapes["step"])
    columns: dict[str, list[Int64Array]] = {name: [] for name in ("rank", "shape", "count", "total", "median", "name")}
    of_peers: set[str] = set()
    for each in (place, *peers.tolist()):
        shapes = ranks[each].shapes
        here = np.isin(shapes["step"], steps)
        columns["rank"].append(np.full(int(here.sum()), each))
        for column in ("shape", "count", "total", "median", "name"):
            columns[column].append(shapes[column][here])
        of_peers.update(ranks[each].summary.names if each != place else ())
    rank, shape, count, total, median, name = (np.concatenate(parts) for parts in columns.values())
    groups = group_by(shape)
    rows = []
    for group in np.unique(groups.of[rank == place]).tolist():
        mine, theirs = (groups.of == group) & (rank == place), (groups.of == group) & (rank != place)
        text = ranks[place].summary.names[int(name[mine][0])]
        whose = rank[theirs]
        calls, cost = (np.bincount(whose, column[theirs], len(ranks))[peers] for column in (count, total))
        usual = float(np.median(cost)) if len(cost) else 0.0
        own = float(total[mine].sum())
        if own > _MORE * usual and (theirs.any() or text not in of_peers):
            rows.append(
                MoreKernelRow(
                    kernel=text,
                    more_ns=round(own - usual),
                    n_calls=int(count[mine].sum()),
                    peers_calls=round(float(np.median(calls))) if len(calls) else 0,
                    median_ns=round(float(np.median(median[mine]))),
                    peers_median_ns=round(float(np.median(median[theirs]))) if theirs.any() else None,
                )
            )
    return sorted(rows, key=lambda row: -row.more_ns)[:_MOST]
