"""The runs for a terminal and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tb_plugin.question.figure import columns_of, value_of
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.views.runs.result import RunRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.views.runs.result import RunsTable

_SHOWN: Final = ("run", "worker", "recorded_ns", "device", "n_ranks", "n_steps", "step_ns", "busy_share", "peak_bytes", "finding")
_OF_ROW: Final = (
    *("run", "worker", "span", "recorded_ns", "file", "size_bytes", "state", "reason", "n_ranks", "n_recordings", "n_others"),
)
_OF_SUMMARY: Final = tuple(name for name, column in columns_of(RunRow).items() if column.path[:1] == ("summary",))


def text(result: RunsTable) -> str:
    """A line for each run; what has no figures says why in the last column."""
    if not result.rows:
        return "no profile here"
    return text_table(RunRow, result.rows, _SHOWN, left=("run", "worker", "device", "finding"), values=_VALUES)


def table(result: RunsTable) -> TextTable:
    figures = [columns_of(RunRow)[name] for name in _OF_SUMMARY]
    rows = [[*(getattr(row, name) for name in _OF_ROW), *(value_of(row, figure) for figure in figures)] for row in result.rows]
    return TextTable(columns=(*_OF_ROW, *_OF_SUMMARY), rows=rows)


def _run(row: RunRow) -> str:
    others = f"{row.file} and {row.n_others} other{'s' if row.n_others > 1 else ''}" if row.n_others else ""
    cut_off = "cut off" if row.summary is not None and row.summary.is_cut_off else ""
    notes = ", ".join(filter(None, (others, cut_off)))
    return f"{row.run} ({notes})" if notes else row.run


def _device(row: RunRow) -> str | None:
    of = row.summary
    if of is None or of.n_devices == 0:
        return "" if of is None else None
    name = of.device or "unnamed"
    return f"{of.n_devices} x {name}" if of.n_devices > 1 else name


def _ranks(row: RunRow) -> str:
    size = None if row.summary is None else row.summary.world_size
    several = f", {row.n_recordings} recordings" if row.n_recordings > 1 else ""
    return (f"{row.n_ranks} of {size}" if size else str(row.n_ranks)) + several


def _finding(row: RunRow) -> str | None:
    if row.summary is not None:
        return row.summary.finding
    return f"{row.state}: {row.reason}" if row.reason else row.state


_VALUES: Final[dict[str, Callable[[RunRow], Any]]] = {
    "run": _run,
    "worker": lambda row: row.label,
    "device": _device,
    "n_ranks": _ranks,
    "n_steps": lambda row: None if row.summary is None else row.summary.n_steps or None,
    "finding": _finding,
}
