"""Why a job hangs, by its ranks' flight recorders: the first collective of each group that is not over, and who did not come.

    default_pg    40   started 0-3, 5-12, 14, 15    never issued 4     no dump 13        4 is waited for
    tensor        81   scheduled 4                  never issued 5-7                     5 to 7 wait in default_pg: this follows

Of a group the frontier is its lowest sequence number that is not over on all members. Who lacks it, or issued something else
there, is at fault; who left no dump may be. A rank that is missing in one frontier and waits in another one is explained by
that, and comes after it; where such explanations make a circle, the frontier that most programs have first is the cause
(`hang_order.py`); where nobody tells, each may be. Rings begin at different numbers on each rank: only what all of them can still
hold is compared; who holds nothing of a group lacks what was issued after the oldest that its ring holds. Of a send and its
receive the two ranks and the way are the group.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from tb_plugin.base.units import NONE
from tb_plugin.job.hangs.hang_order import ProgramOrder, orders
from tb_plugin.job.hangs.hang_programs import programs_of
from tb_plugin.job.hangs.hang_sends import Ends, ends_of
from tb_plugin.trace.collectives.groups import group_title
from tb_plugin.trace.collectives.recorder import OF_ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tb_plugin.job.hangs.hang_programs import Programs, ProgramStep
    from tb_plugin.trace.collectives.recorder import Issued, RecorderDump

Fault = Literal["missing", "mismatch", "out_of_order", "no_dump", "overwritten", "not_started", "unfinished"]

_BLAMED: Final[tuple[Fault, ...]] = ("missing", "mismatch", "out_of_order", "no_dump", "overwritten", "not_started", "unfinished")
"""By how surely somebody is at fault."""

_SAME_ON_ALL: Final = ("all_reduce", "allreduce", "all_gather", "allgather", "reduce_scatter", "broadcast", "reduce", "barrier")
"""Collectives whose input has one size on all members. All-to-all, gather, scatter and uneven ones may differ."""

_NEED_ALL: Final = ("all_reduce", "allreduce", "all_gather", "allgather", "reduce_scatter", "all_to_all", "alltoall", "barrier")
"""Collectives that no member ends before the last one has come."""


_Weight = tuple[bool, float, int, int]


class _Key(NamedTuple):
    name: str
    description: str
    members: tuple[int, ...] | None  # None: not configured
    ends: Ends | None  # of a send


@dataclass(frozen=True, kw_only=True)
class Frontier:
    """Ranks, in order. `at_fault`: who is waited for, by `fault`; empty where that cannot be told."""

    group: str
    sequence: int
    collective: str
    fault: Fault
    at_fault: tuple[int, ...]
    done: tuple[int, ...]
    started: tuple[int, ...]
    scheduled: tuple[int, ...]
    missing: tuple[int, ...]
    differs: tuple[int, ...]
    calls: tuple[tuple[str, tuple[int, ...]], ...]  # what was issued, where it is not one call, and by whom; what most did first
    no_dump: tuple[int, ...]
    overwritten: tuple[int, ...]  # left a dump that does not reach back to it
    created_ns: int  # the first that issued it
    follows: bool  # who is missing in it waits in another one, or is at fault there
    names_members: bool  # gloo's dumps do not: more ranks than those that issued something may belong to the group
    or_else: tuple[Frontier, ...] = ()  # each waits for the other, and nobody tells which should have come first
    ends: Ends | None = None  # of a send
    instead: Frontier | None = None  # what who left something out waits in, and all others issue later

    @property
    def pair(self) -> tuple[int, int] | None:
        """Of a send, the lower rank first."""
        return None if self.ends is None else (min(self.ends), max(self.ends))

    @property
    def is_waited_in(self) -> bool:
        """Also by those who issued something else there."""
        return bool(self.started or self.scheduled)

    @property
    def is_even(self) -> bool:
        """Of two calls as many ranks issued the one as the other: nobody can be told right."""
        return _are_even(self.calls)

    @property
    def waiting(self) -> tuple[int, ...]:
        others = () if self.is_even else self.differs
        held = self.at_fault if self.fault in ("not_started", "out_of_order") else ()
        return tuple(sorted({*self.started, *self.scheduled} - {*others, *held}))


def frontiers(dumps: Sequence[RecorderDump], unread: Sequence[int] = ()) -> list[Frontier]:
    """The cause first. None where every collective is over on all members that left a dump. `dumps`: comparable
    (`hang_numbers.py`); `unread`: ranks that left one that is not here.
    """
    by_key: defaultdict[_Key, dict[int, dict[int, Issued]]] = defaultdict(dict)
    for dump in dumps:
        for issued in dump.issued:
            by_key[_key(issued, dump)].setdefault(dump.rank, {})[issued.sequence] = issued
    cut = {dump.rank: dump.issued[0].created_ns for dump in dumps if dump.is_cut and dump.issued}
    here = {dump.rank for dump in dumps}
    every = set(range(max({*here, *unread}, default=-1) + 1))
    found = [one for key, ranks in by_key.items() if (one := _frontier(key, ranks, here, every, cut)) is not None]
    return _ordered(found, dumps)


def older(dumps: Sequence[RecorderDump]) -> list[int]:
    """Ranks whose dump is of an earlier time.

    Its last collective was issued before most others' first, or what it lacks is over on others, which needs this rank.
    """
    begun = sorted(dump.issued[0].created_ns for dump in dumps if dump.issued)
    middle = begun[len(begun) // 2] if begun else 0
    before = {dump.rank for dump in dumps if dump.issued and 0 < dump.issued[-1].created_ns < middle}
    last: defaultdict[_Key, dict[int, int]] = defaultdict(dict)
    over: defaultdict[_Key, int] = defaultdict(int)
    for dump in dumps:
        for issued in dump.issued if dump.rank not in before else ():
            key = _key(issued, dump)
            last[key][dump.rank] = issued.sequence
            if issued.is_done and any(word in issued.name for word in _NEED_ALL):
                over[key] = max(over[key], issued.sequence)
    behind = {
        rank
        for key, ranks in last.items()
        for rank, sequence in ranks.items()
        if key.members is not None and rank in key.members and sequence < over[key]
    }
    return sorted(before | behind)


def silent(dumps: Sequence[RecorderDump], unread: Sequence[int] = ()) -> list[int]:
    """Ranks whose dump is not here: members of a group, or below the highest that left one; `unread` are such."""
    here = {dump.rank for dump in dumps}
    members = {rank for dump in dumps for ranks in dump.members.values() for rank in ranks}
    return sorted({*range(max({*here, *unread}, default=0)), *unread, *members} - here)


def _key(issued: Issued, dump: RecorderDump) -> _Key:
    name, description = issued.group
    members = dump.members.get(name)
    if (ends := ends_of(issued, members)) is None:
        return _Key(name, description, members, None)
    return _Key(name, description, (min(ends), max(ends)), ends)


def _frontier(
    key: _Key, issued: dict[int, dict[int, Issued]], here: set[int], every: set[int], cut: dict[int, int]
) -> Frontier | None:
    """`cut`: of each rank whose ring was overwritten, when the oldest was issued that it holds."""
    members = set(key.members if key.members is not None else issued)
    if key.members is None and key.description == OF_ALL:
        members = every
    if key.members is not None and len(members) < 2:
        return None
    asked = sorted(members & here)
    lowest = max((min(rows) for rank, rows in issued.items() if rank in cut), default=0)
    over = {rank: max((one for one, row in its.items() if row.is_done), default=NONE) for rank, its in issued.items()}
    for sequence in sorted({sequence for rows in issued.values() for sequence in rows if sequence >= lowest}):
        rows = {rank: issued[rank][sequence] for rank in asked if sequence in issued.get(rank, {})}
        if not rows:
            continue  # who issued it is none of the members: a damaged name
        # Who issued nothing in this group and whose ring was overwritten may have issued it before what the ring holds.
        begun_ns = min((row.created_ns for row in rows.values()), default=0)
        silent = [rank for rank in asked if rank not in rows]
        overwritten = [rank for rank in silent if rank not in issued and rank in cut and begun_ns <= cut[rank]]
        lacks = [rank for rank in silent if rank not in overwritten]
        if not lacks and all(row.is_done for row in rows.values()):
            continue
        # Over on others, and a later one on whose own record does not say it: damaged, or written down too early.
        late = [rank for rank, row in rows.items() if not row.is_done and sequence < over.get(rank, NONE)]
        if not lacks and len(late) < len(rows) == sum(row.is_done for row in rows.values()) + len(late):
            continue
        return _told(key, sequence, rows, lacks, sorted(members - here), overwritten)
    return None


def _told(
    key: _Key, sequence: int, rows: dict[int, Issued], lacks: list[int], no_dump: list[int], overwritten: list[int]
) -> Frontier:
    usual, calls = _usual(rows, key.ends is not None)
    done = [rank for rank, row in rows.items() if row.is_done]
    started = [rank for rank, row in rows.items() if row.is_started and not row.is_done]
    scheduled = [rank for rank, row in rows.items() if not row.is_started and not row.is_done]
    differs = _differ(calls)
    needs_all = any(word in usual for word in _NEED_ALL)
    fault: Fault = "unfinished"
    at_fault: Iterable[int] = sorted({*started, *scheduled}) if done and needs_all else ()
    if lacks:
        fault, at_fault = "missing", lacks
    elif differs:
        fault, at_fault = "mismatch", differs
    elif no_dump:
        fault, at_fault = "no_dump", no_dump
    elif overwritten:
        fault, at_fault = "overwritten", overwritten
    elif started and scheduled:
        fault, at_fault = "not_started", scheduled
    return Frontier(
        group=group_title(key.name, key.description),
        sequence=sequence,
        collective=usual,
        fault=fault,
        at_fault=tuple(at_fault),
        done=tuple(done),
        started=tuple(started),
        scheduled=tuple(scheduled),
        missing=tuple(lacks),
        differs=tuple(differs),
        calls=calls,
        no_dump=tuple(no_dump),
        overwritten=tuple(overwritten),
        created_ns=min((row.created_ns for row in rows.values() if row.created_ns > 0), default=0),
        follows=False,
        names_members=key.members is not None,
        ends=key.ends,
    )


def _usual(rows: dict[int, Issued], is_pair: bool) -> tuple[str, tuple[tuple[str, tuple[int, ...]], ...]]:
    """(what most issued, the calls where they are not one)."""
    if is_pair:
        return "send and receive", ()
    names = Counter(row.name for row in rows.values())
    usual = names.most_common(1)[0][0]
    is_same_size = any(word in usual for word in _SAME_ON_ALL)
    sized = {rank: _size(row) if is_same_size else "" for rank, row in rows.items()}
    said = {rank: sized[rank] if len(names) == 1 else f"as {row.name} {sized[rank]}".rstrip() for rank, row in rows.items()}
    calls = [(call, tuple(rank for rank in rows if said[rank] == call)) for call, _ in Counter(said.values()).most_common()]
    return usual, tuple(calls) if len(calls) > 1 else ()


def _differ(calls: tuple[tuple[str, tuple[int, ...]], ...]) -> list[int]:
    """Who issued something else than most did. Of two that disagree evenly nobody can be told right."""
    which = calls if _are_even(calls) else calls[1:]
    return sorted(rank for _, ranks in which for rank in ranks)


def _are_even(calls: tuple[tuple[str, tuple[int, ...]], ...]) -> bool:
    """Whether as many ranks issued the second as the first."""
    return len(calls) > 1 and len(calls[0][1]) == len(calls[1][1])


def _size(row: Issued) -> str:
    """`with 2,097,152 BFloat16`."""
    sizes = ", ".join(" x ".join(f"{n:,}" for n in size) for size in row.sizes)
    return f"with {sizes} {', '.join(row.dtypes)}".rstrip()


def _ordered(found: list[Frontier], dumps: Sequence[RecorderDump]) -> list[Frontier]:
    """Where somebody waits first, then what no other explains; in each part what is proved by the order of programs, then what
    most of them have first, by how surely they blame somebody, and by order.
    """
    needs, programs = _needs(found), programs_of(dumps)
    told_order = orders(
        programs,
        [_steps(one, programs) for one in found],
        needs,
        waiting=[{*one.started, *one.scheduled} for one in found],
        held=[{*one.missing, *one.scheduled} for one in found],
    )
    found = [_left_out(one, order, found) for one, order in zip(found, told_order, strict=True)]
    weight = [
        (not order.left_out, -order.votes, _BLAMED.index(one.fault), one.created_ns)
        for one, order in zip(found, told_order, strict=True)
    ]
    circles = _causes(needs, weight)
    proved = {place for place, order in enumerate(told_order) if order.left_out}
    circles = dict.fromkeys(proved, ()) | circles
    maybe_there = {rank for place in proved for rank in found[place].no_dump}
    for place in [place for place in circles if found[place].fault == "no_dump" and maybe_there.issuperset(found[place].no_dump)]:
        del circles[place]  # who left no dump may wait in what is proved
    causes = {*circles, *(other for others in circles.values() for other in others)}
    culprits = {rank for place in causes for rank in found[place].at_fault} | maybe_there

    def told(place: int) -> Frontier:
        one = found[place]
        if place in causes:
            return replace(one, or_else=tuple(found[other] for other in circles.get(place, ())))
        waits_for = tuple(rank for rank in one.at_fault if rank not in needs[place])
        return replace(one, at_fault=waits_for or one.at_fault, follows=culprits.issuperset(waits_for))

    return [
        told(place)
        for place in sorted(
            range(len(found)), key=lambda place: (not found[place].is_waited_in, place not in causes, weight[place])
        )
    ]


def _left_out(one: Frontier, order: ProgramOrder, found: list[Frontier]) -> Frontier:
    """Who is proved to have left something out is at fault where nobody who is here lacks it or issued something else."""
    if not order.left_out:
        return one
    instead = found[next(iter(order.left_out.values()))]
    if one.fault == "missing":
        return replace(one, instead=instead)
    return one if one.fault == "mismatch" else replace(one, fault="out_of_order", at_fault=tuple(order.left_out), instead=instead)


def _steps(one: Frontier, programs: Programs) -> dict[int, ProgramStep]:
    """As each rank that is not over it has it."""
    return {rank: programs.step(rank, one.group, one.sequence, one.ends) for rank in (*one.started, *one.scheduled, *one.missing)}


def _needs(found: list[Frontier]) -> list[dict[int, set[int]]]:
    """Of each: who did not start it, and in which others he waits; in those he started, where he did any."""
    started, scheduled = (_places([getattr(one, state) for one in found]) for state in ("started", "scheduled"))
    needs = []
    for place, one in enumerate(found):
        held = {*one.missing, *one.scheduled} if one.fault != "mismatch" else ()
        waits = {rank: (started.get(rank) or scheduled.get(rank, set())) - {place} for rank in held}
        needs.append({rank: places for rank, places in waits.items() if places})
    return needs


def _places(ranks_of: list[tuple[int, ...]]) -> dict[int, set[int]]:
    places: defaultdict[int, set[int]] = defaultdict(set)
    for place, ranks in enumerate(ranks_of):
        for rank in ranks:
            places[rank].add(place)
    return dict(places)


def _causes(needs: list[dict[int, set[int]]], weight: list[_Weight]) -> dict[int, tuple[int, ...]]:
    """Places that need no other, and of each circle that needs nothing outside of it the one of least weight, with those that are
    as likely but for when they were issued.
    """
    needs_of = [set().union(*each.values()) for each in needs]
    needed_by = _places([tuple(each) for each in needs_of])
    causes: dict[int, tuple[int, ...]] = {place: () for place, each in enumerate(needs_of) if not each}
    explained = _reached(set(causes), needed_by)
    for place in range(len(needs)):
        path: list[int] = []
        while place not in explained and place not in path:
            path.append(place)
            place = min(needs_of[place], key=weight.__getitem__)
        if place in path:
            circle = path[path.index(place) :]
            cause = min(circle, key=weight.__getitem__)
            causes[cause] = tuple(other for other in circle if other != cause and weight[other][:3] == weight[cause][:3])
            explained |= _reached({cause}, needed_by)
    return causes


def _reached(places: set[int], next_of: dict[int, set[int]]) -> set[int]:
    found, left = set(places), list(places)
    while left:
        new = next_of.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


class Standing(NamedTuple):
    """Ranks whose program stands at the same place: the frames of their last collective."""

    ranks: tuple[int, ...]
    last: Issued


def standing(dumps: Sequence[RecorderDump], at_fault: Sequence[int]) -> list[Standing]:
    """Whoever is at fault first, then the largest group."""
    places: dict[tuple[object, ...], list[RecorderDump]] = {}
    for dump in sorted(dumps, key=lambda each: each.rank):
        if dump.issued:
            last = dump.issued[-1]
            places.setdefault((dump.rank in at_fault, last.frames, last.name, last.group[1]), []).append(dump)
    found = [Standing(tuple(each.rank for each in same), same[0].issued[-1]) for same in places.values()]
    return sorted(found, key=lambda one: (one.ranks[0] not in at_fault, -len(one.ranks)))
