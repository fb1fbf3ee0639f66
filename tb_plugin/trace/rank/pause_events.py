"""What the host was in while nothing ran: of each of a step's longest gaps the event that fills it, or a Python frame around it.

    device   ..work|               gap               |work..     launched as the gap ends: else the host is not what it waits for
    host       |    torch/serialization.py(900): save  |         fills it: lies over 80 % of it and ends with it
    host     |  cudaFree  |cudaFree|    cudaMalloc     |         fill it together: of one cause, over 80 % of it
    host   |   train.py(30): train                                  ..   is around it: goes on
    host         |add|add|add|add| .. |add|add|add|add|add|add|          fill it: many short ones, most of one name
    host |aten::item|                                                    ran until it: waited for the device as the gap began

Of what fills a gap that is named whose name tells a cause, the outermost, else the innermost; where nothing fills it, the longest
that ran until it: calls that wait for the device, and launches of copies that do, by the copy's name. Beside what is not of the
user's own code stands the frame of it that is the innermost around the gap: the line to open. Only threads that launch
count. Of a frame that was open as the recording began torch tells the line it was at then, of all others where the function
begins: such a frame is named without it. The data loader and Python's collector, which have figures of their own, are named
where they alone fill a gap.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.intervals import Merged, clip, length_within, subtract, union
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DATA_LOADER_NAME, DEVICE_KINDS, HOST_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.memory.driver_calls import RETURNS, TAKES
from tb_plugin.trace.modules.call_sites import is_own_frame
from tb_plugin.trace.names import judged, rows_named
from tb_plugin.trace.times.idle import WAITS
from tb_plugin.trace.work.collective_names import HOST_COLLECTIVE_NAME
from tb_plugin.trace.work.kernel_launches import kernel_launches

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace

FilledBy = Literal["checkpoint", "compile", "allocator", "sync"]
Told = Literal[FilledBy, "other", "many", "after", "around"]
"""What an event tells of its gap; of several the first. `other`: its name. `many`: that of most of many. `after`: that the host
had waited for the device. `around`: no more than where the host was.
"""

IDLE_IN: Final[tuple[FilledBy, ...]] = ("checkpoint", "compile", "allocator")
"""Of which all events in a step are counted together. A wait for the device ends with its work: what is idle comes after."""

MOST_NAME: Final = 300

_CAUSES: Final[tuple[FilledBy, ...]] = get_args(FilledBy)
_COVERS: Final = 0.8
_LATER: Final = 0.25
"""Of the gap's length an event that fills it may end after it: the launch may be in it."""

_LAUNCHED: Final = 0.5
"""Of the gap has passed when what ends it is launched, at least."""

LEAST_NS: Final = 20_000
"""Of a gap, and of what a wait for the device lasts before one."""

_MANY: Final = 20
"""Operators fill a gap together, though there may be as much time between each two of them."""

_LINE: Final = re.compile(r"\(\d+\)(?=: )")

_SYNCS: Final = WAITS | {"aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero"}
_ALLOCATES: Final = re.compile(r"(?:cuda|hip)(?:Host)?(?:Malloc|Alloc|Free)|(?:cu|hip)Mem(?:Alloc|Free|Create|Map|Unmap|Release)")
"""Also what no caching allocator calls. Samples: `cudaMallocAsync`, `cudaFreeHost`, `hipHostMalloc`, `cuMemAlloc_v2`."""

_COMPILES: Final = re.compile(
    r"TorchDynamo|.*\(dynamo_timed\)|entire_frame_compile|_compile\.|(?:.*[/\\])?torch[/\\]_dynamo[/\\]convert_frame\.py\("
    r"|(?:.*[/\\])?torch[/\\]_inductor[/\\](?:codegen[/\\]|scheduler\.py|graph\.py|async_compile\.py)"
    r"|(?:.*[/\\])?triton[/\\]compiler[/\\]"
)
_SAVES: Final = re.compile(
    r"(?:.*[/\\])?torch[/\\](?:serialization\.py\(|distributed[/\\]checkpoint[/\\])|(?:.*[/\\])?safetensors[/\\]"
    r"|.*(?:sav|writ|dump|load|restor)\w*?_?(?:checkpoint|ckpt)",
    re.IGNORECASE,
)
_OF_USER: Final = re.compile(r".*(?:checkpoint|ckpt|(?<![a-z])dcp(?![a-z]))", re.IGNORECASE)
"""Of an annotation in which no kernel is launched: else, and of frames, it may be activations that are computed twice."""


