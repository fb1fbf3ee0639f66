"""Ranks that may be late together: a stage, a host or a replica, and who is outside of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.late.stage_level import Stages

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.own.layout import JobLayout

Level = Literal["rank", "stage", "host", "replica"]


class Unit(NamedTuple):
    """`number`: of the stage, host or replica, of a rank its place; `members`: places of ranks."""

    level: Level
    number: int
    members: Int64Array


def units_of(place: JobLayout, work: Float64Array) -> list[Unit]:
    """Of two ranks or more whose `work`, [rank, step], is known in a step, and not of all; the largest first, so that a replica
    of two hosts is not named as two hosts, but before all those that are of every stage alike: these are told however much
    stages differ, and a stage only where its ranks are alike.
    """
    is_known = np.isfinite(work).any(axis=1)
    columns: tuple[tuple[Level, Int64Array], ...] = (("stage", place.stage), ("host", place.node), ("replica", place.replica))
    units, seen, stages = [], set(), Stages(place.stage)
    for level, column in columns:
        for number in np.unique(column[column != NONE]).tolist():
            members = np.flatnonzero((column == number) & is_known)
            if 2 <= len(members) < is_known.sum() and tuple(members) not in seen:
                seen.add(tuple(members))
                units.append(Unit(level, number, members))
    return sorted(units, key=lambda unit: (not stages.are_across(unit.members), -len(unit.members)))


def outside_of(members: Int64Array, n_ranks: int) -> Int64Array:
    """Places of all other ranks."""
    return np.delete(np.arange(n_ranks), members)


def apart_in(stage: Int64Array, members: Int64Array) -> Int64Array:
    """Each of them a stage of its own."""
    apart: Int64Array = stage.copy()
    apart[members] = stage.max() + 1 + np.arange(len(members))
    return apart
