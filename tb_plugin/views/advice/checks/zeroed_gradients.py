"""torch's GradNotSetToNonePattern: gradients are filled with zeros instead of dropped.

    torch/optim/optimizer.py(..): zero_grad > ... > aten::zero_     but not of aten::zeros

Without Python stacks torch's own range `Optimizer.zero_grad#SGD.zero_grad` says the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import HOST
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.views.advice.facts import Facts


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(matches(facts))
    if len(rows) == 0:
        rows = facts.in_window(_zeroing(facts, lambda name: name.startswith("Optimizer.zero_grad#")))
    if len(rows) == 0:
        return None
    gain_ns = facts.cost_ns(rows)
    return Seen(
        title="Drop gradients instead of zeroing them: zero_grad(set_to_none=True), the default since torch 2.0",
        what=f"{counted(len(rows), 'call')} of zero_grad wrote zeros, which took {format_ns(gain_ns)}.",
        evidence=[Evidence(text="calls of zero_grad", value=len(rows), unit="count")],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="time of these calls, host and device.",
        confidence="sure",
    )


def matches(facts: Facts) -> Int64Array:
    """Rows of `zero_grad` frames, as torch's pattern finds them."""
    return _zeroing(facts, lambda name: name.endswith(": zero_grad"))


def _zeroing(facts: Facts, is_wanted: Callable[[str], bool]) -> Int64Array:
    rows = facts.named(is_wanted, Kind.PYTHON, Kind.OPERATOR, Kind.ANNOTATION)
    return np.array([row for row in rows.tolist() if _writes_zeros(facts, row)], np.int64)


def _writes_zeros(facts: Facts, row: int) -> bool:
    for below in facts.family.below(row):
        above = facts.family.up(below)
        if facts.name(below) == "aten::zero_" and above != NONE and facts.name(above) != "aten::zeros":
            return True
    return False


CHECK: Final = Check(id="zeroed_gradients", looks_for="gradients set to zero instead of None", needs=(HOST,), find=find)
