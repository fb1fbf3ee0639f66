"""What takes less time, by event rows: changes that no name says, as a check finds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.intervals import EMPTY, Merged, covers, intersect
from tb_plugin.replay.host_time import times_of
from tb_plugin.replay.lines import between_operators, line_times

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.replay.graph import Graph
    from tb_plugin.replay.host_time import ByTrack
    from tb_plugin.replay.version import Version

_NO_ROWS = np.zeros(0, np.int64)


@dataclass(frozen=True, kw_only=True)
class Less:
    """Rows of device work, which take `work_factor` as long (0: it is not launched either), one for all or one for each; of host
    events, which take `host_factor` as long with all that they call, and what they launch `launched_factor`; and of work that
    begins as soon as its stream and its launch allow (`on_time`); and a line of the host (`replay/lines.py`; None: Python between
    operators), which is left out `during` some of its own time.
    """

    work: Int64Array = field(default_factory=lambda: _NO_ROWS)
    work_factor: float | Float64Array = 0.0
    host: Int64Array = field(default_factory=lambda: _NO_ROWS)
    host_factor: float = 0.0
    launched_factor: float = 1.0
    on_time: Int64Array = field(default_factory=lambda: _NO_ROWS)
    line: str | None = None
    during: Merged = EMPTY

    def apply(self, version: Version) -> None:
        """Rows that are not of the graph change nothing."""
        rows = version.graph.work.row  # in order
        known = np.isin(self.work, rows)
        factor = np.ones(len(rows))
        factor[np.searchsorted(rows, self.work[known])] = np.broadcast_to(self.work_factor, self.work.shape)[known]
        version.work *= factor
        if (factor == 0).any():
            version.remove(factor == 0)
        version.is_on_time |= np.isin(rows, self.on_time)
        if len(self.host):
            times = times_of(version.trace, self.host)
            version.host.scale(times, self.host_factor)
            version.work[_launched_in(version.graph, times)] *= self.launched_factor
        if len(self.during.start):
            own = between_operators(version.graph) if self.line is None else line_times(version.trace, self.line)
            version.host.scale({track: intersect(times, self.during) for track, times in own.items()}, 0.0)


def _launched_in(graph: Graph, times: ByTrack) -> BoolArray:
    """W: launched by one of these threads at these times of it."""
    calls, work = graph.calls, graph.work
    inside = np.zeros(len(calls.row) + 1, np.bool_)  # NONE falls on the last
    for track, merged in times.items():
        mine = np.flatnonzero(calls.track == track)
        inside[mine] = covers(merged, calls.start_ns[mine])
    found: BoolArray = inside[work.call]
    return found
