"""The timeline's own index of a trace: lanes and level of detail, built at the first request and kept as long as the trace.

A lane is (track, depth); marks without length (memory events, instants, counters) have one lane per track, after its slices.

    lane        0  1  2  3  4
    lane_track  0  0  0  1  1        track_lane_first  0 3 5
    lane_depth  0  1  2  0  1        has_marks         no yes
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute import lanes, pyramid
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
from tb_plugin.views.timeline.paint import paint_of

if TYPE_CHECKING:
    from tb_plugin.trace.model import Events, Trace

MARK_KINDS: Final = (Kind.MEMORY, Kind.OUT_OF_MEMORY, Kind.COUNTER, Kind.INSTANT)
LABEL_KINDS: Final = (Kind.DEVICE_ANNOTATION, Kind.PROFILER_RANGE)
"""Ranges on a stream that name what runs there and are no work themselves."""


@dataclass(frozen=True, kw_only=True)
class Index:
    """See the module's head."""

    pyramid: pyramid.Pyramid
    track_lane_first: Int64Array  # by track, and the number of lanes
    lane_track: Int32Array
    lane_depth: Int32Array
    has_marks: BoolArray  # by track
    n_events: Int64Array  # by track
    depth: npt.NDArray[np.uint16]  # of its lane, by row
    paint: npt.NDArray[np.uint8]  # in PAINTS, by row


def _lanes(events: Events, slices: npt.NDArray[np.intp], *, nested: bool) -> npt.NDArray[np.int32]:
    """Lanes of one track. On a stream the labels lie above all work, so that kernels stay in one line under them."""
    start, end = events.start_ns[slices], events.end_ns[slices]
    if nested:
        return lanes.assign(start, end, nested=True)
    label = is_kind(events.kind[slices], LABEL_KINDS)
    lane = np.empty(len(slices), np.int32)
    lane[label] = lanes.assign(start[label], end[label], nested=True)
    lane[~label] = lanes.assign(start[~label], end[~label], nested=False) + int(lane[label].max(initial=-1)) + 1
    return lane


@once_per_trace
def index_of(trace: Trace) -> Index:
    """The index of a trace, built at the first request."""
    events = trace.events
    n_tracks = len(trace.tracks)
    bounds = np.searchsorted(events.track, np.arange(n_tracks + 1))
    is_mark = is_kind(events.kind, MARK_KINDS)
    on_host = is_kind(events.kind, HOST_KINDS)
    depth = np.zeros(len(events), np.int32)
    n_lanes = np.zeros(n_tracks, np.int64)
    has_marks = np.zeros(n_tracks, np.bool_)
    for track in range(n_tracks):
        rows = slice(int(bounds[track]), int(bounds[track + 1]))
        marks = is_mark[rows]
        slices = np.flatnonzero(~marks) + rows.start
        nested = trace.tracks.device[track] == NONE or bool(on_host[rows].any())
        depth[slices] = _lanes(events, slices, nested=nested)
        n_slice_lanes = int(depth[slices].max(initial=-1)) + 1
        depth[rows][marks] = n_slice_lanes
        has_marks[track] = marks.any()
        n_lanes[track] = n_slice_lanes + int(has_marks[track])
    track_lane_first = np.concatenate(([0], np.cumsum(n_lanes))).astype(np.int64)
    lane_track = np.repeat(np.arange(n_tracks, dtype=np.int32), n_lanes)
    paint = paint_of(trace)
    lane = track_lane_first[events.track] + depth
    return Index(
        pyramid=pyramid.build(lane, int(track_lane_first[-1]), events.start_ns, events.end_ns, paint),
        track_lane_first=track_lane_first,
        lane_track=lane_track,
        lane_depth=(np.arange(len(lane_track)) - track_lane_first[lane_track]).astype(np.int32),
        has_marks=has_marks,
        depth=depth.astype(np.uint16),
        paint=paint,
        n_events=np.diff(bounds).astype(np.int64),
    )
