"""Are float32 matrix multiplications run without tensor cores, on a device that has TF32?

torch's FP32MatMulPattern asks the flag `allow_tf32` of each `aten::mm`, which only our trace handler records, and does not see
what ran. Here the names of the kernels tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.fp32_matmul import has_tf32
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import DEVICE
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_FP32: Final = re.compile(r"(?<![a-z\d])sgemm|simt_sgemm|_scudnn_|implicit_convolve_sgemm", re.IGNORECASE)
_NARROWER: Final = re.compile(r"tf32|tensorop|fp16|bf16|16816|1688", re.IGNORECASE)
"""Samples: `ampere_sgemm_128x64_tn`, `cutlass_80_simt_sgemm_128x64`; not `ampere_tf32_s1688gemm_..`, `volta_fp16_sgemm_..`."""

_SPEED_UP: Final = 8
"""A100: 19.5 TFLOP/s in float32, 156 in TF32 (NVIDIA A100 data sheet)."""

_LEAST_SHARE: Final = 0.01


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    device = trace.tracks.device[trace.events.track[facts.busiest[0]]]
    if not any(entry.index == device and has_tf32(entry) for entry in trace.info.devices):
        return None
    kernels = facts.busiest[trace.events.kind[facts.busiest] == Kind.KERNEL]
    named = facts.named(lambda name: _FP32.search(name) and not _NARROWER.search(name), Kind.KERNEL)
    rows = facts.in_window(np.intersect1d(kernels, named))
    time_ns = facts.window_part(facts.union_of(rows))
    gain_ns = time_ns - time_ns // _SPEED_UP
    if facts.share(gain_ns) < _LEAST_SHARE:
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
        confidence="likely",
    )


CHECK: Final = Check(id="fp32_matmul", looks_for="float32 matrix multiplications without TF32", needs=(DEVICE,), find=find)
