"""The call tree of an area, from the callers or from the callees.

train 100 > linear 70 > mm 30      from callees  linear 40 > train 40
          > relu 20 > mm 5                       mm 35 > linear 30 > train 30
                                                       > relu 5 > train 5
                                                 relu 15 > train 15
                                                 train 10
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.nesting import depths, sum_over_subtree
from tb_plugin.trace.times.operator_times import name_keys

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.call_paths import CallPaths


class AreaCalls(NamedTuple):
    """One entry a node, a parent before its children. `row`: an event of its kind and name, `longest_row` its longest one."""

    parent: Int32Array | Int64Array
    row: Int64Array
    key: Int64Array  # of its name
    time_ns: Int64Array  # self times of it and of all below it
    self_ns: Int64Array
    n_calls: Int64Array
    longest_row: Int64Array
    longest_ns: Int64Array  # the part of it that lies in the area

    def inverted(self, trace: Trace) -> AreaCalls:
        """What has time of its own at the root, who called it below. A chain has the time, the calls and the longest call of its
        first name; as self time it is of that alone. Calls without time of their own count where others of it have.
        """
        kind, name = trace.events.kind[self.row], self.key
        named = group_by(kind, name)
        first = np.flatnonzero((sum_by(named, self.self_ns) > 0)[named.of] & ((self.self_ns > 0) | (self.n_calls > 0)))
        first = first[np.argsort(self.longest_ns[first], kind="stable")]
        at, above, n_nodes = first, np.full(len(first), NONE), 0
        levels = [AreaCalls(*[np.zeros(0, np.int64)] * len(AreaCalls._fields))]
        while len(at):
            alike = group_by(above, kind[at], name[at])
            ends = self.parent[at] == NONE
            parent, time_ns = above[alike.first], sum_by(alike, self.self_ns[first])
            longest = np.empty(len(alike), np.int64)
            longest[alike.of] = first  # of several that are written to one place the last stays
            levels.append(
                AreaCalls(
                    parent=parent,
                    row=self.row[at[alike.first]],
                    key=name[at[alike.first]],
                    time_ns=time_ns,
                    self_ns=np.where(parent == NONE, time_ns, 0),
                    n_calls=sum_by(alike, self.n_calls[first]),
                    longest_row=self.longest_row[longest],
                    longest_ns=self.longest_ns[longest],
                )
            )
            above, n_nodes = (alike.of + n_nodes)[~ends], n_nodes + len(alike)
            first, at = first[~ends], self.parent[at[~ends]].astype(np.int64)
        return AreaCalls(*(np.concatenate(column) for column in zip(*levels, strict=True)))


def from_callers(
    trace: Trace, paths: CallPaths, self_ns: Int64Array, n_calls: Int64Array, longest_row: Int64Array, longest_ns: Int64Array
) -> AreaCalls:
    time_ns = sum_over_subtree(paths.parent, depths(paths.parent), self_ns)
    return AreaCalls(paths.parent, paths.row, name_keys(trace, paths.row), time_ns, self_ns, n_calls, longest_row, longest_ns)
