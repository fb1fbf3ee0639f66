"""Why a step is longer than others where nobody is late beside the others in it: what most ranks need longer for."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.cut import cut_middle
from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.job.late.limits import lower_median, median
from tb_plugin.job.late.peers import stages_of
from tb_plugin.views.ranks.basis.names import so_many_more, who_of
from tb_plugin.views.ranks.missing.missing import that_are_here
from tb_plugin.views.ranks.told.blame import on_host

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOSTLY: Final = 0.5
_WORTH_TELLING: Final = 0.25
_MOST_RANKS: Final = 16
"""Whose kernels are counted."""

_LONGEST_NAME: Final = 80
_DOES: Final = {
    "computation": "compute",
    "transfer": "move data for",
    "copy": "copy for",
    "loader": "wait for their data loaders",
    "idle": "idle",
}
"""A part of a step, and what ranks do for so much longer."""


def why_longer(of: Analysed, number: int, longer_ns: float) -> str | None:
    """`all 8 ranks compute 4.10 ms (30.0 %) longer in it than in others`, or the ranks of one stage, for which the others wait;
    None where no part has half of what the median rank's step is longer by than in the median of all other steps, or a quarter of
    `longer_ns`, by which that is longer which the sentence is about.
    """
    own, column = of.own, int(np.searchsorted(of.own.number, number))
    length = median(own.step)
    others = np.setdiff1d(np.flatnonzero(np.isfinite(length)), [column])
    if len(others) == 0 or not np.isfinite(own.step[:, column]).all():
        return None
    least = _MOSTLY * float(length[column] - np.median(length[others]))
    everybody = np.arange(len(own.step))
    for members, (part, does) in product([everybody, *stages_of(of.layout)], _DOES.items()):
        time = np.minimum(own.parts[part], own.parts["idle"]) if part == "loader" else own.parts[part]
        usual = median(time[:, others].T)
        more = np.where(np.isin(everybody, members), time[:, column] - usual, 0.0)
        if float(lower_median(more[members])) >= max(least, _WORTH_TELLING * longer_ns, 1.0):
            does_so = (more >= least)[:, None]
            who = who_of(does_so, np.ones_like(does_so), of.job.of.numbers, [number], here=that_are_here(of))
            which = _which(of, number, own.number[others]) if part == "computation" else ""
            by = float(np.median(more[more >= least]))
            share = f" ({percent(by / float(np.median(usual)))})" if part == "computation" and np.median(usual) > 0 else ""
            return f"{who} {does} {format_ns(by)}{share} longer in it than in others{which}"
    return None


def _which(of: Analysed, number: int, others: Int64Array) -> str:
    """Whether what they run is the same, and what most of it is."""
    whole = [rank for rank, step in zip(of.job.of.ranks, of.own.step, strict=True) if np.isfinite(step).all()]
    if not whole:
        return ""
    ranks = whole[:: -(-len(whole) // _MOST_RANKS)]
    tables = [rank.shapes for rank in ranks]
    rank = np.repeat(np.arange(len(tables)), [len(each["step"]) for each in tables])
    step, shape, name, count, total = (
        np.concatenate([each[column] for each in tables]) for column in ("step", "shape", "name", "count", "total")
    )
    use = (step == number) | np.isin(step, others)
    if not (step == number).any():
        return ""
    # Names are numbers of each rank's own texts, shapes hashes over all of them.
    kernels = group_by(rank[use], name[use], shape[use])
    is_it = (step == number)[use]
    n_it, n_others = (sum_by(kernels, np.where(which, count[use], 0)) for which in (is_it, ~is_it))
    ran = "operators" if on_host(of, [each.number for each in ranks]) else "kernels"
    is_same = bool((n_it * len(others) == n_others).all())
    more = _per_step(kernels.of, is_it, total[use], len(others))
    most = int(np.argmax(more))
    texts = ranks[int(rank[use][kernels.first[most]])].summary.names
    first = cut_middle(texts[int(name[use][kernels.first[most]])], _LONGEST_NAME)
    named = f", most of it {first}" if more[most] * len(ranks) >= _MOSTLY * more.clip(0).sum() else ""
    n_more = float((n_it - n_others / len(others)).sum()) / len(ranks)
    what = f", at the same {ran}" if is_same else f", with {so_many_more(n_more, ran)}" if n_more >= 1 else ""
    return what + named


def _per_step(of: Int64Array, is_it: Float64Array, total: Int64Array, n_others: int) -> Float64Array:
    """What each takes longer in the step than in the mean of others."""
    n = int(of.max()) + 1
    more: Float64Array = np.bincount(of, np.where(is_it, total, 0), n) - np.bincount(of, np.where(is_it, 0, total), n) / n_others
    return more
