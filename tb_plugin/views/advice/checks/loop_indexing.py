"""torch's ForLoopIndexingPattern: a tensor is filled or read one index at a time.

aten::select | aten::fill_ | aten::select | aten::fill_ | ...     the same operators ten times and more
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import union
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import HOST
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_REPEATS: Final = 10
_LEAST_SHARE: Final = 0.001
_SELECT: Final = "aten::select"


def find(facts: Facts) -> Seen | None:
    events = facts.trace.events
    loops = matches(facts)
    first = np.array([row for row, _ in loops], np.int64)
    last = np.array([row for _, row in loops], np.int64)
    gain_ns = facts.window_part(union(events.start_ns[first], events.end_ns[last]))
    if facts.share(gain_ns) < _LEAST_SHARE:
        return None
    return Seen(
        title="Replace indexing in a loop by one operation on the whole tensor",
        what=f"{counted(len(loops), 'loop')} over the elements of a tensor took {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) on the host.",
        evidence=[Evidence(text="loops", value=len(loops), unit="count")],
        rows=facts.in_window(first),
        gain_ns=gain_ns,
        gain_how="host time from the first to the last operator of each loop.",
        confidence="likely",
    )


def matches(facts: Facts) -> list[tuple[int, int]]:
    """(first, last) row of each loop; the first ones are what torch's pattern finds."""
    selects = facts.named(lambda name: name == _SELECT, Kind.OPERATOR)
    names = facts.trace.events.name_id
    found: list[tuple[int, int]] = []
    done: set[int] = set()
    for row in selects.tolist():
        if row not in done:
            siblings = facts.family.siblings(row).tolist()
            done.update(siblings)
            found += _loops(siblings, names[siblings].tolist(), int(names[row]))
    return found


def _loops(rows: list[int], names: list[int], select: int) -> list[tuple[int, int]]:
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


CHECK: Final = Check(id="loop_indexing", looks_for="tensors indexed in a loop", needs=(HOST,), find=find)
