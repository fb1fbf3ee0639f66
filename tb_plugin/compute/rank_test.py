"""Do two small samples differ? Mann-Whitney's test and Hodges-Lehmann's shift, exact, without random numbers.

    a  10 11 12 13        every a before every b: of the 70 ways to split 8 values into 4 and 4 two are as extreme,
    b  20 21 22 23        so p = 2/70 = 0.029; the shift is the median of the 16 differences, 10

Sources: Mann and Whitney 1947; Hodges and Lehmann 1963; the interval by the ordered differences is Conover, Practical
Nonparametric Statistics, 5.4. Equal values share their ranks ("mid-ranks"), and the test is of the ranks as they are.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array, Int64Array

MOST_SPLITS: Final = 200_000
"""So many ways to split are counted; beyond that the normal approximation differs in the third digit."""

_TAIL: Final = 0.025
_NORMAL_QUANTILE: Final = 1.959963984540054  # 97.5 %
_MOST_DIFFERENCES: Final = 4_000_000  # 2 000 against 2 000; more say no more


class Shift(NamedTuple):
    """How much larger b's values are than a's. `low` to `high` holds the true shift with this `confidence`, 0 to 1."""

    shift: float
    low: float
    high: float
    confidence: float
    p: float


def shift_between(a: Int64Array, b: Int64Array) -> Shift:
    """Of two samples that are not empty. The samples the other way round give the same with the sign turned."""
    a, b = _thinned(a), _thinned(b)
    differences = np.sort((b[:, np.newaxis] - a[np.newaxis, :]).reshape(-1))
    k, confidence = _interval(len(a), len(b))
    return Shift(
        shift=float(np.median(differences)),
        low=float(differences[k - 1]),
        high=float(differences[-k]),
        confidence=confidence,
        p=p_value(a, b),
    )


def p_value(a: Int64Array, b: Int64Array) -> float:
    """Two-sided: how many of all splits of the values are at least as far from the middle as this one."""
    ranks, ties = doubled_ranks(np.concatenate((a, b)))
    mine = int(ranks[: len(a)].sum())
    if math.comb(len(a) + len(b), len(a)) <= MOST_SPLITS:
        return _exact_p(tuple(ties), len(a), mine)
    n_a, n_b, n = len(a), len(b), len(a) + len(b)
    tied = sum(t**3 - t for t in ties)
    variance = n_a * n_b / 12 * (n + 1 - tied / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    off = max(abs(mine / 2 - n_a * (n + 1) / 2) - 0.5, 0.0)  # a step of the sum is one rank
    return math.erfc(off / math.sqrt(2 * variance))


def least_p(n_a: int, n_b: int) -> float:
    """The smallest p that samples of this size can have."""
    return min(2 / math.comb(n_a + n_b, n_a), 1.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted so that the chance of any false one among all is what each says (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min((len(p_values) - rank) * p_values[place], 1.0))
        adjusted[place] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted so that of all at or below it, this share is false (Benjamini and Hochberg 1995)."""
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, lowest = [1.0] * len(p_values), 1.0
    for rank in range(len(order) - 1, -1, -1):
        lowest = min(lowest, len(p_values) * p_values[order[rank]] / (rank + 1))
        adjusted[order[rank]] = lowest
    return adjusted


def _thinned(values: Int64Array) -> Int64Array:
    """Evenly spaced ones of very many."""
    most = math.isqrt(_MOST_DIFFERENCES)
    return values if len(values) <= most else values[np.linspace(0, len(values) - 1, most).astype(np.int64)]


def doubled_ranks(values: Int64Array | Float64Array) -> tuple[Int64Array, list[int]]:
    """Twice the mid-rank of each value, which is whole, and how many share each rank, from the smallest."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    doubled = 2 * last - count + 1  # first + last rank of those that are equal
    return doubled[place.reshape(-1)], count.tolist()


@lru_cache(maxsize=4096)
def _exact_p(ties: tuple[int, ...], n_a: int, mine: int) -> float:
    """`ties`: how many values share each rank. `mine`: the sum of doubled ranks of the first sample."""
    ranks = [first + first + count + 1 for first, count in zip(_begins(ties), ties, strict=True) for _ in range(count)]
    ways: list[dict[int, int]] = [{0: 1}, *({} for _ in range(n_a))]  # by how many are taken: sum -> splits
    for rank in ranks:
        for taken in range(n_a, 0, -1):
            into = ways[taken]
            for total, number in ways[taken - 1].items():
                into[total + rank] = into.get(total + rank, 0) + number
    middle = n_a * (len(ranks) + 1)
    far = sum(number for total, number in ways[n_a].items() if abs(total - middle) >= abs(mine - middle))
    return far / math.comb(len(ranks), n_a)


def _begins(ties: tuple[int, ...]) -> list[int]:
    """How many values are smaller than those of each rank."""
    begins, reached = [], 0
    for count in ties:
        begins.append(reached)
        reached += count
    return begins


@lru_cache(maxsize=1024)
def _interval(n_a: int, n_b: int) -> tuple[int, float]:
    """(k, confidence): the interval is from the k-th smallest to the k-th largest difference."""
    if math.comb(n_a + n_b, n_a) > MOST_SPLITS:
        half = _NORMAL_QUANTILE * math.sqrt(n_a * n_b * (n_a + n_b + 1) / 12)
        return max(math.floor(n_a * n_b / 2 - half), 1), 1 - 2 * _TAIL
    n_splits, below, k = math.comb(n_a + n_b, n_a), 0, 0
    for number in _splits_by_u(n_a, n_b):
        if (below + number) / n_splits > _TAIL:
            break
        below, k = below + number, k + 1
    return (k, 1 - 2 * below / n_splits) if k else (1, max(1 - 2 / n_splits, 0.0))


def _splits_by_u(n_a: int, n_b: int) -> list[int]:
    """How many splits have U = 0, 1, ... where no values are equal."""
    ways = [[0] * (n_a * n_b + 1) for _ in range(n_a + 1)]
    ways[0][0] = 1
    for rank in range(n_a + n_b):
        for taken in range(min(rank + 1, n_a), 0, -1):
            # The taken-th value of a passes by rank - (taken - 1) values of b.
            u = rank - (taken - 1)
            for total in range(n_a * n_b, u - 1, -1):
                ways[taken][total] += ways[taken - 1][total - u]
    return ways[n_a]
