"""Ranks that are not here, and why: one sentence for both, so that no note says it again.

How many they are is a number in a file, which may be any: so they are ranges, as `Merged`, and never counted out one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.rank_names import number_in_name
from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import Merged, covers, join, length, subtract, union
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.trace.collectives.kinds import RECV, SEND
from tb_plugin.views.ranks.basis.names import counted, few_reasons, ranges
from tb_plugin.views.ranks.missing.lacking import cut_off, with_holes

if TYPE_CHECKING:
    from collections.abc import Collection

    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import RankMember


def unread(others: list[RankMember]) -> int:
    """Of those that are not in the figures: how many have not answered yet."""
    return len(_unread(others))


def missing_ranks(of: Analysed, others: list[RankMember]) -> str | None:
    """`2-127`, as text, without those that unread profiles are named as. Any other unread one may be of one of these: `5 of ranks
    2-127`, where so many are at least.
    """
    missing, n_unread = missing_numbers(of, others), len(_of_nobody(of, others))
    if length(missing) <= n_unread:
        return None
    return f"{length(missing) - n_unread} of ranks {ranges(missing)}" if n_unread else ranges(missing)


def on_missing(of: Analysed, others: list[RankMember]) -> str | None:
    """With the reasons of `are_told`, and what waits are without them."""
    missing = missing_ranks(of, others)
    if missing is None:
        return None
    n_absent, unusable = length(missing_numbers(of, others)), _of_missing(of, others)
    why = few_reasons(_reasons(of, others), n_absent)
    because = f" ({why})" if why else f" ({_cannot_be_used(len(unusable), n_absent)})" if unusable else ""
    said = f"Missing ranks: {missing}{because}."
    if _of_nobody(of, others):
        said = f"Missing: {missing}{because}; the rest is not read yet."
    if not of.job.has_waits:
        return said
    whom, which = ("it", "it") if n_absent == 1 else ("them", "one of them")
    return (
        f"{said} In collectives with {whom}, what follows the last arrival of a rank that is here is waiting or moving data, not "
        f"told apart; where {which} came last, waits are lower bounds."
    )


def _cannot_be_used(n: int, n_missing: int) -> str:
    whose = f"the file{'s' if n > 1 else ''} of {n}" if n < n_missing else "their files" if n > 1 else "its file"
    return f"{whose} {'are' if n > 1 else 'is'} here and cannot be used: the notes say why"


def absent(of: Analysed, rows: Int64Array) -> Merged:
    """Numbers of the ranks without a file that are members of these rows' collectives, as far as the groups say."""
    return subtract(_members(of, rows), as_ranges([*of.job.of.numbers, NONE]))


def as_ranges(numbers: Collection[int]) -> Merged:
    found = np.array([*numbers], np.int64)
    return union(found, found + 1)


def the_world(of: Analysed) -> Merged:
    """All ranks that the job is said to have; none where that is not recorded."""
    return union(np.zeros(1, np.int64), np.array([of.job.of.world_size or 0], np.int64))


def _members(of: Analysed, rows: Int64Array) -> Merged:
    """Of a group that does not say whose it is: all of the world, where so many are told."""
    job, world = of.job, of.job.of.world_size
    is_pair = job.rows.is_between_two[rows]
    members = set(job.rows.peer[rows[is_pair]].tolist())
    for place in distinct(job.rows.group[rows[~is_pair]]).tolist():
        members.update(() if place == NONE else job.table.groups[place].ranks or ())
    untold = np.array([*(group.ranks is None for group in job.table.groups), False], np.bool_)
    instances = job.matched.of[rows[~is_pair & untold[job.rows.group[rows]]]]
    if world is not None and (job.matched.n_members[instances[instances != NONE]] == world).any():
        return join(as_ranges(members), the_world(of))
    return as_ranges(members)


def absent_from_any(of: Analysed) -> Merged:
    """Of all collectives that lack a member."""
    return absent(of, _lack_a_member(of))


def without_device_in_any(of: Analysed) -> list[int]:
    """Numbers of the ranks whose files have no device work, and with it these collectives."""
    lack = np.array([of.job.of.numbers[place] for place in of.job.of.lack_device], np.int64)
    return lack[covers(_members(of, _lack_a_member(of)), lack)].tolist() if len(lack) else []


def _lack_a_member(of: Analysed) -> Int64Array:
    lacks = np.append(~of.job.matched.is_complete, np.False_)  # NONE is the last
    return np.flatnonzero(lacks[of.job.matched.of])


