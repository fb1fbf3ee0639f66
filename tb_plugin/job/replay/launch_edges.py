"""What waits for what on each rank, by rows of all orders: of a stream, of what was found out, of the host and of steps.

stream 7   |chunk 1|collective 3|chunk 5|      edges (1, 3), (3, 5)
host       launches ... sync 6                 joins (5, 6)

A host that runs ahead waits for an event of long ago:

stream 7   |chunk 1      |chunk 2      |chunk 4      |
host       launches 1, 2 | sync 3      | launches 4 | sync 5     joins (1, 3), (2, 5), though 2 was launched before sync 3
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.side_by_side import in_lanes
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, STEP, SYNC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.job.replay.chunk_parts import Parted


_RETURN_NS: Final = 5_000
"""The clocks of host and device may be so far apart."""


class LaunchEdges(NamedTuple):
    """By rows of all orders; `is_first` of each."""

    edges: tuple[Int64Array, Int64Array]  # end -> start
    room_by: tuple[Int64Array, Int64Array]  # start -> the host that waited for room
    joins: tuple[Int64Array, Int64Array]  # ends -> the sync or step that waits for them
    is_first: BoolArray  # on its stream


def launch_edges(order: Mapping[str, Int64Array], of: Parted) -> LaunchEdges:
    """Of each rank."""
    kind, rank = order["kind"], order["rank"]
    device = np.flatnonzero((kind == CHUNK) | (kind == COLLECTIVE))
    behind, steps = np.flatnonzero(order["behind"] != NONE), np.flatnonzero(kind == STEP)
    is_next = rank[steps[:-1]] == rank[steps[1:]]
    on_stream, syncs = _next_on_stream(order, device), np.flatnonzero(kind == SYNC)
    joins = (_joins(order, device, syncs), _joins_earlier(order, device, syncs), _joins(order, device, steps))
    is_first = np.zeros(len(kind), np.bool_)
    is_first[device] = True
    is_first[on_stream[1]] = False
    produced = (order["after"][of.produced], of.produced)
    return LaunchEdges(
        edges=_by_rank(rank, on_stream, produced, (order["behind"][behind], behind), of.waits),
        room_by=_room_by(order, device),
        joins=_by_rank(rank, *joins, (steps[:-1][is_next], steps[1:][is_next])),
        is_first=is_first,
    )


def _by_rank(rank: Int64Array, *edges: tuple[Int64Array, Int64Array]) -> tuple[Int64Array, Int64Array]:
    """All of them: those of a rank as they come here. Of paths of one length the one of the first edge is told."""
    source, target = (np.concatenate([each[side] for each in edges]) for side in (0, 1))
    order = np.argsort(rank[source], kind="stable")
    return source[order], target[order]


def _next_on_stream(order: Mapping[str, Int64Array], device: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(row, row of the next kernel on its stream). Rows of one kernel, a batch, are each behind all of the kernel before."""
    rows = device[np.lexsort((order["stream"][device], order["rank"][device]))]
    is_same = order["kind"][rows][1:] == COLLECTIVE
    for name in ("rank", "stream", "kind", "start", "end"):
        is_same &= np.diff(order[name][rows]) == 0
    kernel = np.cumsum(np.concatenate(([True], ~is_same)))[: len(rows)]
    pairs, away = [np.zeros((2, 0), np.int64)], 1
    while len(rows) > away and (is_next := kernel[away:] - kernel[:-away] == 1).any():
        for name in ("rank", "stream"):
            is_next &= order[name][rows[away:]] == order[name][rows[:-away]]
        pairs.append(np.stack((rows[:-away][is_next], rows[away:][is_next])))
        away += 1
    source, target = np.concatenate(pairs, axis=1)
    return source, target


def _room_by(order: Mapping[str, Int64Array], device: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(device row that began last when the queue had room again, row whose host had waited for that)."""
    rows, rank = np.flatnonzero(order["blocked"] > 0), order["rank"]
    if len(rows) == 0 or len(device) == 0:
        return rows[:0], rows[:0]
    device = device[np.lexsort((order["start"][device], rank[device]))]
    begun, had_room = in_lanes((rank[device], rank[rows]), (order["start"][device], order["host"][rows] - order["room"][rows]))
    place = np.searchsorted(begun, had_room, side="right") - 1
    source = device[place]
    is_it = (place >= 0) & (rank[source] == rank[rows]) & (source < rows)
    return source[is_it], rows[is_it]


def _joins(order: Mapping[str, Int64Array], device: Int64Array, into: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(device row, the next of the rows `into` of its rank) where that ends no earlier."""
    following = np.append(into, NONE)[np.searchsorted(into, device)]
    is_there = (following != NONE) & (order["rank"][following] == order["rank"][device])
    device, following = device[is_there], following[is_there]
    ended = order["end"][device] <= order["end"][following] + _RETURN_NS
    return device[ended], following[ended]


def _joins_earlier(order: Mapping[str, Int64Array], device: Int64Array, syncs: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(device row that ended last as the sync was over, the sync) where that ended in it and was launched before another one."""
    rank = order["rank"]
    if len(syncs) == 0 or len(device) == 0:
        return syncs[:0], syncs[:0]
    device = device[np.lexsort((order["end"][device], rank[device]))]
    over = order["end"][syncs] + _RETURN_NS
    ended, asked = in_lanes((rank[device], rank[syncs]), (order["end"][device], over))
    place = np.searchsorted(ended, asked, side="right") - 1
    source = device[place]
    is_it = (place >= 0) & (rank[source] == rank[syncs]) & (order["end"][source] > order["start"][syncs])
    is_it &= syncs[np.searchsorted(syncs, source).clip(0, len(syncs) - 1)] < syncs
    return source[is_it], syncs[is_it]
