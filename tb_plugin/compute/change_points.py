"""Where does a series change its level? Best splits by ranks, exact, without random numbers: two runs say the same.

    180 182 179 181 180 | 127 126 129 125                        one change, before the sixth value
    180 182 179 181 | 227 226 229 225 | 181 180 182 180          a level that came and went: two

A split's statistic is the rank sum of what comes before it, standardised. The largest over all splits with `LEAST` values a side
is as unlikely, without a change, as the sum over these splits of each one's exact chance to reach it (Bonferroni's bound: the
true chance is smaller). Where that is at most 0.9 `P`, the series is split, and both sides are looked at in the same way.
Where no split is, stretches within it are tried against the rest, with the rest of `P`: what came and went leaves both sides
of every split alike. A change is put where the medians leave the least, in the end between its neighbours and with an outlier as
three deviations wherever it is: by ranks, or by its whole distance, one beside the change would move it.

Ranks and their exact distribution: Wilcoxon 1945; best splits one after the other: binary segmentation, Scott and Knott 1974;
stretches: circular binary segmentation, Olshen and others 2004. Squares that stop growing: Huber 1981, "skipped mean".
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.rank_test import doubled_ranks

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import Float64Array, Int64Array

LEAST: Final = 4
"""Values on each side of a change."""

P: Final = 0.01
_OF_SPLITS: Final = 0.9
"""Of P. What came and went stands out from both sides, and needs less."""

_EXACT_UP_TO: Final = 64
"""Values; of more the normal approximation stands for the exact chances."""

_LONGEST: Final = 64
"""Values of a stretch: one that lasts longer is seen as two splits."""


_FAR: Final = 3.0
_OF_MEDIAN: Final = 1.4826
"""Deviations of a normal distribution in the median of its distances from 0."""


class Tried(NamedTuple):
    """Stretches of n values: how many of each length."""

    n: int
    length: Int64Array
    n_of_it: Int64Array


def change_points(values: Float64Array, *, least_share: float, least: float = 0.0) -> list[int]:
    """Places of the first value after each change, in order.

    The medians of both sides differ by `least_share` of the larger and by `least` at the least.
    """
    values = np.asarray(values, np.float64)

    def within(first: int, end: int) -> list[int]:
        own = values[first:end]
        cuts = [0, *_cuts(own), end - first]
        pieces = list(itertools.pairwise(cuts))
        medians = [float(np.median(own[a:b])) for a, b in pieces]
        for before, after in itertools.pairwise(medians):
            if abs(after - before) < max(least_share * max(abs(before), abs(after)), least):
                return []
        inner = [within(first + a, first + b) for a, b in pieces] if len(pieces) > 1 else [[]]
        return [place for (a, _), places in zip(pieces, inner, strict=True) for place in ([first + a] if a else []) + places]

    return _placed_anew(values, within(0, len(values))) if len(values) else []


def _cuts(values: Float64Array) -> list[int]:
    """Where the values are cut: at the best split, or at both ends of the best stretch, or nowhere."""
    n = len(values)
    if n < 2 * LEAST:
        return []
    doubled, ties = doubled_ranks(values)
    tied = 1 - sum(t**3 - t for t in ties) / (n**3 - n)
    if tied <= 0:
        return []
    sums = np.concatenate(([0], np.cumsum(doubled))) / 2
    first = splits(n)
    if chance(first, _statistics(n, first.length, sums[first.length], tied).max()) <= _OF_SPLITS * P:
        return [_place(values)]
    inside = stretches(n)
    best, begin, end = 0.0, 0, 0
    for length in inside.length.tolist():
        begins = np.arange(LEAST, n - LEAST - length + 1)
        found = _statistics(n, np.full(len(begins), length), sums[begins + length] - sums[begins], tied)
        if found.max() > best:
            best, begin, end = float(found.max()), int(begins[found.argmax()]), int(begins[found.argmax()]) + length
    if end == 0 or chance(inside, best) > (1 - _OF_SPLITS) * P:
        return []
    begin = _place(values[:end])
    return [begin, begin + _place(values[begin:])]


def _statistics(n: int, length: Int64Array, rank_sum: Float64Array, tied: float) -> Float64Array:
    """How many deviations each rank sum is off its mean."""
    result: Float64Array = np.abs(rank_sum - length * (n + 1) / 2) / (_deviation(n, length) * math.sqrt(tied))
    return result


def _deviation(n: int, length: Int64Array) -> Float64Array:
    result: Float64Array = np.sqrt(length * (n - length) * (n + 1) / 12)
    return result


def splits(n: int) -> Tried:
    """What may stand before a split."""
    length = np.arange(LEAST, n - LEAST + 1)
    return Tried(n, length, np.ones(len(length), np.int64))


def stretches(n: int) -> Tried:
    """What may come and go."""
    length = np.arange(LEAST, min(n - 2 * LEAST, _LONGEST) + 1)
    return Tried(n, length, n - length - 2 * LEAST + 1)


def chance(tried: Tried, statistic: float) -> float:
    """How likely the largest statistic of all of them is at least this without a change: no more than that."""
    n, length, n_of_it = tried
    if n > _EXACT_UP_TO:
        return min(int(n_of_it.sum()) * math.erfc(statistic / math.sqrt(2)), 1.0)
    shares = _shares_of_sums(n)[length]
    off = np.abs(np.arange(shares.shape[1]) - (length * (n + 1) / 2)[:, np.newaxis])
    far = off >= (statistic * _deviation(n, length))[:, np.newaxis] - 1e-9
    return min(float(((shares * far).sum(axis=1) * n_of_it).sum()), 1.0)


@lru_cache(maxsize=64)
def _shares_of_sums(n: int) -> Float64Array:
    """[k, s]: of all ways to choose k of the ranks 1 to n, the share whose sum is s."""
    ways = np.zeros((n + 1, n * (n + 1) // 2 + 1))
    ways[0, 0] = 1.0
    for rank in range(1, n + 1):
        for taken in range(rank, 0, -1):
            ways[taken, rank:] += ways[taken - 1, : ways.shape[1] - rank]
    result: Float64Array = ways / ways.sum(axis=1, keepdims=True)
    return result


def _place(values: Float64Array) -> int:
    """Where the values are nearest to the medians of both sides."""
    return _best(values, lambda own: float(np.abs(own - np.median(own)).sum()))


def _placed_anew(values: Float64Array, places: list[int]) -> list[int]:
    """Each change between its neighbours: nearest by squares that grow up to `_FAR` deviations and no further.

    Only here, where each stretch has one change: of several levels all would be far, and none of them nearer than another.
    """
    edges = [0, *places, len(values)]
    for place in range(1, len(edges) - 1):
        own = values[edges[place - 1] : edges[place + 1]]
        # Of neighbours: a change of level is in one of these differences alone.
        deviation = _OF_MEDIAN * float(np.median(np.abs(np.diff(own)))) / math.sqrt(2)
        edges[place] = edges[place - 1] + _best(own, _misfit(max(deviation, float(np.spacing(np.abs(own).max())))))
    return edges[1:-1]


def _misfit(unit: float) -> Callable[[Float64Array], float]:
    return lambda values: float((np.minimum(np.abs(values - np.median(values)) / unit, _FAR) ** 2).sum())


def _best(values: Float64Array, cost: Callable[[Float64Array], float]) -> int:
    left = [cost(values[:place]) + cost(values[place:]) for place in range(LEAST, len(values) - LEAST + 1)]
    return LEAST + int(np.argmin(left))
