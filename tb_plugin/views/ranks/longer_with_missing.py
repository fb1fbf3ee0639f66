"""Whose missing file is to be looked at: ranks are longer in what they do with it than others are in the same without it.

    untold(row) - median transfer of rows of the same dimension, kind and size whose collectives are whole

A collective that lacks a member is waiting or moving data, not told apart; what it takes longer than its like is waiting.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.grouping import group_by
from tb_plugin.views.ranks.missing import not_here
from tb_plugin.views.ranks.names import counted, per_step

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.views.ranks.analysed import Analysed

_NOTABLE: Final = 0.05
_NEARLY_ALL: Final = 0.9
_MOST_NAMED: Final = 4


def longer_with_missing(of: Analysed, step_ns: float) -> str:
    """A sentence, after a space, where one rank is so much longer, and all of it is with the same few; else nothing."""
    rows, longer = _longer(of)
    total = float(longer.sum())
    job, n_ranks = of.job, len(of.job.of.ranks)
    on = np.bincount(job.rows.rank[rows], longer, n_ranks) / max(len(of.own.number), 1)
    on = np.minimum(on, np.nan_to_num(np.nanmean(of.own.untold, axis=1))) if len(of.own.number) else on
    most = int(on.argmax())
    if on[most] < _NOTABLE * step_ns:
        return ""
    group = job.rows.group[rows]
    with_it: Counter[int] = Counter()
    for at, ns in enumerate(np.bincount(group, longer).tolist()):
        with_it.update(dict.fromkeys(not_here(of).intersection(job.table.groups[at].ranks or ()), ns))
    told = sorted(rank for rank, ns in with_it.items() if ns >= _NEARLY_ALL * total)
    if not 0 < len(told) <= _MOST_NAMED:
        return ""
    whom, whose = counted("rank", told), "whose files are" if len(told) > 1 else "whose file is"
    waits = f"rank {job.of.numbers[most]} is in these {format_ns(float(on[most]))}{per_step(of)} longer than others in theirs"
    untold = f"Waiting that is not told apart is nearly all in collectives with {whom}, {whose} missing"
    return f" {untold}: {waits}. Look at {whom} first."


def _longer(of: Analysed) -> tuple[Int64Array, Float64Array]:
    """Rows of collectives that lack a member, in the steps that are told, and how much longer than its like each takes, ns."""
    job, rows = of.job, of.job.rows
    use = np.flatnonzero(rows.is_there & (job.matched.of != NONE) & ~rows.is_between_two & np.isin(rows.step, of.own.number))
    like = group_by(of.dimensions.of_rows(rows.group[use]), rows.kind[use], rows.size[use])
    is_whole = job.waits.is_known[use] & (job.waits.untold[use] == 0)
    order = np.lexsort((job.waits.transfer[use], like.of))
    order = order[is_whole[order]]
    count = np.bincount(like.of[order], minlength=len(like))
    middle = np.minimum(np.cumsum(count) - count + count // 2, max(len(order) - 1, 0))
    usual = np.where(count > 0, job.waits.transfer[use][order][middle], np.inf) if len(order) else np.full(len(like), np.inf)
    longer = np.where(is_whole, 0.0, np.maximum(job.waits.untold[use] - usual[like.of], 0.0))
    return use[longer > 0], longer[longer > 0]
