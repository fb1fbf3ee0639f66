"""The floating point operations of kernels, from the operators that launched them, against what the device can do.

An operator call that multiplies (`trace.flops`) often launches more than one kernel: layouts change, parts are summed. Its
FLOPs are given to its longest matrix multiply or convolution kernel, if that takes at least 80 % of the time of all such
kernels of the call; else nobody knows which kernel did what, and all are unknown. So are calls without shapes. A kernel that
is taken to multiply for its operator alone counts only where no other kernel of the call says so by its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import judged
from tb_plugin.trace.work.compute_roofs import compute_roofs
from tb_plugin.trace.work.flops import flops_by_row
from tb_plugin.trace.work.main_kernels import launched_in, main_kernels
from tb_plugin.trace.work.matrix_cores import matrix_core_use_by_row
from tb_plugin.trace.work.taxonomy import MULTIPLIES, Category, category_by_row, category_of_kernel

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.trace.model import Trace


class KernelFlops(NamedTuple):
    """The kernels whose FLOPs are known, by row. `at_peak_ns`: the time these take at the device's peak, NaN where unknown."""

    row: Int64Array
    flops: Int64Array
    at_peak_ns: Float64Array


@once_per_trace
def kernel_flops(trace: Trace) -> KernelFlops:
    """The FLOPs of kernels, and their time at the dense peak of the operator's input type."""
    events = trace.events
    of_operator = flops_by_row(trace)
    multiplies = np.isin(category_by_row(trace), (Category.MATMUL, Category.CONVOLUTION))
    launched = launched_in(trace, multiplies, multiplies & (events.kind == Kind.OPERATOR) & (of_operator > 0))
    says_so = is_kind(judged(trace, launched.kernel, category_of_kernel), MULTIPLIES)
    kernels, call = main_kernels(trace, launched.those(says_so | ~np.isin(launched.call, launched.call[says_so])))
    flops = of_operator[call]
    return KernelFlops(
        kernels,
        flops,
        1e9 * flops / compute_roofs(trace, kernels, trace.events.types_id[call], matrix_core_use_by_row(trace)[kernels]),
    )
