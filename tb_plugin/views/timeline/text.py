"""The timeline for a terminal and as CSV: its tracks, and what a window shows as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_ns
from tb_plugin.question.outline import TextTable

if TYPE_CHECKING:
    from tb_plugin.views.timeline.result import AreaGroup, AreaName, TimelineArea, TimelineCalls, TimelineSearch, TimelineTracks
    from tb_plugin.views.timeline.window import WindowColumns

_BLOCK = ("track", "lane", "start_ns", "duration_ns", "count", "longest_name", "longest_ns", "longest_row", "busy_share")
_GROUPS = {"name": "names", "category": "categories", "module": "modules", "class": "classes of modules", "step": "steps"}
_MOST_LINES = 100


def text(result: TimelineTracks) -> str:
    """Tracks group by group, then steps and what the file holds."""
    tracks = [
        [result.groups[row.group].name, row.name, str(row.n_events), str(row.lanes + row.marks), str(row.id)]
        for row in result.tracks
    ]
    steps = [[step.name, format_ns(step.end_ns - step.start_ns), "" if step.complete else "cut off"] for step in result.steps]
    kinds = [[row.kind, row.category or "none", str(row.count)] for row in result.kinds]
    busy = [[row.name, percent(sum(row.busy) / max(len(row.busy), 1))] for row in result.density]
    sections = (
        (
            f"{result.n_events} events in {format_ns(result.end_ns - result.start_ns)}",
            ["group", "track", "events", "lanes", "id"],
            tracks,
        ),
        ("Steps", ["step", "time", ""], steps),
        ("Busy", ["of the recording", "%"], busy),
        ("Events by kind", ["kind", "category", "events"], kinds),
    )
    left = ("group", "track", "step", "of the recording", "kind", "category", "")
    return "\n\n".join(f"{title}\n{aligned(columns, rows, left)}" for title, columns, rows in sections if rows)


def table(result: TimelineTracks) -> TextTable:
    """A row for each track."""
    columns = ("id", "group", "name", "device", "stream", "thread", "lanes", "marks", "n_events")
    return TextTable(
        columns=columns,
        rows=[[result.groups[row.group].name if c == "group" else getattr(row, c) for c in columns] for row in result.tracks],
    )


def window_table(window: WindowColumns) -> TextTable:
    """A row for each block, lane after lane. Times are whole units of the window's resolution."""
    header, columns = window.header, window.columns
    start, row = columns["start"].cumsum(dtype="int32"), columns["row"].cumsum(dtype="int32")
    unit = header["unit_ns"]
    lanes = [
        (track, depth)
        for track, depth, n in zip(header["lane_track"], header["lane_depth"], header["lane_blocks"], strict=True)
        for _ in range(n)
    ]
    rows = zip(
        (track for track, _ in lanes),
        (depth for _, depth in lanes),
        (header["t0_ns"] + start.astype("int64") * unit).tolist(),
        (columns["width"].astype("int64") * unit).tolist(),
        columns["count"].tolist(),
        (window.strings[name] for name in columns["name_id"].tolist()),
        columns["longest_ns"].astype("int64").tolist(),
        row.tolist(),
        (round(fill / 255, 3) for fill in columns["fill"].tolist()),
        strict=True,
    )
    return TextTable(columns=_BLOCK, rows=[list(row) for row in rows])


def window_text(window: WindowColumns) -> str:
    """The first hundred blocks."""
    rows = window_table(window).rows
    head = f"{len(rows)} blocks, each one event or several shorter than {format_ns(window.header['bucket_ns'])}"
    lines = [
        [str(track), str(lane), format_ns(float(start or 0)), format_ns(float(ns or 0)), str(count), str(name)]
        for track, lane, start, ns, count, name, *_ in rows[:_MOST_LINES]
    ]
    rest = f"\n{len(rows) - _MOST_LINES} more blocks: --format csv has them all" if len(rows) > _MOST_LINES else ""
    return f"{head}\n{aligned(['track', 'lane', 'start', 'time', 'events', 'name'], lines)}{rest}"


