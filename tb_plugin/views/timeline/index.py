"""The timeline's own index of a trace: lanes and level of detail, built at the first request and kept beside the trace.

A lane is (track, depth). A track's lanes lie part by part, as PARTS names them: a stack of thirty Python frames is below the
operators that it calls, and each part can be folded or hidden alone. Marks without length (memory events, instants, counters)
have one lane per track, after its slices.

    lane        0  1  2  3  4        track_lane_first  0 3 5
    lane_track  0  0  0  1  1        has_marks         no yes
    lane_depth  0  1  2  0  1        part_lanes        0 2 0 1 0   (track 0: two lanes of operators, one of Python)
                                                       0 0 0 0 1   (track 1: one of device work)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base import progress
from tb_plugin.compute import lanes, pyramid
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kept import kept_columns, once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.views.timeline.paint import paint_of

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int32Array, Int64Array
    from tb_plugin.trace.model import Trace

MARK_KINDS: Final = (Kind.MEMORY, Kind.OUT_OF_MEMORY, Kind.COUNTER, Kind.INSTANT)
LABEL_KINDS: Final = (Kind.DEVICE_ANNOTATION, Kind.PROFILER_RANGE)
"""Ranges on a stream that name what runs there and are no work themselves."""

PARTS: Final = ("annotation", "operator", "runtime", "python", "work")
"""What the lanes of a track hold, from the top. Of "operator" is what no other part is of."""

_PART_OF_KIND: Final[dict[Kind, str]] = {
    Kind.ANNOTATION: "annotation",
    **dict.fromkeys(LABEL_KINDS, "annotation"),
    Kind.RUNTIME: "runtime",
    Kind.DRIVER: "runtime",
    Kind.PYTHON: "python",
    **dict.fromkeys((*DEVICE_KINDS, Kind.SYNC), "work"),
}


@dataclass(frozen=True, kw_only=True)
class Index:
    """See the module's head."""

    pyramid: pyramid.Pyramid
    track_lane_first: Int64Array  # by track, and the number of lanes
    lane_track: Int32Array
    lane_depth: Int32Array
    has_marks: BoolArray  # by track
    n_events: Int64Array  # by track
    part_lanes: Int64Array  # lanes by track and part
    depth: npt.NDArray[np.uint16]  # of its lane, by row
    paint: npt.NDArray[np.uint8]  # in PAINTS, by row


_OWN: Final = tuple(field.name for field in fields(Index) if field.name != "pyramid")


def _part_of(kind: npt.NDArray[np.integer]) -> npt.NDArray[np.uint8]:
    """Index in PARTS by row."""
    table = np.full(256, PARTS.index("operator"), np.uint8)
    for each, part in _PART_OF_KIND.items():
        table[each] = PARTS.index(part)
    return table.take(kind)


def _lanes(start: Int64Array, end: Int64Array, part: npt.NDArray[np.uint8]) -> tuple[Int32Array, Int64Array]:
    """Lanes of one track's slices, and how many each part has. Work of a stream is packed, all else nests."""
    lane = np.empty(len(part), np.int32)
    n_lanes = np.zeros(len(PARTS), np.int64)
    for number in distinct(part).tolist():
        progress.now("lanes of the timeline")
        rows = part == number
        mine = lanes.assign(start[rows], end[rows], nested=PARTS[number] != "work")
        lane[rows] = mine + n_lanes.sum()
        n_lanes[number] = mine.max() + 1
    return lane, n_lanes


@once_per_trace
def index_of(trace: Trace) -> Index:
    """The index of a trace, built at the first request for it since its file was read."""
    columns = kept_columns(trace, "timeline index", lambda: _columns(_built(trace)))
    own = {name: columns[name] for name in _OWN}
    levels = pyramid.from_columns(columns, trace.events.start_ns, trace.events.end_ns, own["paint"])
    return Index(pyramid=levels, **own)


def _columns(index: Index) -> dict[str, npt.NDArray[Any]]:
    return {name: getattr(index, name) for name in _OWN} | index.pyramid.columns()


def _built(trace: Trace) -> Index:
    events = trace.events
    n_tracks = len(trace.tracks)
    bounds = np.searchsorted(events.track, np.arange(n_tracks + 1))
    is_mark = is_kind(events.kind, MARK_KINDS)
    part = _part_of(events.kind)
    part_lanes = np.zeros((n_tracks, len(PARTS)), np.int64)
    depth = np.zeros(len(events), np.int32)
    n_lanes = np.zeros(n_tracks, np.int64)
    has_marks = np.zeros(n_tracks, np.bool_)
    for track in range(n_tracks):
        rows = slice(int(bounds[track]), int(bounds[track + 1]))
        marks = is_mark[rows]
        slices = np.flatnonzero(~marks) + rows.start
        depth[slices], part_lanes[track] = _lanes(events.start_ns[slices], events.end_ns[slices], part[slices])
        n_slice_lanes = int(part_lanes[track].sum())
        depth[rows][marks] = n_slice_lanes
        has_marks[track] = marks.any()
        n_lanes[track] = n_slice_lanes + int(has_marks[track])
    track_lane_first = np.concatenate(([0], np.cumsum(n_lanes))).astype(np.int64)
    lane_track = np.repeat(np.arange(n_tracks, dtype=np.int32), n_lanes)
    progress.now("colours of the timeline")
    paint = paint_of(trace)
    progress.now("the timeline from afar")
    lane = track_lane_first[events.track] + depth
    return Index(
        pyramid=pyramid.build(lane, int(track_lane_first[-1]), events.start_ns, events.end_ns, paint),
        track_lane_first=track_lane_first,
        lane_track=lane_track,
        lane_depth=(np.arange(len(lane_track)) - track_lane_first[lane_track]).astype(np.int32),
        has_marks=has_marks,
        part_lanes=part_lanes,
        depth=depth.astype(np.uint16),
        paint=paint,
        n_events=np.diff(bounds).astype(np.int64),
    )
