"""Figures of `docs/metrics.md` as loops over the rows of a file, to check the views against."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from itertools import accumulate, pairwise
from math import inf
from statistics import median
from typing import TYPE_CHECKING

from tb_plugin.trace.work.taxonomy import CATEGORIES, Category, category_of_kernel, category_of_operator
from tests.views.plain_file import PlainFile, Row, Spans, spans, union

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOT_LISTED = re.compile(r"aten::(is_leaf|output_nr|_version)\Z|profiler::_record_function_")
_LOADER = re.compile(r"enumerate\(Data(Loader|Pipe)\)#")
_COLLECTIVE = re.compile(r"(gloo|nccl|mpi|ucc|xccl|hccl):|c10d::")
_WAIT = re.compile(
    r"(cuda|hip)((Stream|Device|Event)Synchronize|Memcpy|MemcpyWithStream)\Z|cu(Stream|Ctx|Event)Synchronize\Z|synchronizeStream\Z"
)
_RESTS = re.compile(r"<built-in (function|method) (sleep|acquire|__enter__|wait\w*|poll|select|recv\w*|accept|getaddrinfo)\b")


def operators(plain: PlainFile) -> dict[tuple[str, str], list[int]]:
    """(name, kind) to calls, host self and total, device self and total, ns."""
    rows = [row for row in plain.host if not (row.kind in ("operator", "annotation") and _NOT_LISTED.match(row.name))]
    nests = set(rows)
    parent: dict[Row, Row | None] = {}
    for row in rows:
        above = row.parent
        while above is not None and above not in nests:
            above = above.parent
        parent[row] = above
    children: defaultdict[Row, list[Row]] = defaultdict(list)
    for row, above in parent.items():
        if above is not None:
            children[above].append(row)
    own = {row: max(0, row.ns - sum(child.ns for child in children[row])) for row in rows}
    is_part = {
        row
        for row, above in parent.items()
        if above is not None and row.kind in ("operator", "annotation") and _key(row) == _key(above) and len(children[above]) == 1
    }
    listed = [row for row in rows if row.kind in ("operator", "annotation")]
    bare = {row.owner for row in plain.work if row.owner is not None and row.owner.kind == "launch"}
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    for row in (*listed, *bare):
        entry = row
        while entry in is_part:
            entry = parent[entry] or entry
        sums = found[_key(entry)]
        sums[1] += own[row]
        if entry is row:
            sums[0] += 1
            sums[2] += row.ns
    for work in plain.work:
        at = work.owner
        while at is not None and (at in is_part or at not in nests):
            at = at.parent
        if at is None:
            lost = found["not attributed", "not_attributed"]
            found["not attributed", "not_attributed"] = [lost[0] + 1, 0, 0, lost[3] + work.ns, lost[3] + work.ns]
            continue
        found[_key(at)][3] += work.ns
        for above in at.around():
            if above is at or (above in nests and above.kind in ("operator", "annotation") and above not in is_part):
                found[_key(above)][4] += work.ns
    return dict(found)


def _key(row: Row) -> tuple[str, str]:
    is_step = row.kind == "annotation" and row.name.startswith("ProfilerStep#")
    return "ProfilerStep*" if is_step else row.name, row.kind


def kernels(plain: PlainFile) -> dict[tuple[str, str], dict[str, float | None]]:
    """(kind, name) to the columns of its row."""
    started: set[Row] = set()
    on_stream: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    delays: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    queues: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    rows: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in plain.work:
        key = row.kind, row.name
        rows[key].append(row)
        if row.launch is not None and row.launch not in started:
            started.add(row.launch)
            delays[key].append(max(0, row.start - row.launch.start))
            ahead = on_stream[row.track]
            queues[key].append(len(ahead) - bisect_right(ahead, row.launch.start))
        on_stream[row.track].append(row.start)
    return {
        key: {
            "count": len(each),
            "total_ns": sum(row.ns for row in each),
            "min_ns": min(row.ns for row in each),
            "max_ns": max(row.ns for row in each),
            "launch_delay_median_ns": median(delays[key]) if delays[key] else None,
            "launch_delay_max_ns": max(delays[key], default=None),
            "queue_length": sum(queues[key]) / len(queues[key]) if queues[key] else None,
            "blocks_per_sm": _weighted([(row.args["blocks per SM"], row.ns) for row in each if "blocks per SM" in row.args]),
            "occupancy_percent": _weighted([(value, row.ns) for row in each if (value := _occupancy(row)) is not None]),
            "bytes": sum(row.args.get("bytes", 0) for row in each) if any("bytes" in row.args for row in each) else None,
        }
        for key, each in rows.items()
    }


def _weighted(known: list[tuple[float, int]]) -> float | None:
    total = sum(ns for _, ns in known)
    return sum(value * ns for value, ns in known) / total if total else None


def _occupancy(row: Row) -> float | None:
    """Kineto writes 0 for some kernels that fill more than a hundredth of the 64 warps."""
    told: float | None = row.args.get("est. achieved occupancy %")
    if told == 0 and row.args["warps per SM"] / max(row.args["blocks per SM"], 1) >= 0.64:
        return None
    return told


def categories(plain: PlainFile) -> list[Spans]:
    """When each category of the overview's breakdown was active, in order of priority."""
    named = [row for row in plain.host if row.kind in ("operator", "annotation")]
    works = [row for row in named if row.kind == "operator" or row.name.startswith("Optimizer.") or _COLLECTIVE.match(row.name)]
    collectives = [row for row in (plain.work or named) if row.is_collective or (not plain.work and _COLLECTIVE.match(row.name))]
    return [
        spans(row for row in plain.work if row.kind == "kernel" and not row.is_collective),
        *(spans(row for row in plain.work if row.kind == kind) for kind in ("copy", "set")),
        spans(collectives),
        spans(row for row in plain.host if row.kind == "launch"),
        spans(row for row in named if _LOADER.match(row.name)),
        spans(row for row in works if not _LOADER.match(row.name)),
        _running_python(plain),
        union(span for work in by_device(plain).values() for span in queued_first(work)),
    ]


