"""Which events count: the filters that hold across views. A view's Params are a `Selection`; `selected` gives the rows.

    filter             a host event is kept when            a device event is kept when
    steps              it starts in one of them             its launch does; without one in the file, it does itself
    threads            it is on one of them                 its launch is
    module             it runs in that module's calls       its launch does; forward and backward
    devices, streams   it put work there, itself or below   it is there
    inside             it or a range around it is named so  so is a range around its launch, or it is named so itself

All filters given must hold. Names are regular expressions, upper and lower case alike. Backward operators belong to the
module of their forward operators.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, is_kind
from tb_plugin.trace.module_paths import module_paths
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Filters as they stand in a link. Empty: no filter."""

    steps: Annotated[str, msgspec.Meta(description="only steps with these numbers, as 3-5,8")] = ""
    devices: Annotated[str, msgspec.Meta(description="only work on these devices, as 0,2")] = ""
    streams: Annotated[str, msgspec.Meta(description="only work on streams with these numbers, as 7,20")] = ""
    threads: Annotated[str, msgspec.Meta(description="only these threads, by the file's thread ids, as 812,813")] = ""
    module: Annotated[str, msgspec.Meta(description="only what runs in this module, by its path")] = ""
    inside: Annotated[str, msgspec.Meta(description="only events with this name, a regular expression, and all below them")] = ""


def is_all(selection: Selection) -> bool:
    """Whether no filter is set."""
    return not any(getattr(selection, name) for name in Selection.__struct_fields__)


def selected(trace: Trace, selection: Selection) -> BoolArray:
    """For every event row: does it count? Raises UsageError for a filter that cannot be read."""
    events = trace.events
    if is_all(selection):
        return np.ones(len(events), np.bool_)
    anchor = _anchors(trace)
    kept = np.ones(len(events), np.bool_)
    if selection.steps:
        numbers = numbers_in(selection.steps, "steps")
        kept &= _of(events.step, np.isin(trace.steps.number, numbers))
    if selection.threads:
        named = set(filter(None, (part.strip() for part in selection.threads.split(","))))
        kept &= _by_host(anchor, _on_threads(trace, named))
    if selection.module:
        kept &= module_paths(trace).rows_in(selection.module)
    if selection.inside:
        kept &= _inside(trace, anchor, selection.inside)
    on_tracks = np.ones(len(trace.tracks), np.bool_)
    if selection.devices:
        on_tracks &= np.isin(trace.tracks.device, numbers_in(selection.devices, "devices"))
    if selection.streams:
        on_tracks &= np.isin(trace.tracks.stream, numbers_in(selection.streams, "streams"))
    if not on_tracks.all():
        is_work = is_kind(events.kind, DEVICE_KINDS)
        there = kept & is_work & _of(events.track, on_tracks)
        kept &= np.where(is_work, there, launched_any(trace, there) | _of(events.track, on_tracks))
    return kept


def numbers_in(text: str, what: str) -> Int64Array:
    """The numbers of `3-5,8`: [3, 4, 5, 8]. Raises UsageError that names `what`."""
    numbers: list[int] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _NUMBERS.fullmatch(part)
        if match is None:
            raise UsageError(f"{what}: {part!r} is no number and no range such as 3-5")
        low, high = int(match[1]), int(match[2] or match[1])
        if high - low > 10**6:
            raise UsageError(f"{what}: {part!r} is too long a range")
        numbers.extend(range(low, high + 1))
    return np.array(numbers, np.int64)


def name_matcher(text: str) -> Callable[[str], object]:
    """A predicate for names from a regular expression, upper and lower case alike. Raises UsageError."""
    try:
        return re.compile(text, re.IGNORECASE).search
    except re.error as error:
        raise UsageError(f"not a regular expression: {error}") from None


def launched_any(trace: Trace, work: BoolArray) -> BoolArray:
    """For every host row: did it, or anything it called, put one of these device rows on a device?"""
    events = trace.events
    found = np.zeros(len(events), np.bool_)
    rows = np.flatnonzero(work)
    starts = np.concatenate((events.launch[rows], events.owner[rows]))
    above: npt.NDArray[np.integer] = np.unique(starts[starts != NONE])
    while len(above):
        found[above] = True
        above = np.unique(events.nest_parent[above])
        above = above[above != NONE]
        above = above[~found[above]]
    return found


def _anchors(trace: Trace) -> Int64Array:
    """The host row that decides for each row: itself, or the launch (or owner) of device rows; NONE where unknown."""
    events = trace.events
    anchor = np.arange(len(events))
    is_work = ~is_kind(events.kind, HOST_KINDS) & (_of(events.track, trace.tracks.device != NONE))
    anchor[is_work] = np.where(events.launch != NONE, events.launch, events.owner)[is_work]
    return anchor


def _of(place: npt.NDArray[np.integer], of_place: BoolArray) -> BoolArray:
    """`of_place[place]`, False where place is NONE."""
    answer: BoolArray = np.append(of_place, False)[place]
    return answer


def _by_host(anchor: Int64Array, kept_host: BoolArray) -> BoolArray:
    return _of(anchor, kept_host)


def _on_threads(trace: Trace, named: set[str]) -> BoolArray:
    tids = np.array([trace.text(i) in named for i in trace.tracks.tid_id.tolist()], np.bool_)
    return _of(trace.events.track, tids)


def _inside(trace: Trace, anchor: Int64Array, text: str) -> BoolArray:
    named = rows_named(trace, np.arange(len(trace.events)), name_matcher(text))
    events = trace.events
    # Allocations are in torch's tree only.
    parent = np.where(is_kind(events.kind, HOST_KINDS), events.nest_parent, events.parent)
    below = nearest_marked(parent, named) != NONE
    kept: BoolArray = below | _by_host(anchor, below) | launched_any(trace, named & is_kind(events.kind, DEVICE_KINDS))
    return kept
