"""What the host was in between launches where these are long: any event but its loader, or a copy that a call waited for.

    host    launch|   |cudaMalloc          |  |launch|            called 20 of the second launch's row
    host    launch|cudaMemcpyAsync         |launch|               copied 19: of pageable memory, it returns once that is copied
    device           |Memcpy HtoD        |

A range or Python frame in which something is launched is around such a stretch and says nothing of it, nor does Python's
collector.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import Merged, length_within, subtract, union
from tb_plugin.trace.kinds import DATA_LOADER_NAME, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.rank.order import SYNC
from tb_plugin.trace.rank.pause_events import LEAST_NS, told_rows
from tb_plugin.trace.rank.step_work import is_collection
from tb_plugin.trace.work.kernel_launches import kernel_launches

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

HOST_STRETCHES: Final = ("row", "called", "copied")

PAUSE_NS: Final = 5_000_000
"""So long without any event is a pause."""


def host_stretches(trace: Trace, order: dict[str, Int64Array]) -> dict[str, Int64Array]:
    """The columns of HOST_STRETCHES, ns: of rows of `order` where either is anything, between its launch and what came before."""
    if len(order["host"]) == 0:
        return {name: np.zeros(0, np.int64) for name in HOST_STRETCHES}
    end = order["host"]
    start = np.append(end[0], np.where(order["kind"] == SYNC, order["end"], end)[:-1])
    start = np.minimum(start, end)
    called = np.where(end - start >= PAUSE_NS, length_within(_called(trace), start, end), 0)
    copied = length_within(_copied(trace), start, end)
    row = np.flatnonzero((called > 0) | (copied > 0))
    return {"row": row, "called": called[row], "copied": copied[row]}


def _called(trace: Trace) -> Merged:
    events, rows = trace.events, told_rows(trace).rows
    launched = np.sort(events.start_ns[kernel_launches(trace)])
    n_launched = np.diff(np.searchsorted(launched, np.stack((events.start_ns[rows], events.end_ns[rows]))), axis=0)[0]
    is_around = is_kind(events.kind[rows], (Kind.ANNOTATION, Kind.PYTHON)) & (n_launched > 0)
    rows = rows[~is_around & ~rows_named(trace, rows, is_collection)]
    host = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    loader = host[rows_named(trace, host, DATA_LOADER_NAME.match)]
    return subtract(*(union(events.start_ns[each], events.end_ns[each]) for each in (rows, loader)))


def _copied(trace: Trace) -> Merged:
    """While the call that launched it had not returned."""
    events = trace.events
    copies = np.flatnonzero((events.kind == Kind.COPY) & (events.launch != NONE))
    start = np.maximum(events.start_ns[copies], events.start_ns[events.launch[copies]])
    end = np.minimum(events.end_ns[copies], events.end_ns[events.launch[copies]])
    long = end - start >= LEAST_NS
    return union(start[long], end[long])
