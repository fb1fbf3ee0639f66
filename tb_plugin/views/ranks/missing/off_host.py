"""Ranks that are not on the clock of their host, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import format_ns
from tb_plugin.job.matching.own_clocks import LEAST_NS
from tb_plugin.views.ranks.basis.names import counted

if TYPE_CHECKING:
    from tb_plugin.job.job import Job

_MOST_SAID: Final = 5


def on_own_clocks(job: Job, *, are_tied: bool) -> list[str]:
    """One for each such clock that collectives tie to the host's, or for each that nothing ties; nothing of one that they found
    to be the host's after all.
    """
    clocks = job.clocks.component
    own = sorted({(int(job.places.of_rank[rank]), job.of.ranks[rank].host) for rank in job.places.off})
    own = [(clock, host) for clock, host in own if (clocks[clock] == clocks[host]) == are_tied and clock not in job.unfit]
    said = [sentence for clock, host in own if (sentence := _sentence(job, clock, host))]
    more = [f"{len(said) - _MOST_SAID} more clocks of ranks are off those of their hosts."] if len(said) > _MOST_SAID else []
    return said[:_MOST_SAID] + more


def on_unfit(job: Job) -> str | None:
    """Of clocks that fit no other, while the others' fit."""
    if not job.unfit:
        return None
    do, whose, where = ("does", "its clock", "") if len(job.unfit) == 1 else ("do", "their clocks", " where it changes most")
    changes = f"by an amount that changes, by {format_ns(max(job.unfit.values()))} and more{where}"
    return f"what {job.whose(list(job.unfit))} {do} with others ends apart from them {changes}: {whose} cannot be tied to theirs"


def on_may_differ(job: Job) -> list[str]:
    """The widest of those that nobody can tell from one clock."""
    if not job.places.may_differ:
        return []
    most = max(job.places.may_differ, key=lambda each: each.apart_ns)
    earlier, later = (counted("rank", [job.of.numbers[rank] for rank in each]) for each in (most.earlier, most.later))
    host = job.of.hosts[job.of.ranks[most.earlier[0]].host]
    by = format_ns(most.apart_ns)
    how_often = f"in {most.n_later:,} of {most.n_met:,} collectives"
    said = f"What {earlier} and {later} of {host} do together ends later on {later} {how_often}, by {by}"
    return [f"{said}: a ring may hand its last part on so, or these are two clocks. Waits between them are good to {by}."]


def _sentence(job: Job, clock: int, host: int) -> str | None:
    clocks, ranks = job.clocks, np.flatnonzero(job.places.of_rank == clock).tolist()
    whose = f"The clock of {counted('rank', [job.of.ranks[rank].number for rank in ranks])}"
    if clocks.component[clock] != clocks.component[host]:
        return f"{whose} is off that of {job.of.hosts[host]}, and cannot be tied to it: no wait is given across them."
    off = int(clocks.ahead_ns[clock] - clocks.ahead_ns[host]) + float(clocks.rest_ns[clock] - clocks.rest_ns[host])
    if abs(off) <= LEAST_NS:
        return None
    error = float(clocks.error_at(np.array([clock]), clocks.middle_ns[[clock]])[0])
    others = np.flatnonzero(job.places.of_rank == host).tolist()
    if len(others) <= len(ranks):
        mine, theirs = (counted("rank", [job.of.ranks[rank].number for rank in each]) for each in (ranks, others))
        apart = f"The clocks of {theirs} and {mine} of {job.of.hosts[host]} lie {format_ns(abs(off))} apart"
        ahead = f"the one of {mine if off > 0 else theirs} ahead; which is right cannot be told"
        return f"{apart}, {ahead}; collectives tie them, +-{format_ns(error)}."
    which = "ahead of" if off > 0 else "behind"
    return f"{whose} is {format_ns(abs(off))} {which} that of {job.of.hosts[host]}; collectives tie it, +-{format_ns(error)}."
