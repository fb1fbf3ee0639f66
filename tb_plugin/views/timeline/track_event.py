"""An event as a place in the timeline: enough to name it and to go there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from tb_plugin.trace.event_ref import event_ref
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.timeline.result import TrackEvent

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index


def ref(trace: Trace, index: Index, row: int) -> TrackEvent:
    events = trace.events
    return TrackEvent(
        **structs.asdict(event_ref(trace, row)),
        kind=Kind(int(events.kind[row])).name.lower(),
        track=int(events.track[row]),
        lane=int(index.depth[row]),
    )


def refs(trace: Trace, index: Index, rows: npt.NDArray[np.integer]) -> list[TrackEvent]:
    return [ref(trace, index, int(row)) for row in rows]
