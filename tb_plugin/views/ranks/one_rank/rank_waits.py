"""Whom a rank waited for in its collectives, and for how long others waited for it, hidden or not: rows, and in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.own.waited_once import waited_once
from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.views.ranks.basis.instance_row import InstanceRow
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.names import together, waited, whom
from tb_plugin.views.ranks.rows.instance_rows import MOST_LAST, longest_of

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST: Final = 12
_NOTED: Final = 0.02


class WaitedForRow(msgspec.Struct, frozen=True, kw_only=True):
    """Whom it waited for: who came last in its collectives, one or several together."""

    last_ranks: Annotated[list[int], Figure("Waited for ranks", "text")]  # together, where they are several
    n_last: Annotated[int, NO_COLUMN]  # of many the first are named
    n_collectives: Annotated[int, Figure("Collectives", "count", sums=True)]
    wait_ns: Annotated[int, Figure("Wait, all", "ns")]  # in collectives that are open at once time counts once
    longest_took_ns: Annotated[int, Figure("Longest", "ns")]
    longest: Annotated[InstanceRow, NO_COLUMN]


def waits_of(of: Analysed, place: int) -> list[WaitedForRow]:
    """Of a rank by its place, the longest first."""
    job = of.job
    mine, of_last, sets = _with_last(of, job.rows_of(place))
    their = {each: waited_once(job, mine[of_last == each])[place] for each in distinct(of_last).tolist()}
    came_last, wait = np.full(len(job.matched), NONE, np.int64), np.zeros(len(job.matched), np.int64)
    came_last[job.matched.of[mine]], wait[job.matched.of[mine]] = of_last, job.waits.wait[mine]
    longest = longest_of(of, came_last, wait, also=[place])
    return [
        WaitedForRow(
            last_ranks=sorted(job.of.numbers[one] for one in sets[each])[:MOST_LAST],
            n_last=len(sets[each]),
            n_collectives=int((of_last == each).sum()),
            wait_ns=int(their[each]),
            longest_took_ns=int(wait[came_last == each].max()),
            longest=longest[each],
        )
        for each in sorted(their, key=lambda each: -their[each])[:_MOST]
    ]


def on_its_waits(of: Analysed, place: int, waits: list[WaitedForRow], n_steps: int) -> list[str]:
    """Nothing where it waits for nobody. `n_steps`: 0 where none are recorded."""
    mine = of.job.rows_of(place)
    total = int(waited_once(of.job, mine[of.job.waits.is_known[mine]])[place])
    if not waits:
        return []
    all_of_it = f"all its waits{f' of {n_steps} step' if n_steps else ''}{'s' if n_steps > 1 else ''}"
    who = f"{percent(waits[0].wait_ns / total)} of it for {whom(waits[0].last_ranks)}{together(waits[0].last_ranks)}"
    several = int(of.job.waits.wait[mine[of.job.waits.is_known[mine]]].sum())
    once = "; of several at once the time counts once" if several - total > _NOTED * total else ""
    said = (
        f"In the whole profile it waits {waited(total, of.clock_error_ns)} ({all_of_it}, also those that other work hides{once})"
    )
    return [f"{said}, {who}."]


def on_waits_for_it(of: Analysed, place: int) -> list[str]:
    """Nothing where nobody waits for it."""
    job = of.job
    its = distinct(job.matched.of[job.waits.is_last & (job.rows.rank == place)])
    rows = np.flatnonzero(job.waits.is_known & ~job.waits.is_last & np.isin(job.matched.of, its))
    theirs = waited_once(job, rows)
    who = np.flatnonzero(theirs)
    if len(who) == 0:
        return []
    n = len(distinct(job.matched.of[rows]))
    which = f"the {n} collectives that it comes last to" if n > 1 else "the collective that it comes last to"
    held_up = waited(int(theirs.sum()), of.clock_error_ns)
    if len(who) == 1:
        return [f"Rank {of.job.of.numbers[int(who[0])]} waits {held_up} for it in {which}."]
    return [f"Others wait {held_up} for it in {which}, the time of each of the {len(who)} ranks counted once."]


def _with_last(of: Analysed, rows: Int64Array) -> tuple[Int64Array, Int64Array, list[tuple[int, ...]]]:
    """(those of which a wait is known and that are not among the last, which set of ranks came last to each, these as places)"""
    job = of.job
    rows = rows[job.waits.is_known[rows] & ~job.waits.is_last[rows]]
    number: dict[tuple[int, ...], int] = {}
    of_set = [number.setdefault(tuple(each), len(number)) for each in last_ranks(job, job.matched.of[rows])]
    return rows, np.array(of_set, np.int64), list(number)
