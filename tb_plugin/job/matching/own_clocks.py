"""Which clock each rank is on: its host's, unless what it did together with others of that host says otherwise.

    ends of one all-reduce        host's ranks       0.2  0.0  0.4 us        rank 2    -3 200.1 us
    of the next one                                  0.1  0.5  0.0                     -3 199.8

Ranks of one host share a clock, and what they do together ends together. A file whose `baseTimeNanoseconds` is lacking or wrong
is off by the same each time. Two ranks of a group have different clocks where, in the median of three collectives or more, their
ends lie further apart than 50 us, than 20 times their spread, and than a quarter of what the collective took after the last had
come: of four ranks in a ring one may have its last part when the others are done. Where so no two are told apart, the quarter of
a group's collectives that take least is asked alone: a clock is off by as much in these. Ends that still lie apart by less than
that, in nine of ten of all its collectives, may be either, and are said to be. Where torch did not number the collectives, one
that is matched with the next would look the same if they come at even times: then the steps have to say so as well. All-to-all
ends later on who receives more, and tells nothing. Nor does a group that is refused on the clocks so found: who met whom is not
known of it. Where one is refused on the hosts' clocks, and none once a rank has its own (ends of gloo lie ms apart), it has its
own if the steps say so as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.job.matching.matching import Matched
    from tb_plugin.job.ranks.ranks import Ranks
    from tb_plugin.job.ranks.rows import CollectiveRows, JobRows

LEAST_NS: Final = 50_000
_SPREADS: Final = 20.0
_SPREADS_WITH_STEPS: Final = 5.0
_TRANSFERS: Final = 0.25
_ENOUGH: Final = 3
_FEW: Final = 8
_NEARLY_ALL: Final = 0.9
TELLING: Final = (kinds.ALL_REDUCE, kinds.ALL_GATHER, kinds.REDUCE_SCATTER, kinds.BARRIER)


class MayDiffer(NamedTuple):
    """What these do together ends so far apart; of two clocks, or of one where that is how it moves data."""

    earlier: tuple[int, ...]  # places of ranks of one host
    later: tuple[int, ...]
    apart_ns: int
    n_later: int = 0  # collectives that end on all of the later ones after all of the others
    n_met: int = 0  # of so many


@dataclass(frozen=True, kw_only=True)
class ClockPlaces:
    """Clocks by number: first those of the hosts, then those of ranks that may not be on their host's."""

    of_rank: Int64Array  # of each rank, a place
    n: int
    off: tuple[int, ...]  # places of ranks that may not be on their host's clock
    may_differ: tuple[MayDiffer, ...] = ()

    def with_own(self, rank: int) -> ClockPlaces:
        """With the rank, too, on a clock of its own: the last. Whether it is on one is then no question any more."""
        of_rank = self.of_rank.copy()
        of_rank[rank] = self.n
        may_differ = tuple(each for each in self.may_differ if rank not in (*each.earlier, *each.later))
        return replace(self, of_rank=of_rank, n=self.n + 1, off=tuple(sorted({*self.off, rank})), may_differ=may_differ)


class _Side(NamedTuple):
    """Members of a group on one host whose clocks agree; those of another `clock` of the same group do not agree with them."""

    clock: int
    ranks: list[int]


