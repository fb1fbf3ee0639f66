"""Groups inside hosts, and pairs of ranks that send to each other, that move data slower than their like; of a pair a direction.

pair         all messages of two ranks, against the other pairs
direction    where the pair as one is not slow: those of one of them to the other, against the other directions
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.links.host_set import SLOW, HostSet, SetKey, host_set
from tb_plugin.job.links.link_rates import rates_of_like
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from tb_plugin.job.job import Job

_FEWEST: Final = 3
"""Ranks are slow by so many messages at least, and in most of them."""

_MOSTLY: Final = 0.75

_PAIRS: Final = 4
"""That send to each other inside a host, at least: of fewer the slower one may be that of a rank that is late to serve it."""

OfRanks = dict[tuple[SetKey, int], list[int]]
"""Instances of each pair of ranks, or each group."""


def slow_ranks(
    job: Job,
    found: Mapping[SetKey, list[int]],
    by_ranks: Mapping[tuple[Hashable, int], OfRanks],
    bandwidth: Float64Array,
    size: Int64Array,
) -> list[HostSet]:
    """Those slow as one, and of the others the directions that are: half of a pair's messages do not move its median."""
    slow, sender = _slow(job, by_ranks, bandwidth, size), senders(job)
    is_said = {key: [place for place in places if sender[place] != NONE] for key, places in found.items()}
    ways = {alike: some for alike, some in instances_by_ranks(job, is_said, size, sender).items() if are_enough(by_ranks[alike])}
    of_pairs = {one.ranks for one in slow}
    one_way = [one for one in _slow(job, ways, bandwidth, size) if one.ranks not in of_pairs]
    n_ways = Counter(one.ranks for one in one_way)
    return [*slow, *(replace(one, sender=int(sender[one.instances[0]])) if n_ways[one.ranks] == 1 else one for one in one_way)]


def instances_by_ranks(
    job: Job, by_hosts: Mapping[SetKey, list[int]], message_bytes: Int64Array, sender: Int64Array | None = None
) -> dict[tuple[Hashable, int], OfRanks]:
    """Of pairs that send and of groups inside hosts, by what should be as quick: one class, and as large to a power of ten.

    With the sender of each instance, of the directions of pairs alone.
    """
    low, high = np.full(len(job.matched), np.iinfo(np.int64).max), np.full(len(job.matched), NONE)
    use = np.flatnonzero(job.rows.is_there & (job.matched.of != NONE))
    np.minimum.at(low, job.matched.of[use], job.rows.rank[use])
    np.maximum.at(high, job.matched.of[use], job.rows.rank[use])
    first = low if sender is None else sender
    pair = first * len(job.of.ranks) + (low + high - first)
    digits = np.log10(np.maximum(message_bytes, 1)).astype(np.int64)
    found: dict[tuple[Hashable, int], OfRanks] = defaultdict(lambda: defaultdict(list))
    for key, places in by_hosts.items():
        if key.kind != kinds.SEND and (len(key.hosts) > 1 or sender is not None):
            continue
        who = (pair[places] if key.kind == kinds.SEND else job.matched.group[places]).tolist()
        for instance, size, ranks in zip(places, digits[places].tolist(), who, strict=True):
            found[key.alike, size][key, ranks].append(instance)
    return found


def senders(job: Job) -> Int64Array:
    """Place of the rank that sends, of each instance; NONE where none says so."""
    sender = np.full(len(job.matched), NONE, np.int64)
    sends = np.flatnonzero(job.rows.is_there & (job.matched.of != NONE) & (job.rows.kind == kinds.SEND))
    sender[job.matched.of[sends]] = job.rows.rank[sends]
    return sender


def _slow(job: Job, by_ranks: Mapping[tuple[Hashable, int], OfRanks], bandwidth: Float64Array, size: Int64Array) -> list[HostSet]:
    slow, (begin, rank) = [], _ranks_of_instances(job)
    for some in filter(are_enough, by_ranks.values()):
        n_hosts = [len(key.hosts) for key, _ in some]
        rates = rates_of_like(list(some.values()), bandwidth, size, job.instances.is_at_most, n_hosts)
        for ((key, _), places), rate, of_usual, is_at_least in zip(some.items(), *rates, strict=True):
            one = host_set(key, places, rate, of_usual, is_at_least)
            mostly = bandwidth[places] < SLOW * rate / (of_usual or 1.0)
            if one.is_slow and len(places) >= _FEWEST and float(mostly.mean()) >= _MOSTLY:
                ranks = distinct(np.concatenate([rank[begin[place] : begin[place + 1]] for place in places]))
                slow.append(replace(one, ranks=tuple(ranks.tolist())))
    return slow


def _ranks_of_instances(job: Job) -> tuple[Int64Array, Int64Array]:
    """(where each instance begins, and the last ends, ranks of those that are there)."""
    use = np.flatnonzero(job.rows.is_there & (job.matched.of != NONE))
    use = use[np.argsort(job.matched.of[use], kind="stable")]
    return np.searchsorted(job.matched.of[use], np.arange(len(job.matched) + 1)), job.rows.rank[use]


def are_some(of_ranks: Sequence[HostSet], slow: Sequence[HostSet], by_ranks: Mapping[tuple[Hashable, int], OfRanks]) -> bool:
    """Whether of each slow set of hosts some groups, or pairs that send, are slow, and others are not: it is no link of hosts.

    Nor are others where a pair is slow in one direction.
    """
    n_slow, of_one_way = Counter(one.key for one in of_ranks), {one.key for one in of_ranks if one.direction}
    n = Counter(key for some in by_ranks.values() for key, _ in some)
    return all(
        n_slow[one.key] > 0 and (one.kind != kinds.SEND or n_slow[one.key] < n[one.key] or one.key in of_one_way) for one in slow
    )


def are_enough(some: OfRanks) -> bool:
    """For one of them to be slow."""
    sets = {ranks for _, ranks in some}
    is_of_pairs = all(key.kind == kinds.SEND and len(key.hosts) == 1 for key, _ in some)
    return len(sets) >= (_PAIRS if is_of_pairs else 2)