def search_text(result: TimelineSearch) -> str:
    """The hits; where they lie in the recording is for the page."""
    head = f"{result.total} events named {result.q!r}, {format_ns(result.total_ns)} in all"
    lines = [
        [format_ns(hit.start_ns), format_ns(hit.duration_ns), hit.kind, str(hit.track), str(hit.row), hit.name]
        for hit in result.hits
    ]
    return f"{head}\n{aligned(['start', 'time', 'kind', 'track', 'row', 'name'], lines, ('kind', 'name'))}" if lines else head


def area_table(result: TimelineArea) -> TextTable:
    """A row for each name, category, module, class or step; `longest` is the row of its longest event."""
    columns = ("name", "on_device", "kind", "count", "time_ns", "mean_ns", "self_ns", "share", "longest")
    rows = [[row.longest.row if c == "longest" else getattr(row, c) for c in columns] for row in result.rows]
    return TextTable(columns=columns, rows=rows)


def _rest(ns: int | None) -> str:
    return "not told under filters" if ns is None else format_ns(ns)


def area_text(result: TimelineArea) -> str:
    """How busy devices and threads are, then the names."""
    length, by = result.t1_ns - result.t0_ns, result.then_by or result.group_by
    parts = [
        (f"device {each.device}", format_ns(each.busy_ns), percent(each.busy_ns / length), _rest(each.gaps_ns))
        for each in result.devices
    ]
    parts += [(each.name, format_ns(each.self_ns), percent(each.self_ns / length), _rest(each.idle_ns)) for each in result.tracks]
    head = f"{format_ns(length)}: {result.count} events of {result.n_names} {_GROUPS[by]}"
    tables = [aligned(["", "busy or self", "%", "gaps or idle"], [list(part) for part in parts], ("",))]
    for side, on_device in (("devices", True), ("threads", False)):
        rows = [row for row in result.rows if row.on_device == on_device][:_MOST_LINES]
        if rows:
            lines = [_area_line(row, by) for row in rows]
            tables.append(f"{side}\n" + aligned(["self", "%", "total", "events", "mean", "kind", by], lines, ("kind", by)))
    return "\n\n".join([head, *tables]) if result.rows else head


def _area_line(row: AreaName, group_by: AreaGroup) -> list[str]:
    return [
        "–" if row.self_ns is None else format_ns(row.self_ns),
        "–" if row.share is None else percent(row.share),
        format_ns(row.time_ns),
        str(row.count),
        format_ns(row.mean_ns),
        (row.kind or "").replace("_", " "),
        row.name or ("outside of steps" if group_by == "step" else "in no module"),
    ]


def calls_text(result: TimelineCalls) -> str:
    """The nodes that take most, indented as they call each other."""
    children: dict[int | None, list[int]] = {}
    for place, node in enumerate(result.nodes):
        children.setdefault(node.parent, []).append(place)
    lines: list[list[str]] = []
    todo = [(place, 0) for place in reversed(children.get(None, []))]
    while todo and len(lines) < _MOST_LINES:
        place, depth = todo.pop()
        node = result.nodes[place]
        share = percent(node.time_ns / result.time_ns)
        lines.append([format_ns(node.time_ns), share, format_ns(node.self_ns), str(node.count), "  " * depth + node.name])
        todo += [(child, depth + 1) for child in reversed(children.get(place, []))]
    length = format_ns(result.t1_ns - result.t0_ns)
    head = f"{length}: {format_ns(result.time_ns)} of {result.side} time in {result.n_nodes} call paths"
    head += f", {format_ns(result.found_ns)} in what is found" if result.hits else ""
    return f"{head}\n\n{aligned(['total', '%', 'self', 'events', 'name'], lines, ('name',))}" if lines else head
