"""The longest times in which nothing ran, of who is late and of its peers, once some of its own are told of.

    own       15.5   0.8   0.0 ms        15.5 told of:   0.8   0.0
    peers'     0.8   0.0   0.0                           0.8   0.0       left: nothing, so the 15.5 are all of what it has more

What is left is held against the peers' from their longest on: a gap that all have, one place further down, is nobody's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.job.late.limits import median
from tb_plugin.job.own.own_time import told_of
from tb_plugin.trace.kinds import DATA_LOADER_NAME
from tb_plugin.trace.rank.step_work import IN_PAUSES, PAUSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.trace.rank.pause_events import PauseEvent


class LongestGaps(NamedTuple):
    """[as many as PAUSES, the longest first], or [.., step]. `own`: of all members at least."""

    own: Float64Array
    usual: Float64Array

    def without(self, n: int) -> LongestGaps:
        """Of the n longest of its own."""
        return LongestGaps(self.own[n:], self.usual[: len(self.own[n:])])

    def in_the_mean(self, steps: BoolArray) -> LongestGaps:
        """Over these steps."""
        return LongestGaps(*(np.nan_to_num(np.nanmean(each[:, steps], axis=1)) for each in self))

    @property
    def more(self) -> Float64Array:
        """What each is longer than the peers' of the same place."""
        more: Float64Array = self.own - self.usual
        return more

    def explained(self, n: int) -> Float64Array:
        """By the n longest of its own: what all are longer, less what is left without these."""
        explained: Float64Array = self.more.sum(axis=0) - np.maximum(self.without(n).more, 0.0).sum(axis=0)
        return explained


def longest_gaps(
    parts: dict[str, Float64Array], usual: dict[str, Float64Array], members: Int64Array, peers: Int64Array
) -> LongestGaps:
    """Of each step. `usual`: parts by which peers are told."""
    own = np.array([parts[name][members].min(axis=0) for name in PAUSES])
    return LongestGaps(own, np.array([median(usual[name][peers]) for name in PAUSES]))


def off_the_longest(gaps: Float64Array, ns: Float64Array) -> Float64Array:
    """[as many as PAUSES, ..], the longest first: what is left of them, where `ns` goes off the longest, and what that is too
    short for off the next.
    """
    longer = np.cumsum(gaps, axis=0) - gaps
    left: Float64Array = gaps - np.clip(ns - longer, 0.0, gaps)
    return left


def gaps_but(job: Job, of: OwnTime, is_apart: Callable[[PauseEvent], bool]) -> Float64Array:
    """[of PAUSES, rank, step]: lengths, 0 where an event is in the gap that has figures of its own."""
    gaps = np.array([of.parts[name] for name in PAUSES])
    for place, rank in enumerate(job.of.ranks):
        apart = np.array([*map(is_apart, rank.summary.pause_events), False])  # the last is that of NONE
        if not apart.any():
            continue
        kept = np.flatnonzero(told_of(rank.steps["complete"]))
        column = np.searchsorted(of.number, rank.steps["number"][kept])
        for nth, name in enumerate(IN_PAUSES):
            gaps[nth, place, column[apart[rank.work[name][kept]]]] = 0.0
    return gaps


def is_loader(event: PauseEvent) -> bool:
    return DATA_LOADER_NAME.match(event.name) is not None
