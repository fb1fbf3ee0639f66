"""Does DistributedDataParallel copy gradients into its buckets and out again, and buffers before each forward?

backward   reducer::copy_bucket_to > aten::copy_     a gradient into its bucket: none where gradients are views of it
forward    DistributedDataParallel.forward > aten::copy_     a buffer (a mean of batch norm) that rank 0 sent
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.intervals import intersect, join
from tb_plugin.compute.nesting import marked_around
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.scopes import FRAME_PREFIX
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_TO_GRADIENT: Final = "torch.distributed.ddp.reducer::copy_bucket_to_grad"
_FORWARD: Final = "DistributedDataParallel.forward"
_COPY: Final = "aten::copy_"


def find(facts: Facts) -> Seen | None:
    gradients = facts.in_window(facts.named(_TO_GRADIENT.__eq__, Kind.OPERATOR, Kind.ANNOTATION))
    buffers = _copies_of_forward(facts)
    rows = np.concatenate((gradients, buffers))
    copies, calls = facts.union_of(facts.work_of(rows)), facts.union_of(rows)
    # Where the device is busy the host's time costs nothing.
    felt = join(copies, intersect(calls, facts.idle))
    gain_ns = facts.window_part(felt)
    if len(gradients) == 0 or facts.share(gain_ns) < worth.ONE_LINE:
        return None
    also = f", and {counted(len(buffers), 'copy', 'copies')} of buffers before forward" if len(buffers) else ""
    return Seen(
        title="Let gradients live in DistributedDataParallel's buckets: gradient_as_bucket_view=True"
        + (", and send no buffers: broadcast_buffers=False" if len(buffers) else ""),
        what=f"{counted(len(gradients), 'copy', 'copies')} of gradients out of buckets{also} took the host "
        f"{format_ns(facts.window_part(calls))} and the device {format_ns(facts.window_part(copies))}: {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) that count.",
        evidence=[
            Evidence(text="copies of gradients out of buckets", value=len(gradients), unit="count"),
            Evidence(text="copies of buffers in forward", value=len(buffers), unit="count"),
            Evidence(text="host time of both", value=facts.window_part(calls), unit="ns"),
            Evidence(text="device time of both", value=facts.window_part(copies), unit="ns"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        time=felt,
        gain_how="time of the copies on the device, and of the calls on the host while the device was idle.",
        less=Less(work=facts.work_of(rows), host=rows),
        confidence="likely",
    )


def _copies_of_forward(facts: Facts) -> Int64Array:
    """Those that DistributedDataParallel itself makes: of no operator and no module inside it; other frames may be."""
    events = facts.trace.events
    rows = facts.in_window(facts.named(_COPY.__eq__, Kind.OPERATOR))
    tells = events.kind != Kind.PYTHON
    tells[facts.named(lambda name: name.startswith(FRAME_PREFIX), Kind.PYTHON)] = True
    parent = marked_around(events.nest_parent, tells, events.nest_parent[rows])
    rows, parent = rows[parent != NONE], parent[parent != NONE]
    found: Int64Array = rows[rows_named(facts.trace, parent, _FORWARD.__eq__)]
    return found


CHECK: Final = Check(
    id="buckets",
    looks_for="gradients and buffers that DistributedDataParallel copies",
    needs=(HOST, DEVICE, LAUNCHES),
    find=find,
    code="model = DistributedDataParallel(model, gradient_as_bucket_view=True, broadcast_buffers=False, static_graph=True)",
    unless="gradients are detached in place, or buffers have to be those of rank 0 in each step.",
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
)
