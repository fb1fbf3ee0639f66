"""Few ranks that compute quicker than most: who is held against most others is not late then, and a step is longer all the same.

A quick rank is plain where it is quicker in nearly all steps, or in those in which all others run more kernels; both sides are
alike, and they are far apart for how much each differs among itself:

    rank 0    16.1   16.1   16.0   16.2
    rank 1    12.9   12.9   12.8   12.9     3.2 ms a step less, where the sides differ by 0.1
    rank 2    16.1   16.2   16.1   16.1
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.cut import cut_middle
from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.distinct import is_among
from tb_plugin.job.late.limits import median
from tb_plugin.job.late.peers import stages_of
from tb_plugin.job.late.stragglers import as_if_late
from tb_plugin.job.why.kernel_causes import of_kernels
from tb_plugin.views.ranks.basis.names import counted, so_many_more
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.told.blame import what_ran, when_of
from tb_plugin.views.ranks.told.replayed import like_the_others

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.why.cause import Cause
    from tb_plugin.views.ranks.basis.analysed import Analysed

_OF_STEP: Final = 0.05
_FEWEST: Final = 3
_HALF: Final = 0.5
_NEARLY_ALL: Final = 0.75
_SPREADS: Final = 4.0
_FEW: Final = 10.0
"""The spread of n that can differ freely counts 1 + this / n times, as in `job/late/limits.py`."""

_MOST_STAGES: Final = 3
_LONGEST_NAME: Final = 80


class _Quick(NamedTuple):
    """Places of ranks of a stage; `columns`: the steps in which the others take `more`, ns each."""

    quick: Int64Array
    others: Int64Array
    columns: Int64Array
    more: Float64Array


def most_compute_longer(of: Analysed) -> Iterator[tuple[str, Lead]]:
    """Of each stage, of the first three; who is blamed for its kernels is not one of most."""
    computed = of.own.parts["computation"].copy()
    for one, cause, _ in of.stragglers:
        if "kernels" in cause.longer:
            members = list(one.members)
            computed[members] = np.where(one.excess_ns > 0, np.nan, computed[members])
    stages = stages_of(of.layout)
    found = [each for stage in stages if (each := _quick(of, computed, stage)) is not None]
    for each in found[:_MOST_STAGES]:
        yield _said(of, computed, each, is_all=len(stages) == 1)


def _quick(of: Analysed, computed: Float64Array, stage: Int64Array) -> _Quick | None:
    """The fewer of a stage, parted from the others by the widest gap of their means, where that is plain."""
    its = computed[stage]
    known = np.isfinite(its).sum(axis=0) >= _FEWEST
    if not known.any():
        return None
    beside = np.where(known, its - median(its), 0.0)
    mean = np.nan_to_num(beside).mean(axis=1)
    order = np.argsort(mean)
    n_quick = 1 + int(np.argmax(np.diff(mean[order])[: (len(stage) - 1) // 2]))
    quick, others = order[:n_quick], order[n_quick:]
    more = median(its[others]) - median(its[quick])
    away = np.concatenate([its[side] - median(its[side]) for side in (quick, others)])[:, known]
    n_free = int(np.isfinite(away).sum()) - 2 * int(known.sum())
    if n_free < 1:
        return None
    spread = float(np.sqrt(np.nansum(away**2) / n_free))
    apart = np.where(known, _least(its[others]) + _least(-its[quick]), np.nan)
    is_clear = known & (apart > _HALF * more) & (more > _OF_STEP * median(of.own.step))
    is_clear &= more > _SPREADS * (1 + _FEW / n_free) * spread
    if is_clear.sum() < _NEARLY_ALL * known.sum():
        is_clear &= _run_more(of, stage[others], stage[quick])
    if is_clear.sum() < min(2, known.sum()):
        return None
    return _Quick(stage[quick], stage[others], np.flatnonzero(is_clear), more[is_clear])


def _least(work: Float64Array) -> Float64Array:
    """Over the first axis, of what is known."""
    least: Float64Array = np.where(np.isfinite(work), work, np.inf).min(axis=0)
    return least


def _run_more(of: Analysed, others: Int64Array, quick: Int64Array) -> BoolArray:
    """In which steps each of the others runs more kernels than any that is quick: a count is no chance."""
    n_ran, places = np.zeros(of.own.step.shape), np.concatenate((others, quick))
    shapes = [of.job.of.ranks[place].shapes for place in places.tolist()]
    step, count = (np.concatenate([each[name] for each in shapes]) for name in ("step", "count"))
    rank = np.repeat(places, [len(each["step"]) for each in shapes])
    is_it = is_among(step, of.own.number)
    np.add.at(n_ran, (rank[is_it], np.searchsorted(of.own.number, step[is_it])), count[is_it])
    is_told = np.isfinite(of.own.step)  # of what is not whole in a file, it ran more than is there
    least, most = np.where(is_told, n_ran, np.inf)[others].min(axis=0), np.where(is_told, n_ran, -np.inf)[quick].max(axis=0)
    more: BoolArray = np.isfinite(least) & np.isfinite(most) & (least > most)
    return more


def _said(of: Analysed, computed: Float64Array, found: _Quick, *, is_all: bool) -> tuple[str, Lead]:
    columns, numbers = found.columns, of.job.of.numbers
    excess = np.zeros(len(of.own.number))
    excess[columns] = found.more
    late = replace(as_if_late(of.own, int(found.others[0]), excess, found.quick), members=tuple(found.others.tolist()))
    more, step = float(found.more.mean()), float(median(of.own.step)[columns].mean())
    usual = float(median(computed[found.quick][:, columns]).mean())
    longer = f"{percent(more / usual)} longer" if usual > 0 else "longer"
    who = "all other ranks" if is_all else counted("rank", _of(numbers, found.others))
    than = counted("rank", _of(numbers, found.quick))
    how = _how(of_kernels(of.job, late, more), what_ran(of, numbers))
    its = tuple(of.own.number[columns].tolist())
    a_step = " a step" if len(its) > 1 else ""
    took = f"{format_ns(more)}{a_step} ({percent(more / step)} of {format_ns(step)})"
    does = np.zeros(of.own.step.shape, np.bool_)
    does[np.ix_(found.others, columns)] = True
    gain = like_the_others(of, does, "kernels")
    text = f"{who} compute {longer} than {than}{how} {when_of(of, its)}: {took}.{gain}"
    return text[0].upper() + text[1:], Lead(ranks=_of(numbers, found.quick), step=its[0])


def _of(numbers: list[int], places: Int64Array) -> list[int]:
    return sorted(numbers[place] for place in places.tolist())


def _how(cause: Cause, what: str) -> str:
    ran = "kernels" if what == "kernels" else "operators"
    if cause.id == "slow_kernels":
        return f" at the same {ran if what != 'names' else 'names of operators'}"
    first = cut_middle(cause.kernels[0], _LONGEST_NAME) if cause.kernels else ""
    if cause.id == "some_kernels":
        return f" at some {ran}, first {first},"
    return f", with {so_many_more(cause.n_more, ran)} a step, first {first}," if cause.n_more is not None else ""
