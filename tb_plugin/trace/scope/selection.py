"""Which events count: the filters that hold across views. A view's Params are a `Selection`; `selected` gives the rows.

    filter             a host event is kept when            a device event is kept when
    steps              it starts in one of them             its launch does; without one in the file, it does itself
    threads            it is on one of them                 its launch is
    module             it runs in that module's calls       its launch does; forward and backward
    devices, streams   it put work there, itself or below   it is there
    inside             it or a range around it is named so  so is a range around its launch, or it is named so itself
    dimension          it put a collective of it there, or  it is a kernel of such a collective
                       carries one out itself

All filters given must hold. Names are regular expressions (`patterns.py`), upper and lower case alike. Backward operators belong
to the module of their forward operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.collectives.by_dimension import by_dimension, events_of
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, is_kind
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.patterns import name_matcher
from tb_plugin.trace.scope.ranges import chosen
from tb_plugin.trace.scope.recorded import MODULES

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


_MASKS_KEPT = 4  # of a byte an event: several views of one page, and the filters of before


class StepSelection(msgspec.Struct, frozen=True, kw_only=True):
    """The filter for steps alone. Empty: no filter."""

    steps: Annotated[str, msgspec.Meta(description="only steps with these numbers, as 3-5,8")] = ""


class Selection(StepSelection, frozen=True, kw_only=True):
    """Filters as they stand in a link. Empty: no filter."""

    devices: Annotated[str, msgspec.Meta(description="only work on these devices, as 0,2")] = ""
    streams: Annotated[str, msgspec.Meta(description="only work on streams with these numbers, as 7,20")] = ""
    threads: Annotated[str, msgspec.Meta(description="only these threads, by the file's thread ids, as 812,813")] = ""
    module: Annotated[str, msgspec.Meta(description="only what runs in this module, by its path")] = ""
    inside: Annotated[str, msgspec.Meta(description="only events with this name, a regular expression, and all below them")] = ""
    dimension: Annotated[
        str, msgspec.Meta(description="only collectives of this dimension of the job, as tensor, data or not recorded")
    ] = ""


def is_all(selection: Selection) -> bool:
    """Whether no filter is set."""
    return not any(filters_of(selection))


def selected(trace: Trace, selection: Selection) -> BoolArray:
    """For every event row: does it count? Raises UsageError for a filter that cannot be read,
    NotFoundError for one that names nothing of this profile.
    """
    return _masks(trace).get(filters_of(selection), lambda: _selected(trace, selection))


def filters_of(selection: Selection) -> tuple[str, ...]:
    """All filters, and nothing else that Params hold: by this what was worked out under them is found again."""
    return tuple(getattr(selection, name) for name in Selection.__struct_fields__)


@once_per_trace
def _masks(_trace: Trace) -> LastAnswers[tuple[str, ...], BoolArray]:
    return LastAnswers(_MASKS_KEPT)


def _selected(trace: Trace, selection: Selection) -> BoolArray:
    events = trace.events
    anchor = _anchors(trace)
    kept = np.ones(len(events), np.bool_)
    if selection.steps:
        kept &= _of(events.step, chosen(selection.steps, "steps", trace.steps.number))
    if selection.threads:
        kept &= _by_host(anchor, _of(events.track, _on_threads(trace, selection.threads)))
    if selection.module:
        kept &= _in_module(trace, selection.module)
    if selection.inside:
        kept &= _inside(trace, anchor, selection.inside)
    on_tracks = np.ones(len(trace.tracks), np.bool_)
    if selection.devices:
        on_tracks &= chosen(selection.devices, "devices", trace.tracks.device)
    if selection.streams:
        on_tracks &= chosen(selection.streams, "streams", trace.tracks.stream)
    if not on_tracks.all():
        kept &= _there_or_launched(trace, kept, _of(events.track, on_tracks))
    if selection.dimension:
        kept &= _there_or_launched(trace, kept, _of_dimension(trace, selection.dimension))
    kept.flags.writeable = False
    return kept


def _there_or_launched(trace: Trace, kept: BoolArray, there: BoolArray) -> BoolArray:
    """What is there itself, and on the host what put any kept work there."""
    is_work = is_kind(trace.events.kind, DEVICE_KINDS)
    launched = launched_any(trace, kept & is_work & there)
    answer: BoolArray = there | (launched & ~is_work)
    return answer


def launched_any(trace: Trace, work: BoolArray) -> BoolArray:
    """For every host row: did it, or anything it called, put one of these device rows on a device?"""
    events = trace.events
    found = np.zeros(len(events), np.bool_)
    rows = np.flatnonzero(work)
    starts = np.concatenate((events.launch[rows], events.owner[rows]))
    above: npt.NDArray[np.integer] = distinct(starts[starts != NONE])
    while len(above):
        found[above] = True
        above = distinct(events.nest_parent[above])
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


def _on_threads(trace: Trace, text: str) -> BoolArray:
    """For every track: is it one of these threads?"""
    named = {part.strip() for part in text.split(",")} - {""}
    is_named = np.array([trace.text(i) in named for i in trace.tracks.tid_id.tolist()], np.bool_)
    if not is_named.any():
        raise NotFoundError(f"threads={text}: there is no such thread in this profile")
    return is_named


def _in_module(trace: Trace, path: str) -> BoolArray:
    paths = module_paths(trace)
    if not paths.is_there(path):
        raise NotFoundError(
            f"module={path}: {'there is no such module in this profile' if len(paths) else MODULES.why_not(trace)}"
        )
    return paths.rows_in(path)


def _of_dimension(trace: Trace, name: str) -> BoolArray:
    its = events_of(trace, name)
    if not its.any():
        there = [each for each in by_dimension(trace).names if events_of(trace, each).any()]
        said = f"collectives of {', '.join(there)}" if there else "no collectives"
        raise NotFoundError(f"dimension={name}: this profile has {said}")
    return its


def _inside(trace: Trace, anchor: Int64Array, text: str) -> BoolArray:
    named = rows_named(trace, np.arange(len(trace.events)), name_matcher(text))
    events = trace.events
    # Allocations are in torch's tree only.
    parent = np.where(is_kind(events.kind, HOST_KINDS), events.nest_parent, events.parent)
    below = nearest_marked(parent, named) != NONE
    kept: BoolArray = below | _by_host(anchor, below) | launched_any(trace, named & is_kind(events.kind, DEVICE_KINDS))
    return kept
