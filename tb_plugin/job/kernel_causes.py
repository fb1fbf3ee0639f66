"""Why does a straggler compute longer? The same kernels against its peers'; the rules stand in `causes.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.grouping import group_by
from tb_plugin.job.cause import Cause

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.stragglers import Straggler

_MOST_OF: Final = 0.6
_HALF: Final = 0.5
_SLOWER: Final = 1.03
_ALIKE: Final = 0.8
"""Share of the time in shapes that are slower by about the same factor, for it to be one factor."""


def of_kernels(job: Job, straggler: Straggler, amount: float) -> Cause:
    """Median of each shape against the median over its peers that ran it. Without a device these are operators."""
    columns: dict[str, list[Int64Array]] = {name: [] for name in ("rank", "shape", "count", "median", "name")}
    for place, each in enumerate(job.of.ranks):
        late = np.isin(each.shapes["step"], straggler.late_steps)
        columns["rank"].append(np.full(int(late.sum()), place))
        for column in ("shape", "count", "median", "name"):
            columns[column].append(each.shapes[column][late])
    rank, shape, count, median, name = (np.concatenate(parts) for parts in columns.values())
    groups = group_by(shape)
    is_own, is_peers = np.isin(rank, straggler.members), np.isin(rank, straggler.peers)
    if not is_own.any() or not is_peers.any():
        return Cause(id="kernels", confidence="maybe", amount_ns=amount)
    n_steps = len(straggler.late_steps)
    factors, weights, names, more = [], [], [], 0.0
    for group in range(len(groups)):
        mine, theirs = is_own & (groups.of == group), is_peers & (groups.of == group)
        if not mine.any():
            continue
        is_shared = bool(theirs.any())
        usual = float(np.median(median[theirs if is_shared else mine]))
        n_usual = float(count[theirs].sum()) / len(np.unique(rank[theirs])) if is_shared else 0.0
        more += (float(count[mine].sum()) / len(straggler.members) - n_usual) * usual / n_steps
        if is_shared:
            factors.append(float(np.median(median[mine])) / max(usual, 1.0))
            weights.append(float((median[mine] * count[mine]).sum()) / len(straggler.members) / n_steps)
            at = int(np.flatnonzero(mine)[0])
            names.append(job.of.ranks[int(rank[at])].summary.names[int(name[at])])
    if not factors:
        return Cause(id="more_work", confidence="maybe", amount_ns=amount)
    return _told(np.array(factors), np.array(weights), names, amount, more)


def _told(factor: Float64Array, weight: Float64Array, names: list[str], amount: float, more: float) -> Cause:
    """`weight`: of each shape, ns in a step of a member. `more`: ns in a step of kernels that others have fewer of. Where a
    straggler is hardly late, a factor counts from half of what would explain it; where more work explains most of it, no factor
    that explains less does.
    """
    total = float(weight.sum())
    slower, longer = factor > _SLOWER, weight * (1 - 1 / np.maximum(factor, 1e-9))
    if more >= max(_MOST_OF * amount, float(longer[slower].sum())):
        return Cause(id="more_work", confidence="likely", amount_ns=amount)
    if float(weight[slower].sum()) < (1 - _MOST_OF) / 4 * total:
        if more >= _HALF * amount:
            return Cause(id="more_work", confidence="likely", amount_ns=amount)
        slower = factor > min(_SLOWER, 1 + _HALF * amount / max(total, 1.0))
    if float(longer[slower].sum()) < _HALF * _HALF * amount:
        return Cause(id="kernels", confidence="maybe", amount_ns=amount)
    common = float(np.average(factor[slower], weights=weight[slower]))
    like = np.abs(factor - common) <= max(0.25 * (common - 1), 0.02)
    worst = tuple(names[place] for place in np.argsort(-longer)[:3].tolist() if slower[place])
    if float(weight[like].sum()) >= _ALIKE * float(weight.sum()):
        return Cause(id="slow_kernels", confidence="likely", amount_ns=amount, factor=common, kernels=worst)
    return Cause(id="some_kernels", confidence="sure", amount_ns=amount, factor=common, kernels=worst)
