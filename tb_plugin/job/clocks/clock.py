"""Clocks of hosts, solved from collectives that end together: local = true + offset + drift x (t - middle).

    e(r, c) - o(h) - d(h) (t - middle(h)) = E(c) + noise     one equation an instance c and host h; the mean of h's members

Each host has a middle of its own, that of its rows: what its clock is ahead by as a whole is whole ns and in no equation, so
that an offset of a minute changes neither error nor drift. E(c) goes by subtracting the instance's mean; the rest is least
squares with Huber's weights. Sends and receives count 2 %: they end together only when large, but they tie hosts that
nothing else does. The host of the lowest rank of each component is its reference: between components nothing is known. A prior
of 0 +- 30 ppm keeps a short recording from inventing a drift. A rank that is not on its host's clock (`own_clocks.py`) is as a
host of its own here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.ranges import ranges
from tb_plugin.job.matching.batches import uneven
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from collections.abc import Collection

    from tb_plugin.job.matching.matching import Matched
    from tb_plugin.job.ranks.rows import CollectiveRows

_ROUNDS: Final = 8
_HUBER: Final = 1.5
_PAIR_WEIGHT: Final = 0.02
LARGE_BYTES: Final = 65_536
_PRIOR_DRIFT: Final = 30e-6
_SIGMAS: Final = 3.0
DEVICE_NS: Final = 1_000.0
"""What a device's own clock is off by against its host's, after CUPTI's correction."""

_LEAST_SIGMA_NS: Final = 300.0


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """One value a clock (`own_clocks.py`). Its offset at `middle_ns` of its own clock, against the reference of its component,
    in two parts.
    """

    ahead_ns: Int64Array  # its middle less the reference's
    rest_ns: Float64Array  # what its offset is besides
    drift: Float64Array  # ns a ns
    error_ns: Float64Array  # of the offset at the middle, one sigma
    drift_error: Float64Array
    component: Int64Array
    middle_ns: Int64Array  # of its rows
    sigma_ns: float | None  # how far ends of one instance lie apart; None: one clock, or nothing to solve
    first_ns: Float64Array  # of the equations of each clock
    last_ns: Float64Array
    are_by_sends: bool = False  # nothing else ties them: ends of one message lie apart, since a sender may leave early

    @property
    def offset_ns(self) -> Float64Array:
        return self.ahead_ns + self.rest_ns

    def shift(self, clock: Int64Array, local_ns: Int64Array) -> Int64Array:
        """What to subtract from local times, whole ns."""
        rest = np.rint(self.rest_ns[clock] + self.drift[clock] * (local_ns - self.middle_ns[clock])).astype(np.int64)
        found: Int64Array = self.ahead_ns[clock] + rest
        return found

    def error_at(self, clock: Int64Array, local_ns: Int64Array) -> Float64Array:
        """One sigma of the shift there, with the device's own clock, and 30 ppm of the time to the nearest equation."""
        away = np.maximum(np.maximum(self.first_ns[clock] - local_ns, local_ns - self.last_ns[clock]), 0.0)
        from_middle = np.abs(local_ns - self.middle_ns[clock])
        lever = self.drift_error[clock] * np.minimum(from_middle, self.last_ns[clock] - self.first_ns[clock])
        is_solved = self.error_ns[clock] > 0
        parts = self.error_ns[clock] ** 2 + np.where(is_solved, lever**2 + (_PRIOR_DRIFT * away) ** 2, 0.0)
        return np.sqrt(parts + np.where(is_solved, DEVICE_NS**2, 0.0))

    def slack_at(self, clock: Int64Array, local_ns: Int64Array) -> Int64Array:
        """By how much times of two clocks may be wrong together."""
        slack: Int64Array = np.rint(3 * self.error_at(clock, local_ns) + 3 * (self.sigma_ns or 0.0)).astype(np.int64)
        return slack


class Equations(NamedTuple):
    """One row an (instance, clock)."""

    instance: Int64Array  # dense
    clock: Int64Array
    end: Float64Array  # less its clock's middle, local ns
    weight: Float64Array
    n_instances: int
    middle: Int64Array  # of each clock


