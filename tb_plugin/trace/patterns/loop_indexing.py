"""ForLoopIndexingPattern: a tensor is filled or read one index at a time.

aten::select | aten::fill_ | aten::select | aten::fill_ | ...     the same operators ten times and more
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.pattern import Pattern

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.patterns.call_tree import CallTree

_LEAST_REPEATS: Final = 10


class LoopIndexing(Pattern):
    """Rows of the first `aten::select` of each loop."""

    torch_name = "ForLoopIndexingPattern"
    name = "For Loop Indexing Pattern"
    description = "For loop indexing detected. Vectorization recommended."

    def rows(self, tree: CallTree) -> Int64Array:
        return np.array(sorted(first for first, _ in loops(tree)), np.int64)


def loops(tree: CallTree) -> list[tuple[int, int]]:
    """(first, last) row of each loop."""
    selects = tree.named("aten::select".__eq__, Kind.OPERATOR)
    names = tree.trace.events.name_id
    found: list[tuple[int, int]] = []
    done: set[int] = set()
    for row in selects[tree.n_siblings_among(selects) >= _LEAST_REPEATS].tolist():
        if row not in done:
            siblings = tree.siblings(row).tolist()
            done.update(siblings)
            found += _loops_among(siblings, names[siblings].tolist(), int(names[row]))
    return found


def _loops_among(rows: list[int], names: list[int], select: int) -> list[tuple[int, int]]:
    selects = [place for place, name in enumerate(names) if name == select]
    found: list[tuple[int, int]] = []
    visited: set[int] = set()
    for place, following in pairwise(selects):
        if place in visited or len(rows) - place <= 2:
            continue
        body = names[place:following]
        n_repeats, at = 1, following
        while names[at : at + len(body)] == body:
            n_repeats += 1
            visited.add(at)
            at += len(body)
        if n_repeats >= _LEAST_REPEATS:
            found.append((rows[place], rows[at - 1]))
    return found
