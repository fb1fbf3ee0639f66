"""Time that several sets cover at once, divided among them; what an earlier level covers is none of a later one's.

level 0    0: |------|       1:    |------|        time of 0     3 + 3/2, of 1     3/2 + 3: together what either covers
              0      6             3      9
level 1    0:           |----------|                           and 2 more of 0: from 9 to 11
              0         7          11
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.intervals import Merged, length_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array

_NOBODY = -1


def shares_by_level(levels: Sequence[tuple[int, Sequence[Merged]]], t0_ns: Int64Array, t1_ns: Int64Array, n: int) -> Int64Array:
    """[window, set, result], ns, of windows [t0_ns, t1_ns). What stands before the sets of a level says which result its time
    goes to, 0 to n - 1. An instant is divided equally among the sets of its level that cover it, and what of a
    window does not divide goes to the first of them: so they sum to what any covers, exactly. One sort of all edges serves all.
    """
    edges = [
        (level, sign << i, edge)
        for level, (_, sets) in enumerate(levels)
        for i, one in enumerate(sets)
        for sign, edge in ((1, one.start), (-1, one.end))
        if len(edge)
    ]
    n_sets = max(len(sets) for _, sets in levels)
    found = np.zeros((len(t0_ns), n_sets, n), np.int64)
    if not edges:
        return found
    lengths = [len(edge) for *_, edge in edges]
    times = np.concatenate([edge for *_, edge in edges])
    order = np.argsort(times, kind="stable")  # of sorted runs: a merge
    times = times[order]
    level = np.repeat(np.array([place for place, *_ in edges], np.int8), lengths)[order]
    bits = np.repeat(np.array([bit for _, bit, _ in edges], np.int64), lengths)[order]
    mask, result = np.zeros(len(times), np.int64), np.full(len(times), _NOBODY, np.int8)
    for place in range(len(levels))[::-1]:
        own = np.flatnonzero(level == place)
        if len(own):
            active = np.repeat(np.cumsum(bits[own]), np.diff(own, append=len(times)))
            is_active = active != 0
            np.copyto(mask[own[0] :], active, where=is_active)
            np.copyto(result[own[0] :], levels[place][0], where=is_active)
    use = np.flatnonzero((result[:-1] != _NOBODY) & (times[1:] > times[:-1]))
    start, end, mask, result = times[use], times[use + 1], mask[use], result[use]
    for into in range(n):
        mine = np.flatnonzero(result == into)
        known, category = numbered(mask[mine])
        for place, sets_there in enumerate(known.tolist()):
            its = mine[category == place]
            members = [i for i in range(n_sets) if sets_there >> i & 1]
            each, rest = np.divmod(length_within(Merged(start[its], end[its]), t0_ns, t1_ns), len(members))
            found[:, members, into] += each[:, None]
            found[:, members[0], into] += rest
    return found