def one_clock(n_clocks: int) -> Clocks:
    """Of hosts that have one, or of which nothing more is known."""
    zeros, none = np.zeros(n_clocks), np.zeros(n_clocks, np.int64)
    return Clocks(
        ahead_ns=none,
        rest_ns=zeros,
        drift=zeros,
        error_ns=zeros,
        drift_error=zeros,
        component=none,
        middle_ns=none,
        sigma_ns=None,
        first_ns=zeros,
        last_ns=zeros,
    )


def solved(equations: Equations) -> Clocks:
    middle = equations.middle
    n_clocks = len(middle)
    if n_clocks < 2:
        return one_clock(n_clocks)
    component = _components(equations, n_clocks)
    if len(equations.clock) == 0:
        return _loose(n_clocks, middle)
    span = max(float(np.ptp(equations.end)), 1.0)
    is_reference = np.zeros(n_clocks, np.bool_)
    is_reference[np.unique(component, return_index=True)[1]] = True  # hosts' come first, in the order of their lowest rank
    free = np.flatnonzero(~is_reference)
    solution, covariance, sigma = _least_squares(equations, free, component, span)
    rest, drift = np.zeros(n_clocks), np.zeros(n_clocks)
    error, drift_error = np.zeros(n_clocks), np.zeros(n_clocks)
    rest[free], drift[free] = solution[: len(free)], solution[len(free) :] / span
    variance = np.maximum(np.diag(covariance), 0.0)
    error[free], drift_error[free] = np.sqrt(variance[: len(free)]), np.sqrt(variance[len(free) :]) / span
    first, last = np.full(n_clocks, np.inf), np.full(n_clocks, -np.inf)
    np.minimum.at(first, equations.clock, equations.end + middle[equations.clock])
    np.maximum.at(last, equations.clock, equations.end + middle[equations.clock])
    tied = np.isfinite(first)
    return Clocks(
        ahead_ns=middle - middle[component],  # a component has the number of its reference
        rest_ns=rest,
        drift=drift,
        error_ns=error,
        drift_error=drift_error,
        component=component,
        middle_ns=middle,
        sigma_ns=sigma,
        first_ns=np.where(tied, first, middle),
        last_ns=np.where(tied, last, middle),
        are_by_sends=not (equations.weight == 1.0).any(),
    )


def drifts_apart(clocks: Clocks) -> float:
    """How far, ns a ns, a clock surely drifts against the middle one of its component at most; of two against the other."""
    most = 0.0
    for one in np.unique(clocks.component):
        its = np.flatnonzero(clocks.component == one)
        middle = float(np.median(clocks.drift[its])) if len(its) > 2 else 0.0
        most = max(most, float((np.abs(clocks.drift[its] - middle) - _SIGMAS * clocks.drift_error[its]).max()))
    return most


def apart(clocks: Clocks) -> Clocks:
    """Every clock on its own: where what was solved is not to be trusted."""
    loose = _loose(len(clocks.component), clocks.middle_ns)
    return Clocks(**{**vars(loose), "sigma_ns": clocks.sigma_ns})


def _loose(n_clocks: int, middle: Int64Array) -> Clocks:
    alone = one_clock(n_clocks)
    return Clocks(**{**vars(alone), "component": np.arange(n_clocks, dtype=np.int64), "middle_ns": middle})