def clock_places(of: Ranks, job: JobRows, found: Matched, is_refused: BoolArray, *, with_steps: bool = False) -> ClockPlaces:
    """The host's is that of most of its ranks; of as many, that of the lowest. `is_refused`: instances that tell nothing.

    `with_steps`: 5 spreads are enough, if the steps say so too.
    """
    host = np.array([rank.host for rank in of.ranks] or [NONE], np.int64)
    clock, off, n = host.copy(), list[int](), len(of.hosts)
    groups: dict[int, list[list[_Side]]] = {}
    met = _met(job.rows, found, host, is_refused)
    told, may_differ = _groups(of, met, with_steps=with_steps)
    if not told and may_differ:
        told, may_differ = _groups(of, _shortest(met), with_steps=with_steps)
    for sides in told:
        groups.setdefault(int(host[sides[0].ranks[0]]), []).append(sides)
    for of_host in groups.values():
        for ranks in _apart(of_host):
            clock[ranks] = n
            n += 1
            off += ranks
    may_differ = [_counted(met, each) for each in may_differ if clock[each.earlier[0]] == clock[each.later[0]]]
    may_differ = [each for each in may_differ if each.n_later >= _NEARLY_ALL * max(each.n_met, 1)]
    return ClockPlaces(of_rank=clock, n=n, off=tuple(sorted(off)), may_differ=tuple(may_differ))


def _apart(groups: list[list[_Side]]) -> list[list[int]]:
    """Of one host, sets of ranks on clocks that are not its own, which is that of the largest set."""
    one = {rank: rank for sides in groups for side in sides for rank in side.ranks}

    def root(rank: int) -> int:
        while one[rank] != rank:
            rank = one[rank]
        return rank

    for sides in groups:
        for side in sides:
            for rank in side.ranks[1:]:
                low, high = sorted((root(side.ranks[0]), root(rank)))
                one[high] = low
    differ = {
        frozenset((root(a.ranks[0]), root(b.ranks[0]))) for sides in groups for a in sides for b in sides if a.clock < b.clock
    }
    alike: dict[int, list[int]] = {}
    for rank in sorted(one):
        alike.setdefault(root(rank), []).append(rank)
    main, *others = sorted(alike, key=lambda each: (-len(alike[each]), each))
    off = {each for each in others if frozenset((main, each)) in differ}
    # Of two that differ from each other and not from the host's, nobody knows which is off: both are asked of the collectives.
    off |= {each for each in others if any(frozenset((each, other)) in differ for other in alike.keys() - off)}
    return [alike[each] for each in others if each in off]


class _Met(NamedTuple):
    """One row a member of a collective that two ranks of one host took part in; by part, then by collective, then by rank."""

    part: Int64Array  # a number for the group and the host
    of: Int64Array  # a number for the collective there
    rank: Int64Array
    apart: Int64Array  # its end less that of the lowest rank of its host
    shortest: Int64Array  # of all members
    since: Int64Array  # its end less that of the same rank's collective before; 0 of the first
    is_numbered: BoolArray  # by torch


