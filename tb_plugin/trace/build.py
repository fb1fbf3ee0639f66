"""From a file's rows to a finished Trace: time 0 at the window's start, rows sorted, trees, links and steps.

RawTrace -> sort -> trees (per track) -> launches and owners -> steps -> tracks -> Trace
"""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.base import progress
from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute import nesting
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace import links, steps
from tb_plugin.trace.check import DEEPEST, MOST_BYTES, MOST_DEVICES
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind, is_kind
from tb_plugin.trace.model import Events, Flows, Issue, Live, Memory, Steps, Trace, Tracks, Work

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.trace.raw import RawTrace

_NUMBER = re.compile(r"-?[0-9]{1,17}")
_MOMENTS = (Kind.MEMORY, Kind.OUT_OF_MEMORY)
_TREE_KINDS = (*HOST_KINDS, *_MOMENTS)
"""Rows of torch's tree. Allocations hang in it as leaves; in EventList's nesting they do not appear."""

_ON_DEVICE = (*DEVICE_KINDS, Kind.SYNC, Kind.DEVICE_ANNOTATION, Kind.PROFILER_RANGE)

_SORTED, _NESTED = 0.3, 0.8  # of the time that building takes

_LARGE = 50_000  # rows of a track that are worth a thread
_EVERY_S = 0.25  # between two words about it

_Callers: TypeAlias = tuple[Int64Array, Int32Array]

_SLACK_NS = {1: 0, 250: 500, 1000: 1000}
"""How much later than its parent a child may seem to end, by the resolution of the file's times."""


def build(raw: RawTrace, on_progress: OnProgress = progress.silent, n_threads: int = 1) -> Trace:
    """A complete, consistent Trace; what is odd is added to its issues. Two threads build both trees side by side."""
    on_progress(0.0, "sorting")
    events = raw.events
    timed = is_kind(events.kind, (*HOST_KINDS, *DEVICE_KINDS))
    zero = _earliest(events.start_ns, timed)
    # An allocation is a moment, though torch's Python writer lets it last until the end of the profile.
    end_ns = np.where(is_kind(events.kind, _MOMENTS), events.start_ns, events.end_ns)
    row_of = _sorted_rows(events.track, events.start_ns, end_ns, events.external_id, events.order)
    columns: dict[str, npt.NDArray[Any]] = {}
    as_given = {**vars(events), "end_ns": end_ns}
    for place, (name, column) in enumerate(as_given.items()):
        share = place / len(as_given)
        on_progress(_SORTED * (1 + share) / 2, f"putting events in order, {share:.0%}")
        columns[name] = column[row_of] if any(column.strides) else column  # all rows of it are one
    on_progress(_SORTED, "looking for what nests")
    columns["start_ns"] = columns["start_ns"] - zero
    columns["end_ns"] = columns["end_ns"] - zero
    with _another_thread() if n_threads > 1 else nullcontext() as beside:
        columns |= _trees(columns, raw.info.resolution_ns, progress.part(on_progress, _SORTED, _NESTED), beside)
    columns, too_deep = _not_too_deep(columns)
    row_by_order = np.full(raw.n_orders, NONE, np.int32)
    row_by_order[columns["order"]] = np.arange(len(columns["order"]), dtype=np.int32)

    on_progress(_NESTED, "linking launches")
    kind = columns["kind"]
    columns["launch"] = links.launches(kind, columns["correlation"], columns["start_ns"])
    on_progress(_NESTED + 0.05, "finding the operators of device work")
    columns["owner"] = links.owners(
        kind, columns["nest_parent"], columns["launch"], columns["external_id"], columns["correlation"]
    )
    on_progress(_NESTED + 0.1, "finding steps")
    tracks = _tracks(raw, columns, row_by_order)
    step_table, step_issues = steps.find(columns, raw.strings, row_by_order[raw.unfinished_order])
    columns["step"] = steps.assign(step_table, columns)
    on_progress(_NESTED + 0.15, "putting work and memory in order")
    inside = is_kind(kind, (*HOST_KINDS, *DEVICE_KINDS))
    info = msgspec.structs.replace(
        raw.info,
        base_ns=raw.info.base_ns + zero,
        start_ns=int(columns["start_ns"][inside].min(initial=np.iinfo(np.int64).max)) if inside.any() else 0,
        end_ns=int(columns["end_ns"][inside].max()) if inside.any() else 0,
    )
    return Trace(
        strings=tuple(raw.strings),
        events=Events.from_columns(columns),
        tracks=Tracks.from_columns(tracks, len(raw.tracks)),
        work=_work(raw, row_by_order, columns["launch"], kind),
        memory=_memory(raw, row_by_order),
        flows=Flows.from_columns({**raw.flows, "time_ns": raw.flows["time_ns"] - zero} if raw.flows else {}),
        steps=Steps.from_columns(step_table),
        live=Live.from_columns({}),
        info=info,
        issues=(*raw.issues, *step_issues, *_issues(columns, raw), *too_deep),
        args=raw.args,
    )


