"""Sets of ranks whose collectives on a stream end together, by the rule of `nameless.py`, and what that says of hosts' clocks."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.job.matching.ends import ENOUGH, JITTER_NS, MOST, apart
from tb_plugin.job.matching.own_clocks import steps_say_so
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.job.ranks.ranks import Ranks

_CLEARLY_NS: Final = 60_000
_CLEARLY_OF_TRANSFER: Final = 0.25
_HALF: Final = 0.5
_SPREADS: Final = 10.0
_MOST_ODD: Final = 0.05
_MOST_COMPARED: Final = 512
"""Collectives of a stream by which ranks are compared; each is held against its own group afterwards."""

UNEVEN: Final = (kinds.ALL_TO_ALL, kinds.SEND_RECV)
"""They end together where each rank gets as much."""


class Stream(NamedTuple):
    """All rows of one number. Tables are [rank, collective], in the order of time, of kinds whose members end together."""

    rows: Int64Array
    ranks: list[int]  # places in the job
    row: Int64Array  # place of the row
    end: Int64Array
    is_there: BoolArray
    shortest: Int64Array  # of each collective
    is_even: BoolArray  # not of `UNEVEN`


class Set(NamedTuple):
    """Ranks of a stream that end together, by place in its tables. `ahead`: [rank, collective], clocks of all but the first."""

    places: list[int]
    ahead: Int64Array


class _Tie(NamedTuple):
    """Host `other` was `offset` ahead of host `one` at `at` on the one's clock, by this stream."""

    stream: int
    one: int
    other: int
    at: int
    offset: int
    drift: float


class Clock(NamedTuple):
    """t + offset + drift x (t - at) where that of the root is t."""

    root: int
    at: int
    offset: int
    drift: float

    def ahead(self, of: Clock, end: Int64Array) -> Int64Array:
        """Of the other at these times of the other; of one root."""
        drifted = np.rint((self.drift - of.drift) * (end - of.at - of.offset)).astype(np.int64)
        found: Int64Array = self.offset - of.offset + drifted
        return found


def sets_of(streams: list[Stream], of: Ranks, n_here: int) -> tuple[list[list[Set]], dict[int, Clock]]:
    """(of each stream its groups, none where they are not known; clocks of hosts, as all streams say). `n_here`: ranks of which
    it is known with whom their collectives end.
    """
    first = [_of_stream(at, stream, of, {}, n_here) for at, stream in enumerate(streams)]
    ties = [tie for _, its in first for tie in its]
    clocks, is_odd = _clocks(ties, len(of.hosts))
    odd = {tie.stream for tie in ties if clocks[tie.one].root in is_odd}
    known = {host: clock if clock.root not in is_odd else Clock(host, 0, 0, 0.0) for host, clock in clocks.items()}
    found = [[] if at in odd else sets for at, (sets, _) in enumerate(first)]
    for at, stream in enumerate(streams):
        if not found[at] and at not in odd:  # with what the others say of clocks
            sets, more = _of_stream(at, stream, of, known, n_here)
            found[at] = [] if more else sets
        if len(found[at]) > 1 and (len(_on_one_clock(stream, found[at], of, known)) < 2 or _is_mixed(stream, found[at])):
            found[at] = []
    return found, known


def _clocks(ties: list[_Tie], n_hosts: int) -> tuple[dict[int, Clock], set[int]]:
    """(of each host that is tied, roots of those whose ties contradict each other)."""
    of_host: dict[int, list[tuple[int, _Tie, bool]]] = {host: [] for host in range(n_hosts)}
    for tie in ties:
        of_host[tie.one].append((tie.other, tie, True))
        of_host[tie.other].append((tie.one, tie, False))
    clocks: dict[int, Clock] = {}
    for root in range(n_hosts):
        if root in clocks:
            continue
        at = next((tie.at + (0 if is_one else tie.offset) for _, tie, is_one in of_host[root]), 0)
        clocks[root] = Clock(root, at, 0, 0.0)
        queue = deque([root])
        while queue:
            host = queue.popleft()
            for other, tie, is_one in of_host[host]:
                if other not in clocks:
                    clocks[other] = _beside(clocks[host], tie, is_one=is_one)
                    queue.append(other)
    is_odd = set()
    for tie in ties:
        said = int(clocks[tie.other].ahead(clocks[tie.one], np.array([tie.at]))[0])
        if abs(said - tie.offset) > JITTER_NS:
            is_odd.add(clocks[tie.one].root)
    return clocks, is_odd


