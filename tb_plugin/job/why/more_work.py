"""A straggler that has more work than its peers: of which kernels, on CPUs operators, and whether more often or on other shapes.

Counts are those of a name over all of its shapes, as people find them in a trace:

    aten::addmm  rank 0  [256, 256] 240 times, [64, 256] 6 times
                 peers                         [64, 256] 6 times     246 against 6
    aten::randn  rank 0  [256, 256]  64 times
                 peers   [256]       64 times                        as often: [256, 256] against [256]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.job.own.own_time import told_numbers
from tb_plugin.job.why.cause import Cause
from tb_plugin.job.why.other_shapes import first_that_differs, nearest

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler

_HALF: Final = 0.5
_AS_OFTEN: Final = 0.02
_MOST: Final = 3
"""Names that are told."""

_SOME: Final = 0.2
_MANY_TIMES: Final = 10.0


class Shapes(NamedTuple):
    """[kernel by name, grid and block] that members ran; a step and rank. `usual_..`: of the peers that ran it, 0 of none.
    `inputs`: in words, where these are kept. `times`: how many times as much input as the peers', and theirs, at the same grid.
    """

    name: list[str]
    inputs: list[str]
    times: list[tuple[float, str]]
    n_ran: Float64Array
    total: Float64Array
    median: Float64Array
    usual_n: Float64Array
    usual_total: Float64Array
    usual_median: Float64Array
    longest: Float64Array
    elsewhere: Float64Array  # `total` of as many calls in the members' steps that are not late, infinite where there is none

    @property
    def of_as_many(self) -> Float64Array:
        """`total`, but no more than as many calls take in steps that are not late: longer ones are no more of them."""
        return np.minimum(self.total, self.elsewhere)

    @property
    def is_shared(self) -> BoolArray:
        return self.usual_n > 0

    @property
    def runs_as_often(self) -> BoolArray:
        return np.abs(self.n_ran - self.usual_n) <= _AS_OFTEN * self.usual_n


class OfName(NamedTuple):
    """Kernels of a name; `inputs` of their shapes in words, where these are kept, the most time first. `size`: of all of these
    (`other_shapes.size_of`), NaN where of some it is not kept.
    """

    n_ran: float
    total: float
    inputs: list[str]
    size: float


class OnlyTheirs(NamedTuple):
    """Kernels of shapes that only the peers ran, a step and rank of theirs; `other`: by name."""

    n_ran: float
    total: float
    other: dict[str, OfName]


class _More(NamedTuple):
    """Of a name, all shapes, a step and rank; `ns` more. `instead`: (shape, that of its peers), where it runs as often."""

    name: str
    ns: float
    n_ran: float
    usual_n: float
    instead: tuple[str, str] | None


def more_work(of: Shapes, amount: float, more: Float64Array, less: OnlyTheirs) -> Cause:
    """With how many kernels more these are, and which cost most of it; where most take the place of others, on what shapes.
    `more`: ns of each shape.
    """
    each = of.n_ran - of.usual_n
    n_more = float(each.sum()) - less.n_ran
    worst = _worst(of, more, less)
    if n_more < max(_HALF, _HALF * float(each[each > 0].sum())):
        told = [one for one in worst if one.instead is not None] if worst and worst[0].instead is not None else []
        return Cause(
            id="more_work",
            confidence="likely",
            amount_ns=amount,
            kernels=tuple(one.name for one in told),
            shapes=tuple(one.instead for one in told),
        )
    return Cause(
        id="more_work",
        confidence="likely",
        amount_ns=amount,
        n_more=n_more,
        kernels=tuple(one.name for one in worst),
        calls=tuple((one.n_ran, one.usual_n) for one in worst),
        shapes=tuple(one.instead for one in worst),
    )


def _worst(of: Shapes, more: Float64Array, less: OnlyTheirs) -> list[_More]:
    """The names that cost most more."""
    places: dict[str, list[int]] = {}
    for place in np.argsort(-more, kind="stable").tolist():
        places.setdefault(of.name[place], []).append(place)
    found = list[_More]()
    for name, its in places.items():
        theirs = less.other.get(name, OfName(0.0, 0.0, [], 0.0))
        ns, n_ran = float(more[its].sum()) - theirs.total, float(of.n_ran[its].sum())
        usual_n = float(of.usual_n[its].sum()) + theirs.n_ran
        is_more = n_ran > (1 + _AS_OFTEN) * usual_n
        found.append(_More(name, ns, n_ran, usual_n, None if is_more else _instead(of, its[0], theirs.inputs)))
    return sorted((one for one in found if one.ns > 0), key=lambda one: -one.ns)[:_MOST]


def _instead(of: Shapes, place: int, theirs: list[str]) -> tuple[str, str] | None:
    """(its shape, that of what the peers run in its place); None where they run it too, none of its name, or none is kept."""
    others = [] if of.is_shared[place] or not of.inputs[place] else [each for each in theirs if each]
    return first_that_differs(of.inputs[place], others[nearest(of.inputs[place], others)]) if others else None


def of_more_calls(of: Shapes) -> Float64Array:
    """What a member would not compute, did it run each shape as often as its peers, ns. Where hardly any runs as often, calls
    tell more than medians do: those more may be larger ones, as of an operator whose inputs were not recorded, or of the head of
    a model, where the longest is. These are what all take but for as many as the peers have, of its own usual length.
    """
    as_often = np.minimum(of.usual_n / np.maximum(of.n_ran, 1e-9), 1.0)
    total = of.of_as_many
    far_longer = total * as_often > _MANY_TIMES * of.usual_total  # than calls that are a few more and take as long
    extra: Float64Array = np.where(far_longer & (1 - as_often >= _SOME), total - of.usual_total, total * (1 - as_often))
    factor = np.maximum(of.median / np.maximum(of.usual_median, 1.0), 1.0)
    larger = np.minimum(total - factor * of.usual_total, (of.n_ran - of.usual_n) * of.longest)
    are_larger = of.is_shared & ~of.runs_as_often & (of.longest >= (1 + _HALF) * of.median)
    return np.where(are_larger, np.maximum(extra, larger), extra)


def of_longer_calls(of: Shapes) -> Float64Array:
    """And what, did those calls that the peers have too take as long as theirs."""
    longer: Float64Array = np.minimum(of.n_ran, of.usual_n) * np.maximum(of.median - of.usual_median, 0.0)
    return longer


def more_of_each(of: Shapes, held: BoolArray, factor: float) -> Float64Array:
    """What a member has more of each shape than its peers, ns. `held`: those that tell how much slower kernels are."""
    by_count: Float64Array = (of.n_ran - of.usual_n) * of.usual_median
    is_more = ~held & (of.n_ran > of.usual_n)
    return np.where(is_more, of.of_as_many - of.usual_total * factor, by_count)


def took_elsewhere(job: Job, straggler: Straggler, shape: Int64Array, n_ran: Int64Array) -> dict[int, float]:
    """By shape what its calls take in those steps of the members that are not late and have as many, ns in the median. `shape`,
    `n_ran`: of the late steps.
    """
    most: dict[int, int] = {}
    for each, n in zip(shape.tolist(), n_ran.tolist(), strict=True):
        most[each] = max(most.get(each, 0), n)
    found: dict[int, list[int]] = {}
    for place in straggler.members:
        rank = job.of.ranks[place]
        is_usual = np.isin(rank.shapes["step"], np.setdiff1d(told_numbers(rank), straggler.late_steps))
        columns = (rank.shapes[name][is_usual].tolist() for name in ("shape", "count", "total"))
        for each, n, total in zip(*columns, strict=True):
            if each in most and n >= most[each]:
                found.setdefault(each, []).append(total)
    return {each: float(np.median(totals)) for each, totals in found.items()}
