"""What is usual of links that should be as quick as each other: the median of the others, or what few of them reach.

Of four links three may be slow, and the median of the others is then one of these. The quick ones are no luck where every one of
them is plainly quicker than every other, in nearly all messages, and those of either kind are alike.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tb_plugin.job.links.host_set import SLOW

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array

_PLAINLY: Final = 2.5
"""Times as quick. Two that share a link move data at half its rate each, and one at the end of a row has it to itself."""

_ALIKE: Final = 1.5
_QUICK_SHARE: Final = 0.25
"""Of all links, at least."""

_FEWEST: Final = 3
"""Messages of each."""

_MOSTLY: Final = 0.75


class Rates(NamedTuple):
    """Of the sets of one class."""

    bandwidth: list[float]
    of_usual: list[float | None]
    is_at_least: list[bool]


def rates_of_like(
    sets: Sequence[list[int]], bandwidth: Float64Array, size: Int64Array, is_at_most: BoolArray, n_hosts: Sequence[int]
) -> Rates:
    """`sets`: the instances of each of one class; `n_hosts`: that each is between."""
    is_at_least = (_of_each(np.mean, is_at_most, sets) > 0.5).tolist()
    rates = _of_each(np.max if any(is_at_least) else np.median, bandwidth, sets)
    usual = median_of_others(rates)
    if not any(is_at_least) and len(set(n_hosts)) == 1 and (quick := _quick_few(sets, rates, bandwidth, size)):
        usual = [usual[place] if place in quick else float(np.median(rates[quick])) for place in range(len(sets))]
    of_usual = [None if other is None else rate / other for rate, other in zip(rates.tolist(), usual, strict=True)]
    return Rates(rates.tolist(), of_usual, is_at_least)


def _of_each(told_by: Callable[..., Any], values: Float64Array | BoolArray, sets: Sequence[list[int]]) -> Float64Array:
    """What `told_by` says of the values of each set: at once where all have as many, as links of one layout do."""
    if len(set(map(len, sets))) == 1:
        return np.asarray(told_by(values[np.array(sets)], axis=1), np.float64)
    return np.array([float(told_by(values[places])) for places in sets])


def _quick_few(sets: Sequence[list[int]], rates: Float64Array, bandwidth: Float64Array, size: Int64Array) -> list[int]:
    """Places of the fewer sets that all others are slow to; [] where there are none."""
    n = len(sets)
    if n < 3 or min(map(len, sets)) < _FEWEST:
        return []
    order = np.argsort(-rates, kind="stable").tolist()
    steps = [rates[one] / rates[other] for one, other in pairwise(order)]
    n_quick = 1 + int(np.argmax(steps))
    quick, slow = order[:n_quick], order[n_quick:]
    if not (_QUICK_SHARE * n <= n_quick < n / 2) or steps[n_quick - 1] < _PLAINLY:
        return []
    if any(rates[some[0]] > _ALIKE * rates[some[-1]] for some in (quick, slow)):
        return []
    most = [float(np.quantile(bandwidth[sets[place]], _MOSTLY)) for place in slow]
    least = [float(np.quantile(bandwidth[sets[place]], 1 - _MOSTLY)) for place in quick]
    # Smaller messages are slower by themselves.
    sizes = [float(np.median(size[places])) for places in sets]
    is_plain = max(most) < SLOW * min(least) and max(sizes[place] for place in quick) < 2 * min(sizes[place] for place in slow)
    return quick if is_plain else []


def median_of_others(values: Float64Array) -> list[float | None]:
    """Of each value; None of the only one."""
    if len(values) < 2:
        return [None] * len(values)
    place = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    ordered, n = np.sort(values), len(values) - 1
    low, high = ((n - 1) // 2, n // 2)
    others: list[float | None] = ((ordered[low + (place <= low)] + ordered[high + (place <= high)]) / 2).tolist()
    return others