def _middles(rows: CollectiveRows, clock: Int64Array, n_clocks: int) -> Int64Array:
    """Of each clock's rows, on its own clock; 0 of a clock without."""
    first, last = np.full(n_clocks, np.iinfo(np.int64).max), np.full(n_clocks, np.iinfo(np.int64).min)
    np.minimum.at(first, clock[rows.is_there], rows.start[rows.is_there])
    np.maximum.at(last, clock[rows.is_there], rows.end[rows.is_there])
    return np.where(last < first, 0, first + (last - first) // 2)


def equations_of(
    rows: CollectiveRows, found: Matched, clock: Int64Array, n_clocks: int, usable: BoolArray, without: Collection[int] = ()
) -> Equations:
    """`clock`: of each row. `usable`: instances that may tie clocks, but those in `without`."""
    middle = _middles(rows, clock, n_clocks)
    is_pair = np.isin(found.kind, (kinds.SEND, kinds.RECV))
    may = usable & found.is_matched & (np.isin(found.kind, kinds.SYNCHRONISING) | (is_pair & ~uneven(rows, found)))
    of_row = np.where(found.of == NONE, 0, found.of)
    use = np.flatnonzero(rows.is_there & (found.of != NONE) & may[of_row]) if len(found) else np.zeros(0, np.int64)
    use = use[~np.isin(clock[use], list(without))] if without else use
    met = group_by(found.of[use], clock[use])  # what lies on one clock ties none, however large it is
    use = use[np.bincount(found.of[use][met.first], minlength=len(found))[found.of[use]] > 1]
    use = _large_where_there_are(rows, use, is_pair[of_row[use]] if len(found) else use.astype(np.bool_))
    mean = group_by(found.of[use], clock[use])
    count = np.bincount(mean.of, minlength=len(mean))
    end = np.bincount(mean.of, weights=rows.end[use] - middle[clock[use]], minlength=len(mean)) / np.maximum(count, 1)
    instance, of_clock = found.of[use][mean.first], clock[use][mean.first]
    n_clocks_of = np.bincount(instance, minlength=len(found))
    several = n_clocks_of[instance] > 1
    instance, of_clock, end = instance[several], of_clock[several], end[several]
    dense = group_by(instance) if len(instance) else None
    weight = np.where(is_pair[instance], _PAIR_WEIGHT, 1.0) if len(instance) else np.zeros(0)
    return Equations(dense.of if dense else instance, of_clock, end, weight, len(dense) if dense else 0, middle)


def _large_where_there_are(rows: CollectiveRows, use: Int64Array, is_pair: BoolArray) -> Int64Array:
    """Collectives of 64 kB and more; all of them where those would be none."""
    large = is_pair | (rows.size[use] >= LARGE_BYTES) | (rows.size[use] == NONE)
    return use[large] if large[~is_pair].any() else use


def _components(equations: Equations, n_clocks: int) -> Int64Array:
    """Hosts that no equation ties stand apart. Each component has the number of its first clock."""
    component = np.arange(n_clocks, dtype=np.int64)
    while len(equations.clock):
        low = np.full(equations.n_instances, n_clocks, np.int64)
        np.minimum.at(low, equations.instance, component[equations.clock])
        lower = component.copy()
        np.minimum.at(lower, equations.clock, low[equations.instance])
        np.minimum.at(lower, component, lower)
        lower = lower[lower]
        if np.array_equal(lower, component):
            break
        component = lower
    return component


def _least_squares(
    equations: Equations, free: Int64Array, component: Int64Array, span: float
) -> tuple[Float64Array, Float64Array, float]:
    """(offsets then drifts times span of the free clocks, their covariance, how far ends lie from their instances' means)."""
    place = np.full(len(component), NONE, np.int64)
    place[free] = np.arange(len(free))
    unknown = place[equations.clock]
    tau = equations.end / span
    weight, sigma = equations.weight.copy(), 1.0
    solution: Float64Array = np.zeros(2 * len(free))
    pairs = _pairs(equations.instance[unknown != NONE])
    strong = equations.weight == 1.0
    judged = strong if strong.any() else ~strong
    freedom = _freedom(equations, judged, free)
    larger = np.sqrt(1.0 / (1.0 - equations.weight / _totals(equations, equations.weight)[equations.instance]))
    drifts = np.arange(len(free), 2 * len(free))
    # What no equation ties is 0 here and there: each component is solved on its own.
    each = (np.flatnonzero(component[free] == one) for one in np.unique(component[free]))
    parts = [np.concatenate((clocks, clocks + len(free))) for clocks in each]

    def normal_of(weight: Float64Array, sigma: float) -> tuple[Float64Array, Float64Array]:
        normal, right = _normal(equations, unknown, tau, weight, len(free), pairs)
        normal[drifts, drifts] += (sigma / (_PRIOR_DRIFT * span)) ** 2
        normal[np.diag_indices_from(normal)] += 1e-12
        return normal, right

    residual = np.zeros(len(tau))
    for _ in range(_ROUNDS):
        normal, right = normal_of(weight, sigma)
        solution = np.zeros_like(right)
        for own in parts:
            solution[own] = np.linalg.solve(normal[np.ix_(own, own)], right[own])
        residual = larger * _residual(equations, unknown, tau, weight, solution, len(free))
        sigma = max(_scale(residual[judged]) * np.sqrt(freedom.share), _LEAST_SIGMA_NS)
        scale = np.where(strong, sigma, max(_scale(residual[~strong]), sigma))
        weight = equations.weight * np.minimum(1.0, _HUBER * scale / np.maximum(np.abs(residual), 1e-9))
    kept = np.minimum(1.0, _HUBER * sigma / np.maximum(np.abs(residual[judged]), 1e-9))
    spread = max(float(np.mean((kept * residual[judged]) ** 2)) * freedom.share, _LEAST_SIGMA_NS**2)
    quietly = max(float((kept == 1.0).mean()), 0.5)
    normal, _ = normal_of(equations.weight, sigma)
    covariance = np.zeros_like(normal)
    for own in parts:
        covariance[np.ix_(own, own)] = np.linalg.inv(normal[np.ix_(own, own)])
    apart = max(_scale(residual[judged] / larger[judged]), _LEAST_SIGMA_NS)
    return solution, covariance * spread / quietly**2 * freedom.of_few, apart


class _Freedom(NamedTuple):
    share: float  # of the equations less the instances' ends: by how many more than with the unknowns taken off
    of_few: float  # variance of Student's t


def _freedom(equations: Equations, judged: BoolArray, free: Int64Array) -> _Freedom:
    n_ends = len(np.unique(equations.instance[judged]))
    n_told = int(judged.sum()) - n_ends
    n_left = max(n_told - 2 * len(free), 1)
    few = max(n_left, 3)
    return _Freedom(share=max(n_told / n_left, 1.0), of_few=few / (few - 2))


def _scale(residual: Float64Array) -> float:
    """Of most of them, if they scatter normally; 0 of none."""
    return 1.48 * float(np.median(np.abs(residual))) if len(residual) else 0.0


def _totals(equations: Equations, of_each: Float64Array) -> Float64Array:
    """Sums of each instance's equations."""
    totals: Float64Array = np.bincount(equations.instance, of_each, equations.n_instances).astype(np.float64)
    return totals


def _normal(
    equations: Equations,
    unknown: Int64Array,
    tau: Float64Array,
    weight: Float64Array,
    n_free: int,
    pairs: tuple[Int64Array, Int64Array],
) -> tuple[Float64Array, Float64Array]:
    """Of the equations with each instance's weighted mean taken off: A' W A and A' W y. `pairs`: of equations of free clocks."""
    total = _totals(equations, weight)
    mean_y = _totals(equations, weight * equations.end) / total
    is_free = unknown != NONE
    at, t, w = unknown[is_free], tau[is_free], weight[is_free]
    y = (equations.end - mean_y[equations.instance])[is_free]
    right = np.concatenate([np.bincount(at, weights=value * y, minlength=n_free) for value in (w, w * t)])
    left, other = pairs
    both = w[left] * w[other] / total[equations.instance[is_free][left]]
    cell = np.concatenate((at, at[left])) * n_free + np.concatenate((at, at[other]))

    def block(own: Float64Array | float, of_pair: Float64Array | float) -> Float64Array:
        value = np.concatenate((w * own, -both * of_pair))
        flat = np.bincount(cell, weights=value, minlength=n_free**2)
        return np.asarray(flat.reshape(n_free, n_free), np.float64)

    across = block(t, t[other])
    return np.block([[block(1.0, 1.0), across], [across.T, block(t * t, t[left] * t[other])]]), right


def _pairs(instance: Int64Array) -> tuple[Int64Array, Int64Array]:
    """All ordered pairs of equations of one instance, each with itself too."""
    order = np.argsort(instance, kind="stable")
    ordered = instance[order]
    begin = np.searchsorted(ordered, ordered, side="left")
    count = np.searchsorted(ordered, ordered, side="right") - begin
    left = np.repeat(np.arange(len(order)), count)
    return order[left], order[ranges(begin, count)]


def _residual(
    equations: Equations, unknown: Int64Array, tau: Float64Array, weight: Float64Array, solution: Float64Array, n_free: int
) -> Float64Array:
    is_free = unknown != NONE
    modelled = np.zeros(len(unknown))
    at = unknown[is_free]
    modelled[is_free] = solution[at] + solution[at + n_free] * tau[is_free]
    rest = equations.end - modelled
    mean = _totals(equations, weight * rest) / _totals(equations, weight)
    residual: Float64Array = rest - mean[equations.instance]
    return residual