class PauseEvent(msgspec.Struct, frozen=True, kw_only=True):
    """By its name, cut. `frame`: the innermost of the user's own code around it; "" where that is itself, or not recorded."""

    name: str
    told: Told
    frame: str = ""

    @property
    def where(self) -> tuple[str, ...]:
        """The line to open, and what runs in it."""
        return (self.frame, self.name) if self.frame else (self.name,)


class ToldRows(NamedTuple):
    """Of the host, on threads that launch."""

    rows: Int64Array  # all of them but steps and the loader
    of_cause: dict[FilledBy, Int64Array]


class PauseEvents(NamedTuple):
    """`of_gap`: the place of each gap's in `events`, or NONE."""

    events: list[PauseEvent]
    of_gap: Int64Array


class DeviceWaitRows(NamedTuple):
    """Rows: of the host, and of what names it."""

    call: Int64Array
    named: Int64Array


class _Gaps(NamedTuple):
    """Less the loader and the collector."""

    start: Int64Array
    end: Int64Array
    use: Int64Array  # which of those asked for


@once_per_trace
def told_rows(trace: Trace) -> ToldRows:
    rows = _host_rows(trace)
    told = judged(trace, rows, _cause_of_name, len(_CAUSES))
    told[_is_users_checkpoint(trace, rows)] = _CAUSES.index("checkpoint")
    return ToldRows(rows, {cause: rows[told == place] for place, cause in enumerate(_CAUSES)})


def idle_in(trace: Trace, active: Merged, start: Int64Array, end: Int64Array) -> dict[str, Int64Array]:
    """In each window, ns in which nothing ran and the host was in events of a cause of IDLE_IN, in however many gaps."""
    of_cause = told_rows(trace).of_cause
    return {cause: length_within(subtract(_union(trace, of_cause[cause]), active), start, end) for cause in IDLE_IN}


def pause_events(trace: Trace, begin: Int64Array, lasted: Int64Array, apart: Int64Array) -> PauseEvents:
    """Of gaps. `apart`: rows of the host's loader and collector."""
    events, found, of_gap = trace.events, dict[PauseEvent, int](), np.full(len(begin), NONE, np.int64)
    is_apart = (length_within(_union(trace, apart), begin, begin + lasted) >= _COVERS * lasted) & (lasted >= LEAST_NS)
    for place in np.flatnonzero(is_apart).tolist():
        event = _largest(trace, apart, int(begin[place]), int(begin[place] + lasted[place]), "other")
        of_gap[place] = found.setdefault(event, len(found))
    gaps = _host_gaps(trace, begin, np.where(is_apart, 0, lasted), _union(trace, apart))
    if len(gaps.use) == 0:
        return PauseEvents(list(found), of_gap)
    rows, of_cause = told_rows(trace)
    least = (_COVERS * (gaps.end - gaps.start)).astype(np.int64)
    covered = {cause: length_within(_union(trace, of), gaps.start, gaps.end) >= least for cause, of in of_cause.items()}
    long = rows[events.duration_ns(rows) >= least.min()]
    waits = device_waits(trace)
    for at, (start, end, place) in enumerate(zip(*(column.tolist() for column in gaps), strict=True)):
        cause = next((cause for cause, is_covered in covered.items() if is_covered[at]), None)
        if cause is None:
            filled = (
                _fills(trace, long, start, end)
                or _fill_together(trace, rows, start, end)
                or _waited(trace, waits, start, end)
                or _around(trace, long, start, end)
            )
        else:
            filled = _largest(trace, of_cause[cause], start, end, cause)
        if filled is not None:
            filled = _with_frame(trace, filled, long, start, end)
            of_gap[place] = found.setdefault(filled, len(found))
    return PauseEvents(list(found), of_gap)


