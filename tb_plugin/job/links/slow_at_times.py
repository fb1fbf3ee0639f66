"""Links that are slow in some steps only, and single collectives that take many times as long as their like.

    rate of a step      median over its instances of bus rate / usual        of one host set, or of ranks inside a host
    usual               of the same ranks, kind, size and direction: what the quickest third of the steps reach in the median

A step is slow below 0.7 of that: most of its instances are, and it is further from the other steps than instances within a step
and these steps among each other differ by chance. Of few instances that is told by their means (Student's test): they are alike
but for the step, or are not. An instance is held against its like so, too. Both only where what nothing hides of it is a part of
the step that matters: this is about why a step is longer. More than two thirds of the steps are slow only where all of them are
plainly of another kind than the quickest (`mostly`): else that one was lucky.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import Groups, count_by, group_by, max_by, median_by, quantile_by, sum_by
from tb_plugin.job.links.host_set import SLOW, HostSet
from tb_plugin.job.links.slow_ranks import senders
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.links.host_set import SetKey
    from tb_plugin.job.own.exposed import Exposed
    from tb_plugin.job.own.own_time import OwnTime

_QUICKEST: Final = 0.67
"""Of the steps those above this share: two of four to six."""

_QUICK_SHARE: Final = 0.16
"""Of the steps those that most are slow to, at least: one of six."""

_MOSTLY: Final = 0.75
_SPREADS: Final = 4.0
_SPREADS_OF_ONE: Final = 6.0
"""An instance of thousands is far off by chance more often than a step."""

_FEW: Final = 3.0
"""The spread of n is as much as 1 + this / (n - 1) times wider than it looks."""

_FEWEST: Final = 8
"""Instances that tell what is usual; of fewer, as of a single usual step, only what differs less among itself is told, or what is
so many times slower:"""
_PLAINLY: Final = 3.0

_LEAST_FREE: Final = 2
"""Instances more than are needed to know the means of both."""

_AS_OTHERS: Final = 0.85
"""Of the others' rate in a step: there it is not slow, where it is twice as slow and more in the rest, by chance in none."""

_TWICE: Final = 2.0
_OF_STEP: Final = 0.02
_OF_ONE: Final = 0.005
"""What all slow instances of a step cost a rank, and those of one set."""

_ALIKE: Final = 1.5
"""Factors of the steps of a set that are told as one."""


class _Compared(NamedTuple):
    """`part`: log of the rate / what is usual, of each instance; `unit`: of one usual; `pool`: of what is slow together, `cell`:
    a step of it, `pair`: the pool's by the ranks that it is of: of several groups over the same hosts one may be slow alone.
    """

    instance: Int64Array
    key: Int64Array  # place of its SetKey
    step: Int64Array
    part: Float64Array
    unit: Groups
    pool: Groups
    cell: Groups
    pair: Groups


class _Usual(NamedTuple):
    """Of each pool, by its instances in steps that are not below 0.7."""

    spread: Float64Array  # of one instance
    of_steps: Float64Array
    level: Float64Array  # in the median: less than what the quickest of these steps reach
    is_known: BoolArray  # by enough of both


def slow_at_times(
    job: Job,
    hidden: Exposed,
    own: OwnTime,
    found: Mapping[SetKey, Sequence[int]],
    size: Int64Array,
    bandwidth: Float64Array,
    *,
    mostly: bool = False,
) -> list[HostSet]:
    """What is slow, by its steps. `found`: the instances whose rates are known. `mostly`: in most steps, beside a quick one."""
    if len(own.number) == 0 or not found:
        return []
    of = _compared(job, own, found, size, bandwidth, 1.0 if mostly else _QUICKEST)
    if len(of.instance) == 0:
        return []
    pairs = of._replace(pool=of.pair, cell=group_by(of.pair.of, of.step))
    slow, rate = _slow(of, mostly=mostly)
    of_pairs, rate_of_pairs = _slow(pairs, mostly=mostly)
    of_pairs &= ~slow
    of_all = of_pairs & _are_of_all_groups(of, list(found), of_pairs)
    slow, of_pairs, rate = slow | of_all, of_pairs & ~of_all, np.where(of_all, rate_of_pairs, rate)
    alone = ~slow & ~of_pairs & _far_off(of, _usual(of)) & (not mostly)
    part = np.where(slow, rate, np.where(of_pairs, rate_of_pairs, of.part))
    matters = _matters(job, hidden, own, of, slow | of_pairs | alone, 1 - np.exp(part))
    some = ((of, of.pool, slow), (pairs, of.pair, of_pairs), (pairs, of.pair, alone))
    return [one for each, groups, which in some for one in _by(groups, job, list(found), each, bandwidth, which & matters)]


