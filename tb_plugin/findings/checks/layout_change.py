"""Do convolutions change the layout of what they read and write, from channels first to channels last and back?

void cudnn::ops::nchwToNhwcKernel<float, float, ...>      SubTensorOpWithScalar1d (MIOpen fills and casts what it changes)
batched_transpose_16x64_pack_1x4_ediv_1x2_half            transpose_CNHW2NCHW_V2_2D_WG_off64
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.nesting import marked_around
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.findings.facts import Facts

_CHANGES: Final = re.compile(r"(?i:nchw(?:To|2)nhwc|nhwc(?:To|2)nchw)|batched_transpose_|SubTensorOp|CNHW2|2CNHW")

_LEAST: Final = 0.02
"""Of the device's busy time. A first convolution of three channels always changes some."""


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.busiest)
    rows = rows[rows_named(facts.trace, rows, _CHANGES.search)]
    busy_ns = facts.window_part(facts.busy)
    if not _is_enough(facts.window_part(facts.union_of(rows)), busy_ns):
        return None
    in_convolution, in_other = _launched_by(facts, rows)
    rows = rows[~in_other]
    time_ns = facts.window_part(facts.union_of(rows))
    if not _is_enough(time_ns, busy_ns):
        return None
    is_told = bool(in_convolution.any())
    return Seen(
        title="Keep images channels_last: model.to(memory_format=torch.channels_last), and the batches too",
        what=f"{counted(len(rows), 'kernel')} only changed the layout of what convolutions read and write, for "
        f"{format_ns(time_ns)} ({percent(time_ns / busy_ns)} of the time in which the device is busy).",
        evidence=[
            Evidence(text="kernels that change layouts", value=len(rows), unit="count"),
            Evidence(text="their time", value=time_ns, unit="ns"),
            Evidence(text="of the busy time", value=time_ns / busy_ns, unit="share"),
        ],
        rows=rows,
        gain_ns=time_ns,
        gain_how="time of these kernels. Operators without a channels_last kernel change back and forth as before.",
        less=Less(work=rows),
        confidence="likely" if is_told else "maybe",
    )


def _is_enough(time_ns: int, busy_ns: int) -> bool:
    return time_ns > 0 and time_ns >= _LEAST * busy_ns


def _launched_by(facts: Facts, kernels: Int64Array) -> tuple[BoolArray, BoolArray]:
    """(launched in a convolution, launched in operators none of which is one), for each; neither where no operator is known."""
    events = facts.trace.events
    is_operator = events.kind == Kind.OPERATOR
    is_convolution = is_operator & (category_by_row(facts.trace) == Category.CONVOLUTION)
    owner = events.owner[kernels]
    inside, within = (marked_around(events.nest_parent, marked, owner) != NONE for marked in (is_convolution, is_operator))
    return inside, within & ~inside


CHECK: Final = Check(
    id="layout_change",
    looks_for="convolutions that change the layout of their images",
    needs=(DEVICE,),
    find=find,
    code="""\
model = model.to(memory_format=torch.channels_last)
images = images.to(memory_format=torch.channels_last)""",
    unless="Operators between the convolutions take channels_first alone: they change back and forth.",
    link="https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html",
)
