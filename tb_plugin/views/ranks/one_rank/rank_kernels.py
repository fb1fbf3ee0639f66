"""Kernels that cost a rank more than its peers, on CPUs operators: as each call takes longer, as there are more of them, or as
they run on other shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import msgspec
import numpy as np

from tb_plugin.compute.grouping import group_by, median_by, sum_by
from tb_plugin.job.own.own_time import told_numbers
from tb_plugin.job.why.other_shapes import nearest, shapes_in
from tb_plugin.question.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST: Final = 12
_MORE: Final = 1.03
_AS_OFTEN: Final = 1.02

WhyMore = Literal["only here", "other shape", "more calls", "longer calls"]
"""The first that holds."""


class MoreKernelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A kernel of a grid and block that costs more than on its peers; of another shape than theirs more than what they run in its
    place. Without a median there: none of them ran it.
    """

    kernel: Annotated[str, Figure("Kernel", "text")]
    why: Annotated[WhyMore, Figure("Why", "text")]
    shape: Annotated[str | None, Figure("Shape", "text", absent="–")]
    peers_shape: Annotated[str | None, Figure("Peers, shape", "text", absent="–")]
    more_ns: Annotated[int, Figure("More, all calls", "ns")]
    n_calls: Annotated[int, Figure("Calls", "count")]
    peers_calls: Annotated[int, Figure("Peers, calls", "count")]
    median_ns: Annotated[int, Figure("Median", "ns")]
    peers_median_ns: Annotated[int | None, Figure("Peers, median", "ns")]


class _Ran(NamedTuple):
    """One shape of a kernel, all calls: [rank] how often and how long; the medians of those that ran it."""

    name: str
    inputs: str
    calls: Int64Array
    total: Float64Array
    median: Float64Array

    def usual_ns(self, peers: Int64Array) -> float:
        return float(np.median(self.total[peers])) if len(peers) else 0.0


def kernels_that_cost_more(of: Analysed, place: int, peers: Int64Array) -> list[MoreKernelRow]:
    """The first twelve of those that cost 3 % more, in the steps that the rank has whole, than in the median of its peers, of
    those that have them whole, too.
    """
    steps = np.intersect1d(of.job.of.ranks[place].shapes["step"], told_numbers(of.job.of.ranks[place]))
    have = np.array([np.isin(steps, told_numbers(of.job.of.ranks[peer])).all() for peer in peers.tolist()], np.bool_)
    peers = peers[have] if have.any() else peers
    ran = list(_of_all(of, place, peers, steps))
    mine = sorted((each for each in ran if each.calls[place]), key=lambda each: -each.total[place])
    instead: dict[str, list[_Ran]] = {}  # by name, what only the peers ran
    for each in sorted(ran, key=lambda each: -each.usual_ns(peers)):
        if not each.calls[place]:
            instead.setdefault(each.name, []).append(each)
    rows = []
    for own in mine:
        others, theirs = instead.get(own.name, []), own
        if others and not own.calls[peers].any():  # each stands for one
            theirs = others.pop(nearest(own.inputs, [each.inputs for each in others]))
        if own.total[place] > _MORE * theirs.usual_ns(peers):
            rows.append(_row(own, theirs, place, peers))
    return sorted(rows, key=lambda row: -row.more_ns)[:_MOST]


def _of_all(of: Analysed, place: int, peers: Int64Array, steps: Int64Array) -> Iterator[_Ran]:
    ranks = of.job.of.ranks
    columns: dict[str, list[Int64Array]] = {name: [] for name in ("rank", "shape", "count", "total", "median", "name")}
    for each in (place, *peers.tolist()):
        shapes = ranks[each].shapes
        here = np.isin(shapes["step"], steps)
        columns["rank"].append(np.full(int(here.sum()), each))
        for column in ("shape", "count", "total", "median", "name"):
            columns[column].append(shapes[column][here])
    rank, shape, count, total, median, name = (np.concatenate(parts) for parts in columns.values())
    pairs = group_by(shape, rank)
    n_calls, ns, middle = sum_by(pairs, count), sum_by(pairs, total), median_by(pairs, median.astype(np.float64))
    shapes_of = group_by(shape[pairs.first])
    order = np.argsort(shapes_of.of, kind="stable")
    for its in np.split(order, np.flatnonzero(np.diff(shapes_of.of[order])) + 1) if len(order) else ():
        first, whose = int(pairs.first[its[0]]), rank[pairs.first[its]]
        summary, calls = ranks[int(rank[first])].summary, np.zeros(len(ranks), np.int64)
        lasted, medians = np.zeros(len(ranks)), np.full(len(ranks), np.nan)
        calls[whose], lasted[whose], medians[whose] = n_calls[its], ns[its], middle[its]
        text = summary.inputs.get(str(shape[first]), "")
        yield _Ran(summary.names[int(name[first])], text, calls, lasted, medians)


def _row(own: _Ran, theirs: _Ran, place: int, peers: Int64Array) -> MoreKernelRow:
    n_calls, peers_calls = int(own.calls[place]), round(float(np.median(theirs.calls[peers]))) if len(peers) else 0
    medians = theirs.median[peers][np.isfinite(theirs.median[peers])]
    why: WhyMore = "longer calls"
    if len(medians) == 0:
        why = "only here"
    elif theirs is not own:
        why = "other shape"
    elif n_calls > _AS_OFTEN * peers_calls:
        why = "more calls"
    return MoreKernelRow(
        kernel=own.name,
        why=why,
        shape=_words(own),
        peers_shape=None if theirs is own else _words(theirs),
        more_ns=round(float(own.total[place]) - theirs.usual_ns(peers)),
        n_calls=n_calls,
        peers_calls=peers_calls,
        median_ns=round(float(own.median[place])),
        peers_median_ns=round(float(np.median(medians))) if len(medians) else None,
    )


def _words(of: _Ran) -> str | None:
    """None where it is not kept, or all are scalars."""
    return " ".join(shapes_in(of.inputs)) or None
