"""How fast and how large are timeline replies, for any window of a trace of five million events?

    python benchmarks/timeline.py [TRACE ...]        without arguments: a made-up trace of 5 million events

The budgets are what a page must stay under to feel at once. CPU times, the best of five.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from budget import Budget

from tb_plugin.base import fast_gzip
from tb_plugin.formats import reader
from tb_plugin.question.question import NoParams
from tb_plugin.trace.args import ArgsStore
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TABLES, Events, Trace, TraceInfo, Tracks
from tb_plugin.views.timeline import compute
from tb_plugin.views.timeline.index import index_of
from tb_plugin.views.timeline.result import AreaParams, EventParams, SearchParams, WindowParams

if TYPE_CHECKING:
    from collections.abc import Callable

_BUSY = "another process on the same cores: caches are shared, even if processor time is not"
WINDOW_TIME = Budget(name="timeline window, time", budget=10, unit="ms", kind="informational", missed=16, lies=_BUSY)
WINDOW_SIZE = Budget(
    name="timeline window, size",
    budget=120,
    unit="kB compressed",
    kind="gate",
    lies="a trace whose names are much longer than those of the files given",
)
SEARCH = Budget(name="timeline search", budget=200, unit="ms", kind="informational", lies=_BUSY)
AREA = Budget(name="timeline area, everything", budget=100, unit="ms", kind="informational", missed=450, lies=_BUSY)
INDEX = Budget(name="timeline index, memory", budget=40, unit="bytes an event", kind="gate", lies="a trace of few events")
WIDTH_PX = 3 * 1300  # the page asks for a screen on either side


def synthetic(n_events: int = 5_000_000, n_threads: int = 8, n_streams: int = 8) -> Trace:
    """Threads with 12 levels of nesting and streams with kernels that sometimes overlap; 2000 names."""
    random = np.random.default_rng(1)
    per_track = n_events // (n_threads + n_streams)
    start, end, track, kind = [], [], [], []
    for number in range(n_threads + n_streams):
        on_host = number < n_threads
        s, e = _nested(random, per_track) if on_host else _queued(random, per_track)
        by_start = np.lexsort((-e, s))
        start.append(s[by_start])
        end.append(e[by_start])
        track.append(np.full(per_track, number))
        kind.append(np.full(per_track, Kind.OPERATOR if on_host else Kind.KERNEL))
    n_rows = per_track * (n_threads + n_streams)
    starts, ends = np.concatenate(start), np.concatenate(end)
    events = Events.from_columns(
        {
            "start_ns": starts,
            "end_ns": ends,
            "track": np.concatenate(track),
            "kind": np.concatenate(kind),
            "name_id": random.integers(0, 2000, n_rows),
            "category_id": np.zeros(n_rows),
            "order": np.arange(n_rows),
        }
    )
    n_tracks = n_threads + n_streams
    tracks = Tracks.from_columns(
        {
            "pid_id": np.zeros(n_tracks),
            "tid_id": np.arange(n_tracks),
            "device": np.where(np.arange(n_tracks) < n_threads, -1, 0),
            "stream": np.where(np.arange(n_tracks) < n_threads, -1, np.arange(n_tracks)),
        }
    )
    return Trace(
        strings=tuple(f"aten::made_up_operator_{i % 7}<float, {i}>" for i in range(2000)),
        events=events,
        tracks=tracks,
        **{table.name: table.from_columns({}) for table in TABLES if table not in (Events, Tracks)},  # type: ignore[arg-type]
        info=TraceInfo(start_ns=int(starts.min()), end_ns=int(ends.max())),
        issues=(),
        args=ArgsStore([], []),
    )


def _nested(random: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Twelve levels: each event holds about three, with gaps."""
    start, end = [np.array([0])], [np.array([n * 10_000])]
    sizes = np.maximum((n * 3.0 ** np.arange(-11, 1) * 2 / 3).astype(int), 1)
    sizes[-1] += n - sizes.sum() - 1
    for size in sizes:
        parents = np.sort(random.integers(0, len(start[-1]), size))
        place = np.arange(size) - np.searchsorted(parents, parents)
        siblings = np.bincount(parents, minlength=len(start[-1]))[parents]
        slot = (end[-1] - start[-1])[parents] // siblings
        s = start[-1][parents] + place * slot + (slot * random.random(size) * 0.2).astype(np.int64)
        start.append(s)
        end.append(s + (slot * random.random(size) * 0.8).astype(np.int64))
    return np.concatenate(start), np.concatenate(end)


