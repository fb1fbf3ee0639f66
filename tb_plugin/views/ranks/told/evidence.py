"""What shows that others wait for somebody: the collectives in which it came last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.intervals import Merged, covers
from tb_plugin.job.own.waited_once import waited_once
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.views.ranks.basis.names import counted
from tb_plugin.views.ranks.basis.sorts import sort_name
from tb_plugin.views.ranks.missing.missing import are_any_missing
from tb_plugin.views.ranks.result import CountedIn
from tb_plugin.views.ranks.told.delayed import delays_others, with_others

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.why.cause import Cause
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOSTLY: Final = 0.5
_LATE: Final = 0.1  # of a step
_MOST_NAMED: Final = 4
_A_LITTLE_MORE: Final = 1.02
"""Times what it is late by, as the first of those who wait comes before their median."""


def begins_later(of: Analysed, number: int) -> str:
    """Where who is waited for begins its steps much later than the first rank: it comes late into them, whatever it does then."""
    at, later = of.job.of.numbers.index(number), []
    if len(distinct(of.job.clocks.component[of.job.places.of_rank])) > 1:
        return ""
    for step in of.own.number.tolist():
        begun = {place: one[step][0] for place, one in enumerate(of.stretches) if step in one}
        if at in begun:
            first = min(begun, key=begun.__getitem__)
            later.append((begun[at] - begun[first], first))
    mean = sum(ns for ns, _ in later) / max(len(later), 1)
    if mean <= _LATE * float(np.nanmean(of.own.step)):
        return ""
    firsts = {first for _, first in later}
    who = f"rank {of.job.of.numbers[firsts.pop()]}" if len(firsts) == 1 else "the first rank"
    which, in_mean = ("each step", " in the mean") if len(later) > 1 else ("the step", "")
    return f" It begins {which} {format_ns(mean)} after {who}{in_mean}."


class _Held(NamedTuple):
    """Collectives of one dimension and kind with members on both sides, which it begins while it delays others."""

    dimension: str
    kind: str
    n_last: int  # in which it came last, and none of the others with it
    n: int
    waited_ns: int  # then, of each rank once
    longest_ns: int  # of one wait, at most what it is late by: who came earlier than usual waits longer
    who: dict[int, int]  # number of who waited then to in how many of them, as far as its file has them
    always: list[int]  # those who did in each of their group
    steps: list[int]  # in which it begins them; NONE: outside of any


def waits_for_it(of: Analysed, one: Straggler, cause: Cause) -> str | None:
    """`rank 4 waits for it in 96 of 96 tensor all-reduces`: of the kind in which it is last most often, of those in which at
    least half as long is waited for it as in any, where it is last in most of them or most of that waiting is in these. A receive
    that was posted early waits by design, so pairs are no evidence. None where nothing shows it.
    """
    shown = counted_in(of, one, cause)
    if shown is not None:
        return shown.text
    share = _share(of, one)
    every = "the waiting that is told" if are_any_missing(of) or of.job.waits.untold.any() else "all waiting"
    return f"{percent(share)} of {every} is for it" if share > _MOSTLY else None


def counted_in(of: Analysed, one: Straggler, cause: Cause) -> CountedIn | None:
    """The collectives that show it, of those that it begins while it delays others; None where none do."""
    times = delays_others(of, one, cause)
    held = [each for each in _held(of, one, times) if each.n_last > 0]
    if not held:
        return None
    least = _MOSTLY * max(each.waited_ns for each in held)
    most = max((each for each in held if each.waited_ns >= least), key=lambda each: (each.n_last, each.waited_ns))
    is_often = most.n_last > _MOSTLY * most.n
    if not is_often and most.waited_ns <= _MOSTLY * sum(each.waited_ns for each in held):
        return None
    named = most.always or list(most.who)  # who waits in each, where there is somebody
    partly = [number for number in most.who if number not in named]
    in_some = f"{most.who[partly[0]]} of them" if len({most.who[number] for number in partly}) == 1 else "some of them"
    what = most.kind if most.dimension == NOT_RECORDED else f"{most.dimension} {most.kind}"
    return CountedIn(
        text=f"{_few(named)} wait{'s' if len(named) == 1 else ''} for it in {most.n_last} of {most.n} {what}s"
        + (f" ({_few(partly)} in {in_some})" if partly else "")
        + _of_steps(most.steps, one.late_steps)
        + ("" if is_often and most.n_last > 1 else f", up to {format_ns(most.longest_ns)}"),
        dimension=most.dimension,
        kind=most.kind,
        ranks=",".join(str(of.job.of.numbers[place]) for place in sorted(one.members)),
        steps=",".join(map(str, most.steps)) if NONE not in most.steps else None,
        begun=",".join(f"{start}-{end - 1}" for start, end in zip(*map(np.ndarray.tolist, times), strict=True)),
    )


def _few(numbers: list[int]) -> str:
    return counted("rank", numbers) if len(numbers) <= _MOST_NAMED else f"{len(numbers)} ranks"


def _of_steps(steps: list[int], late: Sequence[int]) -> str:
    """The sentence is about the late steps: another one is named, as where what a pause at a step's end delays is waited for."""
    if set(steps) <= set(late):
        return ""
    return f" after {counted('step', [*late])}" if NONE in steps else f" of {counted('step', steps)}"


