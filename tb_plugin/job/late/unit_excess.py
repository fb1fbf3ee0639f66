"""What all ranks of a stage, host or replica have more than the ranks outside of it, and from where on that is late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.job.late.limits import LateLimit, limit_of, median
from tb_plugin.job.late.units import outside_of
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.own.own_time import OwnTime

_MOSTLY: Final = 0.5


def parts_of_work(*, with_idle: bool) -> tuple[str, ...]:
    return ("computation", "copy", "idle") if with_idle else ("computation", "copy")


def unit_excess(work: Float64Array, members: Int64Array) -> Float64Array:
    """By which even its quickest member exceeds the median of the ranks outside."""
    return np.asarray(least_of(work[members]) - median(work[outside_of(members, len(work))]))


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


def is_alike(of: OwnTime, members: Int64Array, excess: Float64Array, late: BoolArray, *, with_idle: bool) -> bool:
    """Whether half of the excess is of the same part on all members: two that are late for reasons of their own are no unit."""
    more = more_than_outside(of, members)
    parts = [more[name] for name in parts_of_work(with_idle=with_idle) if name != "idle"]
    parts += idle_by_reason(more) if with_idle else []
    same = np.sum([np.maximum(least_of(part), 0.0) for part in parts], axis=0)
    return float(same[late].sum()) >= _MOSTLY * float(excess[late].sum())


def more_than_outside(of: OwnTime, members: Int64Array) -> dict[str, Float64Array]:
    """Of each part, [member, step]."""
    return {name: column[members] - median(column[outside_of(members, len(column))]) for name, column in of.parts.items()}


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
