"""What can be asked of one profile over HTTP: each question's Params, its Result, and who answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

from tb_plugin import views
from tb_plugin.trace.choices import Choices, choices
from tb_plugin.views.kernels.details import details as kernel_details
from tb_plugin.views.kernels.result import KernelDetails, KernelDetailsParams
from tb_plugin.views.memory.allocations import allocations, allocations_csv
from tb_plugin.views.memory.allocations_result import AllocationsParams, MemoryAllocations
from tb_plugin.views.operators.details import details as operator_details
from tb_plugin.views.operators.details_result import OperatorDetails, OperatorDetailsParams
from tb_plugin.views.timeline import compute as timeline
from tb_plugin.views.timeline.result import (
    AreaParams,
    EventParams,
    SearchParams,
    TimelineArea,
    TimelineEvent,
    TimelineSearch,
    TimelineTracks,
    WindowParams,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace
    from tb_plugin.view import View

R = TypeVar("R")
P = TypeVar("P", bound=msgspec.Struct)


class NoParams(msgspec.Struct, frozen=True, kw_only=True):
    """For questions that need nothing but the profile."""


class ProfileParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which profile; what is left out is the first run, its first worker, its newest span."""

    run: str | None = None
    worker: str | None = None
    span: str | None = None


class ViewReply(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """`missing` says why there is no result and how to record one."""

    view: str
    missing: str | None
    result: R | None


@dataclass(frozen=True, kw_only=True)
class ProfileRoute:
    """`reply` None means raw columns, or text of the type `media`. `keep`: people come back to the reply, so it is kept."""

    summary: str
    params: type[msgspec.Struct]
    reply: Any
    answer: Callable[[Trace, Any], bytes]
    keep: bool = False
    media: str = ""


def _of_view(view: View[Any, Any]) -> ProfileRoute:
    def answer(trace: Trace, params: msgspec.Struct) -> bytes:
        missing = view.missing(trace)
        result = view.compute(trace, params) if missing is None else None
        return msgspec.json.encode(ViewReply(view=view.id, missing=missing, result=result))

    reply: Any = ViewReply
    return ProfileRoute(summary=view.question, params=view.params, reply=reply[view.result], answer=answer, keep=True)


def _of_struct(
    summary: str, params: type[P], reply: type[msgspec.Struct], compute: Callable[[Trace, P], msgspec.Struct]
) -> ProfileRoute:
    def answer(trace: Trace, given: P) -> bytes:
        return msgspec.json.encode(compute(trace, given))

    return ProfileRoute(summary=summary, params=params, reply=reply, answer=answer)


ROUTES: Final[dict[str, ProfileRoute]] = {
    **{f"view/{view.id}": _of_view(view) for view in views.ALL},
    "choices": _of_struct("What the filters can choose from.", NoParams, Choices, lambda trace, _: choices(trace)),
    "view/kernels/details": _of_struct("What is behind one row of kernels.", KernelDetailsParams, KernelDetails, kernel_details),
    "view/memory/allocations": _of_struct(
        "Allocations, sorted, filtered and cut.", AllocationsParams, MemoryAllocations, allocations
    ),
    "view/memory/allocations.csv": ProfileRoute(
        summary="The same rows as CSV.", params=AllocationsParams, reply=None, answer=allocations_csv, media="text/csv"
    ),
    "view/operators/details": _of_struct(
        "One row of operators: its calls, callers, kernels, call stacks.",
        OperatorDetailsParams,
        OperatorDetails,
        operator_details,
    ),
    "timeline/tracks": _of_struct(
        "The timeline's tracks, steps and kinds.", NoParams, TimelineTracks, lambda trace, _: timeline.tracks(trace)
    ),
    "timeline/window": ProfileRoute(
        summary="What a stretch of time shows at a resolution, as raw columns.",
        params=WindowParams,
        reply=None,
        answer=lambda trace, params: timeline.window(trace, params).encode(),
    ),
    "timeline/event": _of_struct("One event with all its arguments.", EventParams, TimelineEvent, timeline.event),
    "timeline/area": _of_struct("An area summed by name.", AreaParams, TimelineArea, timeline.area),
    "timeline/search": _of_struct("Events by name.", SearchParams, TimelineSearch, timeline.search),
}