def not_whole_in_any(of: Analysed) -> list[int]:
    """Numbers of the ranks whose files lack work, and with it collectives that others have."""
    job = of.job
    rows, found, groups = job.rows, job.matched, job.table.groups
    lacks = np.flatnonzero((found.n_there > 0) & ~found.is_complete)
    numbers = []
    for place in sorted({*cut_off(of), *with_holes(of)}.difference(job.of.lack_device)):
        number, mine = job.of.numbers[place], job.rows_of(place)
        left = np.setdiff1d(lacks, found.of[mine[rows.is_there[mine]]])
        of_pairs = distinct(found.of[rows.is_between_two & (rows.peer == number)])
        of_groups = [at for at, group in enumerate(groups) if group.ranks is None or number in group.ranks]
        is_pair = np.isin(found.kind[left], (SEND, RECV))
        if np.where(is_pair, np.isin(left, of_pairs), np.isin(found.group[left], of_groups)).any():
            numbers.append(number)
    return numbers


def without_dimension(of: Analysed) -> list[int]:
    """Places of the ranks whose collectives do not say what they are for, where those of others do."""
    rows, found = of.job.rows, of.dimensions
    is_told = np.array([name != NOT_RECORDED for name in found.names])[found.of_rows(rows.group)]
    told, untold = distinct(rows.rank[is_told]), distinct(rows.rank[~is_told])
    return np.setdiff1d(untold, told).tolist() if len(told) else []


def whose_file_is_not_whole(ranks: list[int]) -> str:
    """The same of these, in a sentence."""
    return f"{counted('rank', ranks)}, whose file{'s are' if len(ranks) > 1 else ' is'} not whole," if ranks else ""


def whose_device_is_not_recorded(ranks: list[int]) -> str:
    """Who lacks it, in a sentence."""
    return f"{counted('rank', ranks)}, of whose device{'s' if len(ranks) > 1 else ''} nothing is recorded,"


def who_is_not_here(ranks: Merged) -> str:
    """Who is not here, in a sentence."""
    if not length(ranks):
        return "a member that is not here"
    s, are = ("s", "are") if length(ranks) > 1 else ("", "is")
    return f"rank{s} {ranges(ranks)}, which {are} not here,"


def are_told(of: Analysed, others: list[RankMember]) -> list[RankMember]:
    """Profiles of ranks that are missing for it, of which `on_missing` says why."""
    if missing_ranks(of, others) is None or few_reasons(_reasons(of, others), 0) is None:
        return []
    return _of_missing(of, others)


def _reasons(of: Analysed, others: list[RankMember]) -> list[tuple[str, str]]:
    return [(one.label, one.reason or "not known") for one in _of_missing(of, others)]


def _of_missing(of: Analysed, others: list[RankMember]) -> list[RankMember]:
    """Not what is said of ranks that are here too: a whole job beside this one is none of its ranks."""
    missing = missing_numbers(of, others)
    more = {one.reason for one in others if not is_among(number_in_name(one.worker), missing)}
    known = [one for one in others if one.state in ("failed", "ready") and is_among(number_in_name(one.worker), missing)]
    return [one for one in known if one.state == "failed" or one.reason not in more]


def missing_numbers(of: Analysed, others: list[RankMember]) -> Merged:
    """Neither here nor, by its name, being read."""
    read = [number for one in _unread(others) if (number := number_in_name(one.worker)) is not None]
    return subtract(not_here(of), as_ranges(read))


def not_here(of: Analysed) -> Merged:
    return subtract(the_world(of), as_ranges(of.job.of.numbers))


def are_any_missing(of: Analysed) -> bool:
    return length(not_here(of)) > 0


def that_are_here(of: Analysed) -> str:
    """Behind "ranks", where they are not those of the whole job."""
    return " that are here" if are_any_missing(of) else ""


def is_among(number: int | None, ranks: Merged) -> bool:
    return number is not None and bool(covers(ranks, np.array([number], np.int64))[0])


def _unread(others: list[RankMember]) -> list[RankMember]:
    return [one for one in others if one.state not in ("failed", "ready")]


def _of_nobody(of: Analysed, others: list[RankMember]) -> list[RankMember]:
    """Unread ones whose names say no rank, or one that is here."""
    absentees = not_here(of)
    return [one for one in _unread(others) if not is_among(number_in_name(one.worker), absentees)]
