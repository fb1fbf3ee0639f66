"""Tensors that are filled or read one index at a time: torch's ForLoopIndexingPattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import union
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.patterns.loop_indexing import loops
from tb_plugin.trace.scope.recorded import HOST

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    events = facts.trace.events
    found = loops(facts.tree)
    first = np.array([row for row, _ in found], np.int64)
    last = np.array([row for _, row in found], np.int64)
    gain_ns = facts.window_part(union(events.start_ns[first], events.end_ns[last]))
    if facts.share(gain_ns) < worth.NEVER_RIGHT:
        return None
    return Seen(
        title="Replace indexing in a loop by one operation on the whole tensor",
        what=f"{counted(len(found), 'loop')} over the elements of a tensor took {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) on the host.",
        evidence=[Evidence(text="loops", value=len(found), unit="count")],
        rows=facts.in_window(first),
        gain_ns=gain_ns,
        gain_how="host time from the first to the last operator of each loop.",
        confidence="likely",
    )


CHECK: Final = Check(
    id="loop_indexing",
    looks_for="tensors indexed in a loop",
    needs=(HOST,),
    find=find,
    code="result = values[indices]  # one operator instead of a loop",
    unless="each element decides about the next one.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
