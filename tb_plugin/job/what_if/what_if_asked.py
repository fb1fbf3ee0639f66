"""What a step would be if something were otherwise: edits in words, each an edit of the replay.

    rank=5  rank=6,13  rank=4-7  stage=3  host=node3  replica=1
                                               its kernels, loader and launches as long as its peers' in the median
    rank:loader=5                              only that: kernels, loader or launches
    rank=all                                   every rank like the median of its stage: the ideal
    stages=even                                every stage computes as long as the mean of the stages
    transfer=0.5  transfer:data=0              transfers, all or those of a dimension, times this
    links=usual                                transfers of the slow hosts as quick as the others'
    ideal                                      all of these at once, each rank like the median of its stage (`ideal.py`)
    ideal but rank=5  ideal but stage=3        the ideal in which these need what they needed; host, replica as above

Peers are the other ranks of its stage, of all where the stage is what is edited or there is no pipeline. Waiting follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, get_args

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import covers
from tb_plugin.job.late.peers import not_late
from tb_plugin.job.late.units import Level
from tb_plugin.job.what_if.as_late import may_be_as_late
from tb_plugin.job.what_if.even_share import even_share
from tb_plugin.job.what_if.ideal import ideal_lag
from tb_plugin.job.what_if.longer_transfers import may_hold_up
from tb_plugin.job.what_if.what_if import PARTS, host_times, least_steps, like_peers, with_usual_links
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED, SHORT
from tb_plugin.trace.scope.ranges import ranges_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.links.links import Links
    from tb_plugin.job.own.dimensions import Dimensions
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.replay.replay import Replay
    from tb_plugin.job.what_if.even_share import Faults
    from tb_plugin.job.what_if.what_if import HostTimes

_FORMS: Final = (
    "rank=5, rank=4-7,12, rank:loader=5, rank=all, stage=3, host=NAME, replica=1, stages=even, transfer:data=0.5, links=usual, "
    "ideal, ideal but rank=5"
)


class Edited(NamedTuple):
    """What edits are asked about: a job, its replay, and what is known of its ranks."""

    replay: Replay
    job: Job
    own: OwnTime
    place: JobLayout
    dimensions: Dimensions
    links: Links
    faults: Faults


def is_of_job(edit: str) -> bool:
    """Whether it is written as an edit of a job and not as one of a single rank, which has `host=0.5` and `host:NAME=0.5`."""
    left, _, value = (part.strip() for part in edit.partition("="))
    what, _, part = left.partition(":")
    if what == "host":
        return bool(value) and not _is_number(value) and (not part or part in PARTS)
    is_of_all = is_ideal(edit) or (left, value) in (("links", "usual"), ("stages", "even"))
    return is_of_all or what in (*get_args(Level), "transfer")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class StepsIf(NamedTuple):
    """Length of each step by its number, ns: with all edits at once, the least that could then be, and the least were all told
    apart but who is held up by what no event gives. `may_be_longer`: kernels may wait for what takes longer.
    """

    would_be: dict[int, float]
    least: dict[int, float]
    least_held_up: dict[int, float]
    may_be_longer: bool


def steps_if(of: Edited, edits: Sequence[str]) -> StepsIf:
    """UsageError names an edit that cannot be."""
    replay, lag = of.replay, of.replay.lag.copy()
    for edit in edits:
        _apply(of, edit, lag)
    would_be = replay.steps(lag, replay.own) if edits else replay.as_it_was
    least = least_steps(replay, of.job, lag, would_be)
    least_held_up = replay.steps(lag, replay.own - replay.held_up) if replay.held_up.any() else would_be
    return StepsIf(would_be, least, least_held_up, may_hold_up(replay, of.job, lag))


def may_stay(of: Edited, edits: Sequence[str]) -> bool:
    """Whether a step may be as long as it was, for a rank that is not here may be as late as who is made like its peers. What is
    asked of all ranks is asked of that one, too.
    """
    sides = [[part.strip() for part in edit.partition("=")[::2]] for edit in edits if not is_ideal(edit)]
    is_of_some = any(left.partition(":")[0].strip() in get_args(Level) and value != "all" for left, value in sides)
    return is_of_some and may_be_as_late(of.replay, of.job, of.replay.told_steps.tolist())


def is_ideal(edit: str) -> bool:
    """Whether it is of the whole job, so that nothing can be added to it."""
    return edit.split()[:1] == ["ideal"]


def _ideal(of: Edited, edit: str, lag: Float64Array) -> None:
    _, *more = edit.split(maxsplit=2)
    but = None
    if more:
        word, which = more[0], more[1] if len(more) > 1 else ""
        what, equals, value = (part.strip() for part in which.partition("="))
        if word != "but" or what not in get_args(Level) or not equals or not value or value == "all":
            raise UsageError(
                f"what if {edit!r}: not understood; there is ideal, and ideal but rank=5, stage=3, host=NAME, replica=1"
            )
        but = _members(of, edit, what, value)
    lag[:] = ideal_lag(of.replay, of.job, of.own, of.place, of.links, of.faults, but)


def _apply(of: Edited, edit: str, lag: Float64Array) -> None:
    if is_ideal(edit):
        _ideal(of, edit, lag)
        return
    left, equals, value = (part.strip() for part in edit.partition("="))
    what, _, part = left.partition(":")
    if not equals or not value:
        raise UsageError(f"what if {edit!r}: not understood; there is {_FORMS}")
    if what == "transfer":
        _transfers(of, edit, part, value, lag)
    elif (left, value) == ("links", "usual"):
        _usual_links(of, edit, lag)
    elif (left, value) == ("stages", "even"):
        _even_stages(of, edit, lag)
    elif what in get_args(Level) and (not part or part in PARTS):
        members = _members(of, edit, what, value)
        times = host_times(of.replay, of.replay.lag, of.own)
        for rank in members.tolist():
            inside = np.zeros(0, np.int64) if value == "all" else members
            _like_peers(of, rank, _peers(of, rank, inside), (part,) if part else PARTS, times, lag)
    else:
        raise UsageError(f"what if {edit!r}: not understood; there is {_FORMS}")


def _members(of: Edited, edit: str, what: str, value: str) -> Int64Array:
    """Places of the ranks that are meant and replayed."""
    here = of.replay.ranks
    if (what, value) == ("rank", "all"):
        return here
    if what == "host":
        named = [rank.host for rank in of.job.of.ranks]
        wanted = of.job.of.hosts.index(value) if value in of.job.of.hosts else NONE
        found = np.flatnonzero(np.array(named) == wanted)
        there = of.job.of.hosts
    else:
        column = np.array(of.job.of.numbers) if what == "rank" else of.place.stage if what == "stage" else of.place.replica
        each = [np.flatnonzero(covers(ranges_in(part, f"what if {edit!r}"), column)) for part in value.split(",")]
        found = np.unique(np.concatenate(each)) if all(len(some) for some in each) else np.zeros(0, np.int64)
        there = tuple(map(str, np.unique(column[column != NONE]).tolist()))
    if len(found) == 0:
        more = f" and {len(there) - 8} more" if len(there) > 8 else ""
        raise UsageError(f"what if {edit!r}: no such {what}; there is {', '.join(there[:8]) or 'none'}{more}")
    replayed: Int64Array = np.intersect1d(found, here)
    if len(replayed) == 0:
        raise UsageError(f"what if {edit!r}: cannot be told, since {of.job.why_left_out}")
    if len(replayed) == len(here):
        raise UsageError(f"what if {edit!r}: that is every rank, and none is left to be like")
    return replayed


def _peers(of: Edited, rank: int, inside: Int64Array) -> Int64Array:
    """Of its stage, outside of those that are edited with it; else all outside."""
    outside, stage = np.setdiff1d(of.replay.ranks, inside), of.place.stage
    peers: Int64Array = outside[stage[outside] == stage[rank]]
    return peers if len(peers) else outside


def _like_peers(of: Edited, rank: int, peers: Int64Array, parts: Sequence[str], times: HostTimes, lag: Float64Array) -> None:
    for column in range(len(of.own.number)):
        usual = not_late(peers, of.faults.is_late[:, column])
        if of.faults.is_late[usual, column].any() and not of.faults.is_late[rank, column]:
            continue  # all that it could be like are late, and it is not
        like_peers(of.replay, of.own, usual, rank, column, parts, times, lag)


def _even_stages(of: Edited, edit: str, lag: Float64Array) -> None:
    stage, replay = of.place.stage, of.replay
    if (stage == NONE).any() or len(np.unique(stage)) < 2:
        raise UsageError(f"what if {edit!r}: no pipeline is recorded of every rank")
    rows = np.flatnonzero(replay.is_chunk)
    lag[replay.length_edge[rows]] *= even_share(of.own, stage, of.faults.of_alone)[replay.rank[rows]]


def _transfers(of: Edited, edit: str, part: str, value: str, lag: Float64Array) -> None:
    names = [name for name in of.dimensions.names if name != NOT_RECORDED]
    dimension = SHORT.get(part, part)
    if part and dimension not in names:
        raise UsageError(f"what if {edit!r}: no such dimension; there is {', '.join(names) or 'none that was recorded'}")
    try:
        factor = float(value)
    except ValueError:
        factor = -1.0
    if not 0 <= factor <= 1000:
        raise UsageError(f"what if {edit!r}: how many times as long, a number from 0 to 1000")
    _scale(of, lag, factor, None if not part else of.dimensions.names.index(dimension))


def _scale(of: Edited, lag: Float64Array, factor: float, dimension: int | None) -> None:
    rows = np.flatnonzero(of.replay.is_collective & (of.replay.length_edge != NONE))
    if dimension is not None:
        of_row = of.dimensions.of_rows(of.job.rows.group[of.replay.what[rows]])
        rows = rows[of_row == dimension]
    is_untold = of.job.waits.untold[of.replay.what[rows]] > 0  # it may all be wait, which follows
    lag[of.replay.length_edge[rows]] *= np.where(is_untold, max(factor, 1.0), factor)


def _usual_links(of: Edited, edit: str, lag: Float64Array) -> None:
    slow = of.links.slow
    if slow is None:
        raise UsageError(f"what if {edit!r}: no link here is slower than the others of its kind")
    with_usual_links(of.replay, of.job, slow, lag)
