"""What a rank's host started, in order, and what each had to wait for: enough to replay the rank with others.

`host` is when the launch returned, or a sync began; of a copy whose launch waited for it when that began.

    row  kind        host  start   end  after  stream  loader
      0  chunk         12     20   410     -1       7   1200     kernels one after the other, launched so
      1  collective    14    412   480      0      20      0     begins when the chunk before it is done
      2  chunk         16    482   700     -1       7      0     needs row 1: launched after it, begins after it
      3  sync          18     18   702     -1      -1      0     the host waits for all that was started, also by a call of
                                                                   another name (`waiting_calls.py`)
      4  step          703   703   703     -1      -1      0     a step of the host ends

`needs` holds pairs (row, row of a collective that it waits for): the next chunk, if it began only after the collective had ended;
else any row that began as it ended. A collective without either runs beside everything up to the next sync. Where a
chunk began as soon as it was launched, or as its stream was free, or another collective ended later, nobody knows whether it
would have waited: `is_sure` is 0, not 1. Of a send it says how it is known (`sends.py`).

`behind` is the chunk of another stream that a row waits for: it began as that one ended, long after its launch.

A queue of launches that is full holds up the host until the device begins one: `blocked` is how long, since the row before,
and `room` how long before `host` the last such call returned.

A recording that begins while the device still works off what was launched before holds kernels without their launch. They are
no rows: the order begins at what the recorded launches started, and the first step where the device was done with them
(`times/step_windows.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.intervals import length_within, union
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kinds import DATA_LOADER_NAME, DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.rank.full_queue import FullQueue, full_queue
from tb_plugin.trace.rank.sends import (
    GAP_NS,
    LAUNCH_NS,
    SAID,
    SEEN,
    TIE_NS,
    before_on_stream,
    held_gap_ns,
    long_held,
    said_waits,
    seen_waits,
)
from tb_plugin.trace.rank.waiting_calls import waiting_calls
from tb_plugin.trace.times.idle import WAITS
from tb_plugin.trace.times.step_windows import queued_before
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

CHUNK, COLLECTIVE, SYNC, STEP = range(4)
ORDER: Final = ("kind", "host", "start", "end", "after", "stream", "what", "loader", "blocked", "room", "behind")
NEEDS: Final = ("row", "collective", "is_sure")

_MOST_WITHOUT: Final = 0.01
"""Of device work since the first step may lack a launch; else its order is not known."""

MOST_ROWS: Final = 50_000

_MOST_LATER: Final = 8
"""Of what ended shortly before a row began, but was launched after it, so many are passed over."""

_PAUSE_NS: Final = 1_000_000
"""After a launch that waited for room, the host's own: a row of its own ends where it had room again."""


class LaunchOrder(NamedTuple):
    """The columns of ORDER and NEEDS. Both empty where the order is not known."""

    rows: dict[str, Int64Array]
    needs: dict[str, Int64Array]


