"""What most ranks do in the same step: nobody is late beside others then, and a step is longer all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.job.late.limits import lower_median, median
from tb_plugin.job.late.longest_gaps import gaps_but, is_loader
from tb_plugin.job.late.peers import stages_of
from tb_plugin.job.why.cause import STANDS_STILL
from tb_plugin.job.why.causes import explained
from tb_plugin.job.why.gaps_by_launch import but_bubble, waits_for_launches
from tb_plugin.trace.rank.step_work import IN_PAUSES
from tb_plugin.views.ranks.basis.names import in_code, who_of
from tb_plugin.views.ranks.missing.lost_collectives import lacks_collectives
from tb_plugin.views.ranks.missing.missing import that_are_here
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.told.blame import when_of
from tb_plugin.views.ranks.told.one_place import at_one_place
from tb_plugin.views.ranks.told.replayed import like_the_others

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.why.cause import CauseId
    from tb_plugin.trace.rank.pause_events import PauseEvent
    from tb_plugin.views.ranks.basis.analysed import Analysed

_OF_STEP: Final = 0.1
_MOSTLY: Final = 0.5
_LAUNCH_LESS: Final = " What helps: launch less (torch.compile, CUDA graphs), or a larger batch."


class _Most(NamedTuple):
    """`who`: of the ranks, `does`: [rank, step], all steps. `when`: with how long, `usual_ns`."""

    who: str
    does: BoolArray
    columns: Int64Array
    when: str
    usual_ns: float


def of_all_ranks(of: Analysed) -> Iterator[tuple[str, Lead]]:
    """Where most wait for their loaders, stand still in one gap at `one_place`, or wait for launches, for a tenth of a step; the
    longest first. All of a stage that stand still are enough: the devices of other stages wait for it then, whatever their hosts
    do, and that is no wait for launches.
    What some are blamed for is told there. It leads to ranks that need longer for it than others of their stage, which do not.
    """
    if not of.has_host:
        return
    parts = of.own.parts
    idle = np.maximum(parts["idle"], 0.0)
    loader = np.minimum(parts["loader"], idle)
    gaps = gaps_but(of.job, of.own, is_loader)
    still = np.minimum(gaps.max(axis=0), idle - loader - np.minimum(parts["collection"], idle - loader))
    told = []
    if (most := _most(of, _but_blamed(of, loader, ("input",)))) is not None:
        told.append((f"{most.who} wait for their data loaders {most.when}{like_the_others(of, most.does, 'loader')}", most))
    if of.job.has_waits:  # else a device may idle for others
        lost = lacks_collectives(of)
        still = np.where(lost | np.isnan(still), np.nan, _but_blamed(of, still, STANDS_STILL))
        if (most := _stand_still(of, gaps, still)) is not None:
            told.append((f"{most.who} stand still in one gap{_filled_by(of, gaps, most.does)} {most.when}", most))
            lost = lost | np.isin(of.own.number, of.own.number[most.columns])
        launches = _but_blamed(of, waits_for_launches(of.job, of.alone), ("launches", "more_launches", "idle"))
        if (most := _most(of, np.where(lost, np.nan, but_bubble(launches, of.own, of.layout, of.pipeline)))) is not None:
            told.append((f"on {most.who} the device waits for launches {most.when}{_LAUNCH_LESS}", most))
    for text, most in sorted(told, key=lambda each: -each[1].usual_ns):
        ranks = _beside_others(of, most)
        yield text[0].upper() + text[1:], Lead(ranks=ranks, step=int(of.own.number[most.columns[0]]))


def _beside_others(of: Analysed, most: _Most) -> list[int]:
    """Numbers of those who do it in most of its steps, where they need longer for themselves than who does not, of a stage."""
    does = most.does[:, most.columns].mean(axis=1) >= _MOSTLY
    own = np.nan_to_num(of.own.own[:, most.columns]).mean(axis=1)
    is_known: BoolArray = np.asarray(np.isfinite(of.own.own[:, most.columns]).any(axis=1))
    found = list[int]()
    for stage in stages_of(of.layout):
        its, others = stage[does[stage]], stage[~does[stage] & is_known[stage]]
        if len(its) and len(others) and np.median(own[its]) - np.median(own[others]) > _MOSTLY * most.usual_ns:
            found += [of.job.of.numbers[place] for place in its.tolist()]
    return sorted(found)


def _stand_still(of: Analysed, gaps: Float64Array, still: Float64Array) -> _Most | None:
    """At one place: most of all ranks, else of a stage, of that which does so longest."""
    for some in ([np.arange(len(still))], stages_of(of.layout)):
        found = []
        for members in some:
            its = np.isin(np.arange(len(still)), members)[:, None]
            if _most(of, still, members) is not None:  # else where they lie is not asked
                together = np.where(at_one_place(of, np.where(its, gaps, 0.0)), still, 0.0 * still)
                found.append(_most(of, together, members))
        told = [each for each in found if each is not None]
        if told:
            return max(told, key=lambda each: each.usual_ns)
    return None


def _most(of: Analysed, time: Float64Array, members: Int64Array | None = None) -> _Most | None:
    """Who of them so long, in which steps; None where these are not many, or it is not much. `members`: of whom they are most."""
    most_of = time if members is None else time[members]
    so_long, length = np.where(np.isfinite(most_of).sum(axis=0) > 1, lower_median(most_of), 0.0), median(of.own.step)
    is_much = so_long >= _OF_STEP * length
    if not is_much.any():
        return None
    least = _MOSTLY * float(np.median(so_long[is_much]))
    columns = np.flatnonzero(so_long >= least)  # as long in a long step is as much of a reason
    usual, step = float(so_long[columns].mean()), float(length[columns].mean())
    numbers = tuple(of.own.number[columns].tolist())
    each = " a step" if len(numbers) > 1 else ""
    took = f"{format_ns(usual)}{each} ({percent(usual / step)} of {format_ns(step)})"
    how_long = f"at least {took}" if len(time) == 2 else f"{took} in the median"
    does = (time >= least) & np.isin(np.arange(len(length)), columns)
    known = np.isfinite(time[:, columns])
    who = who_of(does[:, columns], known, of.job.of.numbers, numbers, here=that_are_here(of))
    return _Most(who, does, columns, f"{when_of(of, numbers)}: {how_long}.", usual)


def _but_blamed(of: Analysed, time: Float64Array, causes: tuple[CauseId, ...]) -> Float64Array:
    """Less what some are blamed for, for one of these: no more than who is not."""
    left, is_blamed = time.copy(), np.zeros(time.shape, np.bool_)
    for one, cause, _ in of.stragglers:
        for each in cause.with_second:
            if each.id in causes:
                its = one.excess_ns
                if cause.also is not None:
                    its = np.where(its > 0, np.nan_to_num(explained(one, each)), 0.0)
                left[list(one.members)] -= its
                is_blamed[list(one.members)] |= its > 0
    usual = median(np.where(is_blamed, np.nan, time))
    return np.asarray(np.maximum(np.where(is_blamed & (usual < left), usual, left), 0.0))


def _filled_by(of: Analysed, gaps: Float64Array, does: BoolArray) -> str:
    """The event in the longest gaps of most of those who stand still, of each in half of its own: one's is not another's."""
    n_ranks: dict[PauseEvent, int] = {}
    longest = np.nan_to_num(gaps).argmax(axis=0)
    for place in np.flatnonzero(does.any(axis=1)).tolist():
        lasted: dict[PauseEvent | None, float] = {}
        rank = of.job.of.ranks[place]
        for column in np.flatnonzero(does[place]).tolist():
            at, nth = int(np.searchsorted(rank.steps["number"], of.own.number[column])), int(longest[place, column])
            within = int(rank.work[IN_PAUSES[nth]][at])
            event = None if within == NONE else rank.summary.pause_events[within]
            lasted[event] = lasted.get(event, 0.0) + float(gaps[nth, place, column])
        most = max(lasted, key=lasted.__getitem__)
        if most is not None and lasted[most] > _MOSTLY * sum(lasted.values()):
            n_ranks[most] = n_ranks.get(most, 0) + 1
    least = _MOSTLY * int(does.any(axis=1).sum())
    event = max(n_ranks, key=n_ranks.__getitem__, default=None)
    if event is not None and n_ranks[event] > least:
        return f", {'after' if event.told == 'after' else 'in'} {in_code(event)},"
    n_ranks_in = {event.where[0]: sum(n for each, n in n_ranks.items() if each.where[0] == event.where[0]) for event in n_ranks}
    frame = max(n_ranks_in, key=n_ranks_in.__getitem__, default=None)  # each in another call of the same line
    return f", in `{frame}`," if frame is not None and n_ranks_in[frame] > least else ""
