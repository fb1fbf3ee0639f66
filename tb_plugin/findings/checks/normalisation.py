"""Does batch norm in training run in PyTorch's own kernels, where there is a library of the vendor, or a compiler?

void at::native::batch_norm_collect_statistics_kernel<...>       cudnn::bn_fw_tr_1C11_kernel_NCHW and MIOpenBatchNorm* are
void at::native::batch_norm_backward_kernel<c10::BFloat16, ...>  those of libraries
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.checks.slow_matmul import is_of_amd
from tb_plugin.findings.words import counted
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE
from tb_plugin.trace.work.kernel_bytes import kernel_bytes

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_NATIVE: Final = re.compile(r"at::native::.*batch_norm_")
_TRAINS: Final = re.compile(r"batch_norm_(?:collect_statistics|backward)")
_OF_ALL_RANKS: Final = re.compile(r"batch_norm_(?:gather_stats|reduce_statistics)")
"""Of SyncBatchNorm, which no library has. Sample: `batch_norm_reduce_statistics_kernel<float, float, int>`."""


def find(facts: Facts) -> Seen | None:
    kernels = facts.in_window(facts.busiest)
    rows = kernels[rows_named(facts.trace, kernels, _NATIVE.search)]
    if not rows_named(facts.trace, rows, _TRAINS.search).any() or rows_named(facts.trace, rows, _OF_ALL_RANKS.search).any():
        return None
    time_ns, busy_ns = facts.window_part(facts.union_of(rows)), facts.window_part(facts.busy)
    if time_ns == 0 or time_ns < worth.ALWAYS_SOME * busy_ns:
        return None
    lost_ns = _lost_ns(facts, rows)
    return Seen(
        title="Let the vendor's library or torch.compile do batch norm: PyTorch's own kernels do it now",
        what=f"{counted(len(rows), 'kernel')} of PyTorch's own batch norm took {format_ns(time_ns)} "
        f"({percent(time_ns / busy_ns)} of the time in which the device is busy). They read images once for statistics and once "
        "more to scale them, and no other operation is fused into them.",
        evidence=[
            Evidence(text="kernels of PyTorch's own batch norm", value=len(rows), unit="count"),
            Evidence(text="their time", value=time_ns, unit="ns"),
            Evidence(text="of the busy time", value=time_ns / busy_ns, unit="share"),
        ],
        rows=rows,
        gain_ns=lost_ns,
        gain_how="unknown: how much faster another kernel reads the same bytes is not in the file. It is less than their time."
        if lost_ns is None
        else "time of each call's main kernel less what its inputs and outputs take at the device's bandwidth.",
        confidence="maybe",
        code=_ON_AMD if is_of_amd(facts) else "",
    )


def _lost_ns(facts: Facts, rows: Int64Array) -> int | None:
    """What these kernels take beyond their bytes at the bandwidth, as the roofline has it; None where no bytes are known."""
    known = kernel_bytes(facts.trace)
    is_mine = np.isin(known.row, rows) & np.isfinite(known.at_bandwidth_ns)
    if not is_mine.any():
        return None
    lost = facts.duration(known.row[is_mine]) - known.at_bandwidth_ns[is_mine]
    return round(float(np.maximum(lost, 0).sum()))


_ON_AMD: Final = """\
# MIOpen does it in channels last, where it is asked to:
# PYTORCH_MIOPEN_SUGGEST_NHWC=1 PYTORCH_MIOPEN_SUGGEST_NHWC_BATCHNORM=1 python train.py
model = model.to(memory_format=torch.channels_last)"""


CHECK: Final = Check(
    id="normalisation",
    looks_for="batch norm that no library does",
    needs=(DEVICE,),
    find=find,
    code="""\
model = torch.compile(model)  # fuses it with what comes before and after
# and check that cuDNN may do it: torch.backends.cudnn.enabled, eps of 1e-5 and more""",
    unless="The library does not take this type or layout: then only a compiler helps.",
    link="https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html",
)
