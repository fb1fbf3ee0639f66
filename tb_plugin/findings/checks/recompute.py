"""Does backward run parts of forward again (activation checkpointing)? It trades time for memory, which may be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.forward_backward import in_backward
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES
from tb_plugin.trace.work.taxonomy import MULTIPLIES, category_by_row

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    events = facts.trace.events
    # Operators of backward have no number of autograd's: what has one is recorded for a backward of its own.
    is_forward = (events.kind == Kind.OPERATOR) & (events.sequence >= 0) & (events.forward_thread <= 0)
    rows, work = facts.launching(np.flatnonzero(is_forward & in_backward(facts.trace)))
    if len(rows) == 0:
        return None
    gain_ns = facts.window_part(facts.union_of(work))
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    is_framed = len(facts.named(lambda name: "utils/checkpoint.py" in name or "CheckpointFunction" in name, *_FRAMES)) > 0
    n_products = int(np.isin(category_by_row(facts.trace)[rows], MULTIPLIES).sum())
    return Seen(
        title="Checkpoint fewer layers if memory allows: backward computes parts of forward again",
        what=f"Inside backward {counted(len(rows), 'forward operator')} ran again, with {counted(len(work), 'kernel')} "
        f"in {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}).",
        evidence=[
            Evidence(text="forward operators inside backward that launched work", value=len(rows), unit="count"),
            Evidence(text="of them products, convolutions and attention", value=n_products, unit="count"),
            Evidence(text="device time", value=gain_ns, unit="ns"),
        ],
        rows=rows,
        time=facts.union_of(work),
        gain_ns=gain_ns,
        gain_how="device time of what ran again. How much of it free memory allows is not told: layers with small activations "
        "and long times gain most.",
        less=Less(work=work, host=rows),
        estimate_how="nothing runs again, if memory allows it.",
        confidence="sure" if is_framed else "likely",
    )


_FRAMES: Final = (Kind.PYTHON, Kind.OPERATOR, Kind.ANNOTATION)

CHECK: Final = Check(
    id="recompute",
    looks_for="forward that runs again inside backward",
    needs=(HOST, DEVICE, LAUNCHES),
    find=find,
    code="""\
for place, block in enumerate(blocks):
    again = place % 2 == 0  # every second one, or those that take little memory
    hidden = checkpoint(block, hidden, use_reentrant=False) if again else block(hidden)""",
    unless="Memory is at its limit without it, or gradients of gradients are asked for (create_graph=True).",
    link="https://docs.pytorch.org/docs/stable/checkpoint.html",
)