def _queued(random: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Kernels of 1 to 100 us one after the other; one in ten starts before the last one ended."""
    length = (1000 * 100 ** random.random(n)).astype(np.int64)
    gap = np.where(random.random(n) < 0.1, -500, (2000 * random.random(n)).astype(np.int64))
    start = np.cumsum(length + gap) - length
    return start - start.min(), start - start.min() + length


def best_ms(call: Callable[[], Any], repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        begun = time.process_time()
        call()
        times.append(time.process_time() - begun)
    return 1000 * min(times)


def report(name: str, trace: Trace) -> None:
    out = sys.stdout.write
    begun = time.process_time()
    index = index_of(trace)
    build_s = time.process_time() - begun
    n_events = max(len(trace.events), 1)
    out(f"{name}: {len(trace.events):,} events, {len(index.lane_track)} lanes, {len(index.pyramid.levels)} levels, index in ")
    out(f"{build_s:.2f} s CPU, {index.pyramid.n_bytes / n_events:.1f} bytes an event\n")
    out(f"  tracks {best_ms(lambda: compute.tracks(trace, NoParams()), 2):.0f} ms,")
    out(f" event {best_ms(lambda: compute.event(trace, EventParams(row=n_events // 2))):.1f} ms,")
    whole = AreaParams(t0_ns=trace.info.start_ns, t1_ns=trace.info.end_ns)
    out("\n")
    SEARCH.measured(best_ms(lambda: compute.search(trace, SearchParams(q="_3<"))), of=name)
    AREA.measured(best_ms(lambda: compute.area(trace, whole), 2), of=name)
    INDEX.measured(index.pyramid.n_bytes / n_events, of=name)
    length = trace.info.end_ns - trace.info.start_ns
    slowest_ms, largest_bytes = 0.0, 0
    for zoom in (1, 10, 100, 1000, 10_000, 100_000):
        worst_ms, worst_bytes, blocks = 0.0, 0, 0
        for place in (0.1, 0.35, 0.5, 0.8):
            half = 1.5 * length / zoom
            middle = trace.info.start_ns + place * length
            t0, t1 = (trace.info.start_ns, trace.info.end_ns) if zoom == 1 else (int(middle - half), int(middle + half) + 1)
            params = WindowParams(t0_ns=t0, t1_ns=t1, width_px=WIDTH_PX)
            reply = compute.window(trace, params)
            body = reply.encode()
            compressed = len(fast_gzip.compress(body))
            ms = best_ms(lambda params=params: compute.window(trace, params).encode())  # type: ignore[misc]
            worst_ms, worst_bytes = max(worst_ms, ms), max(worst_bytes, compressed)
            blocks = max(blocks, len(reply.columns["row"]))
        out(f"  {zoom:>7}x  {worst_ms:6.2f} ms  {worst_bytes / 1000:6.1f} kB  {blocks} blocks\n")
        slowest_ms, largest_bytes = max(slowest_ms, worst_ms), max(largest_bytes, worst_bytes)
    WINDOW_TIME.measured(slowest_ms, of=name)
    WINDOW_SIZE.measured(largest_bytes / 1000, of=name)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        report(path.rsplit("/", 1)[-1], reader.read(path))
    if len(sys.argv) == 1:
        report("synthetic", synthetic())
