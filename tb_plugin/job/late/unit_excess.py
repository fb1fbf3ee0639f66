"""What all ranks of a stage, host or replica have more than the ranks outside of it, and from where on that is late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.job.late.limits import LateLimit, limit_of, median
from tb_plugin.job.late.stage_level import StageLevels, Stages
from tb_plugin.job.late.units import outside_of
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.own.own_time import OwnTime

_MOSTLY: Final = 0.5


def parts_of_work(*, with_idle: bool) -> tuple[str, ...]:
    return ("computation", "copy", "idle") if with_idle else ("computation", "copy")


def more_than_usual(work: Float64Array, members: Int64Array, level: Float64Array) -> Float64Array:
    """[member, step]: over the median of the ranks outside, at the `level` of its stage (`stage_level.py`)."""
    outside = outside_of(members, len(work))
    return more_than(work[members], work[outside], level[members], level[outside])


def more_than(its: Float64Array, others: Float64Array, level: Float64Array, of_others: Float64Array) -> Float64Array:
    """[one of them, step]: over the median of the others, each at its level."""
    more: Float64Array = its - level[:, None] * median(others / of_others[:, None])
    return more


def unit_excess(work: Float64Array, members: Int64Array, level: Float64Array | None = None) -> Float64Array:
    """By which even its quickest member exceeds what is usual."""
    return least_of(more_than_usual(work, members, np.ones(len(work)) if level is None else level))


class MostExcess:
    """`unit_excess` without a median for each unit: no less than it, since among the ranks outside of a unit the nth is no less
    than the nth of all.
    """

    def __init__(self, work: Float64Array) -> None:
        self._work = work
        self._in_order = np.sort(work, axis=0)  # what is not known stands last
        self._n_known = np.isfinite(work).sum(axis=0)

    def of(self, members: Int64Array) -> Float64Array:
        lower_middle = np.maximum(self._n_known - len(members) - 1, 0) // 2
        return np.asarray(least_of(self._work[members]) - np.take_along_axis(self._in_order, lower_middle[None], axis=0)[0])


class AtLevel(NamedTuple):
    """`level`: of each rank; `work` by it."""

    level: Float64Array
    work: Float64Array
    most: MostExcess


class WorkAtLevels:
    """What is left of all ranks, as a unit is held against others. Units that have a level in common have all of it."""

    def __init__(self, left: Float64Array, stage: Int64Array) -> None:
        self._left, self._levels = left, StageLevels(left, Stages(stage))
        self._kept = list[AtLevel]()

    def of(self, members: Int64Array) -> AtLevel:
        level = self._levels.of(members)
        found = next((one for one in self._kept if one.level is level), None)
        if found is None:
            work = self._left / level[:, None]
            found = AtLevel(level, work, MostExcess(work))
            self._kept.append(found)
        return found


def limit_of_unit(work: Float64Array, inside: Int64Array, stage: Int64Array, length: Float64Array, *, on_cpus: bool) -> LateLimit:
    """The spread is that of each side about its own median: what is looked for is not part of it. `stage`: of each rank;
    where one as a whole is asked about, each other stage is a side: of two that have more layers neither is chance.
    """
    outside = outside_of(inside, len(work))
    is_stage = len(distinct(stage[inside])) == 1 and not np.isin(stage[outside], stage[inside]).any()
    sides = [inside, *(outside[stage[outside] == each] for each in distinct(stage[outside]).tolist())]
    sides = sides if is_stage else [inside, outside]
    away = np.concatenate([work[side] - median(work[side]) for side in sides])
    return limit_of(work, away, length, len(sides), with_itself=True, on_cpus=on_cpus)


def is_alike(
    of: OwnTime, members: Int64Array, level: Float64Array, excess: Float64Array, late: BoolArray, *, with_idle: bool
) -> bool:
    """Whether half of the excess is of the same part on all members: two that are late for reasons of their own are no unit."""
    more = more_than_outside(of, members, level)
    parts = [more[name] for name in parts_of_work(with_idle=with_idle) if name != "idle"]
    parts += idle_by_reason(more) if with_idle else []
    same = np.sum([np.maximum(least_of(part), 0.0) for part in parts], axis=0)
    return float(same[late].sum()) >= _MOSTLY * float(excess[late].sum())


def more_than_outside(of: OwnTime, members: Int64Array, level: Float64Array) -> dict[str, Float64Array]:
    """Of each part, [member, step]."""
    return {name: more_than_usual(column, members, level_of_part(name, level)) for name, column in of.parts.items()}


def level_of_part(name: str, level: Float64Array) -> Float64Array:
    """What a device idles for is no more where a stage has more to do."""
    return level if name in parts_of_work(with_idle=False) else np.ones(len(level))


def idle_by_reason(more: dict[str, Float64Array]) -> list[Float64Array]:
    """What each idles more, for its loader, for the collector, in few gaps that neither is in, and else; as `causes.py` asks."""
    left, pauses, parts = np.maximum(more["idle"], 0.0), np.sum([more[name] for name in PAUSES], axis=0), []
    for name in ("loader", "collection"):
        part = np.clip(more[name], 0.0, left)
        left, pauses = left - part, pauses - part
        parts.append(part)
    in_gaps = np.clip(pauses, 0.0, left)
    return [*parts, in_gaps, left - in_gaps]


def least_of(work: Float64Array) -> Float64Array:
    return np.where(np.isfinite(work).all(axis=0), work.min(axis=0), np.nan)