def _running_python(plain: PlainFile) -> Spans:
    """Of the thread with the steps, or of the one whose number is its process's."""
    mains = {step.track for step in plain.steps.values()} or {row.track for row in plain.host if row.track[0] == row.track[1]}
    frames = [row for row in plain.host if row.kind == "python" and row.track in mains]
    return _without(spans(frames), spans(row for row in frames if _RESTS.match(row.name)))


def queued_first(work: list[Row]) -> Spans:
    """When a device did nothing, work was launched, did not begin for 30 us, and all of it was the first of its stream."""
    begun: dict[tuple[str, str], int] = {}
    for row in work:
        begun.setdefault(row.track, row.start)
    launched = [(row, row.launch.end) for row in work if row.launch and row.launch.end < row.start]
    pending = _without(union((called, row.start) for row, called in launched), spans(work))
    known = union((max(called, begun[row.track]), row.start) for row, called in launched if begun[row.track] < row.start)
    return _without([span for span in pending if span[1] - span[0] >= 30_000], known)


def step_windows(plain: PlainFile) -> tuple[list[tuple[int, int]], str]:
    """[start, end) of each step, and `steps_end`."""
    host = list(plain.steps.values())
    if not host:
        return [], "with_host_range"
    step_of: dict[Row, int | None] = {}
    for row in plain.work:
        at = row.launch.start if row.launch else row.start
        step_of[row] = next((place for place, step in enumerate(host) if step.start <= at < step.end), None)
    own = [row for row in plain.work if row.launch and step_of[row] is not None]
    earlier = _earlier(plain, host[0].start, own)
    mine = [[row for row in plain.work if step_of[row] == place and row not in earlier] for place in range(len(host))]
    # Edge 0 is where the first step begins, edge k + 1 where step k ends; `first` is the first edge that work comes before.
    first = dict.fromkeys(earlier, 0) | {row: place + 1 for place, rows in enumerate(mine) for row in rows}
    edges = [host[0].start, *accumulate((step.end for step in host), max)]
    done = list(edges)
    for start, end, running in _pieces(plain.work, first, _queued(earlier, own), edges):
        for edge, host_ns in enumerate(edges):
            done[edge] += (end - start) * (running <= edge and host_ns <= start)
    for place in reversed(range(len(host))):
        latest = done[place + 1]
        done[place] = min(
            done[place], latest - sum(min(end, latest) - start for start, end in spans(mine[place]) if start < latest)
        )
    windows = [(max(step.start, done[place]), max(step.end, done[place + 1])) for place, step in enumerate(host)]
    return windows, "with_device_work" if any(mine) else "with_host_range"