def _earliest(start: Int64Array, timed: BoolArray) -> int:
    chosen = start[timed] if timed.any() else start
    return int(chosen.min(initial=np.iinfo(np.int64).max)) if len(chosen) else 0


def _sorted_rows(track: Int32Array, start: Int64Array, end: Int64Array, external_id: Int64Array, order: Int32Array) -> Int64Array:
    """Rows by (track, start, -end, external id, order). Ids break ties of equal times: torch gives them at the start."""
    rows = np.lexsort((start, track))
    t, s = track[rows], start[rows]
    same = np.concatenate(([False], (t[1:] == t[:-1]) & (s[1:] == s[:-1]))) if len(rows) else np.empty(0, bool)
    if not same.any():
        return rows
    # Only rows that share track and start need the other keys; with times in ns these are few.
    tied = np.flatnonzero(same | np.append(same[1:], False))
    group = np.cumsum(~same)[tied]
    among = rows[tied]
    rows[tied] = among[np.lexsort((order[among], external_id[among], -end[among], group))]
    return rows


def _trees(
    columns: dict[str, npt.NDArray[Any]], resolution_ns: int, on_progress: OnProgress, beside: Executor | None
) -> dict[str, npt.NDArray[Any]]:
    """parent, nest_parent and depth of every row; NONE and 0 for rows in no tree. Callers are found `beside` the nesting."""
    n = len(columns["start_ns"])
    found: dict[str, npt.NDArray[Any]] = {
        "parent": np.full(n, NONE, np.int32),
        "nest_parent": np.full(n, NONE, np.int32),
        "depth": np.zeros(n, np.int32),
    }
    slack = _SLACK_NS.get(resolution_ns, resolution_ns)
    in_tree = np.flatnonzero(is_kind(columns["kind"], _TREE_KINDS))
    nests = is_kind(columns["kind"], HOST_KINDS)
    n_done = 0
    for rows in _by_track(columns["track"], in_tree):
        of_all = f"{n_done:,} of {len(in_tree):,} events done" if n_done else f"{len(in_tree):,} events"
        bar = progress.part(on_progress, n_done / len(in_tree), (n_done + len(rows)) / len(in_tree))
        # Rounded times make a quarter of replayed parents wrong; nesting with slack is right (reference 3.3).
        is_replayed = resolution_ns <= 1
        heard = [0]  # of the other thread
        callers = None
        if beside is not None and is_replayed and len(rows) >= _LARGE:
            callers = beside.submit(_callers, columns, rows, heard.append)
        nest_rows = rows[nests[rows]]
        start, end = columns["start_ns"], columns["end_ns"]
        say = _passes(progress.part(bar, 0.0, 0.5), f"nesting, {of_all}")
        parent, depth = nesting.nest(start[nest_rows], end[nest_rows], slack, say)
        found["nest_parent"][nest_rows] = _globally(parent, nest_rows)
        found["depth"][nest_rows] = depth
        if is_replayed:
            say = _passes(progress.part(bar, 0.5, 1.0), f"finding callers, {of_all}")
            replayed, parent = _callers(columns, rows, say) if callers is None else _waited_for(callers, heard, say)
            found["parent"][replayed] = parent
        else:
            found["parent"][nest_rows] = found["nest_parent"][nest_rows]
        n_done += len(rows)
    return found