def _compared(
    job: Job, own: OwnTime, found: Mapping[SetKey, Sequence[int]], size: Int64Array, bandwidth: Float64Array, quickest: float
) -> _Compared:
    instance = np.concatenate([np.asarray(each, np.int64) for each in found.values()])
    key = np.repeat(np.arange(len(found)), [len(each) for each in found.values()])
    step = _step_of(job, instance)
    use = np.flatnonzero(np.isin(step, own.number) & ~job.instances.is_at_most[instance])
    instance, key, step = instance[use], key[use], step[use]
    who, log = _who(job)[instance], np.log(bandwidth[instance])
    unit = group_by(key, who, senders(job)[instance], np.floor(np.log2(size[instance])).astype(np.int64))
    of_step = group_by(unit.of, step)
    usual = quantile_by(Groups(unit.of[of_step.first], unit.first), median_by(of_step, log), quickest)
    inside = np.array([len(each.hosts) == 1 for each in found], np.bool_)
    pool = group_by(key, np.where(inside[key], who, NONE))
    pair = group_by(pool.of, who)
    return _Compared(instance, key, step, log - usual[unit.of], unit, pool, group_by(pool.of, step), pair)


def _are_of_all_groups(of: _Compared, keys: Sequence[SetKey], which: BoolArray) -> BoolArray:
    """Of collectives whether all of the same hosts in the same step are these: then no group is slow alone."""
    is_whole = np.bincount(of.cell.of, weights=which, minlength=len(of.cell)) == count_by(of.cell)
    found: BoolArray = is_whole[of.cell.of] & np.array([each.kind != kinds.SEND for each in keys], np.bool_)[of.key]
    return found


def _step_of(job: Job, instance: Int64Array) -> Int64Array:
    """That in which its last member came; NONE where none did."""
    last = job.instances.last[instance]
    step: Int64Array = np.where(last == NONE, NONE, job.rows.step[last])
    return step


def _who(job: Job) -> Int64Array:
    """Of each instance its group, of a send the two that it is between."""
    low, high = np.full(len(job.matched), np.iinfo(np.int64).max), np.full(len(job.matched), NONE)
    use = np.flatnonzero(job.rows.is_there & (job.matched.of != NONE))
    np.minimum.at(low, job.matched.of[use], job.rows.rank[use])
    np.maximum.at(high, job.matched.of[use], job.rows.rank[use])
    is_send = (job.matched.kind == kinds.SEND) | (job.matched.kind == kinds.RECV)
    pair = low * len(job.of.ranks) + high
    who: Int64Array = np.where(is_send & (high != NONE), pair, job.matched.group)
    return who


def _usual(of: _Compared) -> _Usual:
    rate, pool_of_cell = median_by(of.cell, of.part), of.pool.of[of.cell.first]
    steps = Groups(pool_of_cell, of.pool.first)
    is_quick = rate >= np.log(SLOW)
    quick = np.where(is_quick[of.cell.of], of.part, np.nan)
    quick_rate, free = np.where(is_quick, rate, np.nan), _but_usual(of, quick)
    n = np.bincount(of.pool.of[np.isfinite(quick)], minlength=len(of.pool))
    n_steps = np.bincount(pool_of_cell[is_quick], minlength=len(of.pool))
    return _Usual(
        spread=_spread(of.pool, free) * _wide(np.bincount(of.pool.of[np.isfinite(free)], minlength=len(of.pool))),
        of_steps=np.where(n_steps > 1, _spread(steps, quick_rate) * _wide(n_steps), 0.0),
        level=np.nan_to_num(median_by(steps, quick_rate)),
        is_known=(n >= _FEWEST) & (n_steps > 1),
    )


def _but_usual(of: _Compared, quick: Float64Array) -> Float64Array:
    """Without that of each unit which is as it is by itself: what is usual is one of its own."""
    order = np.lexsort((np.abs(quick), of.unit.of))
    found: Float64Array = quick.copy()
    found[order[np.searchsorted(of.unit.of[order], np.arange(len(of.unit)))]] = np.nan
    return found


def _spread(groups: Groups, values: Float64Array) -> Float64Array:
    away = np.abs(values - median_by(groups, values)[groups.of])
    return 1.48 * np.nan_to_num(median_by(groups, away))


def _wide(n: Int64Array) -> Float64Array:
    return 1 + _FEW / np.maximum(n - 1, 1)


