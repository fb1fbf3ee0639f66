"""The tables that a statement may read, and what fills each column. The one place that names and explains them.

    events      every event, with all that is known of it
    slice       the same in the words of Perfetto: ts, dur, parent_id
    kernels     kernels, with how they were launched
    operators   operators on host threads
    steps       ProfilerStep#N
    memory      allocations and releases
    track       threads and streams

Only columns that a statement reads are worked out. A row is an event's, so `id` is what the timeline shows; of `track` a track's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.nesting import sum_over_children
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
from tb_plugin.trace.modules.call_sites import call_sites
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.track_names import track_name
from tb_plugin.trace.work.taxonomy import CATEGORIES, NO_CATEGORY, category_by_row

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.table import Table as Columns


MOST_TEXT: Final = 8_000
"""Characters of a text: the rest is cut off, or SQLite would refuse whole statements for one event's row."""
MOST_ARGS: Final = 16_000
"""Bytes of arguments: longer ones are null, since cut JSON is none."""


@dataclass(frozen=True)
class Attribute:
    """`fill` gives a cell for each of these rows of the table."""

    name: str
    type: str
    says: str
    fill: Callable[[Trace, Int64Array], list[Any]]


@dataclass(frozen=True)
class Relation:
    """`rows` are event rows, or those of a table of the Trace; their number is its first column, `id`, and an event's."""

    name: str
    says: str
    rows: Callable[[Trace], Int64Array]
    columns: tuple[Attribute, ...]
    ids: Callable[[Trace, Int64Array], list[Any]] = lambda _, rows: rows.tolist()
    id: str = "id"


def _known(values: npt.NDArray[Any]) -> list[Any]:
    """Numbers, null where nothing was recorded."""
    cells: list[Any] = values.tolist()
    for place in np.flatnonzero(np.isnan(values) if values.dtype.kind == "f" else values == NONE).tolist():
        cells[place] = None
    return cells


def _texts(texts: Sequence[str], places: npt.NDArray[Any]) -> list[Any]:
    known: list[str | None] = [*texts, None]  # NONE is the last
    return [text[:MOST_TEXT] if (text := known[place]) else text for place in places.tolist()]


def _event(field: str) -> Callable[[Trace, Int64Array], list[Any]]:
    return lambda trace, rows: _known(getattr(trace.events, field)[rows])


def _text(field: str) -> Callable[[Trace, Int64Array], list[Any]]:
    return lambda trace, rows: _texts(trace.strings, getattr(trace.events, field)[rows])


def _duration(trace: Trace, rows: Int64Array) -> list[Any]:
    found: list[Any] = trace.events.duration_ns(rows).tolist()
    return found


def _self(trace: Trace, rows: Int64Array) -> list[Any]:
    events = trace.events
    duration = events.end_ns - events.start_ns
    cells = (duration - sum_over_children(events.nest_parent, duration))[rows].tolist()
    return [own if is_host else None for own, is_host in zip(cells, is_kind(events.kind[rows], HOST_KINDS).tolist(), strict=True)]


def _depth(trace: Trace, rows: Int64Array) -> list[Any]:
    depth = _known(trace.events.depth[rows])
    is_host = is_kind(trace.events.kind[rows], HOST_KINDS).tolist()
    return [each if nests else None for each, nests in zip(depth, is_host, strict=True)]


def _kind(trace: Trace, rows: Int64Array) -> list[Any]:
    return _texts([kind.name.lower() for kind in Kind], trace.events.kind[rows])


def _class(trace: Trace, rows: Int64Array) -> list[Any]:
    category = category_by_row(trace)[rows].astype(np.int64)
    return _texts([info.id for info in CATEGORIES], np.where(category == NO_CATEGORY, NONE, category))


def _of_track(field: str) -> Callable[[Trace, Int64Array], list[Any]]:
    def fill(trace: Trace, rows: Int64Array) -> list[Any]:
        return _known(getattr(trace.tracks, field)[trace.events.track[rows]])

    return fill


def _process(trace: Trace, rows: Int64Array) -> list[Any]:
    return _texts(trace.strings, trace.tracks.process_name_id[trace.events.track[rows]])


def _track(trace: Trace, rows: Int64Array) -> list[Any]:
    return _texts([track_name(trace, track) for track in range(len(trace.tracks))], trace.events.track[rows])


def _step(trace: Trace, rows: Int64Array) -> list[Any]:
    return _known(np.append(trace.steps.number, NONE)[trace.events.step[rows]])


def _module(trace: Trace, rows: Int64Array) -> list[Any]:
    paths = module_paths(trace)
    return _texts(paths.texts, paths.of_rows(rows))


def _call_site(trace: Trace, rows: Int64Array) -> list[Any]:
    sites = call_sites(trace)
    return _texts(sites.texts, sites.of_row[rows])


