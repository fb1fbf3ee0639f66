"""What the timeline is asked and answers; the wire format of `view/timeline/*`. `Window` is raw columns, see docs/http_api.md."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from tb_plugin.question.question import Amount, Lines, UpTo20000, UpTo200000
from tb_plugin.trace.event_ref import EventRef
from tb_plugin.trace.scope.selection import Selection
from tb_plugin.views.timeline.collective import EventCollective


class TrackPart(msgspec.Struct, frozen=True, kw_only=True):
    """Neighbouring lanes of a track that hold the same."""

    kind: str  # "annotation", "operator" (and all else), "runtime", "python", "work"
    lanes: int


class TrackRow(msgspec.Struct, frozen=True, kw_only=True):
    """A thread or stream. Slices are in lanes 0 to `lanes` - 1, part after part; marks without length, if any, in one below."""

    id: int  # row in trace.tracks
    group: int  # index in `groups`
    name: str  # "thread 1234 main", "stream 7"
    device: int | None
    stream: int | None
    thread: str | None  # the file's thread id; None for streams
    lanes: int
    parts: list[TrackPart]  # from the top; their lanes are all `lanes`
    marks: bool
    n_events: int


class TrackGroup(msgspec.Struct, frozen=True, kw_only=True):
    """A process or a device."""

    name: str
    device: int | None


class StepMark(msgspec.Struct, frozen=True, kw_only=True):
    """A `ProfilerStep#N`. Incomplete: cut by the recording's end."""

    name: str
    number: int
    start_ns: int
    end_ns: int
    timed_start_ns: int  # as it is timed: `step_windows`
    timed_end_ns: int
    complete: bool


class Density(msgspec.Struct, frozen=True, kw_only=True):
    """How busy something is over the whole window: parts of equal length, each 0 to 1 (union over its tracks)."""

    name: str
    device: int | None  # None: host operators
    busy: list[float]
    points: list[int]  # events that last 0 ns, by the part they lie in; empty where there are none


class KindCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many events the file holds of a kind and category, most first."""

    kind: str  # lower-case name of Kind
    category: str  # the file's own word
    count: int


class TimelineTracks(msgspec.Struct, frozen=True, kw_only=True):
    """Tracks in the order to show them, group after group."""

    start_ns: int
    end_ns: int
    base_ns: int
    n_events: int
    groups: list[TrackGroup]
    tracks: list[TrackRow]
    steps: list[StepMark]
    kinds: list[KindCount]
    paints: list[str]  # what the windows' `paint` column means; the colours
    n_of_paint: list[int]  # events of each
    density: list[Density]


class LitParams(Selection, frozen=True, kw_only=True):
    """Which events are strong in the picture: those that filters keep and that are sought."""

    q: str = ""  # as the search finds them; "" is all
    regex: bool = False


class WindowParams(LitParams, frozen=True, kw_only=True):
    """A stretch of time, by default all of it, how finely to show it, and which events: what filters and a search leave out is
    not there.
    """

    t0_ns: int | None = None
    t1_ns: int | None = None
    width_px: UpTo20000 = 1000  # over all of [t0, t1]
    tracks: str | None = None  # track ids, "0,4-7"; None is all


class EventParams(Selection, frozen=True, kw_only=True):
    """A row of trace.events; of what filters keep are the events before and after it."""

    row: int
    launched_from: Amount = 0  # place among all that it launched of the first in `launched`
    launched_at_ns: int | None = None  # instead of a place: from the first on that lasts until there or begins later
    launched_to_ns: int | None = None  # of those that begin by then, where they are too many, some spread evenly


class TrackEvent(EventRef, frozen=True, kw_only=True):
    """One event to look at, and where it is drawn."""

    kind: str
    track: int
    lane: int


class TimelineEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event with all its arguments. None is "not recorded" or "not attributed"."""

    row: int
    name: str
    kind: str
    category: str
    track: int
    track_name: str
    lane: int
    start_ns: int
    duration_ns: int
    self_ns: int | None  # time outside the events nested in it; None for device events and marks
    step: str | None
    module: str | None  # its path
    call_site: str | None  # file(line): function
    before: TrackEvent | None  # the one before it in its lane
    after: TrackEvent | None
    is_collective: bool  # a row of the table of collectives, which Ranks matches with those of other ranks
    collectives: list[EventCollective]  # that it is, or calls for: several of a batch of sends and receives
    args: dict[str, Any]  # as the file has them; integers too large for a browser are text
    parents: list[TrackEvent]  # nearest first
    launch: TrackEvent | None  # device events: the call that started it
    owner: TrackEvent | None  # device events: the operator, else range or call, that launched it
    after_launch_ns: int | None  # device events: how long after its launch call began it began
    inputs: list[str] | None  # of an operator, or of the owner: "float [8, 4]", types and shapes as the file has them
    launched: list[TrackEvent]  # device events it started or owns, by start, at most 200 of those asked for
    n_launched: int
    forward: list[TrackEvent]  # of a backward operator
    backward: list[TrackEvent]  # of a forward operator