def _earlier(plain: PlainFile, first: int, own: list[Row]) -> set[Row]:
    """Work from before the first step."""
    found = {row for row in plain.work if (row.launch or row).start < first}
    if sum(row.ns for row in plain.work if row.launch) < 0.01 * sum(row.ns for row in plain.work) or not own:
        return found
    begun: dict[tuple[str, str], int] = {}
    for row in own:
        begun[row.track] = min(row.start, begun.get(row.track, row.start))
    any_begun = min(begun.values())
    return found | {row for row in plain.work if row.launch is None and row.start < begun.get(row.track, any_begun)}


def _queued(earlier: set[Row], own: list[Row]) -> float:
    """When the 16th launch of a step stood behind earlier work."""
    streams = {row.track for row in earlier}
    launched = sorted(row.launch.start for row in own if row.launch and row not in earlier and row.track in streams)
    return launched[15] if len(launched) >= 16 else inf


def _pieces(work: list[Row], first: dict[Row, int], queued: float, edges: list[int]) -> Iterator[tuple[int, int, float]]:
    """(start, end, the lowest edge of what runs), where nothing runs of what begins next; cut at the edges, too."""
    begins, ends = defaultdict(list), defaultdict(list)
    for row in work:
        if row.ns:
            begins[row.start].append(first.get(row, inf))
            ends[row.end].append(first.get(row, inf))
    times = sorted({*begins, *ends, *edges})
    starts = sorted(begins)
    running: Counter[float] = Counter()
    idle_from = None
    for start, end in pairwise(times):
        running.subtract(ends.get(start, ()))
        running.update(begins.get(start, ()))
        if running := +running:
            yield start, end, min(running)
            idle_from = None
            continue
        idle_from = start if idle_from is None else idle_from
        place = bisect_left(starts, end)
        if place == len(starts):
            return
        begin = starts[place]
        following = min(begins[begin])
        waits = max(idle_from, min(begin - 30_000, queued)) if following == 0 else begin
        cut = int(min(max(waits, start), end))
        yield start, cut, max(following, 1)
        yield cut, end, following


def device_use(plain: PlainFile, work: list[Row]) -> list[Spans]:
    """When one device was busy, in a launch gap, blocked, unknown, synchronising."""
    end = max(row.end for row in (*plain.host, *plain.work))
    busy = spans(work)
    launched = [row for row in work if row.launch is not None]
    pending = _without(union((row.launch.end, row.start) for row in launched if row.launch), busy)
    begins: defaultdict[int, list[Row]] = defaultdict(list)
    for row in work:
        if row.ns:
            begins[row.start].append(row)
    left = [min(0, busy[0][0]), *(stop for _, stop in busy)]
    unknown = [(a, b) for a, (b, _) in zip(left, busy, strict=False) if all(row.launch is None for row in begins[b])]
    threads = {row.launch.track for row in launched if row.launch}
    waits = [row for row in plain.host if row.kind == "launch" and row.track in threads and _WAIT.match(row.name)]
    starts = [start for start, _ in busy]
    synchronising = []
    for call in waits:
        place = bisect_left(starts, call.end)
        dry = max(call.start, busy[place - 1][1] if place else call.start)
        until = min(dry + call.ns, starts[place] if place < len(busy) else end)
        synchronising.append((call.start, max(call.end, until) if dry <= call.end else call.end))
    long = [span for span in pending if span[1] - span[0] >= 30_000]
    return [
        busy,
        [span for span in pending if span[1] - span[0] < 30_000],
        _without(long, queued_first(work)),
        union([*unknown, *queued_first(work)]) if launched else [(0, end)],
        union(synchronising),
    ]


def _without(parts: Spans, removed: Spans) -> Spans:
    ends = [end for _, end in removed]
    found = []
    for start, end in parts:
        at = start
        for place in range(bisect_left(ends, start), len(removed)):
            if removed[place][0] >= end:
                break
            found.append((at, removed[place][0]))
            at = max(at, removed[place][1])
        found.append((at, end))
    return [(start, end) for start, end in found if start < end]


