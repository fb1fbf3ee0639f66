"""What decides how long the steps take: the chain of things that waited for each other, back from the last end.

host | device | communication | waiting        sums to the time from the first step's begin to the last one's end
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.replay.edges import Why
from tb_plugin.replay.longest import deciding
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.replay.replay import Replayed

Part = Literal["host", "device", "communication", "waiting"]

PARTS: Final[tuple[Part, ...]] = get_args(Part)
"""Where the last path goes. Waiting: launching, gaps between kernels, and what is late for no known reason."""


def last_path(replayed: Replayed, places: Int64Array) -> dict[Part, int]:
    """How much of the time from the begin of the first of these steps to the end of the last one went by on each, ns."""
    graph, edges = replayed.graph, replayed.graph.edges
    starts, ends = replayed.windows()
    begin, end = int(starts[places].min()), int(ends[places].max())
    node, until = _last(replayed, int(places.max()), end)
    chosen = deciding(graph.first_edge, graph.source, replayed.weight_ns, replayed.node_ns).tolist()
    source, time = graph.source.tolist(), replayed.node_ns
    path = []
    while node and time[node] > begin and chosen[node] != NONE:
        path.append(chosen[node])
        node = source[chosen[node]]
    taken = np.array(path, np.int64)
    to, since, from_point = graph.node[taken], time[graph.source[taken]], edges.from_point[taken]
    on_host = np.where(from_point != NONE, replayed.point_ns[from_point] - since, 0)
    on_host += np.where(edges.why[taken] == Why.TURN, replayed.lasts.gap_ns[edges.to_point[taken] // 2], 0)
    work = edges.to_work[taken]
    lasts = np.append(replayed.lasts.work_ns, 0)[work]
    cuts = np.clip(np.stack((since, since + on_host, time[to] - lasts, time[to])), begin, end)
    host, waiting, worked = np.diff(cuts, axis=0)
    collective = np.append(collective_kernels(graph.trace)[graph.work.row], False)[work]
    rest = end - begin - int((cuts[-1] - cuts[0]).sum())
    tail = min(max(until - max(int(time[to[0]]) if len(to) else begin, begin), 0), rest)
    parts: dict[Part, int] = {
        "host": int(host.sum()) + tail,
        "device": int(worked[~collective].sum()),
        "communication": int(worked[collective].sum()),
        "waiting": int(waiting.sum()) + rest - tail,
    }
    return parts


def _last(replayed: Replayed, step: int, end: int) -> tuple[int, int]:
    """(the node that the last step ends with, until when its thread goes on after that)."""
    graph = replayed.graph
    mark = 2 * int(np.flatnonzero(graph.calls.ends == step)[0]) + 1
    marked = int(replayed.point_ns[mark])
    done = replayed.work_end_ns
    within = np.flatnonzero(done <= end)
    if len(within) == 0 or int(done[within].max()) <= marked:
        return int(graph.base[mark]), marked
    last = within[done[within].argmax()]
    return int(graph.node_of_work[last]), int(done[last])
