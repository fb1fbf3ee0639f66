"""How fast data moves, and between which hosts it moves slower than elsewhere.

    busbw of an instance = bytes x nccl-tests' factor / transfer        where transfer is more than 5 x the clock's error

A set of hosts is slow where its median is below 0.7 x the median over the other sets of the same dimension, kind and class
(inside a host, between hosts): of two sets a median with the slow one would be half its own. The host that
all slow sets have in common is named; then usual is what the sets without it have.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.job.exposed import exposed_by
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.dimensions import Dimensions
    from tb_plugin.job.job import Job

_ERRORS: Final = 5.0
_SLOW: Final = 0.7
_LEAST_BYTES: Final = 1 << 20
"""Smaller messages are bound by their latency."""


@dataclass(frozen=True, kw_only=True)
class HostSet:
    """Medians over the instances of one dimension and kind whose members stand on these hosts."""

    dimension: str
    kind: int
    hosts: tuple[int, ...]
    n_ranks: int
    instances: tuple[int, ...]
    bandwidth: float  # bytes a second over the busiest link
    of_usual: float | None  # against the median over the other sets of the same class; None: there is nothing to compare with

    @property
    def n_instances(self) -> int:
        return len(self.instances)

    @property
    def is_slow(self) -> bool:
        return self.of_usual is not None and self.of_usual < _SLOW


@dataclass(frozen=True, kw_only=True)
class SlowLink:
    """`hosts`: those that all slow sets have in common, else of the slowest set. `factor`: how many times as long it takes."""

    hosts: tuple[int, ...]
    is_one_host: bool
    factor: float
    sets: tuple[HostSet, ...]
    instances: tuple[int, ...]  # of these sets
    lost_ns: float  # exposed transfer a rank and step that the others' speed would not need, at most over ranks


@dataclass(frozen=True, kw_only=True)
class Links:
    """Of a job."""

    sets: tuple[HostSet, ...]
    slow: SlowLink | None
    bandwidth: Float64Array  # of each instance; NaN


def links(job: Job, of: Dimensions) -> Links:
    bandwidth = bus_bandwidth(job)
    members = _hosts_of_instances(job)
    found: dict[tuple[str, int, tuple[int, ...], int], list[int]] = defaultdict(list)
    for instance in np.flatnonzero(np.isfinite(bandwidth)).tolist():
        kind = int(job.matched.kind[instance])
        kind = kinds.SEND if kind == kinds.RECV else kind
        name = of.names[int(of.of_group[job.matched.group[instance]])]
        found[name, kind, members[instance], int(job.instances.n_members[instance])].append(instance)
    medians = {key: float(np.median(bandwidth[places])) for key, places in found.items()}
    alike: dict[tuple[str, int, int, bool], list[float]] = defaultdict(list)
    for key, value in medians.items():
        alike[_alike(key)].append(value)
    usual = {of: median_of_others(np.array(values)) for of, values in alike.items()}
    sets = [_host_set(key, found[key], medians[key], usual[_alike(key)].pop(0)) for key in found]
    slow = [one for one in sets if one.is_slow and len(one.hosts) > 1]
    blamed = _blamed(slow, sets)
    if len(blamed) == 1:
        sets = against_others(sets, blamed[0])
        slow = [one for one in sets if one.is_slow and len(one.hosts) > 1]
    slow_instances = {instance for key, places in found.items() if any(_is_of(one, key) for one in slow) for instance in places}
    return Links(sets=tuple(sets), slow=slow_link(job, slow, blamed, sorted(slow_instances)), bandwidth=bandwidth)


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


def _hosts_of_instances(job: Job) -> list[tuple[int, ...]]:
    """Of each instance its members' hosts, in order."""
    sets: list[set[int]] = [set() for _ in range(len(job.matched))]
    use = np.flatnonzero(job.rows.is_there & (job.matched.of != NONE))
    for instance, host in zip(job.matched.of[use].tolist(), job.host_of_row[use].tolist(), strict=True):
        sets[instance].add(host)
    return [tuple(sorted(one)) for one in sets]


def _alike(key: tuple[str, int, tuple[int, ...], int]) -> tuple[str, int, int, bool]:
    """What sets of hosts have in common that should be as quick."""
    name, kind, hosts, n_ranks = key
    return name, kind, n_ranks, len(hosts) > 1


def median_of_others(values: Float64Array) -> list[float | None]:
    """Of each value; None of the only one."""
    if len(values) < 2:
        return [None] * len(values)
    place = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    ordered, n = np.sort(values), len(values) - 1
    low, high = ((n - 1) // 2, n // 2)
    others: list[float | None] = ((ordered[low + (place <= low)] + ordered[high + (place <= high)]) / 2).tolist()
    return others


def _host_set(key: tuple[str, int, tuple[int, ...], int], instances: list[int], bandwidth: float, usual: float | None) -> HostSet:
    name, kind, hosts, n_ranks = key
    return HostSet(
        dimension=name,
        kind=kind,
        hosts=hosts,
        n_ranks=n_ranks,
        instances=tuple(instances),
        bandwidth=bandwidth,
        of_usual=None if usual is None else bandwidth / usual,
    )


def _is_of(one: HostSet, key: tuple[str, int, tuple[int, ...], int]) -> bool:
    return (one.dimension, one.kind, one.hosts, one.n_ranks) == key


def _blamed(slow: list[HostSet], sets: list[HostSet]) -> tuple[int, ...]:
    if not slow:
        return ()
    common = set.intersection(*(set(one.hosts) for one in slow))
    worst = min(slow, key=lambda one: one.of_usual or 1.0)
    # A host that also stands in a quick set of several hosts is not what is slow.
    quick = {host for one in sets if len(one.hosts) > 1 and not one.is_slow for host in one.hosts}
    return tuple(sorted(common - quick)) or tuple(sorted(common)) or worst.hosts


def against_others(sets: list[HostSet], slow_host: int) -> list[HostSet]:
    """Each held against the others that the slow host is not in; as it was where it is in all of them."""
    return [_against(one, [each for each in sets if each is not one and _class(each) == _class(one)], slow_host) for one in sets]


def _against(one: HostSet, alike: list[HostSet], slow_host: int) -> HostSet:
    usual = [each.bandwidth for each in alike if slow_host not in each.hosts]
    if usual:
        return replace(one, of_usual=one.bandwidth / float(np.median(usual)))
    return one if slow_host in one.hosts else replace(one, of_usual=None)


def _class(one: HostSet) -> tuple[str, int, int, bool]:
    return _alike((one.dimension, one.kind, one.hosts, one.n_ranks))


def slow_link(job: Job, slow: list[HostSet], blamed: tuple[int, ...], instances: Sequence[int]) -> SlowLink | None:
    """`instances`: of the slow sets. Their transfers of one rank may run at once: the time is that of their union."""
    if not slow:
        return None
    factor = 1.0 / float(np.median([one.of_usual for one in slow if one.of_usual]))
    is_other = ~np.isin(job.matched.of, instances)
    transfer = [share[:, 0, 1] for share in exposed_by(job, is_other.astype(np.int64), 2).shares]
    return SlowLink(
        hosts=blamed,
        is_one_host=len(blamed) == 1,
        factor=factor,
        sets=tuple(slow),
        instances=tuple(instances),
        lost_ns=max((float(of.mean()) for of in transfer if len(of)), default=0.0) * (1 - 1 / factor),
    )
