"""What of a profile counts: the steps that were selected, and the event rows that the filters keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec.structs import replace

from tb_plugin.compute.intervals import Merged, union
from tb_plugin.trace.selection import is_all, numbers_in, selected
from tb_plugin.views.overview.windows import StepWindows, step_windows

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.overview.result import OverviewParams

_BY_STEP_ONLY: Final = ("step times", "breakdown", "device time of steps", "memory")
"""Parts that no filter but the one for steps changes."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Masks have one entry per step, or per event row."""

    windows: StepWindows
    is_selected: BoolArray  # steps
    counted: Int64Array  # of the selected steps those that are complete; all of them where none is
    selected_time: Merged | None  # what the selected steps last; None without a filter for steps
    kept: BoolArray  # rows that all filters keep
    kept_at_any_time: BoolArray  # rows that the filters keep, but for the one for steps
    not_filtered: list[str]


def scope(trace: Trace, params: OverviewParams) -> Scope:
    """Raises UsageError for a filter that cannot be read."""
    steps, windows = trace.steps, step_windows(trace)
    others = replace(params, steps="")
    kept = kept_at_any_time = selected(trace, others)
    is_selected = np.ones(len(steps), np.bool_)
    selected_time = None
    if params.steps:
        is_selected = np.isin(steps.number, numbers_in(params.steps, "steps"))
        selected_time = union(windows.start_ns[is_selected], windows.end_ns[is_selected])
        kept = selected(trace, params)
    complete = np.flatnonzero(is_selected & steps.complete)
    return Scope(
        windows=windows,
        is_selected=is_selected,
        counted=complete if len(complete) else np.flatnonzero(is_selected),
        selected_time=selected_time,
        kept=kept,
        kept_at_any_time=kept_at_any_time,
        not_filtered=[] if is_all(others) else list(_BY_STEP_ONLY),
    )
