"""An event knows the one before it and the one after it in its lane, wherever these lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.trace.scope.selection import Selection, selected
from tb_plugin.views.timeline import compute, index
from tb_plugin.views.timeline.result import EventParams
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.timeline.result import TrackEvent


def _row_of(event: TrackEvent | None) -> int | None:
    return None if event is None else event.row


@over(SAMPLES + real("h100_bert_small", "mi300_vllm_decode_graph"))
@pytest.mark.parametrize("inside", ["", "linear|mm"])
def test_from_event_to_event_of_a_lane_each_is_met_once_in_order_of_time(path: Path, inside: str) -> None:
    """Against the rows of each lane as they lie; with a filter only what it keeps is met, also from what it does not keep."""
    trace = trace_of(path)
    try:
        kept = selected(trace, Selection(inside=inside))
    except NotFoundError:
        return
    whole = index.index_of(trace)
    lane = whole.track_lane_first[trace.events.track] + whole.depth
    busiest = np.argsort(-np.bincount(lane[kept], minlength=int(lane.max()) + 1), kind="stable")[:3]
    for each in busiest.tolist():
        rows = np.flatnonzero(lane == each)[:120]
        shown = np.flatnonzero((lane == each) & kept).tolist()
        for row in rows.tolist():
            event = compute.event(trace, EventParams(row=row, inside=inside))
            assert _row_of(event.before) == max((r for r in shown if r < row), default=None)
            assert _row_of(event.after) == min((r for r in shown if r > row), default=None)


def test_events_that_begin_together_or_last_no_time_follow_each_other_too() -> None:
    trace = trace_from_text("stream 7 | a 5-5 | b 5-5 | c 5-9 | d 20-30\nthread 1 | far 900-901")
    whole = index.index_of(trace)
    stream = trace.events.track == trace.events.track[next(r for r in range(5) if trace.text(trace.events.name_id[r]) == "d")]
    lanes = whole.depth[stream]
    for depth in np.unique(lanes).tolist():
        rows = np.flatnonzero(stream)[lanes == depth].tolist()
        met, row = [rows[0]], rows[0]
        while (after := compute.event(trace, EventParams(row=row)).after) is not None:
            row = after.row
            met.append(row)
        assert met == rows