def inside(parts: Spans, windows: Spans) -> Spans:
    """Of sorted spans what lies in sorted windows."""
    ends = [end for _, end in parts]
    found = []
    for low, high in windows:
        for start, end in parts[bisect_right(ends, low) :]:
            if start >= high:
                break
            found.append((max(start, low), min(end, high)))
    return found


def category_times(plain: PlainFile, windows: Spans) -> dict[str, float]:
    """Category to the ns of the windows that are its own, devices together: of n kernels each has 1/n, copies what is left."""
    found: defaultdict[str, float] = defaultdict(float)
    for work in by_device(plain).values():
        changes: defaultdict[int, list[tuple[Row, int]]] = defaultdict(list)
        for row in work:
            if row.ns:
                changes[row.start].append((row, 1))
                changes[row.end].append((row, -1))
        running: Counter[tuple[bool, Category]] = Counter()
        for at, until in pairwise(sorted({*changes, *(edge for span in windows for edge in span)})):
            for row, change in changes.get(at, ()):
                running[row.kind == "kernel", _category(row)] += change
            if not any(low <= at and until <= high for low, high in windows):
                continue
            kernels = {category: n for (is_kernel, category), n in running.items() if is_kernel and n}
            others = [category for (is_kernel, category), n in running.items() if not is_kernel and n]
            for category, n in (kernels or dict.fromkeys(sorted(others)[:1], 1)).items():
                found[CATEGORIES[category].id] += (until - at) * n / (sum(kernels.values()) or 1)
    return dict(found)


def _category(row: Row) -> Category:
    """By the kernel's name, the first operator around its launch that has one, or the call that launched it."""
    if row.kind != "kernel":
        return Category.COPY if row.kind == "copy" else Category.SET
    own = category_of_kernel(row.name)
    if own not in (Category.OTHER, Category.FUSED) or row.owner is None:
        return own
    around = (category_of_operator(each.name) for each in row.owner.around() if each.kind == "operator")
    runs_program = row.launch is not None and row.launch.name.startswith("runFunction - ")  # MTIA
    return next((each for each in around if each != Category.OTHER), Category.FUSED if runs_program else own)


def sm_efficiency(work: list[Row], windows: Spans) -> float | None:
    """Over the windows; None unless all kernels say how many blocks they have per SM."""
    rows = [row for row in work if row.kind == "kernel"]
    if not rows or any("blocks per SM" not in row.args for row in rows):
        return None
    changes = sorted((time, sign * row.args["blocks per SM"]) for row in rows for time, sign in ((row.start, 1), (row.end, -1)))
    pieces, area, blocks = [], 0.0, 0.0
    for (time, change), (until, _) in pairwise(changes):
        blocks += change
        if time < until and blocks > 1e-9:
            pieces.append((time, until, min(1.0, blocks)))
    for start, end, share in pieces:
        area += share * sum(b - a for a, b in inside([(start, end)], windows))
    return area / sum(end - start for start, end in windows)


def peaks(plain: PlainFile) -> dict[tuple[int, int], tuple[int, int | None]]:
    """(device type, index) to the most that was allocated and reserved at one time. 2021 files have no totals."""
    found: dict[tuple[int, int], tuple[int, int | None]] = {}
    for device in sorted({(row.number("Device Type"), row.number("Device Id")) for row in plain.memory}):
        rows = [row for row in plain.memory if (row.number("Device Type"), row.number("Device Id")) == device]
        if all("Total Allocated" in row.args for row in rows):
            reserved = max(row.args["Total Reserved"] for row in rows)
            found[device] = max(row.args["Total Allocated"] for row in rows), reserved or None
            continue
        total, lowest, highest = 0, 0, 0
        for row in rows:
            total += row.args["Bytes"]
            lowest, highest = min(lowest, total), max(highest, total)
        found[device] = highest - lowest, None
    return found


def by_device(plain: PlainFile) -> dict[int, list[Row]]:
    found: defaultdict[int, list[Row]] = defaultdict(list)
    for row in plain.work:
        found[row.number("device") if "device" in row.args else int(row.track[0])].append(row)
    return dict(sorted(found.items()))
