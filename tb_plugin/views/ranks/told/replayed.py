"""What a step would be by replay, within a sentence; also of most ranks, were they like those that are not late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.job.what_if.as_late import may_be_as_late
from tb_plugin.job.what_if.gains import NOTHING
from tb_plugin.job.what_if.what_if import host_times, like_peers, told_with
from tb_plugin.views.ranks.basis.names import a_step, counted
from tb_plugin.views.ranks.told.blame import is_range, means_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.told.blame import Means

_TOLD: Final = 0.0005
"""Of a step: what is less is 0.0 %."""


def replayed(means: Means, what: str) -> str:
    """By replay, as `--what-if` says it: of the job. Nothing where no step would be shorter, or only may be."""
    was, would_be, least = means.was, min(means.would_be, means.was), min(means.least, means.was)
    if was <= 0:
        return ""
    most, percents = format_ns(would_be), round(100 * (would_be / was - 1))
    if would_be > (1 - NOTHING) * was:
        return ""
    if is_range(least, would_be, was):
        change = f"{round(100 * (least / was - 1)):+d} % to {percents:+d} %; how much of that is waiting is not known"
        return f" {what} would take {format_ns(least)} to {most} instead of {format_ns(was)} ({change})."
    change = f"{format_ns(was)} ({percents:+d} %)"
    return f" {what} would take about {most} instead of {change}."


def maybe_shorter(means: Means, what: str) -> str:
    """Where a step may be as long or much shorter: what is not told apart decides."""
    least, most, was = (format_ns(ns) for ns in (means.least, min(means.would_be, means.was), means.was))
    at_most = percent(1 - means.least / means.was)
    return f" {what} would take {least} to {most} instead of {was} (at most {at_most} less; how much is waiting is not known)."


def as_long(means: Means | None, it: str) -> str:
    """Where `replayed` says nothing: what little a step would be shorter, if that is told; what is told is in tables, too."""
    gain = means.was - means.would_be if means is not None else 0
    if means is None or gain < _TOLD * means.was:
        return f"{it} would take as long"
    return f"{it} would be only {format_ns(gain)} ({percent(gain / means.was)}) shorter"


def like_the_others(of: Analysed, does: BoolArray, part: str) -> str:
    """With all of those at once that do it like those that do it in no step; nothing where no replay tells. `does`: [rank, step];
    `part`: one of `PARTS`.
    """
    replay, own = of.replay, of.own
    if replay is None:
        return ""
    peers = np.intersect1d(np.flatnonzero(~does.any(axis=1)), replay.ranks)
    late = [(rank, column) for rank, column in np.argwhere(does).tolist() if rank in replay.ranks]
    if len(peers) == 0 or not late:
        return ""
    lag, times = replay.lag.copy(), host_times(replay, replay.lag, own)
    for rank, column in late:
        like_peers(replay, own, peers, rank, column, (part,), times, lag)
    np.minimum(lag, replay.lag, out=lag)  # what one needs less of than its peers it keeps
    in_step = does.any(axis=0)
    numbers: Sequence[int] = own.number[in_step].tolist()
    may_stay = may_be_as_late(replay, of.job_in_replay, numbers)
    means = means_of(told_with(replay, of.job_in_replay, lag, tuple(numbers), may_stay), numbers)
    such = a_step(of) if in_step.all() else "such a step"
    others = counted("rank", [of.job.of.numbers[place] for place in peers.tolist()])
    return "" if means is None else replayed(means, f"With all of these like {others} {such}")
