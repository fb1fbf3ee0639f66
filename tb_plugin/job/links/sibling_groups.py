"""Groups that move data slower than others over the very same hosts, as where one network card of several is slow.

    rate of a group    median over its messages of bus rate / usual     usual: of messages of like size, what others reach

Below 0.7 it is slow. Groups that share the way out of a host are slower while several use it, and one that has it to itself is no
sign: so a group is slow only where it is, too, once each rate is times the messages that were on the way there at the same time.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.links.host_set import SLOW, HostSet
from tb_plugin.job.links.link_rates import rates_of_like
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.links.host_set import SetKey

_LIKE: Final = 1.1
"""Times as large as the next smaller one, at most, and they are of like size: a latency weighs more in smaller ones."""

_EVEN: Final = 1.2
"""Between members: of an all-to-all that moves more for some the rate is that of its fullest, and no link's."""

_FEWEST: Final = 3
"""Messages of a group, and most of them slow."""

_MOSTLY: Final = 0.75


def slow_groups(job: Job, found: Mapping[SetKey, list[int]], bandwidth: Float64Array, size: Int64Array) -> list[HostSet]:
    """`found`: the instances whose rates are known. Of each set of hosts some groups, never all."""
    who, is_even = _ranks_of_group(job), _are_even(job)
    slow: list[HostSet] = []
    for key, places in found.items():
        if key.kind == kinds.SEND or len(key.hosts) == 1:
            continue
        of_group: dict[int, list[int]] = defaultdict(list)
        for place in places:
            if is_even[place]:
                of_group[who[job.matched.group[place]]].append(place)
        if len(of_group) < 2:
            continue
        parts = _of_usual(of_group, bandwidth, size, job.instances.is_at_most)
        its = [group for group, part in parts.items() if _is_slow(part)]
        if its:
            shared = bandwidth * _at_once(job, found, key.hosts)
            shares = _of_usual(of_group, shared, size, job.instances.is_at_most)
            its = [group for group in its if group in shares and _is_slow(shares[group])]
        if len(its) < len(of_group):
            slow += [_host_set(job, key, parts[group], bandwidth) for group in its]
    return slow


def against_groups(sets: Sequence[HostSet], slow: Sequence[HostSet]) -> list[HostSet]:
    """Sets of which `slow` are some groups: where nothing else is like them, what is usual is what these are slow to."""
    usual = {one.key: one.bandwidth / (one.of_usual or 1.0) for one in slow}
    return [
        replace(one, of_usual=one.bandwidth / usual[one.key]) if one.of_usual is None and one.key in usual else one
        for one in sets
    ]


def _ranks_of_group(job: Job) -> list[int]:
    """A number for each group, the same for groups of the same ranks."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(group.ranks or at, at) for at, group in enumerate(job.table.groups)]


def _are_even(job: Job) -> BoolArray:
    known = np.flatnonzero((job.matched.of != NONE) & (job.rows.size != NONE))
    least, most = np.full(len(job.matched), np.iinfo(np.int64).max), np.zeros(len(job.matched), np.int64)
    np.minimum.at(least, job.matched.of[known], job.rows.size[known])
    np.maximum.at(most, job.matched.of[known], job.rows.size[known])
    even: BoolArray = most <= _EVEN * least
    return even


_Parts = dict[int, dict[int, float]]
"""By group, of its instances, the rate against what is usual."""


def _of_usual(of_group: Mapping[int, Sequence[int]], bandwidth: Float64Array, size: Int64Array, is_at_most: BoolArray) -> _Parts:
    found: _Parts = defaultdict(dict)
    every = np.array([place for places in of_group.values() for place in places], np.int64)
    for low, high in _like_sizes(size[every]):
        some = {group: [each for each in places if low <= size[each] <= high] for group, places in of_group.items()}
        some = {group: places for group, places in some.items() if places and not is_at_most[places].any()}
        if len(some) < 2:
            continue
        rates = rates_of_like(list(some.values()), bandwidth, size, is_at_most, [1] * len(some))
        for (group, places), rate, of_usual in zip(some.items(), rates.bandwidth, rates.of_usual, strict=True):
            usual = rate / (of_usual or 1.0)
            found[group].update({place: float(bandwidth[place]) / usual for place in places})
    return found


def _like_sizes(sizes: Int64Array) -> list[tuple[int, int]]:
    ordered = np.unique(sizes).tolist()
    cuts = [0, *(at for at, (one, other) in enumerate(pairwise(ordered), 1) if other > _LIKE * one), len(ordered)]
    return [(ordered[begin], ordered[end - 1]) for begin, end in pairwise(cuts)]


def _is_slow(part: Mapping[int, float]) -> bool:
    values = np.array([*part.values()])
    return len(values) >= _FEWEST and float(np.median(values)) < SLOW and float((values < SLOW).mean()) >= _MOSTLY


def _at_once(job: Job, found: Mapping[SetKey, list[int]], hosts: Sequence[int]) -> Float64Array:
    """Of each instance how many moved data out of a host at the same time, in the mean: of the host with most."""
    most = np.ones(len(job.matched))
    for host in hosts:
        through = np.array([place for key, its in found.items() if host in key.hosts and len(key.hosts) > 1 for place in its])
        begin = job.instances.last_arrival[through] - job.instances.last_arrival[through].min()
        end = begin + job.instances.transfer[through]
        times = np.concatenate((begin, end))
        order = np.argsort(times, kind="stable")
        times, on_the_way = times[order], np.cumsum(np.repeat([1, -1], len(through))[order])
        until = np.concatenate(([0.0], np.cumsum(on_the_way[:-1] * np.diff(times))))
        mean = (np.interp(end, times, until) - np.interp(begin, times, until)) / (end - begin)
        most[through] = np.maximum(most[through], mean)
    return most


def _host_set(job: Job, key: SetKey, part: Mapping[int, float], bandwidth: Float64Array) -> HostSet:
    its = np.zeros(len(job.matched), np.bool_)
    its[list(part)] = True
    of_rows = job.rows.is_there & (job.matched.of != NONE) & its[job.matched.of]
    return HostSet(
        dimension=key.dimension,
        kind=key.kind,
        hosts=key.hosts,
        n_ranks=key.n_ranks,
        instances=tuple(sorted(part)),
        bandwidth=float(np.median(bandwidth[list(part)])),
        of_usual=float(np.median([*part.values()])),
        ranks=tuple(distinct(job.rows.rank[of_rows]).tolist()),
    )
