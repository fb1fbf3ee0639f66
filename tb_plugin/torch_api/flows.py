"""Which event an arrow of the file begins or ends at: forward to backward, launch to device work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

TO_BACKWARD, TO_DEVICE = 1, 2
"""libkineto's link types."""

_CATEGORIES: Final = {"fwdbwd": TO_BACKWARD, "ac2g": TO_DEVICE, "async_gpu": TO_DEVICE}


class Flow(NamedTuple):
    """One end of an arrow. Without one all is 0, as in torch."""

    id: int = 0
    type: int = 0
    start: bool = False


def flow_of_rows(trace: Trace) -> dict[int, Flow]:
    """By event row. An end lies where its event begins; of several operators that begin there it is the innermost's."""
    events, flows = trace.events, trace.flows
    types = {place: kind for place, text in enumerate(trace.strings) if (kind := _CATEGORIES.get(text))}
    ends = np.flatnonzero(np.isin(flows.category_id, list(types)))
    near = np.flatnonzero(np.isin(events.start_ns, flows.time_ns[ends]))
    in_autograd = (events.sequence[near] != NONE) & (events.kind[near] == Kind.OPERATOR)
    linked = (events.correlation[near] != NONE) & ~in_autograd
    rows: dict[tuple[int, int, int], int] = {}
    for kind, mine in ((TO_BACKWARD, near[in_autograd]), (TO_DEVICE, near[linked])):
        # Rows lie by start, the longest first: later ones are inside and win.
        rows.update(zip(_places(kind, events.track[mine], events.start_ns[mine]), mine.tolist(), strict=True))
    found = {}
    columns = (flows.category_id, flows.track, flows.time_ns, flows.flow_id, flows.phase)
    for category, track, time_ns, flow_id, phase in zip(*(column[ends].tolist() for column in columns), strict=True):
        row = rows.get((types[category], track, time_ns))
        if row is not None:
            found[row] = Flow(flow_id, types[category], phase == 0)
    return found


def _places(kind: int, track: np.ndarray, start_ns: np.ndarray) -> list[tuple[int, int, int]]:
    return [(kind, *place) for place in zip(track.tolist(), start_ns.tolist(), strict=True)]
