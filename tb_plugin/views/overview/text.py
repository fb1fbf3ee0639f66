"""The overview for a terminal, and its steps for CSV."""

from __future__ import annotations

import msgspec

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.view import Cell, TextTable
from tb_plugin.views.overview.result import Breakdown, DeviceRow, Overview, Source, TopRow

_CATEGORIES = Breakdown.__struct_fields__
_STEP_COLUMNS = ("name", "number", "start_ns", "duration_ns", "host_ns", "complete")


def text(result: Overview) -> str:
    """Sections with a heading each; a section with nothing to say is left out."""
    first = result.top_operators_by.replace("_", " ")
    sections = (
        ("Profile", _source(result.source)),
        ("Where the time went", _breakdown(result)),
        ("Steps", _steps(result)),
        ("Devices", _devices(result)),
        (f"Operators by {first} time", _top(result.top_operators)),
        ("Kernels by total time", _top(result.top_kernels)),
        ("Recorded", _recorded(result)),
        ("Issues while reading", _issues(result)),
    )
    return "\n\n".join(f"{title}\n{body}" for title, body in sections if body)


def table(result: Overview) -> TextTable:
    """One row per step, then `average` and `whole`."""
    rows: list[list[Cell]] = [[getattr(step, c) for c in _STEP_COLUMNS] + _parts(step.breakdown_ns) for step in result.steps]
    for name, window in (("average", result.average), ("whole", result.whole)):
        if window is not None:
            rows.append([name, None, window.start_ns, window.duration_ns, None, None, *_parts(window.breakdown_ns)])
    return TextTable(columns=(*_STEP_COLUMNS, *(f"{category}_ns" for category in _CATEGORIES)), rows=rows)


def _parts(breakdown: Breakdown) -> list[Cell]:
    return list(msgspec.structs.astuple(breakdown))


def _source(source: Source) -> str:
    named = (
        ("file", source.file),
        ("events", str(source.n_events)),
        ("rank", None if source.rank is None else f"{source.rank} of {source.world_size or 'unknown'}"),
        ("backend", source.backend),
        ("host", source.host),
        ("torch", source.torch_version),
        ("cycle", None if source.cycle is None else str(source.cycle)),
    )
    return "\n".join(f"  {name:8}{value if value is not None else 'not recorded'}" for name, value in named)


def _breakdown(result: Overview) -> str:
    columns, windows = ["category"], []
    if result.average is not None:
        columns += ["average step", "%"]
        windows.append(result.average)
    columns += ["whole recording", "%"]
    windows.append(result.whole)
    lines = []
    for category in _CATEGORIES:
        line = [category.replace("_", " ")]
        for window in windows:
            ns = getattr(window.breakdown_ns, category)
            known = category not in result.not_recorded
            line += [format_ns(ns), percent(ns / max(window.duration_ns, 1))] if known else ["not recorded", ""]
        lines.append(line)
    total = ["total"]
    for window in windows:
        total += [format_ns(window.duration_ns), ""]
    return aligned(columns, [*lines, total], left=("category",))


def _steps(result: Overview) -> str:
    if not result.steps:
        return "not recorded (call profiler.step() after every step)"
    shown = [category for category in _CATEGORIES if any(getattr(step.breakdown_ns, category) for step in result.steps)]
    lines = [
        [step.name + ("" if step.complete else " (cut off)"), format_ns(step.duration_ns)]
        + [format_ns(getattr(step.breakdown_ns, category)) for category in shown]
        for step in result.steps
    ]
    ends = {"with_device_work": "A step lasts until its device work is done.", "with_host_range": "A step is its host range."}
    return aligned(["name", "time", *(c.replace("_", " ") for c in shown)], lines) + "\n" + ends[result.steps_end]


def _devices(result: Overview) -> str:
    if not result.devices:
        return ""
    columns = ["device", "busy", "of", "%", "computation", "exposed comm.", "hidden comm.", "copies", "sets", "memory", "name"]
    body = aligned(columns, [_device(row) for row in result.devices])
    lost = format_ns(result.not_attributed_ns)
    return f"{body}\ndevice time {format_ns(result.device_time_ns)}, of it not attributed to an operator {lost}"


def _device(row: DeviceRow) -> list[str]:
    busy = [str(row.index), format_ns(row.busy_ns), format_ns(row.window_ns), percent(row.utilization)]
    parts = (row.computation_ns, row.communication_exposed_ns, row.communication_overlapped_ns, row.copy_ns, row.set_ns)
    memory = "not recorded" if row.memory_bytes is None else format_bytes(row.memory_bytes)
    return [*busy, *map(format_ns, parts), memory, row.name or "not recorded"]


def _top(rows: list[TopRow]) -> str:
    lines = [[format_ns(row.time_ns), percent(row.share), str(row.count), row.name] for row in rows]
    return aligned(["time", "%", "calls", "name"], lines) if lines else ""


def _recorded(result: Overview) -> str:
    return "\n".join(
        f"  {'yes' if row.recorded else 'no ':4}{row.what}{'' if row.recorded else f': {row.how}'}" for row in result.recorded
    )


def _issues(result: Overview) -> str:
    return "\n".join(f"  {row.count} x {row.text}{f' (first: {row.first})' if row.first else ''}" for row in result.issues)
