"""What nearly all ranks do in the same step: nobody is late beside others then, and a step is longer all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.job.limits import median
from tb_plugin.trace.rank.step_work import IN_PAUSES, PAUSES
from tb_plugin.views.ranks.blame import when_of
from tb_plugin.views.ranks.result import Lead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.trace.rank.pause_events import PauseEvent
    from tb_plugin.views.ranks.analysed import Analysed

_BUT_FEW: Final = 0.1
_ENOUGH: Final = 5
"""Ranks: of so many or more, all but one are nearly all."""

_OF_STEP: Final = 0.1
_MOSTLY: Final = 0.5


def of_all_ranks(of: Analysed) -> Iterator[tuple[str, Lead]]:
    """Where nearly all wait for their loaders, or stand still in one gap, for a tenth of a step."""
    if not of.has_host:
        return
    parts = of.own.parts
    idle = np.maximum(parts["idle"], 0.0)
    loader = np.minimum(parts["loader"], idle)
    still = np.minimum(parts[PAUSES[0]], idle - loader - np.minimum(parts["collection"], idle - loader))
    for time, what in ((loader, "wait for their data loaders"), (still, "stand still in one gap")):
        so_long = nearly_all(time)
        is_much = so_long >= _OF_STEP * median(of.own.step)
        if not is_much.any():
            continue
        least = _MOSTLY * float(np.median(so_long[is_much]))  # as long in a long step is as much of a reason
        columns = np.flatnonzero(so_long >= least)
        usual, step = float(median(time)[columns].mean()), float(median(of.own.step)[columns].mean())
        share = f"{percent(usual / step)} of {format_ns(step)}"
        n, n_all = _n_of(time, least, columns), len(time)
        who = f"All {n_all} ranks" if n == n_all else f"{n} of {n_all} ranks"
        numbers = tuple(of.own.number[columns].tolist())
        each = " a step" if len(numbers) > 1 else ""
        does = what + (_filled_by(of, columns) if time is still else "")
        yield f"{who} {does} {when_of(of, numbers)}: {format_ns(usual)}{each} ({share}) in the median.", Lead(step=numbers[0])


def nearly_all(time: Float64Array) -> Float64Array:
    """Of each step: so long nine of ten ranks do it, or all but one, or longer; 0 where fewer than two have the step."""
    n_known = np.isfinite(time).sum(axis=0)
    n_others = np.where(n_known < _ENOUGH, 0, np.maximum((_BUT_FEW * n_known).astype(np.int64), 1))
    nth = np.maximum(n_known - n_others - 1, 0)
    longest_first = -np.sort(np.where(np.isfinite(time), -time, 0.0), axis=0)
    return np.where(n_known > 1, np.take_along_axis(longest_first, nth[None], axis=0)[0], 0.0)


def _n_of(time: Float64Array, least: float, columns: Int64Array) -> int:
    """How many ranks do it so long or longer in all of these steps that they have."""
    is_short = time[:, columns] < least
    return int((~is_short.any(axis=1)).sum())


def _filled_by(of: Analysed, columns: Int64Array) -> str:
    """The event in the longest gaps, where one is in half of them."""
    lasted: dict[PauseEvent, int] = {}
    total = 0
    for rank in of.job.of.ranks:
        for at in np.flatnonzero(np.isin(rank.steps["number"], of.own.number[columns])).tolist():
            length, place = int(rank.work[PAUSES[0]][at]), int(rank.work[IN_PAUSES[0]][at])
            total += length
            if place != NONE:
                event = rank.summary.pause_events[place]
                lasted[event] = lasted.get(event, 0) + length
    most = max(lasted, key=lasted.__getitem__, default=None)
    if most is None or lasted[most] <= _MOSTLY * total:
        return ""
    return f", {'after' if most.told == 'after' else 'in'} `{most.name}`,"