def _shortest(met: _Met) -> _Met:
    """The quarter of each part's collectives that take least, at least as many as are enough."""
    members = group_by(met.part, met.rank)
    n_members = np.bincount(met.part[members.first], minlength=int(met.part.max(initial=NONE)) + 1)
    order = np.lexsort((met.shortest, met.part))
    nth = np.arange(len(order)) - np.searchsorted(met.part[order], met.part[order])
    count = np.bincount(met.part, minlength=len(n_members))
    kept = np.sort(order[nth < np.maximum(count // 4, _ENOUGH * n_members)[met.part[order]]])
    return _Met(
        part=met.part[kept],
        of=met.of[kept],
        rank=met.rank[kept],
        apart=met.apart[kept],
        shortest=met.shortest[kept],
        since=met.since[kept],
        is_numbered=met.is_numbered[kept],
    )


def _groups(of: Ranks, met: _Met, *, with_steps: bool) -> tuple[list[list[_Side]], list[MayDiffer]]:
    """Of each process group on each host the members by clock, nothing where no group tells of two; and who may differ."""
    members = group_by(met.part, met.rank)
    part, rank = met.part[members.first], met.rank[members.first]
    middle, n_parts = _medians(met.apart, members.of, len(members)), int(part.max(initial=NONE)) + 1
    spread = _spreads(met, np.abs(met.apart - middle[members.of]), n_parts)
    alike = np.maximum((_SPREADS_WITH_STEPS if with_steps else _SPREADS) * spread, LEAST_NS)
    is_numbered = np.bincount(met.part, ~met.is_numbered, n_parts) == 0
    limit = alike if with_steps else np.maximum(alike, _TRANSFERS * _medians(met.shortest, met.part, n_parts))
    n_met = np.full(n_parts, _ENOUGH)
    np.minimum.at(n_met, part, np.bincount(members.of, minlength=len(members)))
    longest = max(one.summary.end_ns - one.summary.start_ns for one in of.ranks)
    limit = np.where(n_met < _ENOUGH, np.maximum(limit, longest), limit)
    between = np.abs(met.since - _medians(met.since, met.part, n_parts)[met.part])
    is_sure = (1.48 * _medians(between, met.part, n_parts) > alike) | is_numbered
    # On CPUs ends are when a thread got to run: those of a busy one come late each time.
    is_sure &= not with_steps and not any(one.is_on_host for one in of.ranks)
    order = np.lexsort((middle, part))
    parts = np.split(order, np.flatnonzero(np.diff(part[order])) + 1)
    is_same = np.diff(part[order]) == 0
    is_next = is_same & (np.diff(middle[order]) > limit[part[order][1:]])
    is_apart = is_same & (np.diff(middle[order]) > alike[part[order][1:]])
    is_told = is_sure & (n_met >= _ENOUGH)
    groups, may_differ = list[list[_Side]](), list[MayDiffer]()
    for one in parts if is_apart.any() else []:
        if is_told[part[one[0]]]:
            may_differ += _may_differ(rank[one], middle[one], alike[part[one[0]]])
    for one in parts if may_differ else []:  # another group may say that they do not
        if is_told[part[one[0]]]:
            ends = dict(zip(rank[one].tolist(), middle[one].tolist(), strict=True))
            may_differ = [each for each in may_differ if not _is_one(each, ends, alike[part[one[0]]])]
    for one in parts if is_next.any() else []:
        away = np.diff(middle[one])
        clock = np.concatenate(([0], np.cumsum(away > limit[part[one[0]]])))
        if is_sure[part[one[0]]] or _steps_say_so(of, rank[one], middle[one], clock):
            sides = np.split(np.arange(len(one)), np.flatnonzero(away > alike[part[one[0]]]) + 1)
            groups.append([_Side(int(clock[side[0]]), np.sort(rank[one[side]]).tolist()) for side in sides])
    return groups, may_differ


def _may_differ(rank: Int64Array, middle: Int64Array, alike: float) -> list[MayDiffer]:
    """Of one part, by how late its members end: where two that follow each other lie furthest apart."""
    away = np.diff(middle)
    if len(away) == 0 or away.max() <= alike:
        return []
    cut = int(np.argmax(away)) + 1
    earlier, later = (tuple(np.sort(each).tolist()) for each in (rank[:cut], rank[cut:]))
    return [MayDiffer(earlier, later, int(away[cut - 1]))]


def _counted(met: _Met, these: MayDiffer) -> MayDiffer:
    """With how often what both sides did together ends later on the one: a median of few may be chance."""
    n = int(met.of.max(initial=NONE)) + 1
    last, first = np.full(n, np.iinfo(np.int64).min), np.full(n, np.iinfo(np.int64).max)
    earlier, later = np.isin(met.rank, these.earlier), np.isin(met.rank, these.later)
    np.maximum.at(last, met.of[earlier], met.apart[earlier])
    np.minimum.at(first, met.of[later], met.apart[later])
    both = (np.bincount(met.of[earlier], minlength=n) > 0) & (np.bincount(met.of[later], minlength=n) > 0)
    return these._replace(n_later=int((first > last)[both].sum()), n_met=int(both.sum()))


def _is_one(these: MayDiffer, ends: dict[int, int], alike: float) -> bool:
    """Whether what one of each side did together ends together. `ends`: when, by rank."""
    earlier, later = ([ends[rank] for rank in side if rank in ends] for side in (these.earlier, these.later))
    return bool(earlier and later) and abs(later[0] - earlier[0]) <= min(alike, these.apart_ns / 2)


def _met(rows: CollectiveRows, found: Matched, host: Int64Array, is_refused: BoolArray) -> _Met:
    tells = found.is_matched & np.isin(found.kind, TELLING) & ~found.is_mismatch & ~is_refused
    may = np.append(tells, np.False_)  # NONE is the last
    use = np.flatnonzero(rows.is_there & may[found.of])
    use = use[np.lexsort((rows.rank[use], found.of[use], host[rows.rank[use]], rows.group[use]))]
    met = group_by(found.of[use], host[rows.rank[use]])
    several = np.bincount(met.of, minlength=len(met))[met.of] > 1
    use, met = use[several], group_by(met.of[several])
    shortest = np.full(len(found), np.iinfo(np.int64).max)
    its = np.flatnonzero(rows.is_there & (found.of != NONE))
    np.minimum.at(shortest, found.of[its], rows.duration[its])
    part = group_by(rows.group[use], host[rows.rank[use]])
    return _Met(
        part=part.of,
        of=met.of,
        rank=rows.rank[use],
        apart=rows.end[use] - rows.end[use][met.first][met.of],
        shortest=shortest[found.of[use]],
        since=_since(part.of, rows.rank[use], rows.end[use]),
        is_numbered=rows.sequence[use] != NONE,
    )


def _since(part: Int64Array, rank: Int64Array, end: Int64Array) -> Int64Array:
    order = np.lexsort((end, rank, part))
    since = np.zeros(len(end), np.int64)
    is_same = (np.diff(part[order]) == 0) & (np.diff(rank[order]) == 0)
    since[order[1:]] = np.where(is_same, np.diff(end[order]), 0)
    return since


def _spreads(met: _Met, off: Int64Array, n_parts: int) -> Float64Array:
    """How far ends scatter, by part: of few collectives the most, for the median of three is one of them. Not of whom the others
    are held against, who is never off: of two he is half of all, and their ends would not scatter at all.
    """
    first = group_by(met.of).first
    is_other = np.ones(len(met.of), np.bool_)
    is_other[first] = False
    part, off = met.part[is_other], off[is_other]
    most = np.zeros(n_parts, np.int64)
    np.maximum.at(most, part, off)
    return np.where(np.bincount(met.part[first], minlength=n_parts) < _FEW, most, 1.48 * _medians(off, part, n_parts))


def _medians(values: Int64Array, of: Int64Array, n: int) -> Int64Array:
    """The upper one of each group; whole, since clocks may be years apart."""
    order = np.lexsort((values, of))
    count = np.bincount(of, minlength=n)
    found: Int64Array = values[order][np.cumsum(count) - count + count // 2]
    return found


def _steps_say_so(of: Ranks, ranks: Int64Array, middle: Int64Array, clock: Int64Array) -> bool:
    """Whether steps, too, of the first of each clock begin as much later than those of the one before, rather than as early."""
    first = np.unique(clock, return_index=True)[1]
    pairs = zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
    return all(steps_say_so(of, int(ranks[at]), int(ranks[one]), int(middle[one] - middle[at])) for at, one in pairs)


def steps_say_so(of: Ranks, one: int, other: int, apart: int) -> bool:
    """Whether steps of the other rank begin so much later than the same ones of the one, rather than as early."""
    a, b = of.ranks[one], of.ranks[other]
    mine, its = (dict(zip(each.steps["number"].tolist(), each.steps["start"].tolist(), strict=True)) for each in (a, b))
    shift = b.summary.base_ns - a.summary.base_ns
    later = sorted(its[number] + shift - mine[number] for number in mine.keys() & its.keys())
    return bool(later) and abs(later[len(later) // 2] - apart) < abs(apart) / 2
