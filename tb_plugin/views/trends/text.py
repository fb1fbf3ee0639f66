"""Trends for a terminal, as CSV, Markdown, OpenMetrics, and as lines of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tb_plugin.base.text_table import percent
from tb_plugin.question.figure import columns_of
from tb_plugin.question.figure_text import shown, text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.trace.span.figures import BY_ID, FIGURES, scalars
from tb_plugin.views.trends.result import TrendPoint

if TYPE_CHECKING:
    from tb_plugin.trace.span.figures import Followed
    from tb_plugin.views.trends.result import LevelChange, TrendLine, Trends

_SHOWN: Final = (
    "recorded_ns",
    "run",
    "label",
    "span",
    "n_steps",
    "step_ns",
    "busy_share",
    "data_loader_ns",
    "peak_bytes",
    "note",
)
_NEWEST: Final = 20
_MOST_SERIES: Final = 1000
_OF_POINT: Final = ("run", "worker", "span", "label", "recorded_ns", "state", "quality", "note", "changed")


def text(result: Trends) -> str:
    """Of each line its newest points, its changes, and what the gate says."""
    if not result.lines:
        return "no profile here"
    return "\n\n".join(_line(line) for line in result.lines) + ("\n\nolder profiles are left out" if result.is_cut else "")


def table(result: Trends) -> TextTable:
    """A row a point."""
    figures = [name for name in TrendPoint.__struct_fields__ if name not in _OF_POINT]
    rows = [
        [line.name, *(getattr(point, name) for name in (*_OF_POINT, *figures))] for line in result.lines for point in line.points
    ]
    return TextTable(columns=("line", *_OF_POINT, *figures), rows=rows)


def markdown(result: Trends) -> str:
    """The gate of each line and its changes, for a step summary or a comment; text of a profile is code, never markup."""
    said = []
    for line in result.lines[:50]:
        said.append(f"### {_code(line.name or 'all runs')}: {len(line.points)} profiles")
        if line.gate is not None:
            said.append(f"**{line.gate.state.replace('_', ' ')}**: {line.gate.said}.")
        said += [f"- {_code(_change(line, change))}" for change in line.changes[-10:]]
        if not line.changes:
            said.append("No change of level is confirmed; that takes 5 to 8 profiles after it.")
    return "\n\n".join(said or ["no profile here"]).replace("\n\n- ", "\n- ")


def openmetrics(result: Trends) -> str:
    """Gauges of each line's newest readable profile, in base units. https://prometheus.io/docs/specs/om/open_metrics_spec/"""
    readable = [[point for point in line.points if point.quality in ("complete", "few")] for line in result.lines]
    newest = [points[-1] for points in readable if points]
    lines = []
    n_series = 0
    for followed in FIGURES:
        name = f"torch_profile_{followed.metric}"
        samples = [
            (f'run="{_label(point.run)}",worker="{_label(point.worker)}"{quantile}', value * followed.base)
            for point in newest
            for quantile, value in _samples(followed, point)
        ][: _MOST_SERIES - n_series]
        n_series += len(samples)
        if samples:
            lines += [f"# TYPE {name} gauge", f"# HELP {name} {followed.title}, of the newest profile that can be read."]
            lines += [f"{name}{{{labels}}} {value:.9g}" for labels, value in samples]
    return "\n".join([*lines, "# EOF"])


def jsonl(result: Trends) -> str:
    """A flat object a profile, keyed as TensorBoard's tags: what `wandb.log` and `mlflow.log_metrics` take as it is."""
    return "\n".join(msgspec.json.encode(_flat(point)).decode() for line in result.lines for point in line.points)


def _flat(point: TrendPoint) -> dict[str, Any]:
    note = {} if point.note is None else {"note": point.note}
    return {
        "run": point.run, "worker": point.worker, "span": point.span, "recorded": point.recorded_ns / 1e9,
        "step": point.last_step, "quality": point.quality, **note, **scalars(point),
    }  # fmt: skip


def _samples(followed: Followed, point: TrendPoint) -> list[tuple[str, float]]:
    if followed.id == "step_time":
        of = (("0.05", point.p5_ns), ("0.5", point.step_ns), ("0.95", point.p95_ns))
        return [(f',quantile="{quantile}"', value) for quantile, value in of if value is not None]
    value = getattr(point, followed.field)
    return [] if value is None else [("", value)]


def _label(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _code(text: str) -> str:
    """As code of Markdown, whatever is in it."""
    fence = "`" * (max((len(run) for run in _runs_of_backticks(text)), default=0) + 1)
    inner = " ".join(text.split())
    return f"{fence} {inner} {fence}" if "`" in inner else f"`{inner}`"


def _runs_of_backticks(text: str) -> list[str]:
    return ["`" * len(run) for run in "".join("`" if c == "`" else " " for c in text).split()]


def _line(line: TrendLine) -> str:
    count = len(line.points)
    older = f", the newest {_NEWEST}" if count > _NEWEST else ""
    parts = [
        f"{line.name or 'all runs'}: {count} {'profile' if count == 1 else 'profiles'}{older}",
        text_table(TrendPoint, line.points[-_NEWEST:], _SHOWN, left=("run", "label", "span", "note")),
    ]
    parts += [_change(line, change) for change in line.changes]
    if line.gate is not None:
        parts.append(f"{line.gate.state.replace('_', ' ')}: {line.gate.said}")
    return "\n".join(parts)


def _change(line: TrendLine, change: LevelChange) -> str:
    point = line.points[change.at]
    since = f"since {point.run} · {point.span}"
    if change.kind == "reset" or change.figure is None:
        return f"{since}: {change.why}"
    followed = BY_ID[change.figure]
    unit = columns_of(TrendPoint)[followed.field].figure.unit
    share = "" if change.share is None else f" ({'+' if change.share > 0 else ''}{percent(change.share)})"
    return f"{since}: {followed.title} {shown(change.before, unit)} -> {shown(change.after, unit)}{share}"
