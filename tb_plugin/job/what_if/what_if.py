"""What a step would be if the one that is waited for were like its peers: one edit of the replay, by the cause.

    slow_kernels, some_kernels, more_work, kernels
                                             its kernels between two collectives as long as the peers' between the same two;
                                             where these compute longer too, less by what it is late by (`kernels_share.py`)
    input                                    its loader's time as long as the peers'
    launches, what fills many gaps           its host's times x (the peers' / its own), and from a launch to its start as well,
                                             of what began by its launch
    pause, collection, what fills a few      the longest times between launches as long as the peers' longest, each as its like;
                                             of as many as are kept its whole host like theirs: there may be more of them
    sync                                     calls that wait for the device more than the peers' do not (`fewer_waits.py`)
    idle                                     its whole host like theirs, where that takes longer between launches
    copies, more_launches, two causes        all of these, as `like_peers` does it
    more_work of a whole stage               stages computing as long as the mean of the stages: somebody has to do it; where it
                                             has no more in its other steps, as in these
    slow link                                transfers of the slow sets / how much slower they are

Each is replayed alone, and all at once: of two ranks that are equally late neither alone makes a step shorter. Nothing is
said where the cause is not known, or the replay does not give the recorded steps back. What is not told apart stays as long
as it was, and would shrink by as much of it as is wait: of collectives of which a member is not here, and of what begins late
for a reason that no event gives. Nothing is said either where that decides.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by
from tb_plugin.job.late.peers import of_its_stage
from tb_plugin.job.replay.launched import begin_sooner
from tb_plugin.job.what_if.as_late import may_be_as_late
from tb_plugin.job.what_if.even_share import even_share, is_of_steps, is_spread
from tb_plugin.job.what_if.fewer_waits import wait_no_more
from tb_plugin.job.what_if.kernels_share import kernels_share, less_by_excess, peers_share, share_of_other_steps
from tb_plugin.job.why.cause import OF_KERNELS, STANDS_STILL
from tb_plugin.trace.rank.pause_events import IDLE_IN
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.links.links import SlowLink
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.replay.replay import Replay
    from tb_plugin.job.what_if.even_share import Faults
    from tb_plugin.job.why.cause import Cause


class Without(NamedTuple):
    """Length of each step by its number, ns: as it was, without the one that is blamed, and the least that could then be.
    `taken`: what kernels, hosts and transfers need less then, in sum. `may_stay`: a rank that is not here may be as late
    (`as_late.py`), and a step as long as it was.
    """

    was: dict[int, float]
    would_be: dict[int, float]
    least: dict[int, float]
    taken: float = 0.0
    may_stay: bool = False


class HeldUp(NamedTuple):
    """Where a rank stands still longest in a step for a reason that no event gives."""

    rank: int  # its place
    step: int  # its number
    time: float  # ns
    share: float  # of the step


PARTS: Final = ("kernels", "loader", "launches")
"""Of a step, in what a rank can be made like its peers."""

_LONGER: Final = 1.02
_PAIRED: Final = np.array([*permutations(range(len(PAUSES)))])
"""Which of as many is the like of each."""

DECIDES: Final = 0.1
"""Of the step as it was: where a step would be shorter by more than this if nothing were waited for, and no data moved, in
collectives of which a member is not here, and nobody held up by what no event gives, a replay says nothing."""


def without(
    of: Replay,
    job: Job,
    own: OwnTime,
    place: JobLayout,
    blamed: Sequence[tuple[Straggler, Cause]],
    slow: SlowLink | None = None,
    faults: Faults | None = None,
) -> Without | None:
    """Without all of these at once, and with links like the others where some are slow. None where one of them cannot be told,
    or none of its ranks is replayed. `faults`: all there are, which stay where work is spread.
    """
    lag, times = of.lag.copy(), host_times(of, of.lag, own)
    late = [rank for one, _ in blamed for rank in one.members]
    others = np.setdiff1d(of.ranks, late)
    edited, spread = set[tuple[int, int]](), set[int]()
    for one, cause in blamed:
        # What a host or stage explains is taken off its ranks before they are blamed: its own edit is the first of theirs.
        members = np.intersect1d(one.members, of.ranks)
        if len(members) == 0:
            return None
        now = {(rank, number) for rank in members.tolist() for number in one.late_steps} - edited
        usual = np.intersect1d(np.setdiff1d(one.peers, late), of.ranks)
        peers = usual if len(usual) else others if len(others) else _late_for_else(one, cause, blamed)
        beside = np.intersect1d(_late_beside_it(place, one, cause, blamed), of.ranks)
        peers = beside if len(beside) else peers
        if is_of_steps(own, place, one, cause):
            for rank, number in sorted(now):
                lag[of.length_edge[of.between(rank, number).chunks]] *= share_of_other_steps(of, own, one, rank, number)
        elif is_spread(own, place, one, cause):
            # Of all stages once, and of none of their ranks the edit: who is slow in one of them is slow in what it has then.
            rows = np.flatnonzero(of.is_chunk & np.isin(of.step, sorted({*one.late_steps} - spread)))
            lag[of.length_edge[rows]] *= even_share(own, place.stage, faults and faults.of_alone)[of.rank[rows]]
            spread |= {*one.late_steps}
            continue
        elif not all(
            less_by_excess(of, own, one, cause, lag, rank, number)
            if len(peers) == 0 and "kernels" in cause.longer
            else _edit(of, own, of_its_stage(rank, peers, place), cause, lag, times, rank, number)
            for rank, number in sorted(now)
        ):
            return None
        for rank, number in now:
            wait_no_more(of, job, one, cause, lag, rank, number)
        edited |= now
    if slow is not None:
        with_usual_links(of, job, slow, lag)
    late_in = {number for _, number in edited}
    return told_with(of, job, lag, tuple(sorted(late_in | spread)), may_be_as_late(of, job, late_in))


def _late_beside_it(place: JobLayout, one: Straggler, cause: Cause, blamed: Sequence[tuple[Straggler, Cause]]) -> Int64Array:
    """Of its stage, where that is held against other stages as all of it is late: who is late for other reasons alone computes,
    loads or launches as long as is usual in it.
    """
    its = place.stage[one.number] if one.level == "rank" else NONE
    if its == NONE or (place.stage[list(one.peers)] == its).any():
        return np.zeros(0, np.int64)
    same = {rank for other, why in blamed if why.longer & cause.longer for rank in other.members}
    beside = {rank for other, _ in blamed for rank in other.members if place.stage[rank] == its}
    return np.array(sorted(beside - same), np.int64)


def _late_for_else(one: Straggler, cause: Cause, blamed: Sequence[tuple[Straggler, Cause]]) -> Int64Array:
    """Its peers, where all ranks are late: who waits for its loader computes as long as is usual."""
    return np.setdiff1d(one.peers, [rank for other, why in blamed if why.longer & cause.longer for rank in other.members])


def without_slow_link(of: Replay, job: Job, slow: SlowLink) -> Without | None:
    lag = of.lag.copy()
    with_usual_links(of, job, slow, lag)
    return told_with(of, job, lag, tuple(of.as_it_was))


def with_usual_links(of: Replay, job: Job, slow: SlowLink, lag: Float64Array) -> None:
    """Changes `lag` so that each instance of the slow sets takes as long as on other links."""
    rows = np.flatnonzero(of.is_collective & (of.length_edge != NONE))
    instance = job.matched.of[of.what[rows]]
    lag[of.length_edge[rows]] /= np.where(instance == NONE, 1.0, slow.factors[instance])


def least_steps(of: Replay, job: Job, lag: Float64Array, would_be: dict[int, float]) -> dict[int, float]:
    """Length of each step, were what is not told apart nothing at all: no step is shorter. `would_be`: were it as it was."""
    if not of.held_up.any() and not job.waits.untold.any():
        return would_be
    return of.steps(with_nothing_untold(of, job, lag), of.own - of.held_up)


def with_nothing_untold(of: Replay, job: Job, lag: Float64Array) -> Float64Array:
    """Where a member is not here, its collectives take no time."""
    rows = np.flatnonzero(of.is_collective & (of.length_edge != NONE))
    lag = lag.copy()
    lag[of.length_edge[rows[job.waits.untold[of.what[rows]] > 0]]] = 0.0
    return lag


def longest_held_up(of: Replay) -> HeldUp | None:
    """Over the steps that are told of; None where nobody is held up so."""
    rows = np.flatnonzero(np.isin(of.step, of.told_steps))
    time = of.held_up[: 3 * len(of.rank)].reshape(-1, 3).sum(axis=1)[rows]
    if not time.any():
        return None
    pairs = group_by(of.rank[rows], of.step[rows])
    total = np.bincount(pairs.of, weights=time)
    most = int(np.argmax(total))
    row, number = rows[pairs.first[most]], int(of.step[rows[pairs.first[most]]])
    length = of.as_it_was.get(number, 0.0)
    return HeldUp(int(of.rank[row]), number, float(total[most]), float(total[most]) / length) if length > 0 else None


def told_with(of: Replay, job: Job, lag: Float64Array, numbers: tuple[int, ...], may_stay: bool = False) -> Without | None:
    """None where what is not told apart decides how long these steps would be."""
    would_be = of.steps(lag, of.own)
    taken = float(np.maximum(of.lag - lag, 0.0, where=np.isfinite(lag), out=np.zeros(len(lag))).sum())
    found = Without(of.as_it_was, would_be, least_steps(of, job, lag, would_be), taken, may_stay)
    replayed = [number for number in numbers if number in found.was]
    open_ns = sum(found.would_be[number] - found.least[number] for number in replayed)
    return found if open_ns <= DECIDES * sum(found.was[number] for number in replayed) else None


def _edit(
    of: Replay,
    own: OwnTime,
    peers: Int64Array,
    cause: Cause,
    lag: Float64Array,
    times: HostTimes,
    rank: int,
    number: int,
) -> bool:
    """Changes `lag`; False where the cause says nothing that could be changed."""
    column = int(np.searchsorted(own.number, number))
    if cause.also is not None or cause.id in ("copies", "more_launches"):
        was = lag.copy()
        like_peers(of, own, peers, rank, column, PARTS, times, lag)
        np.minimum(lag, was, out=lag)  # what it needs less of than its peers it keeps
        return True
    rows = np.flatnonzero((of.rank == rank) & (of.step == number))
    host = of.host_edge[rows]
    host, loader = host[host != NONE], of.loader[rows][host != NONE]
    if cause.id in OF_KERNELS:
        lag[of.length_edge[of.between(rank, number).chunks]] *= np.minimum(kernels_share(of, own, peers, rank, column), 1.0)
        return True
    if cause.id == "input":
        share = min(peers_share(times.loader, peers, rank, column), 1.0)
        lag[host] = np.maximum(lag[host] - loader * (1 - share), 0.0)
        return True
    if cause.id == "launches" or (cause.id in IDLE_IN and cause.n_gaps == 0):
        share = peers_share(times.spent, peers, rank, column)
        lag[host] = (lag[host] - loader) * min(share, 1.0) + loader
        begin_sooner(of.launch_edge[rows], of.least_launch, share, of.lag, lag)
        return True
    usual = times.usual(peers, column)
    many = (0, len(PAUSES)) if cause.id == "sync" else (len(PAUSES),)
    is_all_over = (cause.id in STANDS_STILL and cause.n_gaps in many) or cause.id == "idle"
    if is_all_over and len(host) and float(times.spent[rank, column]) > usual.spent:
        like_usual_host(of, rows, usual, lag)
        return True
    if cause.id in STANDS_STILL and len(host):
        between = lag[host] - loader
        cut = _more_than(between, usual.longest)
        if cut.sum() < cause.amount_ns / 2:
            return False
        # Where all of the usual times that are kept are long, a pause has no like: it loses all that the host takes more.
        more = max(float(between.sum()) - usual.spent - float(cut.sum()), 0.0)
        cut += np.minimum(between - cut, more * cut / max(cut.sum(), 1.0))
        lag[host] -= cut
        return True
    return False


class UsualHost(NamedTuple):
    """Medians over ranks of what HostTimes has of a step."""

    spent: float
    longest: Float64Array

    def at_most(self, other: UsualHost) -> UsualHost:
        """The less of both."""
        return UsualHost(min(self.spent, other.spent), np.minimum(self.longest, other.longest))


class HostTimes(NamedTuple):
    """Of the host between launches, ns; neither the loader nor waiting for the device counts as it."""

    spent: Float64Array  # [rank, step]; 0 of who is not replayed
    longest: Float64Array  # [rank, step, as many as PAUSES], the longest first; 0 where there are not so many
    loader: Float64Array  # [rank, step]: the data loader's, also while the device works

    def usual(self, ranks: Int64Array, column: int) -> UsualHost:
        """0 of no ranks."""
        if len(ranks) == 0:
            return UsualHost(0.0, np.zeros(len(PAUSES)))
        return UsualHost(float(np.median(self.spent[ranks, column])), np.median(self.longest[ranks, column], axis=0))


def host_times(of: Replay, lag: Float64Array, own: OwnTime) -> HostTimes:
    """Of the steps of `own`."""
    rows = np.flatnonzero((of.host_edge != NONE) & np.isin(of.step, own.number))
    spent = lag[of.host_edge[rows]] - of.loader[rows]
    total, loader, longest = np.zeros(own.own.shape), np.zeros(own.own.shape), np.zeros((*own.own.shape, len(PAUSES)))
    at = np.ravel_multi_index((of.rank[rows], np.searchsorted(own.number, of.step[rows])), own.own.shape)
    np.add.at(total.reshape(-1), at, spent)
    np.add.at(loader.reshape(-1), at, of.loader[rows])
    order = np.lexsort((-spent, at))
    nth = np.arange(len(order)) - np.searchsorted(at[order], at[order])
    is_long = nth < len(PAUSES)
    longest.reshape(-1, len(PAUSES))[at[order][is_long], nth[is_long]] = spent[order][is_long]
    return HostTimes(total, longest, loader)


class HostsApart(NamedTuple):
    """What the host of who is late takes between launches, in a mean step in which it is; ns. What its peers' devices idle for
    their hosts while they wait for it is in no time of a device, so `more` is less than what it idles more.
    """

    own: float
    more: float  # than its peers in the median

    @property
    def is_longer(self) -> bool:
        """By 2 %."""
        return self.own > _LONGER * (self.own - self.more)


def hosts_apart(of: Replay, own: OwnTime, one: Straggler) -> HostsApart:
    times, columns = host_times(of, of.lag, own), np.searchsorted(own.number, list(one.late_steps))
    mine, usual = (times.spent[np.intersect1d(some, of.ranks)][:, columns] for some in (one.members, one.peers))
    if not mine.size or not usual.size:
        return HostsApart(0.0, 0.0)
    return HostsApart(float(mine.mean()), float(mine.mean() - np.median(usual, axis=0).mean()))


def without_as_slow_hosts(of: Replay, own: OwnTime, late: list[tuple[Straggler, Cause]]) -> list[tuple[Straggler, Cause]]:
    """Less those whose device idles for their host alone, no event says why, and the host of a rank that is not late takes as
    long: that rank's device waits meanwhile.
    """
    named = [rank for one, _ in late for rank in one.members]
    spent = np.delete(host_times(of, of.lag, own).spent, named, axis=0)
    return [each for each in late if not _is_of_host_alone(each[1]) or not _is_as_late(of, own, each[0], spent)]


def _is_of_host_alone(cause: Cause) -> bool:
    causes = cause.with_second
    are_of_host = all(each.may_be_chance or each.id == "pause" for each in causes)
    return are_of_host and any(each.may_be_chance for each in causes) and all(each.event is None for each in causes)


def _is_as_late(of: Replay, own: OwnTime, one: Straggler, others: Float64Array) -> bool:
    """`others`: time between launches, [rank, step]."""
    hosts = hosts_apart(of, own, one)
    in_steps = others[:, np.searchsorted(own.number, list(one.late_steps))]
    return hosts.is_longer and in_steps.size > 0 and hosts.own <= float(in_steps.max(axis=0).mean())


def _more_than(between: Float64Array, usual: Float64Array) -> Float64Array:
    """What each of a host's longest times between launches has more than its like of the `usual` ones, so that few have much:

    own      8.0   0.4   0.1        the pause of 8.0 becomes 0.1; with 0.4 in its place, and 0.1 in that of 0.4, the host would
    usual    0.4   0.1   0.1        launch the kernels that take it 0.4 later than it does
    """
    cut, longest = np.zeros(len(between)), np.argsort(-between, kind="stable")[: len(usual)]
    more = between[longest] - usual[_PAIRED[:, : len(longest)]]
    cut[longest] = np.maximum(more[np.argmin(np.sqrt(np.abs(more)).sum(axis=1))], 0.0)
    return cut


def like_usual_host(of: Replay, rows: Int64Array, usual: UsualHost, lag: Float64Array) -> None:
    """Changes `lag` of a rank's rows of a step, so that its host needs as long between launches as is usual."""
    rows = rows[of.host_edge[rows] != NONE]
    if len(rows) == 0:
        return
    host, loader = of.host_edge[rows], of.loader[rows]
    # Pauses are taken off first: else every launch would be as many times shorter.
    was = of.lag[host] - loader
    between = was - _more_than(was, usual.longest) if was.sum() > usual.spent else was
    share = usual.spent / between.sum() if between.sum() > 0 else 1.0
    lag[host] += between * share - was
    begin_sooner(of.launch_edge[rows], of.least_launch, share, of.lag, lag)


def like_peers(
    of: Replay,
    own: OwnTime,
    peers: Int64Array,
    rank: int,
    column: int,
    parts: Collection[str],
    times: HostTimes,
    lag: Float64Array,
) -> None:
    """Changes `lag` of a rank's rows of a step, so that it needs as long for these of PARTS as its peers in the median."""
    number = int(own.number[column])
    first, after = np.searchsorted(of.rank, (rank, rank + 1)).tolist()
    rows = first + np.flatnonzero(of.step[first:after] == number)
    if len(rows) == 0:
        return
    host = of.host_edge[rows]
    host, loader = host[host != NONE], of.loader[rows][host != NONE]
    if "kernels" in parts:
        lag[of.length_edge[of.between(rank, number).chunks]] *= kernels_share(of, own, peers, rank, column)
    if "launches" in parts and len(host):
        like_usual_host(of, rows, times.usual(peers, column), lag)
    if "loader" in parts:
        share = peers_share(times.loader, peers, rank, column)
        lag[host] = np.maximum(lag[host] - loader * (1 - share), 0.0)