def _operator(trace: Trace, rows: Int64Array) -> list[Any]:
    owner = trace.events.owner[rows]
    return _texts(trace.strings, np.where(owner == NONE, NONE, trace.events.name_id[owner]))


def _launched(trace: Trace, rows: Int64Array) -> list[Any]:
    launch = trace.events.launch[rows]
    starts = trace.events.start_ns[launch].tolist()
    return [None if call == NONE else start for call, start in zip(launch.tolist(), starts, strict=True)]


def _args(trace: Trace, rows: Int64Array) -> list[Any]:
    read = trace.args.reader()
    texts = (read(order) for order in trace.events.order[rows].tolist())
    return [text if text and len(text.encode()) <= MOST_ARGS else None for text in texts]


def _work(field: str) -> Callable[[Trace, Int64Array], list[Any]]:
    """Of the table of launches, which is sparse: its rows are in order."""

    def fill(trace: Trace, rows: Int64Array) -> list[Any]:
        place = np.searchsorted(trace.work.row, rows)
        cells = _known_or_text(getattr(trace.work, field))
        is_there = (place < len(trace.work)) & (np.append(trace.work.row, NONE)[place] == rows)
        return [cells[at] if there else None for at, there in zip(place.tolist(), is_there.tolist(), strict=True)]

    return fill


def _known_or_text(values: npt.NDArray[Any]) -> list[Any]:
    """Three sizes as `128x1x1`."""
    if values.ndim == 1:
        return _known(values)
    return [None if sizes[0] == NONE else "x".join(map(str, sizes)) for sizes in values.tolist()]


def _own(table: str, field: str) -> Callable[[Trace, Int64Array], list[Any]]:
    def fill(trace: Trace, rows: Int64Array) -> list[Any]:
        return _known(getattr(_columns(trace, table), field)[rows])

    return fill


def _step_duration(trace: Trace, rows: Int64Array) -> list[Any]:
    found: list[Any] = (trace.steps.end_ns[rows] - trace.steps.start_ns[rows]).tolist()
    return found


def _complete(trace: Trace, rows: Int64Array) -> list[Any]:
    return [int(each) for each in trace.steps.complete[rows]]


def _columns(trace: Trace, table: str) -> Columns:
    found: Columns = getattr(trace, table)
    return found


def _all_of(table: str) -> Callable[[Trace], Int64Array]:
    return lambda trace: np.arange(len(_columns(trace, table)))


def _of_kind(kind: Kind) -> Callable[[Trace], Int64Array]:
    return lambda trace: np.flatnonzero(trace.events.kind == kind)


def _event_ids(table: str) -> Callable[[Trace, Int64Array], list[Any]]:
    def ids(trace: Trace, rows: Int64Array) -> list[Any]:
        found: list[Any] = _columns(trace, table).columns()["row"][rows].tolist()
        return found

    return ids


def _track_text(field: str) -> Callable[[Trace, Int64Array], list[Any]]:
    return lambda trace, rows: _texts(trace.strings, getattr(trace.tracks, field)[rows])


_NAME = Attribute("name", "TEXT", "", _text("name_id"))
_START = Attribute("start_ns", "INTEGER", "ns since the profile's time 0, as in the timeline", _event("start_ns"))
_DURATION = Attribute("duration_ns", "INTEGER", "", _duration)
_SELF = Attribute("self_ns", "INTEGER", "without the events inside it; null of what does not nest on a host thread", _self)
_DEPTH = Attribute("depth", "INTEGER", "how many host events are around it", _depth)
_PARENT = Attribute("parent_id", "INTEGER", "id of the host event around it", _event("nest_parent"))
_FILE_CATEGORY = Attribute("category", "TEXT", "the file's own word: cpu_op, kernel, gpu_memcpy", _text("category_id"))
_CATEGORY = Attribute("category", "TEXT", "matmul, attention, elementwise, communication: as in the view Kernels", _class)
_TRACK_NAME = Attribute("track", "TEXT", "thread or stream, as the timeline names it", _track)
_DEVICE = Attribute("device", "INTEGER", "null on the host", _of_track("device"))
_STREAM = Attribute("stream", "INTEGER", "null on the host", _of_track("stream"))
_STEP = Attribute("step", "INTEGER", "N of ProfilerStep#N; of device work its launch's", _step)
_MODULE = Attribute("module", "TEXT", "path of the nn.Module", _module)
_CALL_SITE = Attribute("call_site", "TEXT", "line of the user's own code", _call_site)
_OPERATOR = Attribute("operator", "TEXT", "name of the operator that device work was done for", _operator)
_OPERATOR_ID = Attribute("operator_id", "INTEGER", "its id", _event("owner"))
_LAUNCH = Attribute("launch_id", "INTEGER", "id of the call that put device work there", _event("launch"))
_SHAPES = Attribute("shapes", "TEXT", "of the inputs, JSON", _text("shapes_id"))
_TYPES = Attribute("types", "TEXT", "of the inputs, JSON", _text("types_id"))

