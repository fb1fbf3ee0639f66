"""One event with everything that is known about it, and the events it is linked to."""

from __future__ import annotations

import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE
from tb_plugin.compute import intervals
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import HOST_KINDS, Kind
from tb_plugin.trace.modules.call_sites import call_sites
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.patterns.inputs import input_shapes, input_types
from tb_plugin.trace.track_names import track_name
from tb_plugin.views.timeline.collective import collectives_of
from tb_plugin.views.timeline.result import TimelineEvent
from tb_plugin.views.timeline.track_event import ref, refs

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index
    from tb_plugin.views.timeline.kept import Shown
    from tb_plugin.views.timeline.result import EventParams, TrackEvent

_MOST_LINKS: Final = 200
_BROWSER_INTEGER: Final = 1 << 53  # JSON numbers beyond are rounded there


def event(trace: Trace, index: Index, params: EventParams, shown: Shown) -> TimelineEvent:
    """`shown`: among which events the ones before and after it in its lane are."""
    events, row = trace.events, params.row
    if not 0 <= row < len(events):
        raise NotFoundError(f"no event {row}: the profile has {len(events)} events")
    kind, track, step = Kind(int(events.kind[row])), int(events.track[row]), int(events.step[row])
    launched, launch = _launched_by(trace, row), int(events.launch[row])
    forward, backward = _autograd_partners(trace, index, row)
    before, after = _beside(trace, index, row, shown)
    modules, sites = module_paths(trace), call_sites(trace)
    return TimelineEvent(
        row=row,
        name=trace.text(events.name_id[row]),
        kind=kind.name.lower(),
        category=trace.text(events.category_id[row]),
        track=track,
        track_name=track_name(trace, track),
        lane=int(index.depth[row]),
        start_ns=int(events.start_ns[row]),
        duration_ns=int(events.end_ns[row] - events.start_ns[row]),
        self_ns=_self_ns(trace, row) if kind in HOST_KINDS else None,
        step=f"ProfilerStep#{trace.steps.number[step]}" if step != NONE else None,
        module=_text(modules.texts, modules.of(row)),
        call_site=_text(sites.texts, int(sites.of_row[row])),
        before=before,
        after=after,
        is_collective=bool((collectives(trace).row == row).any()),
        collectives=collectives_of(trace, row),
        args=browser_safe(trace.args.get(int(events.order[row]))),
        parents=_parents(trace, index, row),
        launch=_optional(trace, index, launch),
        owner=_optional(trace, index, int(events.owner[row])),
        # Clocks of host and device agree to some microseconds: work does not start before it is asked for.
        after_launch_ns=max(int(events.start_ns[row] - events.start_ns[launch]), 0) if launch != NONE else None,
        inputs=_inputs(trace, row if events.owner[row] == NONE else int(events.owner[row])),
        launched=refs(trace, index, _asked_of(trace, launched, params)),
        n_launched=len(launched),
        forward=forward,
        backward=backward,
    )


def browser_safe(value: Any) -> Any:
    """The same JSON with integers that a browser would round written as text."""
    if isinstance(value, dict):
        return {k: browser_safe(v) for k, v in value.items()}
    if isinstance(value, list):
        return [browser_safe(v) for v in value]
    if isinstance(value, int) and abs(value) > _BROWSER_INTEGER:
        return str(value)
    return value


def _launched_by(trace: Trace, row: int) -> Int32Array:
    """Rows whose launch or owner it is."""
    rows, launch, owner = _launched(trace)
    found: Int32Array = rows[(launch == row) | (owner == row)]
    return found


def _asked_of(trace: Trace, launched: Int32Array, params: EventParams) -> Int32Array:
    """By start: a graph launches thousands."""
    start, end = trace.events.start_ns, trace.events.end_ns
    by_start = launched[np.argsort(start[launched], kind="stable")]
    first, after = params.launched_from, len(by_start)
    if params.launched_at_ns is not None:
        first = int(np.searchsorted(np.maximum.accumulate(end[by_start]), params.launched_at_ns))
    if params.launched_to_ns is not None:
        after = int(np.searchsorted(start[by_start], params.launched_to_ns, side="right"))
    found: Int32Array = by_start[first:after]
    if params.launched_to_ns is not None and len(found) > _MOST_LINKS:
        found = found[np.linspace(0, len(found) - 1, _MOST_LINKS).round().astype(np.int64)]
    return found[:_MOST_LINKS]


