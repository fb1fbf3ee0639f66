"""How much of its device's memory a rank held at most in each step: the allocator's own figure, as the view Memory has it.

allocated   before 100 |  A +400  |        B -300 |
step                ...|----1----|         |----2----|       500 and 500: A is there already as the second begins
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.memory.devices import CPU
from tb_plugin.trace.memory.peaks import after, peak, window_of
from tb_plugin.trace.memory.series import Series, all_series

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

MEMORY: Final = ("allocated",)


def memory_peaks(trace: Trace, *, is_on_host: bool, has_steps: bool) -> dict[str, Int64Array] | None:
    """The columns of MEMORY, bytes, a row a step; None where the memory of the device that computes was not recorded.

    By the host's ranges of steps: memory is taken and given back there. Of several devices the one that held most.
    """
    every = [series for series in all_series(trace) if (series.device_type == CPU) == is_on_host]
    if not every:
        return None
    mine = max(every, key=lambda series: int(max(series.allocated.max(), series.before)))
    windows = list(zip(trace.steps.start_ns.tolist(), trace.steps.end_ns.tolist(), strict=True))
    if not has_steps:
        windows = [window_of(trace, [mine])] * len(windows)
    return {"allocated": np.array([_most(mine, *window) for window in windows], np.int64)}


def _most(series: Series, t0_ns: int, t1_ns: int) -> int:
    return after(series, peak(series, series.allocated, t0_ns, t1_ns))[0]
