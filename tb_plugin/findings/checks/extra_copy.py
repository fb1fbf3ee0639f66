"""Tensors that the host fills and then copies to the device: torch's ExtraCUDACopyPattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import format_ns
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.patterns.extra_copy import ExtraCopy
from tb_plugin.trace.scope.recorded import DEVICE, FRAMES, HOST, TYPES
from tb_plugin.trace.work.copy_names import copy_ends

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    # torch's matcher also takes copies from host to host: only those with a copy on the device are worth a word.
    rows = np.array(
        [row for row in facts.in_window(ExtraCopy().rows(facts.tree)).tolist() if _copies_to_device(facts, row)], np.int64
    )
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
        less=Less(work=facts.work_of(rows), host=rows),
        confidence="likely",
    )


def _copies_to_device(facts: Facts, row: int) -> bool:
    return any(copy_ends(facts.name(work)) == ("host", "device") for work in facts.work_of(np.array([row])).tolist())


CHECK: Final = Check(
    id="extra_copy",
    looks_for="tensors filled on the host and then copied",
    needs=(HOST, DEVICE, FRAMES, TYPES),
    find=find,
    code='tensor = torch.zeros(size, device="cuda")  # not torch.zeros(size).to("cuda")',
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