def _slow(of: _Compared, *, mostly: bool) -> tuple[BoolArray, Float64Array]:
    """(whether it is one of a slow step, the rate of its step) of each instance."""
    rate = median_by(of.cell, of.part)
    slow = _mostly_slow_cells(of, rate) if mostly else _slow_cells(of, rate, _usual(of))
    return slow[of.cell.of], rate[of.cell.of]


def _slow_cells(of: _Compared, rate: Float64Array, usual: _Usual) -> BoolArray:
    pool = of.pool.of[of.cell.first]
    n = count_by(of.cell)
    is_most = np.bincount(of.cell.of, weights=of.part < np.log(SLOW), minlength=len(of.cell)) >= _MOSTLY * n
    # One of several pairs is the slowest of many by chance.
    least = np.where(usual.is_known[pool], -np.log(SLOW), np.inf if of.pool is of.pair else np.log(_PLAINLY))
    chance = _SPREADS * np.maximum(1.25 * usual.spread[pool] / np.sqrt(n), usual.of_steps[pool])
    is_clear = (-rate > -np.log(SLOW)) & _are_two_kinds(of, rate)
    is_far = (-rate > least) & (usual.level[pool] - rate > chance)
    slow: BoolArray = is_most & (is_far | is_clear)
    return slow


def _mostly_slow_cells(of: _Compared, rate: Float64Array) -> BoolArray:
    """All steps of a pool but few that are quick, where each is of another kind than these."""
    pool, is_quick = of.pool.of[of.cell.first], rate >= np.log(SLOW)
    is_plain = (-rate >= np.log(_TWICE)) & _are_two_kinds(of, rate, together=True)
    n_quick, n = (np.bincount(pool, weights=which, minlength=len(of.pool)) for which in (is_quick, np.ones(len(pool))))
    is_one = np.bincount(pool, weights=is_quick | is_plain, minlength=len(of.pool)) == n
    slow: BoolArray = is_plain & (is_one & (n_quick >= _QUICK_SHARE * n))[pool]
    return slow


def _are_two_kinds(of: _Compared, rate: Float64Array, *, together: bool = False) -> BoolArray:
    """Of each step whether its instances and those of usual steps are further apart than either kind differs among itself.
    `together`: as much as those of all slow steps differ, each among itself.
    """
    pool, is_quick = of.pool.of[of.cell.first], rate >= np.log(SLOW)
    usual = Groups(of.pool.of[is_quick[of.cell.of]], of.pool.first)
    n_usual, n = count_by(usual), count_by(of.cell)
    # What is usual of a unit is one of its own instances, and so is as it is by itself.
    unit = group_by(usual.of, of.unit.of[is_quick[of.cell.of]])
    n_units = np.bincount(usual.of[unit.first], minlength=len(of.pool))

    def _of_slow(values: Float64Array) -> Float64Array:
        each: Float64Array = np.bincount(pool, np.where(is_quick, 0.0, values), len(of.pool)).astype(np.float64)
        return each[pool]

    with np.errstate(invalid="ignore", divide="ignore"):
        usual_mean, usual_squares = _squares(usual, of.part[is_quick[of.cell.of]])
        mean, squares = _squares(of.cell, of.part)
        of_step, free = squares, (n - 1).astype(np.float64)
        if together:
            of_step, free = _of_slow(squares), _of_slow(free)
        free += (n_usual - n_units)[pool]
        spread = np.sqrt((usual_squares[pool] + of_step) / free * (1 / n_usual[pool] + 1 / n))
        found: BoolArray = (free >= _LEAST_FREE) & (usual_mean[pool] - mean > _SPREADS * (1 + _FEW / free) ** 2 * spread)
    return found