def _host_gaps(trace: Trace, begin: Int64Array, lasted: Int64Array, apart: Merged) -> _Gaps:
    """Those in which the device waits for the host: what ends them is launched late in them."""
    events, end = trace.events, begin + lasted
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    work = work[np.argsort(events.start_ns[work], kind="stable")]
    following = np.searchsorted(events.start_ns[work], end)
    launch = np.append(events.launch[work], NONE)[following]
    is_late = (launch == NONE) | (events.start_ns[launch] >= begin + _LAUNCHED * lasted)
    kept = []
    for place in np.flatnonzero(is_late & (lasted >= LEAST_NS)).tolist():
        left = subtract(Merged(begin[place : place + 1], end[place : place + 1]), clip(apart, int(begin[place]), int(end[place])))
        if len(left.start):
            longest = int(np.argmax(left.end - left.start))
            kept.append((int(left.start[longest]), int(left.end[longest]), place))
    start, stop, use = np.array(kept, np.int64).reshape(-1, 3).T
    wide = stop - start >= np.maximum(LEAST_NS, lasted[use] // 2)
    return _Gaps(start[wide], stop[wide], use[wide])


def _host_rows(trace: Trace) -> Int64Array:
    """On threads that launch; where none does, that run operators."""
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, HOST_KINDS))
    launches = kernel_launches(trace)
    threads = np.unique(events.track[launches if len(launches) else rows[events.kind[rows] == Kind.OPERATOR]])
    rows = rows[np.isin(events.track[rows], threads)]
    return rows[~rows_named(trace, rows, lambda name: STEP_NAME.match(name) or DATA_LOADER_NAME.match(name))]


def _is_users_checkpoint(trace: Trace, rows: Int64Array) -> BoolArray:
    events = trace.events
    launched = events.start_ns[kernel_launches(trace)]
    n_launched = np.searchsorted(np.sort(launched), np.stack((events.start_ns[rows], events.end_ns[rows])))
    is_named = (events.kind[rows] == Kind.ANNOTATION) & rows_named(trace, rows, _OF_USER.match)
    is_it: BoolArray = is_named & (n_launched[0] == n_launched[1])
    return is_it


def _cause_of_name(name: str) -> int:
    """A place in `_CAUSES`, or how many there are."""
    is_told = (
        _SAVES.match(name),
        _COMPILES.match(name),
        name in TAKES or name in RETURNS or _ALLOCATES.match(name),
        name in _SYNCS,
    )
    return next((cause for cause, is_it in enumerate(is_told) if is_it), len(_CAUSES))


def _largest(trace: Trace, rows: Int64Array, start: int, end: int, told: Told) -> PauseEvent:
    """The one that lies over most of the gap, of several the outermost."""
    events = trace.events
    inside = _overlap(trace, rows, start, end)
    return _named(trace, int(rows[np.lexsort((-events.duration_ns(rows), -inside))[0]]), told)


def _fills(trace: Trace, rows: Int64Array, start: int, end: int) -> PauseEvent | None:
    """The innermost that fills the gap. The call of a collective may go on after it: what ends the gap is that collective."""
    over = _over(trace, rows, start, end)
    fills = over[trace.events.end_ns[over] <= end + _LATER * (end - start)]
    fills = fills if len(fills) else over[:1][rows_named(trace, over[:1], HOST_COLLECTIVE_NAME.match)]
    return _named(trace, int(fills[0]), "other") if len(fills) else None