def order_of(trace: Trace) -> LaunchOrder:
    """`what`: of a collective its place in the table of collectives, of a step its number."""
    events, found = trace.events, collectives(trace)
    before = queued_before(trace)
    work = np.setdiff1d(np.flatnonzero(is_kind(events.kind, DEVICE_KINDS) & ~collective_kernels(trace)), before)
    launched = work[events.launch[work] != NONE]
    place = np.flatnonzero((found.row != NONE) & ~found.is_host)
    place = place[~np.isin(found.row[place], before)]
    n_collectives = len(place)
    place = place[events.launch[found.row[place]] != NONE]
    n_without = len(work) - len(launched) + n_collectives - len(place)
    if len(launched) == 0 or n_without > _MOST_WITHOUT * len(work) or len(trace.steps) == 0:
        return _nothing()
    syncs = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS))
    syncs = syncs[rows_named(trace, syncs, WAITS.__contains__)]
    begin = int(trace.steps.start_ns[0])
    waiting = waiting_calls(trace)
    launched_ns = events.end_ns[events.launch[launched]]
    is_awaited = np.isin(launched, waiting.copies)
    launched_ns[is_awaited] = events.start_ns[events.launch[launched[is_awaited]]]
    end, number = np.append(begin, trace.steps.end_ns), np.append(NONE, trace.steps.number)
    parts = (
        (CHUNK, launched_ns, launched, np.full(len(launched), NONE)),
        (COLLECTIVE, events.end_ns[events.launch[found.row[place]]], found.row[place], place),
        (SYNC, events.start_ns[syncs], syncs, np.full(len(syncs), NONE)),
        (SYNC, events.start_ns[waiting.call], waiting.call, np.full(len(waiting.call), NONE)),
    )
    ended = [*(events.end_ns[rows] for _, _, rows, _ in parts[:-1]), waiting.until_ns]
    columns = {
        "kind": np.concatenate([*(np.full(len(rows), kind) for kind, _, rows, _ in parts), np.full(len(end), STEP)]),
        "host": np.concatenate([*(host for _, host, _, _ in parts), end]),
        "start": np.concatenate([*(events.start_ns[rows] for _, _, rows, _ in parts), end]),
        "end": np.concatenate([*ended, end]),
        "stream": np.concatenate([*(events.track[rows].astype(np.int64) for _, _, rows, _ in parts), np.full(len(end), NONE)]),
        "what": np.concatenate([*(what for _, _, _, what in parts), number]),
    }
    # All that one launch of a graph starts has its host time: in it the order is the device's.
    is_device = columns["kind"] < SYNC
    by_host = np.lexsort((np.where(is_device, columns["start"], 0), np.where(is_device, CHUNK, columns["kind"]), columns["host"]))
    each = {name: column[by_host].astype(np.int64) for name, column in columns.items()}
    queue = full_queue(trace).but(waiting.call)
    each["after"] = _producers(each)
    awaited = _behind(each)
    rests = np.diff(each["host"], append=each["host"][-1]) >= _PAUSE_NS
    apart = rests & np.isin(each["host"], events.end_ns[queue.call])
    apart[1:] |= np.isin(np.arange(len(apart) - 1), awaited)
    rows = _chunked(each, apart)
    if len(rows["kind"]) > MOST_ROWS:
        return _nothing()
    rows["after"] = _producers(rows)
    rows["behind"] = _behind(rows)
    rows["loader"] = _loader(trace, rows["host"])
    rows["blocked"], rows["room"] = _blocked(trace, queue, rows["host"])
    return LaunchOrder(rows, _needs(trace, rows, found.kind))


def _nothing() -> LaunchOrder:
    empty = np.zeros(0, np.int64)
    return LaunchOrder(dict.fromkeys(ORDER, empty), dict.fromkeys(NEEDS, empty))


def _chunked(rows: dict[str, Int64Array], apart: BoolArray) -> dict[str, Int64Array]:
    """Work that follows on its stream without a gap, nothing else started between, is one row. But what is `apart` begins one:
    what had room again, and what follows a kernel that another stream waits for.
    """
    kind, stream = rows["kind"], rows["stream"]
    gap = rows["start"][1:] - rows["end"][:-1]
    joins = (kind[1:] == CHUNK) & (kind[:-1] == CHUNK) & (stream[1:] == stream[:-1]) & (gap <= GAP_NS) & (gap >= 0) & ~apart[1:]
    first = np.flatnonzero(np.concatenate(([True], ~joins)))
    last = np.append(first[1:] - 1, len(kind) - 1)
    merged = {name: column[first] for name, column in rows.items()}
    merged["end"] = rows["end"][last]
    return merged


def _producers(rows: dict[str, Int64Array]) -> Int64Array:
    """Of each collective the chunk launched before it, if it began only after that had ended."""
    is_chunk = rows["kind"] == CHUNK
    last = np.maximum.accumulate(np.where(is_chunk, np.arange(len(is_chunk)), NONE))
    ends = np.where(last == NONE, np.iinfo(np.int64).max, rows["end"][np.maximum(last, 0)])
    return np.where((rows["kind"] == COLLECTIVE) & (ends <= rows["start"] + TIE_NS), last, NONE)


def _behind(rows: dict[str, Int64Array]) -> Int64Array:
    """Of each chunk, and collective without one in `after`, the chunk of another stream with whose end it began, if neither
    launch nor its own stream held it up so long.
    """
    found = np.full(len(rows["kind"]), NONE)
    row, source = _bound(rows, np.flatnonzero(rows["kind"] == CHUNK)).T
    is_held = rows["start"][row] - np.maximum(rows["host"][row] + LAUNCH_NS, before_on_stream(rows)[row] + GAP_NS) > 0
    is_held &= (rows["after"][row] == NONE) & (rows["stream"][row] != rows["stream"][source])
    found[row[is_held]] = source[is_held]
    return found