def _squares(groups: Groups, values: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Mean of each, and the sum of the squares of what its values differ from it by."""
    mean = np.bincount(groups.of, values, len(groups)) / count_by(groups)
    squares: Float64Array = np.bincount(groups.of, (values - mean[groups.of]) ** 2, len(groups)).astype(np.float64)
    return mean, squares


def _far_off(of: _Compared, usual: _Usual) -> BoolArray:
    """Instances that are for themselves."""
    least = np.maximum(np.log(_PLAINLY), _SPREADS_OF_ONE * usual.spread[of.pool.of])
    found: BoolArray = (-of.part > least) & (count_by(of.pool)[of.pool.of] >= _FEWEST)
    return found


def _matters(job: Job, hidden: Exposed, own: OwnTime, of: _Compared, slow: BoolArray, share: Float64Array) -> BoolArray:
    """Of each instance that is slow whether a step is longer for it. `share`: of its transfer what it takes too long."""
    if not slow.any():
        return slow
    more, place = np.zeros(len(job.matched) + 1), np.full(len(job.matched) + 1, NONE)
    more[of.instance[slow]], place[of.instance[slow]] = share[slow], np.flatnonzero(slow)
    rows = np.flatnonzero(place[job.matched.of] != NONE)  # NONE is the last
    at, rank = place[job.matched.of[rows]], job.rows.rank[rows]
    time = (hidden.transfer[rows] * more[job.matched.of[rows]]).astype(np.int64)
    length = float(np.nanmedian(own.step))
    of_step, of_cell = _most_on_a_rank(of.step[at], rank, time), _most_on_a_rank(of.cell.of[at], rank, time)
    matters: BoolArray = slow.copy()
    for each in np.flatnonzero(slow).tolist():
        in_step, in_cell = of_step.get(int(of.step[each]), 0), of_cell.get(int(of.cell.of[each]), 0)
        matters[each] = in_step >= _OF_STEP * length and in_cell >= _OF_ONE * length
    return matters


def _most_on_a_rank(what: Int64Array, rank: Int64Array, time: Int64Array) -> dict[int, int]:
    """Of each of what, as a step, the time of the rank with most."""
    pairs = group_by(what, rank)
    each = group_by(what[pairs.first])
    most = max_by(each, sum_by(pairs, time))
    return dict(zip(what[pairs.first[each.first]].tolist(), most.tolist(), strict=True))


def _by(
    groups: Groups, job: Job, keys: Sequence[SetKey], of: _Compared, bandwidth: Float64Array, slow: BoolArray
) -> list[HostSet]:
    """One of each group, where its steps are as slow as each other; else one of each step."""
    sets = []
    for group in distinct(groups.of[slow]).tolist():
        mine = np.flatnonzero(slow & (groups.of == group))
        steps = distinct(of.step[mine]).tolist()
        rates = [float(np.median(of.part[mine[of.step[mine] == step]])) for step in steps]
        is_one = max(rates) - min(rates) <= np.log(_ALIKE)
        parts = [mine] if is_one else [mine[of.step[mine] == step] for step in steps]
        sets += [_host_set(job, keys, of, bandwidth, each) for each in parts]
    return sets


def _host_set(job: Job, keys: Sequence[SetKey], of: _Compared, bandwidth: Float64Array, places: Int64Array) -> HostSet:
    key, instances = keys[int(of.key[places[0]])], of.instance[places]
    is_of_several = len(np.unique(of.pair.of[of.key == of.key[places[0]]])) > 1
    is_of_ranks = len(key.hosts) == 1 or (of.pool is of.pair and (key.kind == kinds.SEND or is_of_several))
    of_rows = np.isin(job.matched.of, instances) & job.rows.is_there
    return HostSet(
        dimension=key.dimension,
        kind=key.kind,
        hosts=key.hosts,
        n_ranks=key.n_ranks,
        instances=tuple(instances.tolist()),
        bandwidth=float(np.median(bandwidth[instances])),
        of_usual=float(np.exp(np.median(of.part[places]))),
        ranks=tuple(distinct(job.rows.rank[of_rows]).tolist()) if is_of_ranks else (),
        steps=tuple(distinct(of.step[places]).tolist()),
        n_like=int(np.isin(of.cell.of, of.cell.of[places]).sum()),
    )


def in_its_steps(job: Job, one: HostSet, bandwidth: Float64Array) -> list[HostSet]:
    """What is slow against others, less the steps in which it is plainly as quick as these, and what is in these, if any."""
    instances = np.array(one.instances)
    step = _step_of(job, instances)
    part = bandwidth[instances] * (one.of_usual or 1.0) / one.bandwidth
    steps = distinct(step[step != NONE])
    of_steps = [part[step == number] for number in steps.tolist()]
    is_quick = np.array([float(np.median(some)) >= _AS_OTHERS for some in of_steps], np.bool_)
    if not is_quick.any() or is_quick.all():
        return [one]
    is_rest = np.isin(step, steps[is_quick])
    factor = 1 / float(np.median(part[~is_rest]))
    if factor < _TWICE or (factor < _TWICE**2 and min(map(len, of_steps)) < _FEWEST):
        return [one]
    return [_part_of(one, ~is_rest, bandwidth, part, steps[~is_quick]), _part_of(one, is_rest, bandwidth, part, steps[:0])]


def _part_of(one: HostSet, which: BoolArray, bandwidth: Float64Array, part: Float64Array, steps: Int64Array) -> HostSet:
    instances = np.array(one.instances)[which]
    return replace(
        one,
        instances=tuple(instances.tolist()),
        bandwidth=float(np.median(bandwidth[instances])),
        of_usual=float(np.median(part[which])),
        steps=tuple(steps.tolist()),
    )