def _beside(clock: Clock, tie: _Tie, *, is_one: bool) -> Clock:
    """Of the other host of a tie."""
    drift, offset = (tie.drift, tie.offset) if is_one else (-tie.drift, -tie.offset)
    since = clock.at + clock.offset - (tie.at if is_one else tie.at + tie.offset)
    return Clock(clock.root, clock.at, clock.offset + offset + round(drift * since), clock.drift + drift)


def _of_stream(at: int, stream: Stream, of: Ranks, known: dict[int, Clock], n_here: int) -> tuple[list[Set], list[_Tie]]:
    """(its ranks in sets, what these say of clocks that are not known); neither where its groups cannot be told."""
    left, sets, ties = list(range(len(stream.ranks))), list[Set](), list[_Tie]()
    while left:
        first, rest = left[0], left[1:]
        pairs = _pairs(at, stream, of, known, first, rest)
        if any(pair.is_together is None for pair in pairs):
            return [], []
        members = [place for place, pair in enumerate(pairs) if pair.is_together]
        ties += [tie for place in members if (tie := pairs[place].tie) is not None]
        ahead = np.array([pairs[place].ahead for place in members], np.int64).reshape(len(members), stream.end.shape[1])
        sets.append(Set([first, *(rest[place] for place in members)], ahead))
        left = [place for place, pair in zip(rest, pairs, strict=True) if not pair.is_together]
    sizes = {len(one.places) for one in sets}
    world = max(of.world_size or 0, len(of.ranks))
    can_be = 1 < max(sizes) <= world // len(sets) and (len(sizes) == 1 or world > n_here)
    return (sets, ties) if can_be else ([], [])


class _Pair(NamedTuple):
    """A rank against the first of a set. `is_together` None: nor apart. `ahead`: its clock at each collective."""

    is_together: bool | None
    ahead: Int64Array
    tie: _Tie | None = None  # what it says of their clocks, where it had to


def _pairs(at: int, stream: Stream, of: Ranks, known: dict[int, Clock], first: int, rest: list[int]) -> list[_Pair]:
    its = np.flatnonzero(stream.is_there[first])
    none = np.zeros(stream.end.shape[1], np.int64)
    if len(its) == 0 or not rest:
        return [_Pair(None, none) for _ in rest]
    its = its[np.linspace(0, len(its) - 1, min(len(its), _MOST_COMPARED)).astype(np.int64)]
    end, when, both = stream.end[first, its], _when(stream, first), stream.is_there[rest][:, its]
    fit = apart(end, stream.end[rest][:, its], both)
    here, hosts = of.ranks[stream.ranks[first]].host, [of.ranks[stream.ranks[place]].host for place in rest]
    is_enough = both.sum(axis=1) >= ENOUGH
    is_free = is_enough & (_shares(np.abs(fit.rest) <= JITTER_NS, both) >= MOST)
    found, away = [_Pair(None, none)] * len(rest), np.abs(fit.rest)
    for place, host in enumerate(hosts):
        if not _is_known(known, here, host):
            if is_free[place]:
                drift, offset = float(fit.drift[place]), int(fit.offset[place])
                tie = _Tie(at, here, host, fit.middle, offset, drift)
                found[place] = _Pair(True, fit.at(place, when), tie)
            continue
        expected = none if host == here else known[host].ahead(known[here], when)
        given = np.abs(stream.end[rest[place], its] - end - expected[its]).astype(np.float64)
        ranks = stream.ranks[first], stream.ranks[rest[place]]
        if _shares(given <= JITTER_NS, both[place]) >= MOST:
            found[place] = _Pair(True, expected)
        elif is_free[place] and host == here and steps_say_so(of, *ranks, int(fit.offset[place])):
            found[place] = _Pair(True, fit.at(place, when))
        else:
            away[place] = given
    is_beside = np.array([host == here for host in hosts])
    is_together = np.array([pair.is_together is True for pair in found])
    for place in np.flatnonzero(is_enough & ~is_together).tolist():
        like = is_together & (is_beside[place] | (~is_beside & of.are_hosts_known))
        far = _far(stream.shortest[its], np.abs(fit.rest[like]))
        if _shares(away[place] >= far, both[place]) >= _HALF:
            found[place] = _Pair(False, none)
    return found


