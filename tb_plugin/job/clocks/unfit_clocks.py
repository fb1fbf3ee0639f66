"""Clocks that fit no other: their ends scatter against those of each clock that they meet, while those of the others agree.

    of each two clocks that end collectives together, several times
        d(c) = end on the one - end on the other, less what they drift apart: a line through their own ends, of at most 500 ppm
        spread = 1.48 x median |d - median d| / 2         as far as the two ends lie from their mean
                 (90th - 10th percentile of d) / 2 / 2 if that is more: a clock that is set once is off on one side of that

No drift of the solved clocks: the clock that fits none has bent them, too, and two that agree would lie apart by them.

One such clock (it is set, or its device's times are not on it) would make all ends of the job look apart, and untie every host.
So who is in most pairs that lie too far apart is left out, until none does: nearly the largest set whose pairs agree, which to
find exactly takes exponentially long. Where nobody stands out from who is left (two clocks, or all scatter alike), nobody is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.ranges import ranges

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.clocks.clock import Clocks, Equations

_ENOUGH: Final = 4
_PARTNERS: Final = 4
"""Of many clocks in one collective each is held against the next so many; of up to nine that is all of them."""

_AS_MUCH: Final = 0.6
"""Of as many pairs that do not agree, who has less of the spread is likely only met by who has more."""

_STANDS_OUT: Final = 2.0
_MOST_DRIFT: Final = 500e-6
"""As fast as a system slews a clock; what changes more is set, and would look like a drift."""

_ROUNDS: Final = 8
_HUBER: Final = 1.5
_LEAST_NS: Final = 300.0
_FAR_NS: Final = 100_000
_OFTEN: Final = 0.1
_NEARLY_ALL: Final = 95


class Pairs(NamedTuple):
    """One row two clocks. `by_sends`: nothing else ties these two."""

    low: Int64Array
    high: Int64Array
    spread: Float64Array
    by_sends: BoolArray


def scatter(equations: Equations, clocks: Clocks) -> bool:
    """Whether any clock ends a tenth of its collectives, or more, far from their mean: to ask all pairs takes long."""
    rest = _rest(equations, clocks)
    mean = np.bincount(equations.instance, rest, equations.n_instances) / np.bincount(equations.instance)
    is_far = np.abs(rest - mean[equations.instance]) > _FAR_NS
    n_far, n = (np.bincount(equations.clock, each) for each in (is_far, np.ones(len(rest))))
    return bool((n_far > _OFTEN * n).any())


def pairs_of(equations: Equations, n: int) -> Pairs:
    """Of clocks that end enough together."""
    is_strong = equations.weight == 1.0
    strong, weak = (_pairs(equations, np.flatnonzero(use)) for use in (is_strong, ~is_strong))
    more = ~np.isin(weak.low * n + weak.high, strong.low * n + strong.high)
    by_sends = np.repeat((False, True), (len(strong.low), int(more.sum())))
    return Pairs(
        np.concatenate((strong.low, weak.low[more])),
        np.concatenate((strong.high, weak.high[more])),
        np.concatenate((strong.spread, weak.spread[more])),
        by_sends,
    )


def _pairs(equations: Equations, use: Int64Array) -> Pairs:
    order = use[np.lexsort((equations.clock[use], equations.instance[use]))]
    instance, clock, end = equations.instance[order], equations.clock[order], equations.end[order]
    begin = np.searchsorted(instance, instance, side="left")
    count = np.searchsorted(instance, instance, side="right") - begin
    nth = np.arange(len(order)) - begin
    n_after = np.minimum(_PARTNERS, count // 2 - ((count % 2 == 0) & (nth >= count // 2)))  # half of an even circle, once
    one = np.repeat(np.arange(len(order)), n_after)
    other = begin[one] + ranges(nth + 1, n_after) % count[one]
    is_low = clock[one] < clock[other]
    one, other = np.where(is_low, one, other), np.where(is_low, other, one)
    both = group_by(clock[one], clock[other])
    spread = _spread(_less_drift(end[one], end[one] - end[other], both.of, len(both)), both.of, len(both))
    several = np.bincount(both.of, minlength=len(both)) >= _ENOUGH
    first = both.first[several]
    return Pairs(clock[one][first], clock[other][first], spread[several], np.zeros(len(first), np.bool_))


def _less_drift(at: Float64Array, apart: Float64Array, of: Int64Array, n: int) -> Float64Array:
    """Least squares with Huber's weights, of each pair alone."""
    weight, rest = np.ones(len(at)), apart
    for _ in range(_ROUNDS):
        total = np.maximum(np.bincount(of, weight, n), 1e-9)
        t, d = (each - (np.bincount(of, weight * each, n) / total)[of] for each in (at, apart))
        both, square = (np.bincount(of, weight * t * each, n) for each in (d, t))
        rest = d - np.clip(both / np.maximum(square, 1.0), -_MOST_DRIFT, _MOST_DRIFT)[of] * t
        scale = np.maximum(1.48 * _middles(np.abs(rest), of, n), _LEAST_NS)[of]
        weight = np.minimum(1.0, _HUBER * scale / np.maximum(np.abs(rest), 1e-9))
    return rest


