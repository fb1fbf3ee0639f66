"""Are float32 matrix multiplications run without tensor cores, on a device that has TF32?

torch's FP32MatMulPattern asks the flag `allow_tf32` of each `aten::mm`, which only our trace handler records, and does not see
what ran. Here the names of the kernels tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import in_both
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.fp32_matmul import has_tf32
from tb_plugin.trace.scope.recorded import DEVICE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_FP32: Final = re.compile(r"(?<![a-z\d])sgemm|simt_sgemm|_scudnn_|implicit_convolve_sgemm", re.IGNORECASE)
_NARROWER: Final = re.compile(r"tf32|tensorop|fp16|bf16|16816|1688", re.IGNORECASE)
"""Samples: `ampere_sgemm_128x64_tn`, `cutlass_80_simt_sgemm_128x64`; not `ampere_tf32_s1688gemm_..`, `volta_fp16_sgemm_..`."""

_EXPECTED: Final = 0.5
"""Of their time is left: what limits them then is memory, in parts."""

_SPEED_UP: Final = 8
"""A100: 19.5 TFLOP/s in float32, 156 in TF32 (NVIDIA A100 data sheet)."""


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    if facts.device is None or not has_tf32(facts.device):
        return None
    kernels = facts.busiest[trace.events.kind[facts.busiest] == Kind.KERNEL]
    named = facts.named(lambda name: _FP32.search(name) and not _NARROWER.search(name), Kind.KERNEL)
    rows = facts.in_window(in_both(kernels, named))
    time_ns = facts.window_part(facts.union_of(rows))
    gain_ns = time_ns - time_ns // _SPEED_UP
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    launched_by = int((trace.events.owner[rows] != NONE).sum())
    return Seen(
        title="Let float32 matrix multiplications use TF32: torch.set_float32_matmul_precision('high')",
        what=f"{counted(len(rows), 'float32 matrix kernel')} ran without tensor cores for {format_ns(time_ns)} "
        f"({percent(facts.share(time_ns))}). TF32 rounds inputs to 10 bits of mantissa: check that your results allow it.",
        evidence=[
            Evidence(text="float32 matrix kernels", value=len(rows), unit="count"),
            Evidence(text="of them with a known operator", value=launched_by, unit="count"),
            Evidence(text="device time", value=time_ns, unit="ns"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="7/8 of these kernels' time: TF32 has eight times the peak rate of float32 on an A100.",
        less=Less(work=rows, work_factor=_EXPECTED),
        estimate_how="these kernels in half of their time.",
        confidence="likely",
    )


CHECK: Final = Check(
    id="fp32_matmul",
    looks_for="float32 matrix multiplications without TF32",
    needs=(DEVICE,),
    find=find,
    code='torch.set_float32_matmul_precision("high")',
    unless="Results need more than 10 bits of mantissa in products.",
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html",
)
