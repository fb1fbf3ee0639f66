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
_BITS = 62
"""Sets in one number: each has a bit of its own."""


def shares_by_level(levels: Sequence[tuple[int, Sequence[Merged]]], t0_ns: Int64Array, t1_ns: Int64Array, n: int) -> Int64Array:
    """[window, set, result], ns, of windows [t0_ns, t1_ns). What stands before the sets of a level says which result its time
    goes to, 0 to n - 1. An instant is divided equally among the sets of its level that cover it, and what of a
    window does not divide goes to the first of them: so they sum to what any covers, exactly. One sort of all edges serves all.
    """
    edges = [
        (level, i // _BITS, sign << i % _BITS, edge)
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
    word = np.repeat(np.array([nth for _, nth, *_ in edges], np.int16), lengths)[order]
    bits = np.repeat(np.array([bit for _, _, bit, _ in edges], np.int64), lengths)[order]
    masks = [np.zeros(len(times), np.int64) for _ in range(-(-n_sets // _BITS))]
    result = np.full(len(times), _NOBODY, np.int8)
    for place in range(len(levels))[::-1]:
        own = np.flatnonzero(level == place)
        if len(own):
            its = [bits[own]] if len(masks) == 1 else [np.where(word[own] == nth, bits[own], 0) for nth in range(len(masks))]
            active = [np.repeat(np.cumsum(each), np.diff(own, append=len(times))) for each in its]
            is_active = np.any([each != 0 for each in active], axis=0)
            for mask, each in zip(masks, active, strict=True):
                np.copyto(mask[own[0] :], each, where=is_active)
            np.copyto(result[own[0] :], levels[place][0], where=is_active)
    use = np.flatnonzero((result[:-1] != _NOBODY) & (times[1:] > times[:-1]))
    start, end, result = times[use], times[use + 1], result[use]
    together, in_words = _numbered_together([mask[use] for mask in masks])
    for into in range(n):
        mine = np.flatnonzero(result == into)
        known, category = numbered(together[mine])
        in_order = mine[np.argsort(category, kind="stable")]
        ends = np.cumsum(np.bincount(category, minlength=len(known))).tolist()
        for words, first, last in zip(in_words[known].tolist(), [0, *ends], ends, strict=False):
            pieces = in_order[first:last]
            members = [i for i in range(n_sets) if words[i // _BITS] >> i % _BITS & 1]
            each, rest = np.divmod(length_within(Merged(start[pieces], end[pieces]), t0_ns, t1_ns), len(members))
            found[:, members, into] += each[:, None]
            found[:, members[0], into] += rest
    return found


def _numbered_together(masks: Sequence[Int64Array]) -> tuple[Int64Array, Int64Array]:
    """(of each place the number of its combination, what each combination is: a column for each of `masks`)."""
    once, together = numbered(masks[0])
    in_words = once[:, None]
    for mask in masks[1:]:
        of_word, number = numbered(mask)
        pairs, together = numbered(together * len(of_word) + number)
        in_words = np.column_stack((in_words[pairs // max(len(of_word), 1)], of_word[pairs % max(len(of_word), 1)]))
    return together, in_words