def _another_thread() -> Executor:
    from concurrent.futures import ThreadPoolExecutor  # takes as long as building a small profile

    return ThreadPoolExecutor(1)


def _passes(on_progress: OnProgress, what: str) -> nesting.OnPart:
    """Says in which pass over the rows it is: of millions each takes a second."""

    def say(n_done: int) -> None:
        on_progress(n_done / nesting.PARTS, f"{what}, pass {n_done + 1} of {nesting.PARTS}" if n_done else what)

    return say


def _waited_for(callers: Future[_Callers], heard: list[int], say: nesting.OnPart) -> _Callers:
    """What the other thread finds; meanwhile this one, which alone may speak, says what that one is `heard` to do."""
    from concurrent.futures import wait

    say(heard[-1])
    while not wait([callers], _EVERY_S).done:
        say(heard[-1])
    return callers.result()


def _callers(columns: dict[str, npt.NDArray[Any]], rows: Int64Array, on_part: nesting.OnPart) -> _Callers:
    """(these rows of a track as they are replayed, the parent of each)."""
    on_part(0)
    start = columns["start_ns"]
    replayed = rows[np.lexsort((columns["order"][rows], start[rows]))]
    return replayed, _globally(nesting.replay(start[replayed], columns["end_ns"][replayed], on_part), replayed)


def _not_too_deep(columns: dict[str, npt.NDArray[Any]]) -> tuple[dict[str, npt.NDArray[Any]], list[Issue]]:
    """Bounds how deep events nest, and so what walking a tree level by level costs, whatever a file says.

    What lies deeper is time of the event around it. In torch's tree, where ranges that overlap are each other's parents, it
    stands side by side at the deepest level.
    """
    issues = []
    deep = columns["depth"] > DEEPEST
    if deep.any():
        text = f"events nested deeper than {DEEPEST:,} levels are left out; their time is that of the events around them"
        issues.append(Issue(kind="nested deep", count=int(deep.sum()), text=text))
        new_row = np.append(np.where(deep, NONE, np.cumsum(~deep) - 1), NONE).astype(np.int32)  # NONE falls on the last
        columns = {name: column[~deep] for name, column in columns.items()}
        columns |= {name: new_row[columns[name]] for name in ("parent", "nest_parent")}
    return columns | {"parent": nesting.no_deeper(columns["parent"], DEEPEST)}, issues


def _by_track(track: Int32Array, rows: Int64Array) -> list[Int64Array]:
    """`rows` (sorted by track) cut into one array per track."""
    if len(rows) == 0:
        return []
    return np.split(rows, np.flatnonzero(np.diff(track[rows])) + 1)


def _globally(parent: Int32Array, rows: Int64Array) -> Int32Array:
    return np.where(parent >= 0, rows[parent], NONE).astype(np.int32)


def _tracks(raw: RawTrace, columns: dict[str, npt.NDArray[Any]], row_by_order: Int32Array) -> dict[str, npt.NDArray[Any]]:
    """Names of tracks, and which are streams of which device: what an event says, else the pid, which is the device's."""
    ids = {text: place for place, text in enumerate(raw.strings)}

    def string_id(text: str) -> int:
        if text not in ids:
            ids[text] = len(raw.strings)
            raw.strings.append(text)
        return ids[text]

    device = np.full(len(raw.tracks), NONE, np.int32)
    stream = np.full(len(raw.tracks), NONE, np.int64)
    on_device = is_kind(columns["kind"], _ON_DEVICE)
    for place in distinct(columns["track"][on_device]).tolist():
        track = raw.tracks[place]
        device[place] = int(track.pid) if track.pid.isdecimal() and len(track.pid) < 5 else 0
        stream[place] = int(track.tid) if _NUMBER.fullmatch(track.tid) else NONE
    rows = row_by_order[raw.work.place_order]
    said = rows >= 0
    said[said] = on_device[rows[said]]
    for values, target in ((raw.work.device, device), (raw.work.stream, stream)):
        known = said & (values >= 0) & (values <= np.iinfo(target.dtype).max)
        # In reverse, so that the first event of a track decides.
        target[columns["track"][rows[known]][::-1]] = values[known][::-1]
    devices = distinct(device[device != NONE])
    if len(devices) > MOST_DEVICES:
        text = f"more than {MOST_DEVICES} devices: those with higher numbers are shown as one"
        raw.issues.append(Issue(kind="many devices", count=len(devices), text=text))
        device = np.minimum(device, devices[MOST_DEVICES - 1])
    return {
        "pid_id": np.array([string_id(t.pid) for t in raw.tracks], np.int32),
        "tid_id": np.array([string_id(t.tid) for t in raw.tracks], np.int32),
        "process_name_id": np.array(
            [string_id(" ".join(filter(None, (t.process_name, t.process_labels)))) for t in raw.tracks], np.int32
        ),
        "thread_name_id": np.array([string_id(t.thread_name) for t in raw.tracks], np.int32),
        "device": device,
        "stream": stream,
        "sort_index": np.array([t.sort_index for t in raw.tracks], np.int64),
    }


