"""torch's ExtraCUDACopyPattern: a tensor is filled on the host and moved to the device at once.

build-in method zeros          | build-in method to
    aten::zeros > aten::zero_  |     aten::to > aten::_to_copy > aten::copy_     of one type
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.inputs import input_types
from tb_plugin.views.advice.needs import DEVICE, FRAMES, HOST, SHAPES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_FILLS: Final = ("aten::fill_", "aten::zero_", "aten::normal_", "aten::uniform_")


def find(facts: Facts) -> Seen | None:
    # torch's matcher also takes copies from host to host: only those with a copy on the device are worth a word.
    rows = np.array([row for row in facts.in_window(matches(facts)).tolist() if _copies_to_device(facts, row)], np.int64)
    if len(rows) == 0:
        return None
    gain_ns = facts.cost_ns(rows)
    return Seen(
        title="Create the tensor on the device: torch.zeros(..., device=...) instead of torch.zeros(...).to(device)",
        what=f"{counted(len(rows), 'copy', 'copies')} of tensors that the host had just filled took {format_ns(gain_ns)}.",
        evidence=[Evidence(text="copies", value=len(rows), unit="count")],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="time of these aten::to, on the host and of the copies.",
        confidence="likely",
    )


def matches(facts: Facts) -> Int64Array:
    """Rows of `aten::to`, as torch's pattern finds them."""
    to = facts.named(lambda name: name == "aten::to", Kind.OPERATOR)
    return np.array([row for row in to.tolist() if _is_match(facts, row)], np.int64)


def _is_match(facts: Facts, to: int) -> bool:
    family = facts.family
    row = to
    for wanted in ("aten::_to_copy", "aten::copy_"):
        row = family.last_child(row)
        if row == NONE or facts.name(row) != wanted:
            return False
    types = input_types(facts.trace, row)
    if len(types) < 2 or not types[0] or types[0] != types[1]:
        return False
    above = family.up(to)
    row = NONE if above == NONE else family.before(above)
    if row == NONE:
        return False
    while (child := family.last_child(row)) != NONE:
        row = child
        if facts.name(row) in _FILLS:
            return True
    return facts.name(row) in _FILLS


def _copies_to_device(facts: Facts, row: int) -> bool:
    return any(
        "HtoD" in facts.name(work) or "HostToDevice" in facts.name(work) for work in facts.work_of(np.array([row])).tolist()
    )


CHECK: Final = Check(
    id="extra_copy", looks_for="tensors filled on the host and then copied", needs=(HOST, DEVICE, FRAMES, SHAPES), find=find
)
