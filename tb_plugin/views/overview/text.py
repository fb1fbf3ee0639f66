"""The overview for a terminal, and its steps for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import at_least, format_bytes, format_ns
from tb_plugin.findings.verdict import verdict_text
from tb_plugin.question.outline import Cell, TextTable
from tb_plugin.trace.work.taxonomy import CATEGORIES
from tb_plugin.views.overview.result import (
    Breakdown,
    Communication,
    CommunicationPart,
    CommunicationParts,
    DeviceRow,
    DeviceUse,
    ModelFlops,
    Overview,
    Source,
    StepRow,
    TopModule,
    TopRow,
    Window,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_CATEGORIES = Breakdown.__struct_fields__
_USES = DeviceUse.__struct_fields__
_STEP_COLUMNS = ("name", "number", "start_ns", "duration_ns", "host_ns", "complete", "selected")
_ENDS = {
    "with_device_work": "A step lasts until its device work is done; the next begins there.",
    "with_host_range": "A step is its host range.",
}
_NOT_RECORDED = "not recorded"


def text(result: Overview) -> str:
    """Sections with a heading each; a section with nothing to say is left out."""
    first = result.top_operators_by.replace("_", " ")
    sections = (
        ("In short", verdict_text(result.verdict)),
        ("Profile", _source(result.source)),
        ("Filters", _filters(result)),
        ("Where the time went", _breakdown(result)),
        ("Operators by what they compute, where nothing else ran", _operators(result)),
        ("What the device did" if len(result.devices) <= 1 else "What the devices did, on average", _uses(result)),
        ("Steps", _steps(result)),
        ("Model FLOPs", _model_flops(result.model_flops)),
        ("Devices", _devices(result)),
        (f"Communication by dimension and module{', in the steps' if result.steps else ''}", _communication(result)),
        ("Peak memory", _memory(result)),
        (f"What the device works on{', in the steps' if result.steps else ''}", _categories(result)),
        (f"Operators by {first} time", _top(result.top_operators)),
        ("Kernels by total time", _top(result.top_kernels)),
        (f"Modules by {first} time", _top(result.top_modules, "operators")),
        ("Recorded", _recorded(result)),
        ("Issues while reading", _issues(result)),
    )
    return "\n\n".join(f"{title}\n{body}" for title, body in sections if body)


def table(result: Overview) -> TextTable:
    """One row per step, then `average` and `whole`."""
    rows: list[list[Cell]] = [[getattr(step, c) for c in _STEP_COLUMNS] + _parts(step) for step in result.steps]
    for name, window in (("average", result.average), ("whole", result.whole)):
        if window is not None:
            rows.append([name, None, window.start_ns, window.duration_ns, None, None, None, *_parts(window)])
    columns = (
        *_STEP_COLUMNS,
        *(f"{category}_ns" for category in _CATEGORIES),
        *(f"device_{use}_ns" for use in _USES),
        *(f"communication_{part}_ns" for part in Communication.__struct_fields__),
    )
    return TextTable(columns=columns, rows=rows)


def _parts(window: StepRow | Window) -> list[Cell]:
    found: list[Cell] = list(msgspec.structs.astuple(window.breakdown_ns))
    for struct, value in ((DeviceUse, window.device_use_ns), (Communication, window.communication_ns)):
        found += [None] * len(struct.__struct_fields__) if value is None else msgspec.structs.astuple(value)
    return found


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
    return "\n".join(f"  {name:8}{value if value is not None else _NOT_RECORDED}" for name, value in named)


def _filters(result: Overview) -> str:
    chosen = [str(step.number) for step in result.steps if step.selected]
    lines = []
    if len(chosen) < len(result.steps):
        named = f"steps {', '.join(chosen)} ({len(chosen)} of {len(result.steps)})"
        lines.append(f"  {named}")
    if result.not_filtered:
        lines.append(f"  other filters do not change: {', '.join(result.not_filtered)}")
    return "\n".join(lines)


def _windows(result: Overview) -> list[tuple[str, Window]]:
    average = [] if result.average is None else [("average step", result.average)]
    return [*average, ("whole recording", result.whole)]


def _model_flops(use: ModelFlops) -> str:
    if use.mfu is None or use.hfu is None:
        return f"MFU not known: {use.reason}"
    total = max(sum(use.mix.values()), 1)
    mix = ", ".join(f"{name} {percent(flops / total)}" for name, flops in use.mix.items())
    note = "" if use.note is None else f"\n{use.note}"
    return f"MFU {percent(use.mfu)}, HFU {percent(use.hfu)}; products by type: {mix}{note}"


def _breakdown(result: Overview) -> str:
    windows = [(title, window.breakdown_ns, window.duration_ns) for title, window in _windows(result)]
    return _split("category", _CATEGORIES, windows, result.not_recorded)


def _operators(result: Overview) -> str:
    """The part "other host" of each window, largest first; nothing where a device works."""
    windows = _windows(result)
    time_of = {c.title.lower(): [window.operators_ns.get(c.id, 0) for _, window in windows] for c in CATEGORIES}
    lines = [
        [
            title,
            *(
                t
                for ns, (_, window) in zip(times, windows, strict=True)
                for t in (format_ns(ns), percent(ns / max(window.duration_ns, 1)))
            ),
        ]
        for title, times in sorted(time_of.items(), key=lambda each: each[1], reverse=True)
        if any(times)
    ]
    columns = ["operators", *(t for title, _ in windows for t in (title, "%"))]
    return aligned(columns, lines, left=("operators",)) if lines else ""


def _uses(result: Overview) -> str:
    windows = [(title, use, w.duration_ns) for title, w in _windows(result) if (use := w.device_use_ns) is not None]
    if not windows:
        return ""
    lines = [_split("device", _USES, windows, [])]
    for title, window in _windows(result):
        part = window.communication_ns
        if part is not None and part.exposed + part.overlapped:
            exposed, hidden = format_ns(part.exposed), format_ns(part.overlapped)
            lines.append(f"communication in the {title}: {exposed} exposed, {hidden} overlapped")
    return "\n".join(lines)


def _split(head: str, names: Sequence[str], windows: Sequence[tuple[str, msgspec.Struct, int]], unknown: list[str]) -> str:
    """A line per part, with its time and share in each window, and their sum."""
    lines = []
    for name in names:
        line = [name.replace("_", " ")]
        for _, parts, duration_ns in windows:
            ns = getattr(parts, name)
            line += [_NOT_RECORDED, ""] if name in unknown else [format_ns(ns), percent(ns / max(duration_ns, 1))]
        lines.append(line)
    columns, total = [head], ["total"]
    for title, _, duration_ns in windows:
        columns += [title, "%"]
        total += [format_ns(duration_ns), ""]
    return aligned(columns, [*lines, total], left=(head,))


def _steps(result: Overview) -> str:
    if not result.steps:
        return _why_not(result, "steps")
    shown = [category for category in _CATEGORIES if any(getattr(step.breakdown_ns, category) for step in result.steps)]
    has_device = result.whole.device_use_ns is not None
    lines = [
        [
            step.name + ("" if step.complete else " (cut off)") + ("" if step.selected else " (not selected)"),
            format_ns(step.duration_ns),
            *(format_ns(getattr(step.breakdown_ns, category)) for category in shown),
            *([percent(step.device_use_ns.busy / max(step.duration_ns, 1))] if step.device_use_ns else []),
        ]
        for step in result.steps
    ]
    columns = ["name", "time", *(c.replace("_", " ") for c in shown), *(["device busy"] if has_device else [])]
    return "\n".join((aligned(columns, lines), _ENDS[result.steps_end], *_step_times(result), *result.step_notes))


def _step_times(result: Overview) -> list[str]:
    times = result.step_time
    if times is None:
        return []
    of = f"{times.count} step{'' if times.count == 1 else 's'}"
    low, high = format_ns(times.min_ns), format_ns(times.max_ns)
    p5, p95 = format_ns(times.p5_ns), format_ns(times.p95_ns)
    return [f"median of {of} {format_ns(times.median_ns)}, 5 % to 95 %: {p5} to {p95}, shortest {low}, longest {high}"]


def _devices(result: Overview) -> str:
    if not result.devices:
        return ""
    columns = ["device", "busy", "of", "%", "computation", "exposed comm.", "hidden comm.", "copies", "sets"]
    columns += ["est. SM efficiency", "est. occupancy", "tensor cores", "tensor cores unknown", "memory", "name"]
    body = aligned(columns, [_device(row) for row in result.devices])
    lost = format_ns(result.not_attributed_ns)
    return f"{body}\ndevice time {format_ns(result.device_time_ns)}, of it not attributed to an operator {lost}"


def _device(row: DeviceRow) -> list[str]:
    busy = [str(row.index), format_ns(row.busy_ns), format_ns(row.window_ns), percent(row.utilization)]
    parts = (row.computation_ns, row.communication_exposed_ns, row.communication_overlapped_ns, row.copy_ns, row.set_ns)
    occupancy = None if row.occupancy_percent is None else row.occupancy_percent / 100
    estimates = [_NOT_RECORDED if share is None else percent(share) for share in (row.sm_efficiency, occupancy)]
    matrix = [
        _NOT_RECORDED if share is None else percent(share) for share in (row.matrix_core_share, row.matrix_core_unknown_share)
    ]
    memory = _NOT_RECORDED if row.memory_bytes is None else format_bytes(row.memory_bytes)
    return [*busy, *map(format_ns, parts), *estimates, *matrix, memory, row.name or _NOT_RECORDED]


def _communication(result: Overview) -> str:
    of = result.communication_parts
    if of is None:
        return result.communication_parts_lack or ""
    beside, next_one = ("no operator computes", "operator") if of.on_host else ("no other kernel of the device runs", "kernel")
    divided = f"of several at once what ends before the next {next_one} comes first, else all share alike"
    said = f"exposed: {beside} meanwhile; {divided}"
    if of.on_host:
        said += "\ncommunication above: all time in which a range of a collective is open, also while operators compute"
    if not of.modules:
        return "\n".join((_parts_of("dimension", of, of.dimensions), said, f"by module: {of.modules_lack}"))
    return "\n\n".join((f"{_parts_of('dimension', of, of.dimensions)}\n{said}", _parts_of("module", of, of.modules)))


def _parts_of(what: str, of: CommunicationParts, parts: Sequence[CommunicationPart]) -> str:
    lines = [
        [*_exposed(part, of.window_ns), format_ns(part.hidden_ns), str(part.count), _messages(part), _part_name(part)]
        for part in parts
    ]
    total = [*_exposed(of, of.window_ns), format_ns(of.hidden_ns), str(sum(part.count for part in parts)), "", "total"]
    return aligned(["exposed", "%", "hidden", "collectives", "messages", what], [*lines, total], left=(what,))


def _exposed(part: CommunicationPart | CommunicationParts, window_ns: int) -> tuple[str, str]:
    return format_ns(part.exposed_ns), percent(part.exposed_ns / max(window_ns, 1))


def _part_name(part: CommunicationPart) -> str:
    return f"{part.name} (by its use)" if part.told == "by_use" else part.name


def _messages(part: CommunicationPart) -> str:
    if part.bytes is None:
        return _NOT_RECORDED
    return at_least(part.bytes, part.n_unsized)


def _memory(result: Overview) -> str:
    if not result.memory:
        return _why_not(result, "memory") or _lack(result, "memory")
    lines = [
        [
            row.title,
            format_bytes(row.peak_allocated_bytes),
            *(_NOT_RECORDED if size is None else format_bytes(size) for size in (row.peak_reserved_bytes, row.capacity_bytes)),
        ]
        for row in result.memory
    ]
    return aligned(["name", "allocated", "reserved", "capacity"], lines)


def _categories(result: Overview) -> str:
    if not result.categories:
        return ""
    lines = [[format_ns(row.time_ns), percent(row.share), row.category_title] for row in result.categories]
    busy, window, outside = (sum(getattr(d, of) for d in result.devices) for of in ("busy_ns", "window_ns", "busy_outside_ns"))
    total = [format_ns(busy), percent(busy / max(window, 1)), f"busy, of {format_ns(window)}"]
    said = [f"outside these steps the device is busy for {format_ns(outside)} more"] if outside else []
    return "\n".join((aligned(["time", "%", "name"], [*lines, total]), *said))


def _top(rows: Sequence[TopRow], count: str = "calls") -> str:
    lines = [[format_ns(row.time_ns), percent(row.share), str(row.count), _named(row)] for row in rows]
    return aligned(["time", "%", count, "name"], lines) if lines else ""


def _named(row: TopRow) -> str:
    return f"{row.name} x{row.instances}" if isinstance(row, TopModule) and row.instances > 1 else row.name


def _recorded(result: Overview) -> str:
    return "\n".join(
        f"  {'yes' if row.recorded else 'no ':4}{row.what}{'' if row.recorded else f': {row.instead or row.how}'}"
        for row in result.recorded
    )


def _why_not(result: Overview, recording: str) -> str:
    """Of one of `trace.scope.recorded`, by id; empty where it is there, or was on."""
    row = next(row for row in result.recorded if row.id == recording)
    return "" if row.recorded else f"{_NOT_RECORDED} ({row.instead or row.how})"


def _lack(result: Overview, recording: str) -> str:
    """Of one that was on: why there is nothing."""
    return next(row.lack for row in result.recorded if row.id == recording) or "none"


def _issues(result: Overview) -> str:
    return "\n".join(f"  {row.count} x {row.text}{f' (first: {row.first})' if row.first else ''}" for row in result.issues)
