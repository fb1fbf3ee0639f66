"""What of a profile counts: the steps that were selected, and the event rows that the filters keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from tb_plugin.trace.scope.counted_steps import CountedSteps, counted_steps
from tb_plugin.trace.scope.ranges import filter_of
from tb_plugin.trace.scope.selection import is_all, selected

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.overview.result import OverviewParams

_BY_STEP_ONLY: Final = ("step times", "breakdown", "device time of steps", "memory", "MFU")
"""Parts that no filter but the one for steps changes."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Masks have one entry per event row."""

    steps: CountedSteps
    kept: BoolArray  # rows that all filters keep
    kept_at_any_time: BoolArray  # rows that the filters keep, but for the one for steps
    counted: BoolArray  # rows that `counted_steps` as a filter for steps keeps, and the others
    counted_steps: str  # the filter that chooses exactly the steps that count; empty without steps
    not_filtered: list[str]


def scope(trace: Trace, params: OverviewParams) -> Scope:
    """Raises UsageError for a filter that cannot be read, NotFoundError for one that names nothing of this profile."""
    others = replace(params, steps="")
    kept_at_any_time = selected(trace, others)
    steps = counted_steps(trace, params.steps)
    of_counted = filter_of(trace.steps.number[steps.places])
    return Scope(
        steps=steps,
        kept=selected(trace, params) if params.steps else kept_at_any_time,
        kept_at_any_time=kept_at_any_time,
        counted=selected(trace, replace(params, steps=of_counted)) if of_counted else kept_at_any_time,
        counted_steps=of_counted,
        not_filtered=[] if is_all(others) else list(_BY_STEP_ONLY),
    )
