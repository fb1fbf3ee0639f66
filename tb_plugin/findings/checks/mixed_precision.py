"""Do products and convolutions run in float32 on a device whose tensor or matrix cores take half types alone?

Where cores take floats as TF32 too, `fp32_matmul` says the smaller change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.scope.recorded import DEVICE
from tb_plugin.trace.work.float_kernels import in_float32
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use_by_row
from tb_plugin.trace.work.matrix_operators import matrix_types
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_HALF: Final = "c10::Half"
_MIXED_ALREADY: Final = 0.1
"""Of the time of all products, on the cores: autocast runs, or the model is in half precision, and the rest is meant so."""

_EXPECTED: Final = 0.5
"""Of their time is left: less than the ratio of the peaks says, since copies, casts and what does not fill the cores stay."""

_PRODUCTS: Final = (Category.MATMUL, Category.CONVOLUTION)


def find(facts: Facts) -> Seen | None:
    trace, events = facts.trace, facts.trace.events
    taken, peak = matrix_types(facts.device), facts.peak
    if taken is None or _HALF not in taken or "float" in taken or peak is None or not peak.fp16 or not peak.fp32:
        return None
    multiplies = is_kind(category_by_row(trace), _PRODUCTS) & (events.kind == Kind.KERNEL)
    products = facts.in_window(facts.busiest[multiplies[facts.busiest]])
    on_cores = matrix_core_use_by_row(trace)[products] == Use.YES
    if facts.duration(products[on_cores]).sum() > _MIXED_ALREADY * facts.duration(products).sum():
        return None
    rows = products[~on_cores & in_float32(trace, products)]
    time_ns = facts.window_part(facts.union_of(rows))
    gain_ns = round(time_ns * (1 - peak.fp32 / peak.fp16))
    if facts.share(gain_ns) < worth.ALWAYS_SOME:
        return None
    return Seen(
        title='Use mixed precision: torch.autocast("cuda", dtype=torch.float16) with torch.amp.GradScaler()',
        what=f"{counted(len(rows), 'kernel')} of matrix products and convolutions ran in float32, outside of the matrix cores, "
        f"for {format_ns(time_ns)} ({percent(facts.share(time_ns))}). On this device these take half types alone.",
        evidence=[
            Evidence(text="kernels of products and convolutions in float32", value=len(rows), unit="count"),
            Evidence(text="their time", value=time_ns, unit="ns"),
            Evidence(
                text="rate of the cores in half precision, times that of float32", value=peak.fp16 / peak.fp32, unit="count"
            ),
        ],
        rows=rows,
        gain_ns=gain_ns,
        estimate_how="these kernels in half of their time; networks of convolutions gain 1.5 to 3 times in all.",
        gain_how=f"their time x (1 - float32 / half), at the peaks of {peak.title}, of these kernels alone: what only moves "
        "memory gains, too, where it runs in half types, and What if has both as precision=0. Check that your results allow it.",
        less=Less(work=rows, work_factor=_EXPECTED),
        confidence="likely",
    )


CHECK: Final = Check(
    id="mixed_precision",
    looks_for="float32 products on a device whose matrix cores take half types",
    needs=(DEVICE,),
    find=find,
    code="""\
scaler = torch.amp.GradScaler("cuda")
with torch.autocast("cuda", dtype=torch.float16):
    loss = criterion(model(batch), target)
scaler.scale(loss).backward()
scaler.step(optimizer), scaler.update()""",
    unless="Results need more than 11 bits in products: accuracy is yours to check.",
    link="https://docs.pytorch.org/docs/stable/amp.html",
)
