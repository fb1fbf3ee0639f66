"""Does the device compute in float64, as arrays of NumPy bring it along unasked?

aten::mm   double, double   0-80    V100: float32 has twice the peak, 40 us less; A100: the same peak, nothing is promised
aten::add  double, double  80-100   half of the bytes: 10 us less
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import Float64Array, format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.checks.double_precision import CHECK as DOUBLE_PRECISION
from tb_plugin.findings.checks.double_precision import FROM_NUMPY
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.scope.recorded import DEVICE
from tb_plugin.trace.work.float_kernels import in_float64
from tb_plugin.trace.work.taxonomy import MULTIPLIES, category_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_HALF_THE_BYTES: Final = 0.5
"""Of their time is left: what is no product mostly moves memory."""


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    kernels = facts.in_window(facts.busiest[trace.events.kind[facts.busiest] == Kind.KERNEL])
    rows = kernels[in_float64(trace, kernels)]
    took = facts.union_of(rows)
    time_ns = facts.window_part(took)
    if facts.share(time_ns) < worth.ALWAYS_SOME:
        return None
    left = _left(facts, rows)
    saved = facts.duration(rows) @ (1 - left) / max(1, facts.duration(rows).sum())
    return Seen(
        title="Compute in float32: the device works in float64",
        what=f"{counted(len(rows), 'kernel')} computed in float64 for {format_ns(time_ns)} ({percent(facts.share(time_ns))}). "
        f"{FROM_NUMPY}",
        evidence=[
            Evidence(text="kernels in float64", value=len(rows), unit="count"),
            Evidence(text="their time", value=time_ns, unit="ns"),
        ],
        rows=rows,
        gain_ns=round(time_ns * saved),
        time=took,
        gain_how="half of their time, since half as many bytes are read and written; of products and convolutions what float32 "
        "is faster by at the device's peaks (nothing where both peaks are alike: TF32 or half precision gain there).",
        less=Less(work=rows, work_factor=left),
        confidence="likely",
    )


def _left(facts: Facts, rows: Int64Array) -> Float64Array:
    """Which part of each row's time would be left in float32."""
    left = np.full(len(rows), _HALF_THE_BYTES)
    peak = facts.peak
    if peak is not None and peak.fp64 and peak.fp32:
        left[is_kind(category_by_row(facts.trace)[rows], MULTIPLIES)] = min(1.0, peak.fp64 / peak.fp32)
    return left


CHECK: Final = Check(
    id="double_on_device",
    looks_for="kernels in float64",
    needs=(DEVICE,),
    find=find,
    code=DOUBLE_PRECISION.code,
    unless=DOUBLE_PRECISION.unless,
    link=DOUBLE_PRECISION.link,
)