def _far(shortest: Int64Array, like: Float64Array) -> Float64Array:
    """From where on ends are apart. `like`: how far they are in pairs that end together, and are no closer by their hosts."""
    far = _CLEARLY_OF_TRANSFER * shortest
    if len(like):
        far = np.minimum(far, _SPREADS * float(np.nanquantile(like, MOST)))
    found: Float64Array = np.maximum(_CLEARLY_NS, far)
    return found


def _shares(is_so: BoolArray, of: BoolArray) -> Float64Array:
    """In how many of those that count it is so, of each row; 0 of none."""
    found: Float64Array = (is_so & of).sum(axis=-1) / np.maximum(of.sum(axis=-1), 1)
    return found


def _when(stream: Stream, place: int) -> Int64Array:
    """When each collective ended on a rank; of those that it lacks by those before and after."""
    its = np.flatnonzero(stream.is_there[place])
    when: Int64Array = np.interp(np.arange(stream.end.shape[1]), its, stream.end[place, its]).astype(np.int64)
    return when


def _is_known(known: dict[int, Clock], one: int, other: int) -> bool:
    return one == other or (one in known and other in known and known[one].root == known[other].root)


def _on_one_clock(stream: Stream, sets: list[Set], of: Ranks, clocks: dict[int, Clock]) -> list[Set]:
    """Most of the sets whose first ranks' clocks are tied."""
    alike: dict[int, list[Set]] = {}
    for one in sets:
        alike.setdefault(clocks[_host(stream, one, of)].root, []).append(one)
    return max(alike.values(), key=len, default=[])


def _host(stream: Stream, one: Set, of: Ranks) -> int:
    return of.ranks[stream.ranks[one.places[0]]].host


def _is_mixed(stream: Stream, sets: list[Set]) -> bool:
    """Whether the stream carries other collectives, too: in a set more end apart than by chance."""
    is_odd = _ends_apart(stream, sets)[1] & stream.is_there & stream.is_even
    return bool(np.count_nonzero(is_odd) > _MOST_ODD * np.count_nonzero(stream.is_there & stream.is_even))


def _ends_apart(stream: Stream, sets: list[Set]) -> tuple[Int64Array, BoolArray]:
    """Tables: (ends on the clock of the first rank of each set, whether one of the set ends apart from the others)."""
    end, is_odd = stream.end.copy(), np.zeros(stream.end.shape, np.bool_)
    for one in sets:
        end[one.places[1:]] -= one.ahead
        is_odd[one.places] = _spread(end[one.places], stream.is_there[one.places]) > 2 * JITTER_NS
    return end, is_odd


def of_none(stream: Stream, sets: list[Set], of: Ranks, clocks: dict[int, Clock]) -> Int64Array:
    """Rows of collectives of which one of a set ends apart from the others, or all sets end together: these may be one."""
    end, is_odd = _ends_apart(stream, sets)
    if len(sets) > 1:
        tied = _on_one_clock(stream, sets, of, clocks)
        clock, when = clocks[_host(stream, tied[0], of)], _when(stream, tied[0].places[0])
        for one in tied:
            end[one.places] -= clocks[_host(stream, one, of)].ahead(clock, when)
        places = [place for one in tied for place in one.places]
        is_odd |= _spread(end[places], stream.is_there[places]) <= JITTER_NS
    rows = stream.row[is_odd & stream.is_even]
    found: Int64Array = rows[rows != NONE]
    return found


def _spread(end: Int64Array, is_there: BoolArray) -> Int64Array:
    """Of each collective; 0 of one that at most one rank has."""
    first = np.where(is_there, end, np.iinfo(np.int64).max).min(axis=0)
    last = np.where(is_there, end, np.iinfo(np.int64).min).max(axis=0)
    return np.where(is_there.sum(axis=0) > 1, last - first, 0)
