"""Which kernels wait for a send: a pair (row, row of the send, how it is known) of the order of launches (`order.py`).

    SAID      a `cuda_sync` row of the file: the kernel's stream waits for an event recorded behind the send; or any
              kernel began as the send ended, held up by nothing else, and 50 times as long as it took to begin
    SEEN      the next kernel began as the send ended (`held_gap_ns`); its launch, stream and others let it begin before
    NOT_TOLD  it began after the send's end, and one of these explains it too

Where a `cuda_sync` row does not know which event (-1), it may be of any send launched before it: these are told by times.

A send without a pair is not waited for: the next kernel began before its end, or later than anything explains. Whether what was
seen is chance is decided over the whole job (`job/replay/direct.py`). What the host waits for is a row of the order itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.json_text import value_of
from tb_plugin.trace.kinds import LAUNCH_KINDS, Kind, is_kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.trace.model import Trace

NOT_TOLD, SEEN, SAID = range(3)
GAP_NS: Final = 3_000
_HELD_GAP_NS: Final = 20_000
_LONGEST_HELD_GAP_NS: Final = 100_000
_OF_HELD: Final = 10
_NO_CHANCE: Final = 50
TIE_NS: Final = 500
LAUNCH_NS: Final = 20_000
"""A kernel that begins this much later than its launch was held up by something else."""


def held_gap_ns(held_ns: Int64Array) -> Int64Array:
    """How long after the end of what a kernel waits for it begins at most, if neither its launch nor its stream held it up for so
    long before.

    On an A100 1 to 9 us, on an H200 of four processes 2 to 12, on a MI300 9 to 17; behind a copy of the host's up to 70. That
    something else ended by chance so short before is the less likely the longer it was held up: a tenth of that, 20 to 100 us.
    """
    return np.clip(held_ns // _OF_HELD, _HELD_GAP_NS, _LONGEST_HELD_GAP_NS)


def seen_waits(rows: dict[str, Int64Array], sends: Int64Array, following: Int64Array, others: Int64Array) -> Int64Array:
    """[pair, 3]. `following`: of each send the next chunk, the number of rows where there is none. `others`: pairs
    (row, collective) of what else is waited for.
    """
    n = len(rows["kind"])
    sends, chunk = sends[following < n], following[following < n]
    if len(sends) == 0:
        return np.zeros((0, 3), np.int64)
    start, ended, ready = rows["start"][chunk], rows["end"][sends], _ready(rows, others)
    last_send = np.full(n, NONE, np.int64)
    np.maximum.at(last_send, chunk, ended)
    is_held = start - rows["host"][chunk] > LAUNCH_NS
    is_alone = is_held & (ready[chunk] < ended - GAP_NS) & (last_send[chunk] == ended)
    held = start - np.maximum(rows["host"][chunk], ready[chunk])
    is_after, is_close = start >= ended - TIE_NS, start - ended <= held_gap_ns(held)
    kept = is_after & (is_close | ~is_alone)
    pairs: Int64Array = np.column_stack((chunk, sends, np.where(is_alone, SEEN, NOT_TOLD)))[kept].astype(np.int64)
    return pairs


def long_held(rows: Mapping[str, Int64Array], pairs: Int64Array, others: Int64Array) -> BoolArray:
    """Of each pair (row, send with whose end it began), whether nothing else held the row up, and this 50 times as long as it
    took to begin: no chance.
    """
    row, send = pairs.T
    start, ended, ready = rows["start"][row], rows["end"][send], _ready(rows, others)[row]
    found: BoolArray = (start - np.maximum(rows["host"][row], ready) >= _NO_CHANCE * np.maximum(start - ended, GAP_NS)) & (
        ready < ended - GAP_NS
    )
    return found


def _ready(rows: Mapping[str, Int64Array], others: Int64Array) -> Int64Array:
    """When its stream, and what else it waits for, let each row begin. `others`: pairs (row, collective)."""
    ready = before_on_stream(rows)
    np.maximum.at(ready, others[:, 0], rows["end"][others[:, 1]])
    return ready


def before_on_stream(rows: Mapping[str, Int64Array]) -> Int64Array:
    """Of each row the end of the kernel before it on its stream: of rows of one kernel, a batch, of that before them all."""
    order = np.lexsort((np.arange(len(rows["stream"])), rows["stream"]))
    stream, start, end = (rows[name][order] for name in ("stream", "start", "end"))
    same = np.diff(stream) == 0
    begins = np.concatenate(([True], ~(same & (np.diff(start) == 0) & (np.diff(end) == 0))))[: len(order)]
    before = np.concatenate(([NONE], np.where(same, end[:-1], NONE)))[: len(order)]
    ended = np.empty(len(order), np.int64)
    ended[order] = before[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
    return ended


class SaidWaits(NamedTuple):
    """`pairs`: [pair, 3]. `is_open`: of each row, a send that no row of the file settles."""

    pairs: Int64Array
    is_open: BoolArray


def said_waits(trace: Trace, rows: dict[str, Int64Array], is_send: BoolArray) -> SaidWaits:
    """All sends are open where the file says nothing of streams that wait. `is_send`: of each row."""
    events, tracks = trace.events, trace.tracks
    waiting = np.flatnonzero(is_kind(events.kind, (Kind.SYNC,)) & (events.launch != NONE))
    on_stream = dict(trace.args.of_rows(events.order, waiting, "wait_on_stream"))
    if not on_stream:
        return SaidWaits(np.zeros((0, 3), np.int64), is_send)
    behind = dict(trace.args.of_rows(events.order, waiting, "wait_on_cuda_event_record_corr_id"))
    calls = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS) & (events.correlation > 0))
    recorded = dict(zip(events.correlation[calls].tolist(), events.start_ns[calls].tolist(), strict=True))
    places = dict(zip(zip(tracks.device.tolist(), tracks.stream.tolist(), strict=True), range(len(tracks)), strict=True))
    of_stream = {stream: np.flatnonzero(rows["stream"] == stream) for stream in np.unique(rows["stream"]).tolist()}
    # What a stream waits for since its last kernel is waited for by whoever waits for that stream.
    pending: dict[int, list[tuple[int, set[int]]]] = {}
    pairs: set[tuple[int, int, int]] = set()
    unknown_at = NONE
    for row in sorted(on_stream, key=lambda row: int(events.start_ns[events.launch[row]])):
        mine, at = int(events.track[row]), int(events.start_ns[events.launch[row]])
        stream = places.get((int(tracks.device[mine]), _number(on_stream[row])), NONE)
        since = recorded.get(_number(behind.get(row, b"null")))
        if since is None:
            unknown_at = at
        if since is None or mine not in of_stream:
            continue
        awaited, begun = set(), NONE
        last = int(np.searchsorted(rows["host"][of_stream.get(stream, of_stream[mine][:0])], since, side="right")) - 1
        if last >= 0:
            source = int(of_stream[stream][last])
            begun = int(rows["host"][source])
            awaited = {source} if is_send[source] else set()
        held = pending.get(stream, [])
        for _, more in held[bisect_left(held, begun, key=itemgetter(0)) : bisect_right(held, since, key=itemgetter(0))]:
            awaited |= more
        if not awaited:
            continue
        pending.setdefault(mine, []).append((at, awaited))
        first = int(np.searchsorted(rows["host"][of_stream[mine]], at))
        target = int(of_stream[mine][first]) if first < len(of_stream[mine]) else NONE
        pairs |= {(target, one, SAID) for one in awaited if one < target and rows["start"][target] >= rows["end"][one] - TIE_NS}
    said = np.array(sorted(pairs), np.int64).reshape(-1, 3)
    is_open = is_send & (rows["host"] <= unknown_at)
    is_open[said[:, 1]] = False
    return SaidWaits(said, is_open)


def _number(text: bytes) -> int:
    value = value_of(text)
    return value if type(value) is int else NONE
