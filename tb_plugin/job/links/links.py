"""How fast data moves, and between which hosts or ranks it moves slower than elsewhere.

    busbw of an instance = bytes x nccl-tests' factor / transfer        where transfer is more than 5 x the clock's error

A set of hosts is slow where its median is below 0.7 x the median over the other sets of the same dimension, kind and class
(inside a host, between hosts): of two sets a median with the slow one would be half its own; where most are slow against the few
that are plainly quicker (`link_rates.py`). The host that
all slow sets have in common is named; then usual is what the sets without it have. Where no hosts are slow, the groups of ranks
inside hosts are held against each other in the same way, and the pairs of ranks that send to each other, all with messages of
like size; pairs inside a host if they are four or more. A pair that is not slow as one may be in one direction, and is held
against the other directions. Groups over the very same hosts: `sibling_groups.py`.

Of messages that share their kernels with others (`batches.py`) a transfer may be known as "at most": where most of a set's are,
it is at least as quick as its quickest instance, and so it and its like are compared by their quickest.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.links.host_set import HostSet, SetKey, host_set, with_own_steps
from tb_plugin.job.links.link_rates import rates_of_like
from tb_plugin.job.links.sibling_groups import against_groups, slow_groups
from tb_plugin.job.links.slow_at_times import in_its_steps, slow_at_times
from tb_plugin.job.links.slow_ranks import are_enough, are_some, instances_by_ranks, slow_ranks
from tb_plugin.job.own.exposed import exposed_by
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from tb_plugin.job.job import Job
    from tb_plugin.job.own.dimensions import Dimensions
    from tb_plugin.job.own.exposed import Exposed
    from tb_plugin.job.own.own_time import OwnTime

_ERRORS: Final = 5.0
_LEAST_BYTES: Final = 1 << 20
"""Smaller messages are bound by their latency."""


@dataclass(frozen=True, kw_only=True)
class SlowSets:
    """`hosts`: those that all slow sets have in common, else those that are in slow sets alone, where each has one, else all of
    theirs; of slow ranks those that they are on. `are_hosts`: each is slow to all others, not only these to each other.
    """

    hosts: tuple[int, ...]
    are_hosts: bool
    sets: tuple[HostSet, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """Numbers of those that they are slow in; empty where one is in all."""
        steps = {number for one in self.sets for number in one.steps}
        return tuple(sorted(steps)) if all(one.steps for one in self.sets) else ()


@dataclass(frozen=True, kw_only=True)
class SlowLink(SlowSets):
    """`factor`: how many times as long it takes, or at least, where that is all that is known of the others."""

    factor: float  # in the median of the sets
    factors: Float64Array  # of each instance of the job that of its set; 1 of what is not slow
    is_at_least: bool
    instances: tuple[int, ...]  # of these sets
    lost_ns: float  # exposed transfer a rank and step that the others' speed would not need, at most over ranks


@dataclass(frozen=True, kw_only=True)
class Links:
    """Of a job."""

    sets: tuple[HostSet, ...]
    slow: SlowLink | None  # all that is: in all steps and at times
    always: SlowLink | None
    at_times: tuple[SlowSets, ...]  # in some steps alone, each with those that are slow in the same; what costs most first
    bandwidth: Float64Array  # of each instance; NaN
    alone: tuple[HostSet, ...]  # between two hosts, or two ranks, and nothing is like them


def links(job: Job, of: Dimensions, hidden: Exposed, own: OwnTime) -> Links:
    size = message_bytes(job)
    bandwidth = bus_bandwidth(job)
    every = _by_hosts(job, of, np.flatnonzero(np.isfinite(bandwidth)))
    at_times = slow_at_times(job, hidden, own, every, size, bandwidth)
    found = _but(every, at_times)
    sets = _host_sets(found, bandwidth, size, job.instances.is_at_most)
    slow = [one for one in sets if one.is_slow and len(one.hosts) > 1]
    blamed = _blamed(slow, sets)
    if len(blamed) == 1:
        sets = against_others(sets, blamed[0])
        slow = [one for one in sets if one.is_slow and len(one.hosts) > 1]
    by_ranks = instances_by_ranks(job, found, size)
    groups = slow_groups(job, found, bandwidth, size)
    of_ranks = [*slow_ranks(job, found, by_ranks, bandwidth, size), *groups]
    if of_ranks and are_some(of_ranks, slow, by_ranks):
        slow = of_ranks
        rest = _host_sets(_but(found, slow), bandwidth, size, job.instances.is_at_most)
        sets = [*against_groups(rest, groups), *slow]
        blamed = tuple(sorted({host for one in slow for host in one.hosts}))
    if late := slow_at_times(job, hidden, own, _but(found, slow), size, bandwidth, mostly=True):
        at_times, its_keys = [*at_times, *late], {one.key for one in late}
        rest = _host_sets(_but(found, [*slow, *late]), bandwidth, size, job.instances.is_at_most)
        sets = [one for one in sets if one in slow or one.key not in its_keys] + [one for one in rest if one.key in its_keys]
    compared = {alike for (alike, _), some in by_ranks.items() if are_enough(some)}
    alone = [one for one in sets if one.of_usual is None and one.key.alike not in compared]
    its = [(one, in_its_steps(job, one, bandwidth)) for one in slow]
    parted = [each for _, (_, *rest) in its for each in rest]
    sets = [*(one for one in sets if one not in slow), *parted, *(first for _, (first, *_) in its)]
    slow = [first for _, (first, *_) in its]
    always, sets = slow_link(job, slow, blamed, _instances_of(slow), sets), [*sets, *at_times]
    slow = [*slow, *at_times]
    return Links(
        sets=tuple(with_own_steps(sets, at_times)),
        slow=slow_link(job, slow, blamed, _instances_of(slow), sets) if at_times else always,
        always=always,
        at_times=tuple(_in_same_steps(job, at_times, sets)),
        bandwidth=bandwidth,
        alone=tuple(one for one in alone if len(one.hosts) == 2 or one.kind == kinds.SEND),
    )


def _instances_of(sets: Sequence[HostSet]) -> list[int]:
    return sorted({instance for one in sets for instance in one.instances})


def _but(found: Mapping[SetKey, list[int]], sets: Sequence[HostSet]) -> dict[SetKey, list[int]]:
    """Without the instances of these."""
    gone = set(_instances_of(sets))
    left = {key: [each for each in places if each not in gone] for key, places in found.items()}
    return {key: places for key, places in left.items() if places}


def _in_same_steps(job: Job, at_times: Sequence[HostSet], sets: Sequence[HostSet]) -> list[SlowSets]:
    """Those between hosts, and those inside, that have steps in common."""
    parts: list[list[HostSet]] = []
    for one in at_times:
        its = [part for part in parts if _have_steps_in_common(one, part)]
        parts = [*(part for part in parts if part not in its), [one, *(each for part in its for each in part)]]
    parts.sort(key=lambda part: -sum(_lost(job, one) for one in part))
    found = []
    for part in parts:
        hosts = _blamed(part, sets) if len(part[0].hosts) > 1 else tuple(sorted({host for one in part for host in one.hosts}))
        found.append(SlowSets(hosts=hosts, are_hosts=_are_hosts(part, hosts, sets), sets=tuple(part)))
    return found


def _lost(job: Job, one: HostSet) -> float:
    """What it would not take were it as quick as usual, hidden or not."""
    return float(job.instances.transfer[list(one.instances)].sum()) * (1 - (one.of_usual or 1.0))


def _have_steps_in_common(one: HostSet, part: Sequence[HostSet]) -> bool:
    is_like = (len(one.hosts) > 1) == (len(part[0].hosts) > 1)
    return is_like and any(not set(one.steps).isdisjoint(each.steps) for each in part)


def bus_bandwidth(job: Job) -> Float64Array:
    """Bytes a second of each instance; NaN where size or transfer are not known well enough."""
    found, measured = job.matched, job.instances
    size, use = message_bytes(job), np.flatnonzero(job.rows.is_there & (found.of != NONE))
    bar = job.clocks.error_at(job.clock_of_row, job.rows.start)
    error = np.zeros(len(found))
    np.maximum.at(error, found.of[use], bar[use])
    factor = kinds.bus_factor(found.kind, measured.n_members)
    can = (size >= _LEAST_BYTES) & (measured.transfer > _ERRORS * error) & (measured.transfer > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Float64Array = np.where(can, size * factor / measured.transfer * 1e9, np.nan)
    return result


def message_bytes(job: Job) -> Int64Array:
    """Of each instance, the mean over the members that say it; NONE where none does. Those of an all-to-all differ by rank."""
    known = np.flatnonzero((job.matched.of != NONE) & (job.rows.size != NONE))
    of, n = job.matched.of[known], len(job.matched)
    total, count = np.zeros(n, np.int64), np.bincount(of, minlength=n)
    np.add.at(total, of, job.rows.size[known])
    mean: Int64Array = np.where(count > 0, total // np.maximum(count, 1), NONE)
    return mean


def _by_hosts(job: Job, of: Dimensions, instances: Int64Array) -> dict[SetKey, list[int]]:
    """These instances."""
    hosts, dimension = _hosts_of_instances(job), of.of_group[job.matched.group]
    kind = np.where(job.matched.kind == kinds.RECV, kinds.SEND, job.matched.kind)
    columns = (column[instances].tolist() for column in (dimension, kind, job.instances.n_members))
    found: dict[tuple[str, int, tuple[int, ...], int], list[int]] = defaultdict(list)
    for instance, at, what, n_ranks in zip(instances.tolist(), *columns, strict=True):
        found[of.names[at], what, hosts[instance], n_ranks].append(instance)
    return {SetKey(*key): places for key, places in found.items()}


def _host_sets(
    found: Mapping[SetKey, list[int]], bandwidth: Float64Array, size: Int64Array, is_at_most: BoolArray
) -> list[HostSet]:
    alike: dict[Hashable, list[SetKey]] = defaultdict(list)
    for key in found:
        alike[key.alike].append(key)
    told: dict[SetKey, tuple[float, float | None, bool]] = {}
    for some in alike.values():
        rates = rates_of_like([found[key] for key in some], bandwidth, size, is_at_most, [len(key.hosts) for key in some])
        told.update(zip(some, zip(*rates, strict=True), strict=True))
    return [host_set(key, found[key], *told[key]) for key in found]


def _hosts_of_instances(job: Job) -> list[tuple[int, ...]]:
    """Of each instance its members' hosts, in order."""
    use = np.flatnonzero(job.rows.is_there & (job.matched.of != NONE))
    n_hosts = len(job.of.hosts)
    instance, host = np.divmod(distinct(job.matched.of[use] * n_hosts + job.host_of_row[use]), n_hosts)
    cuts, hosts = np.searchsorted(instance, np.arange(len(job.matched) + 1)).tolist(), host.tolist()
    return [tuple(hosts[begin:end]) for begin, end in pairwise(cuts)]


