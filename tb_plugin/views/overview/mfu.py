"""Model FLOPs utilisation of the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.scope.recorded import SHAPES
from tb_plugin.trace.work.model_flops import model_use
from tb_plugin.views.overview.result import ModelFlops

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.scope.counted_steps import CountedSteps


_MORE: Final = "More than the peak: the peak is too small or of another type."


def model_flops(trace: Trace, counted: CountedSteps) -> tuple[ModelFlops, list[float | None]]:
    """(of the steps that count, and of every step of the trace)."""
    windows = counted.windows
    start_ns, end_ns = windows.start_ns, windows.end_ns
    use = model_use(trace, start_ns[counted.places], end_ns[counted.places])
    each: list[float | None] = [None] * len(start_ns)
    for place, share in zip(counted.places.tolist(), use.mfu.tolist(), strict=False):
        each[place] = share if share == share else None
    if use.reason is not None:
        how = "" if SHAPES.is_there(trace) else f". {SHAPES.reason(trace)}"
        return ModelFlops(mfu=None, hfu=None, reason=f"{use.reason}{how}", note=None, mix={}), each
    most = np.nanmax([use.mean_hfu, *use.hfu])
    return ModelFlops(mfu=use.mean_mfu, hfu=use.mean_hfu, reason=None, note=_MORE if most > 1 else None, mix=use.mix), each