def _work(raw: RawTrace, row_by_order: Int32Array, launch: Int32Array, kind: npt.NDArray[np.uint8]) -> Work:
    """Launch shapes by row. AMD writes them on the launch: they move to its kernel where there is exactly one."""
    rows = row_by_order[raw.work.order]
    source = np.flatnonzero(rows >= 0)
    rows = rows[source]
    kernels = np.flatnonzero((kind == Kind.KERNEL) & (launch >= 0))
    n_kernels = np.bincount(launch[kernels], minlength=len(launch)) if len(kernels) else np.zeros(len(launch), np.int64)
    said = np.full(len(launch), NONE, np.int64)  # per row, where in `raw.work` it speaks
    said[rows] = source
    bare = kernels[(said[kernels] < 0) & (said[launch[kernels]] >= 0) & (n_kernels[launch[kernels]] == 1)]
    moved = said[launch[bare]]
    rows, source = np.concatenate((rows, bare)), np.concatenate((source, moved))
    keep = ~np.isin(source, moved) | (kind[rows] == Kind.KERNEL)
    rows, source = rows[keep], source[keep]
    by_row = np.argsort(rows, kind="stable")
    return Work.from_columns({"row": rows[by_row], **{name: column[source[by_row]] for name, column in raw.work.columns.items()}})


def _memory(raw: RawTrace, row_by_order: Int32Array) -> Memory:
    rows = row_by_order[raw.memory_order]
    by_row = np.argsort(rows, kind="stable")[int((rows < 0).sum()) :]
    return Memory.from_columns({"row": rows[by_row], **{name: column[by_row] for name, column in _sizes(raw).items()}})


def _sizes(raw: RawTrace) -> dict[str, npt.NDArray[np.generic]]:
    """The columns of memory; a size that no memory has is no size: sums of such ones would turn negative."""
    columns = dict(raw.memory)
    wrong = np.zeros(len(raw.memory_order), np.bool_)
    for name, unknown in (("bytes", 0), ("total_allocated", NONE), ("total_reserved", NONE)):
        if name in columns:
            size = columns[name].astype(np.int64)
            beyond = (size < -MOST_BYTES) | (size > MOST_BYTES)
            columns[name] = np.where(beyond, unknown, size)
            wrong |= beyond
    if wrong.any():
        text = "sizes of memory that no machine has are not counted"
        raw.issues.append(Issue(kind="impossible size", count=int(wrong.sum()), text=text))
    return columns


def _issues(columns: dict[str, npt.NDArray[Any]], raw: RawTrace) -> list[Issue]:
    issues = []
    bare = np.array([not text for text in raw.strings], np.bool_)[columns["category_id"]] & (columns["kind"] == Kind.OPERATOR)
    if bare.any():
        text = "events without a category are taken for operators"
        issues.append(Issue(kind="no category", count=int(bare.sum()), text=text))
    unknown = np.flatnonzero(columns["kind"] == Kind.UNKNOWN)
    if len(unknown) == 0:
        return issues
    categories = sorted({raw.strings[place] or "(none)" for place in distinct(columns["category_id"][unknown]).tolist()})
    text = f"events of unknown categories are shown on the timeline only: {', '.join(categories[:8])}"
    first = f"event {int(columns['order'][unknown].min())}"
    return [*issues, Issue(kind="unknown category", count=len(unknown), text=text, first=first)]