def _blamed(slow: Sequence[HostSet], sets: Sequence[HostSet]) -> tuple[int, ...]:
    if not slow:
        return ()
    common = set.intersection(*(set(one.hosts) for one in slow))
    quick = _quick_hosts(slow, sets)
    found = common - quick or common
    if not found:
        of_each = [set(one.hosts) - quick for one in slow]
        found = set().union(*(of_each if all(of_each) else (one.hosts for one in slow)))
    return tuple(sorted(found))


def _quick_hosts(slow: Sequence[HostSet], sets: Sequence[HostSet]) -> set[int]:
    """A host that also stands in a quick set of several hosts is not what is slow."""
    slow_keys = {one.key for one in slow}
    quick = (one for one in sets if len(one.hosts) > 1 and not one.is_slow and one.key not in slow_keys)
    return {host for one in quick for host in one.hosts}


def against_others(sets: list[HostSet], slow_host: int) -> list[HostSet]:
    """Each held against the others that the slow host is not in; as it was where it is in all of them."""
    alike = [[each for each in sets if each is not one and each.key.alike == one.key.alike] for one in sets]
    return [_against(one, others, slow_host) for one, others in zip(sets, alike, strict=True)]


def _against(one: HostSet, alike: list[HostSet], slow_host: int) -> HostSet:
    usual = [each.bandwidth for each in alike if slow_host not in each.hosts]
    if usual:
        return replace(one, of_usual=one.bandwidth / float(np.median(usual)))
    return one if slow_host in one.hosts else replace(one, of_usual=None)