@once_per_trace
def _launched(trace: Trace) -> tuple[Int32Array, Int32Array, Int32Array]:
    """(rows that have a launch or an owner, their launches, their owners): few beside those that have none."""
    events = trace.events
    rows = np.flatnonzero((events.launch != NONE) | (events.owner != NONE)).astype(np.int32)
    return rows, events.launch[rows], events.owner[rows]


def _optional(trace: Trace, index: Index, row: int) -> TrackEvent | None:
    return ref(trace, index, row) if row != NONE else None


def _inputs(trace: Trace, row: int) -> list[str] | None:
    if trace.events.shapes_id[row] == NONE:
        return None
    shapes, types = input_shapes(trace, row), input_types(trace, row)
    # A number has an empty shape, as a tensor of one element has: the type tells them apart.
    pairs = zip_longest(types, shapes, fillvalue="")
    return [f"{kind} {'' if shape in ('', []) else json.dumps(shape)}".strip() or "–" for kind, shape in pairs]


def _self_ns(trace: Trace, row: int) -> int:
    """Its time without nested events; two that cut across each other take their common time once."""
    start, end = trace.events.start_ns, trace.events.end_ns
    # Rows lie by track and start: those inside lie behind it, up to the first that begins after it.
    n_inside = int(np.searchsorted(trace.events.track, trace.events.track[row], side="right")) - row - 1
    n_inside = int(np.searchsorted(start[row + 1 : row + 1 + n_inside], end[row]))
    children = row + 1 + np.flatnonzero(trace.events.nest_parent[row + 1 : row + 1 + n_inside] == row)
    nested = intervals.clip(intervals.union(start[children], end[children]), int(start[row]), int(end[row]))
    return int(end[row] - start[row]) - intervals.length(nested)


def _parents(trace: Trace, index: Index, row: int) -> list[TrackEvent]:
    found = []
    up = int(trace.events.nest_parent[row])
    while up != NONE:
        found.append(ref(trace, index, up))
        up = int(trace.events.nest_parent[up])
    return found


def _beside(trace: Trace, index: Index, row: int, shown: Shown) -> tuple[TrackEvent | None, TrackEvent | None]:
    """(the event before this one in its lane, the one after it), of those that are shown; it need not be one of them."""
    lane = int(index.track_lane_first[trace.events.track[row]] + index.depth[row])
    first, end = shown.pyramid.lane_first[lane : lane + 2].tolist()
    in_lane = shown.pyramid.row_at[first:end]  # rises: rows of a track lie by start
    own = row if shown.rows is None else int(np.searchsorted(shown.rows, row))
    is_shown = shown.rows is None or (own < len(shown.rows) and shown.rows[own] == row)
    at = int(np.searchsorted(in_lane, np.uint32(own)))  # a number of another kind would turn all of the lane into its kind
    behind = at + int(is_shown)

    def first_of(places: npt.NDArray[np.uint32]) -> TrackEvent | None:
        rows = places if shown.rows is None else shown.rows[places]
        return ref(trace, index, int(rows[0])) if len(rows) else None

    return first_of(in_lane[max(at - 1, 0) : at]), first_of(in_lane[behind : behind + 1])


def _autograd_partners(trace: Trace, index: Index, row: int) -> tuple[list[TrackEvent], list[TrackEvent]]:
    """(the forward operator of this one, its backward operators by start), as `forward_backward` links them."""
    links = forward_backward(trace)
    makes = np.sort(links.backward[links.made_by == row])
    by_start = makes[np.argsort(trace.events.start_ns[makes], kind="stable")]
    return refs(trace, index, links.made_by[links.backward == row]), refs(trace, index, by_start[:_MOST_LINKS])


def _text(texts: Sequence[str], place: int) -> str | None:
    return texts[place] if place != NONE else None
