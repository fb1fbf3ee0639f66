"""Which calls of the runtime start kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.kinds import LAUNCH_KINDS, is_kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace


def kernel_launches(trace: Trace) -> Int64Array:
    """Rows of `cudaLaunchKernel`, `cuLaunchKernelEx`, `hipExtModuleLaunchKernel`, `cudaGraphLaunch` and their like, ascending."""
    rows = np.flatnonzero(is_kind(trace.events.kind, LAUNCH_KINDS))
    return rows[rows_named(trace, rows, lambda name: "launch" in name.lower())]