TABLES: Final = (
    Relation(
        "events",
        "every event",
        _all_of("events"),
        (
            _NAME,
            _FILE_CATEGORY,
            Attribute("kind", "TEXT", "operator, kernel, copy, set, runtime, annotation, python, ...", _kind),
            _START,
            _DURATION,
            _SELF,
            _PARENT,
            _DEPTH,
            Attribute("process", "TEXT", "", _process),
            _TRACK_NAME,
            _DEVICE,
            _STREAM,
            _STEP,
            _MODULE,
            _CALL_SITE,
            _OPERATOR,
            _OPERATOR_ID,
            _LAUNCH,
            Attribute("correlation", "INTEGER", "of a launch and its work, as the file has it", _event("correlation")),
            Attribute("external_id", "INTEGER", "", _event("external_id")),
            Attribute("sequence", "INTEGER", "autograd's sequence number", _event("sequence")),
            _SHAPES,
            _TYPES,
            Attribute("args", "TEXT", "all else as JSON up to 16 kB: args ->> '$.stream'", _args),
        ),
    ),
    Relation(
        "slice",
        "every event, in Perfetto's words",
        _all_of("events"),
        (
            Attribute("ts", "INTEGER", "start_ns", _event("start_ns")),
            Attribute("dur", "INTEGER", "duration_ns", _duration),
            Attribute("track_id", "INTEGER", "of the table track", _event("track")),
            _FILE_CATEGORY,
            _NAME,
            _DEPTH,
            _PARENT,
        ),
    ),
    Relation(
        "kernels",
        "kernels of all devices; copies and sets are events",
        _of_kind(Kind.KERNEL),
        (
            _NAME,
            _CATEGORY,
            _START,
            _DURATION,
            _DEVICE,
            _STREAM,
            _STEP,
            _MODULE,
            _OPERATOR,
            _OPERATOR_ID,
            _LAUNCH,
            Attribute("launched_ns", "INTEGER", "start of that call", _launched),
            Attribute("grid", "TEXT", "128x1x1", _work("grid")),
            Attribute("block", "TEXT", "", _work("block")),
            Attribute("registers", "INTEGER", "of a thread", _work("registers")),
            Attribute("shared_bytes", "INTEGER", "of a block", _work("shared_bytes")),
            Attribute("occupancy_percent", "REAL", "the file's estimate", _work("occupancy_percent")),
        ),
    ),
    Relation(
        "operators",
        "operators on host threads",
        _of_kind(Kind.OPERATOR),
        (
            _NAME,
            _CATEGORY,
            _START,
            _DURATION,
            _SELF,
            _PARENT,
            _DEPTH,
            _TRACK_NAME,
            _STEP,
            _MODULE,
            _CALL_SITE,
            _SHAPES,
            _TYPES,
        ),
    ),
    Relation(
        "steps",
        "ProfilerStep#N",
        _all_of("steps"),
        (
            Attribute("number", "INTEGER", "", _own("steps", "number")),
            Attribute("start_ns", "INTEGER", "", _own("steps", "start_ns")),
            Attribute(
                "duration_ns",
                "INTEGER",
                "",
                _step_duration,
            ),
            Attribute("complete", "INTEGER", "0: cut by the recording's end", _complete),
        ),
        _event_ids("steps"),
    ),
    Relation(
        "memory",
        "allocations and releases",
        _all_of("memory"),
        (
            Attribute("start_ns", "INTEGER", "", lambda trace, rows: trace.events.start_ns[trace.memory.row[rows]].tolist()),
            Attribute("bytes", "INTEGER", "negative: released", lambda trace, rows: trace.memory.bytes[rows].tolist()),
            Attribute("address", "INTEGER", "", _own("memory", "address")),
            Attribute("allocated_bytes", "INTEGER", "on its device, after it", _own("memory", "total_allocated")),
            Attribute("reserved_bytes", "INTEGER", "on its device, after it", _own("memory", "total_reserved")),
            Attribute("device", "INTEGER", "null: the host's", _own("memory", "device_index")),
        ),
        _event_ids("memory"),
    ),
    Relation(
        "track",
        "threads and streams",
        _all_of("tracks"),
        (
            Attribute("name", "TEXT", "", lambda trace, rows: [track_name(trace, track) for track in rows.tolist()]),
            Attribute("process", "TEXT", "", _track_text("process_name_id")),
            Attribute("pid", "TEXT", "", _track_text("pid_id")),
            Attribute("tid", "TEXT", "", _track_text("tid_id")),
            Attribute("device", "INTEGER", "", _own("tracks", "device")),
            Attribute("stream", "INTEGER", "", _own("tracks", "stream")),
        ),
        id="track_id",
    ),
)