class SearchParams(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a name, in any case, or a regular expression; hits `offset` to `offset + limit`.

    Where an event or a window is named, those `limit` hits among which it is, counted from the first hit in steps of `limit`.
    """

    q: str
    regex: bool = False
    limit: UpTo20000 = 1000
    offset: Amount = 0
    row: int | None = None  # where it is a hit it goes before the window
    t0_ns: int | None = None
    t1_ns: int | None = None


class TimelineSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Events whose name contains `q` (any case), or matches it as a regular expression, by start."""

    q: str
    total: int
    total_ns: int  # in which there is one, each thread and stream for itself
    offset: int
    place: int | None  # of `row` among all hits, from 0; None where it is no hit
    first: int  # place of the first hit that begins in the window, else that reaches into it, else that comes after it, else 0
    n_in_window: int  # hits in sight there; a window without its ends is all
    hits: list[TrackEvent]
    density: list[int]  # hits starting in each of 512 equal parts of the whole window


HitSort = Literal["start_ns", "duration_ns", "name", "kind", "track"]


class HitsParams(msgspec.Struct, frozen=True, kw_only=True):
    """All that a search finds as a list: rows `offset` to `offset + limit` in this order, equal ones in order of time."""

    q: str
    regex: bool = False
    among: str = ""  # a regular expression: of the hits those alone that match it in name, kind or name of the track
    sort: HitSort = "start_ns"  # tracks as they are shown
    descending: bool = False
    offset: Amount = 0
    limit: UpTo200000 = 200
    row: int | None = None


class TimelineHit(TrackEvent, frozen=True, kw_only=True):
    """A row of the list."""

    track_name: str


class TimelineHits(msgspec.Struct, frozen=True, kw_only=True):
    """A window of the list."""

    total: int  # hits, listed or not
    n_listed: int
    offset: int
    place: int | None  # of `row` in the list, from 0; None where it is not there
    rows: list[TimelineHit]


AreaGroup = Literal["name", "category", "module", "class", "step"]


class AreaParams(Selection, frozen=True, kw_only=True):
    """A stretch of time on some tracks, and what makes a row: a name and kind, a colour, a module's path, its class, a step.

    What filters leave out is in no figure.
    """

    t0_ns: int
    t1_ns: int
    tracks: str | None = None  # track ids, "0,4-7"; None is all
    group_by: AreaGroup = "name"
    then_by: AreaGroup | None = None  # the second level: rows are what is alike in this too, in the group of `of_row` alone
    of_row: int | None = None  # an event of that group, as its `longest`
    top: UpTo20000 = 1000  # rows of each side that take most time


class AreaName(msgspec.Struct, frozen=True, kw_only=True):
    """Events of one name and kind, category, module, its class or step, on threads or on devices. Times are inside the area."""

    name: str | None  # None: in no module, outside of steps
    on_device: bool
    kind: str | None  # None where a row is no name
    count: int
    time_ns: int
    mean_ns: float  # time_ns / count
    self_ns: int | None  # without the events nested in them; None: names what runs in it on a device, and has no time of its own
    share: float | None  # of the self time of all threads, or of all streams, 0 to 1; None where it has none
    longest: TrackEvent


class AreaTrack(msgspec.Struct, frozen=True, kw_only=True):
    """A thread or stream of the area. `self_ns` and `idle_ns`, in which nothing is open, are the area's length together."""

    id: int
    name: str
    count: int
    self_ns: int
    idle_ns: int | None  # with filters: it may do what they leave out


class AreaDevice(msgspec.Struct, frozen=True, kw_only=True):
    """`busy_ns`: in which a kernel, copy or set ran on any of the device's streams, drawn over or not; `gaps_ns`: the rest."""

    device: int
    busy_ns: int
    gaps_ns: int | None  # with filters: others may work then
    n_streams: int  # that work in the recording
    area_streams: list[str]  # which of these the area is on
    area_busy_ns: int  # in which one of them worked


class TimelineArea(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of the devices, then of threads, each by self time, then those without one; totals are of all rows, listed or not."""

    t0_ns: int
    t1_ns: int
    group_by: AreaGroup
    then_by: AreaGroup | None
    n_names: int  # rows in all
    count: int
    host_self_ns: int
    device_self_ns: int
    devices: list[AreaDevice]
    tracks: list[AreaTrack]  # those with events in the area, at most `top`
    rows: list[AreaName]


CallFrames = Literal["all", "operators", "python"]
Side = Literal["host", "device"]


class CallsParams(Selection, frozen=True, kw_only=True):
    """A stretch of time on some tracks, whose time to tell, and which frames make a path: others are part of those around.

    What filters leave out has no time.
    """

    t0_ns: int
    t1_ns: int
    tracks: str | None = None  # track ids, "0,4-7"; None is all
    side: Side = "host"
    frames: CallFrames = "all"
    inverted: bool = False  # from the callees: what has time of its own at the root, who called it below
    by_class: bool = False  # all modules of a class are one call, `nn.Module: Block_*`
    edit: Annotated[Lines, msgspec.Meta(description="what to look at, or to leave out: focus:NAME, merge:NAME, drop:NAME")] = ""
    q: str = ""  # finds calls by their names here; "" is none
    regex: bool = False
    top: UpTo20000 = 2000  # nodes that take most time


class CallNode(msgspec.Struct, frozen=True, kw_only=True):
    """A name in one place of the call tree. Times are what lies inside the area."""

    parent: int | None  # its place in `nodes`
    name: str
    kind: str
    paint: str  # its colour
    count: int
    time_ns: int  # self times of it and of all below it
    self_ns: int
    longest: TrackEvent


class TimelineCalls(msgspec.Struct, frozen=True, kw_only=True):
    """`host`: what ran on threads; `device`: what devices did, below the operators it was done for. By time, parents first."""

    t0_ns: int
    t1_ns: int
    side: Side
    frames: CallFrames
    time_ns: int
    other_side_ns: int  # of the area's other tracks: whether it is worth asking for
    n_nodes: int  # in all
    n_instances: int  # names of modules that are one of several of their class, before all edits
    found_ns: int  # in calls that are found, and in what they call
    hits: list[int]  # places in `nodes` of those that are found
    nodes: list[CallNode]


ValueUnit = Literal["bytes", "count", "share", "number"]


class ValuesParams(LitParams, frozen=True, kw_only=True):
    """A stretch of time, by default all of it, and into how many equal parts to cut it. Filters and a search leave out nothing
    but of `kept`.
    """

    t0_ns: int | None = None
    t1_ns: int | None = None
    width_px: UpTo20000 = 600


class ValueTrack(msgspec.Struct, frozen=True, kw_only=True):
    """A value over time. `least`, `most` and `mean` are those of each part; None: not known then.

    The mean is over time, to six digits of the largest value.
    """

    id: str
    title: str
    unit: ValueUnit
    device: int | None
    lowest: float  # over the whole recording; of a share 0
    highest: float  # the same; of a share 1
    least: list[float | None]
    most: list[float | None]
    mean: list[float | None]
    kept: list[float | None] | None = None  # of each part its mean by what is kept alone; None: all is, or it is of all


class TimelineValues(msgspec.Struct, frozen=True, kw_only=True):
    """Busy share, memory, launch queue and counters, as far as they were recorded."""

    is_lit: bool  # filters or a search leave something out

    t0_ns: int
    t1_ns: int
    tracks: list[ValueTrack]