def _held(of: Analysed, one: Straggler, times: Merged) -> list[_Held]:
    job = of.job
    rows, instance = job.rows, job.matched.of
    is_own = np.isin(rows.rank, one.members)
    is_known = job.waits.is_known & ~rows.is_between_two & (instance != NONE)
    begun = np.flatnonzero(is_own & is_known & covers(times, job.waits.start))
    with_both = np.intersect1d(with_others(of, is_own), instance[begun])
    begun, others = (at[np.isin(instance[at], with_both)] for at in (begun, np.flatnonzero(is_known & ~is_own)))
    is_last = job.waits.is_last  # where one of the others came last with it, that one may be who is waited for
    is_for_it = ~is_last[others] & np.isin(
        instance[others], np.setdiff1d(instance[is_own & is_last], instance[~is_own & is_last])
    )
    sort = of.dimensions.of_rows(rows.group) * 64 + job.matched.kind[instance]
    return [
        _of_sort(of, begun[sort[begun] == each], others[mine], is_for_it[mine], round(float(one.told_ns.max())))
        for each in distinct(sort[others]).tolist()
        for mine in [sort[others] == each]
    ]


def _of_sort(of: Analysed, begun: Int64Array, others: Int64Array, is_for_it: BoolArray, at_most: int) -> _Held:
    job = of.job
    instance, longest = job.matched.of[others], int(job.waits.wait[others[is_for_it]].max(initial=0))
    who, always = _who(of, others[is_for_it])
    return _Held(
        dimension=of.dimensions.names[int(of.dimensions.of_rows(job.rows.group[others[:1]])[0])],
        kind=sort_name(int(job.matched.kind[instance[0]])),
        n_last=len(distinct(instance[is_for_it])),
        n=len(distinct(instance)),
        waited_ns=int(waited_once(job, others[is_for_it]).sum()),
        longest_ns=at_most if longest > _A_LITTLE_MORE * at_most else longest,
        who=who,
        always=always,
        steps=distinct(job.rows.step[begun]).tolist(),
    )


def _who(of: Analysed, rows: Int64Array) -> tuple[dict[int, int], list[int]]:
    """Whose rows these are, with how many collectives, and who has a row in each of its groups."""
    job = of.job
    rank, group, instance = job.rows.rank[rows], job.rows.group[rows], job.matched.of[rows]
    met, of_group, its = (group_by(*pair).first for pair in ((rank, instance), (group, instance), (rank, group)))
    each = distinct(rank)
    n_met = np.bincount(np.searchsorted(each, rank[met]), minlength=len(each))
    groups = distinct(group)
    n_of_group = np.bincount(np.searchsorted(groups, group[of_group]))
    in_groups = n_of_group[np.searchsorted(groups, group[its])]  # an instance is of one group
    n_there = np.bincount(np.searchsorted(each, rank[its]), in_groups, len(each))
    numbers = [job.of.numbers[place] for place in each.tolist()]
    who = dict(zip(numbers, n_met.tolist(), strict=True))
    return who, [number for number, is_always in zip(numbers, (n_met == n_there).tolist(), strict=True) if is_always]


def _share(of: Analysed, one: Straggler) -> float:
    """How much others waited in instances that a member came last in, of all waiting."""
    job, waits = of.job, of.job.waits
    by_it = job.matched.of[waits.is_last & np.isin(job.rows.rank, one.members)]
    total = int(waited_once(job, np.flatnonzero(waits.is_known)).sum())
    is_mine = waits.is_known & np.isin(job.matched.of, by_it)
    mine = int(waited_once(job, np.flatnonzero(is_mine)).sum())
    return mine / total if total > 0 else 0.0