def _spread(rest: Float64Array, of: Int64Array, n: int) -> Float64Array:
    scatter = 1.48 * _middles(np.abs(rest - _middles(rest, of, n)[of]), of, n)
    order = np.lexsort((rest, of))
    count = np.bincount(of, minlength=n)
    begin = np.cumsum(count) - count
    low, high = begin + np.ceil(0.1 * (count - 1)).astype(np.int64), begin + (0.9 * (count - 1)).astype(np.int64)
    found: Float64Array = np.maximum(scatter, (rest[order][high] - rest[order][low]) / 2) / 2
    return found


def _rest(equations: Equations, clocks: Clocks) -> Float64Array:
    clock, end = equations.clock, equations.end
    rest: Float64Array = end - clocks.rest_ns[clock] - clocks.drift[clock] * end
    return rest


def unfit_of(pairs: Pairs, n_clocks: int, most_ns: Float64Array) -> dict[int, float]:
    """Clocks that are left out, and how far apart what they end with the others lies; none where nobody stands out. `most_ns`:
    of each pair.
    """
    kept = np.ones(n_clocks, np.bool_)
    while True:
        here = kept[pairs.low] & kept[pairs.high]
        wide = here & (pairs.spread > most_ns)
        if not wide.any():
            break
        share = _of_clocks(pairs, wide, n_clocks) / np.maximum(_of_clocks(pairs, here, n_clocks), 1)
        spread = np.where(share == share.max(), _of_clocks(pairs, np.where(here, pairs.spread, 0.0), n_clocks), 0.0)
        kept[spread > _AS_MUCH * spread.max()] = False
    out = {clock: float(np.median(pairs.spread[_with(pairs, clock)])) for clock in np.flatnonzero(~kept).tolist()}
    stand_out = here.any() and all(each > _STANDS_OUT * float(np.median(pairs.spread[here])) for each in out.values())
    return out if stand_out else {}


def far_of(equations: Equations, one: int) -> float:
    """How far what this clock ends with others lies from what it is off by in the median: most of it, where it is set once."""
    mine = equations.clock == one
    n_met = np.bincount(equations.instance, minlength=equations.n_instances)
    ends = np.bincount(equations.instance[~mine], equations.end[~mine], equations.n_instances)
    off = equations.end[mine] - ends[equations.instance[mine]] / np.maximum(n_met[equations.instance[mine]] - 1, 1)
    return float(np.percentile(np.abs(off - np.median(off)), _NEARLY_ALL)) if len(off) else 0.0


def _with(pairs: Pairs, clock: int) -> BoolArray:
    found: BoolArray = (pairs.low == clock) | (pairs.high == clock)
    return found


def _of_clocks(pairs: Pairs, of_each: Float64Array | BoolArray, n_clocks: int) -> Float64Array:
    found = np.bincount(pairs.low, of_each, n_clocks) + np.bincount(pairs.high, of_each, n_clocks)
    return found.astype(np.float64)


def _middles(values: Float64Array, of: Int64Array, n: int) -> Float64Array:
    """The upper median of each group."""
    order = np.lexsort((values, of))
    count = np.bincount(of, minlength=n)
    found: Float64Array = values[order][np.cumsum(count) - count + count // 2]
    return found