def _needs(trace: Trace, rows: dict[str, Int64Array], kind: Int64Array) -> dict[str, Int64Array]:
    n = len(rows["kind"])
    is_chunk = rows["kind"] == CHUNK
    following = np.full(n, n)
    places = np.where(is_chunk, np.arange(n), n)
    following[:-1] = np.minimum.accumulate(places[::-1])[::-1][1:]
    met = np.flatnonzero(rows["kind"] == COLLECTIVE)
    is_send = np.zeros(n, np.bool_)
    is_send[met] = kind[rows["what"][met]] == kinds.SEND
    mine, sends = met[~is_send[met]], met[is_send[met]]
    ended, after = rows["end"][mine], following[mine]
    has_next = after < n
    direct = has_next & (rows["start"][np.minimum(after, n - 1)] >= ended - TIE_NS)
    bound = _bound(rows, mine)
    pairs = np.concatenate((np.column_stack((after, mine))[direct], bound))
    row, ready = pairs[:, 0], before_on_stream(rows)[pairs[:, 0]]
    is_free = (rows["start"][row] - ready > GAP_NS) | (ready <= rows["end"][pairs[:, 1]])
    over, last_over = rows["end"][pairs[:, 1]], np.zeros(n, np.int64)
    np.maximum.at(last_over, row, over)
    is_last = over >= last_over[row] - GAP_NS
    sure = ~is_chunk[row] | ((rows["start"][row] - rows["host"][row] > LAUNCH_NS) & is_free & is_last)
    said = said_waits(trace, rows, is_send)
    left = sends[said.is_open[sends]]
    behind = _bound(rows, left)
    is_said = long_held(rows, behind, pairs) & is_chunk[behind[:, 0]]
    behind = np.column_stack((behind, np.where(is_said, SAID, SEEN)))[is_said | ~is_chunk[behind[:, 0]]]
    seen = seen_waits(rows, left, following[left], pairs)
    waits = np.concatenate((said.pairs, seen, behind))
    every = np.concatenate((np.column_stack((pairs, sure)), waits)).astype(np.int64)
    return dict(zip(NEEDS, every.T, strict=True))


def _bound(rows: dict[str, Int64Array], mine: Int64Array) -> Int64Array:
    """(row, collective) where the row began as the collective ended, and was launched later: within 3 us, or `held_gap_ns` where
    neither its launch nor its own stream held it up so long.
    """
    targets = np.flatnonzero((rows["kind"] == CHUNK) | (rows["kind"] == COLLECTIVE))
    if len(mine) == 0:
        return np.zeros((0, 2), np.int64)
    by_end = mine[np.argsort(rows["end"][mine], kind="stable")]
    last = np.searchsorted(rows["end"][by_end], rows["start"][targets] + TIE_NS, side="right") - 1
    for _ in range(_MOST_LATER):
        last -= by_end[np.maximum(last, 0)] >= targets
    source = by_end[np.maximum(last, 0)]
    start, ended = rows["start"][targets], rows["end"][source]
    host, ready = rows["host"][targets], before_on_stream(rows)[targets]
    is_held = (start - host > LAUNCH_NS) & (ready < ended)
    gap = np.where(is_held, held_gap_ns(start - np.maximum(host, ready)), GAP_NS)
    is_bound = (last >= 0) & (start - ended <= gap) & (source < targets)
    return np.column_stack((targets, source))[is_bound]


def _blocked(trace: Trace, queue: FullQueue, host: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(blocked, room) of each row."""
    ended = trace.events.end_ns[queue.call]
    row = np.searchsorted(host, ended)
    inside = row < len(host)
    blocked, last = np.zeros(len(host), np.int64), np.full(len(host), NONE)
    np.add.at(blocked, row[inside], queue.blocked_ns[inside])
    np.maximum.at(last, row[inside], ended[inside])
    return blocked, np.where(blocked > 0, host - last, 0)


def _loader(trace: Trace, host: Int64Array) -> Int64Array:
    """Time in the data loader since the row before."""
    rows = np.flatnonzero(is_kind(trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    rows = rows[rows_named(trace, rows, DATA_LOADER_NAME.match)]
    loader = union(trace.events.start_ns[rows], trace.events.end_ns[rows])
    before = np.concatenate((host[:1], host[:-1]))
    return length_within(loader, before, host)