def slow_link(
    job: Job, slow: Sequence[HostSet], blamed: tuple[int, ...], instances: Sequence[int], sets: Sequence[HostSet]
) -> SlowLink | None:
    """`instances`: of the slow sets. Their transfers of one rank may run at once: the time is that of their union."""
    if not slow:
        return None
    factor = 1.0 / float(np.median([one.of_usual for one in slow if one.of_usual]))
    factors = np.ones(len(job.matched))
    for one in slow:
        factors[list(one.instances)] = 1.0 / (one.of_usual or 1.0)
    is_slow = np.isin(job.matched.of, instances)
    its = distinct(job.rows.rank[is_slow])
    transfer = [share[:, 0, 1] for share in exposed_by(job, (~is_slow).astype(np.int64), 2, its).shares]
    return SlowLink(
        hosts=blamed,
        are_hosts=_are_hosts(slow, blamed, sets),
        factor=factor,
        factors=factors,
        is_at_least=any(one.is_at_least and any(one.key.alike == each.key.alike for each in slow) for one in sets),
        sets=tuple(slow),
        instances=tuple(instances),
        lost_ns=max((float(of.mean()) for of in transfer if len(of)), default=0.0) * (1 - 1 / factor),
    )


def _are_hosts(slow: Sequence[HostSet], blamed: tuple[int, ...], sets: Sequence[HostSet]) -> bool:
    is_no_part = not set.intersection(*(set(one.hosts) for one in slow)) and _quick_hosts(slow, sets).isdisjoint(blamed)
    return (
        (len(blamed) == 1 or is_no_part)
        and not any(one.ranks for one in slow)
        and all(not {*blamed}.isdisjoint(one.hosts) for one in slow)
    )