def _fill_together(trace: Trace, rows: Int64Array, start: int, end: int) -> PauseEvent | None:
    """The name that most of many short operators have by time, where none of what is between them is long."""
    events = trace.events
    inside = rows[(events.start_ns[rows] >= start) & (events.end_ns[rows] <= end) & (events.kind[rows] == Kind.OPERATOR)]
    inside = inside[np.argsort(events.start_ns[inside], kind="stable")]
    until = np.maximum.accumulate(events.end_ns[inside])
    inside = inside[np.append(True, until[:-1] <= events.start_ns[inside][1:])] if len(inside) else inside  # the outermost
    if len(inside) < _MANY:
        return None
    between = np.append(events.start_ns[inside], end) - np.append(start, events.end_ns[inside])
    if int(between.max()) > (1 - _COVERS) * (end - start):
        return None
    groups = group_by(events.name_id[inside])
    most = int(groups.first[np.argmax(sum_by(groups, events.duration_ns(inside)))])
    return _named(trace, int(inside[most]), "many")


def _around(trace: Trace, rows: Int64Array, start: int, end: int) -> PauseEvent | None:
    """The innermost Python frame around the gap."""
    over = _over(trace, rows, start, end)
    frames = over[trace.events.kind[over] == Kind.PYTHON]
    return _named(trace, int(frames[0]), "around") if len(frames) else None


def _with_frame(trace: Trace, event: PauseEvent, rows: Int64Array, start: int, end: int) -> PauseEvent:
    """What tells where the host is, with the user's frame around it. Of several threads the one of the shortest frame tells."""
    if event.told in ("many", "after"):
        return event
    over = _over(trace, rows, start, end)
    over = over[trace.events.kind[over] == Kind.PYTHON]
    over = over[rows_named(trace, over, is_own_frame)]
    frame = _named(trace, int(over[0]), "around").name if len(over) else ""
    return event if frame == event.name or is_own_frame(event.name) else msgspec.structs.replace(event, frame=frame)


def _over(trace: Trace, rows: Int64Array, start: int, end: int) -> Int64Array:
    """Those that lie over most of the gap, the shortest first."""
    over = rows[_overlap(trace, rows, start, end) >= _COVERS * (end - start)]
    return over[np.argsort(trace.events.duration_ns(over), kind="stable")]


@once_per_trace
def device_waits(trace: Trace) -> DeviceWaitRows:
    """Calls that wait for the device, and launches of copies that return once these run."""
    events, syncs = trace.events, told_rows(trace).of_cause["sync"]
    copies = np.flatnonzero((events.kind == Kind.COPY) & (events.launch != NONE))
    calls = events.launch[copies]
    is_held = (events.end_ns[calls] >= events.start_ns[copies]) & (events.start_ns[copies] - events.start_ns[calls] >= LEAST_NS)
    return DeviceWaitRows(np.concatenate((syncs, calls[is_held])), np.concatenate((syncs, copies[is_held])))


def _waited(trace: Trace, waits: DeviceWaitRows, start: int, end: int) -> PauseEvent | None:
    """The longest that the host was in as the device ran dry."""
    events = trace.events
    began, ended = events.start_ns[waits.call], events.end_ns[waits.call]
    ran = np.flatnonzero((began <= start - LEAST_NS) & (ended >= start - LEAST_NS) & (ended <= end))
    return _named(trace, int(waits.named[ran[np.argmax((ended - began)[ran])]]), "after") if len(ran) else None


def _overlap(trace: Trace, rows: Int64Array, start: int, end: int) -> Int64Array:
    inside: Int64Array = np.minimum(trace.events.end_ns[rows], end) - np.maximum(trace.events.start_ns[rows], start)
    return inside


def _named(trace: Trace, row: int, told: Told) -> PauseEvent:
    events = trace.events
    name = trace.text(int(events.name_id[row]))
    if events.kind[row] == Kind.PYTHON and events.start_ns[row] == _begins_ns(trace):
        name = _LINE.sub("", name, count=1)
    return PauseEvent(name=name[:MOST_NAME], told=told)


@once_per_trace
def _begins_ns(trace: Trace) -> int:
    """When the recording of the host begins, and with it each frame that was open then."""
    events = trace.events
    return int(events.start_ns[is_kind(events.kind, HOST_KINDS)].min(initial=np.iinfo(np.int64).max))


def _union(trace: Trace, rows: Int64Array) -> Merged:
    return union(trace.events.start_ns[rows], trace.events.end_ns[rows])
