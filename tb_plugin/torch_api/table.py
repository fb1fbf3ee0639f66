"""`EventList.table()`: the same columns, widths and text as torch 2.13.

One thing is other on purpose: with stacks and FLOPs torch prints the values of the two last columns under each other's
header. Here the header stands over its values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from tb_plugin.torch_api.words import memory_text, share_text, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_COLUMN: Final = 12
_GAP: Final = "  "
_FLOPS_UNITS: Final = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")


class Row(Protocol):
    """What a line of the table is made of: a FunctionEvent or a FunctionEventAvg. Times in µs."""

    @property
    def key(self) -> str: ...
    @property
    def overload_name(self) -> str: ...
    @property
    def self_cpu_time_total(self) -> float: ...
    @property
    def cpu_time_total(self) -> float: ...
    @property
    def cpu_time(self) -> float: ...
    @property
    def self_device_time_total(self) -> float: ...
    @property
    def device_time_total(self) -> float: ...
    @property
    def device_time(self) -> float: ...
    @property
    def cpu_memory_usage(self) -> int: ...
    @property
    def self_cpu_memory_usage(self) -> int: ...
    @property
    def device_memory_usage(self) -> int: ...
    @property
    def self_device_memory_usage(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def input_shapes(self) -> object: ...
    @property
    def stack(self) -> list[str]: ...
    @property
    def flops(self) -> int: ...
    @property
    def is_async(self) -> bool: ...
    @property
    def has_parent(self) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """What is true of all rows together: it decides the columns and their widths. Times in µs."""

    n_rows: int
    use_device: str | None
    profile_memory: bool
    with_flops: bool
    has_device_time: bool
    has_device_memory: bool
    has_shapes: bool
    has_overloads: bool
    longest_name: int
    longest_shapes: int
    longest_stack_entry: int | None  # None: no row has a stack
    least_flops: int  # of those that have any; 0: none has
    self_cpu_us: float
    self_device_us: float


@dataclass(frozen=True, kw_only=True)
class Layout:
    """What the caller of `table()` chose. None for a width: as wide as it needs."""

    row_limit: int = 100
    max_src_column_width: int | None = 75
    max_name_column_width: int | None = 55
    max_shapes_column_width: int | None = 80
    header: str | None = None
    top_level_events_only: bool = False
    time_unit: str | None = None


class Tabular:
    """What has a `table()`: a list of events or of averages."""

    def table_rows(self, sort_by: str | None) -> tuple[TableFacts, Iterable[Row]]:
        """What is true of all rows, and the rows in the order of `sort_by`."""
        raise NotImplementedError

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The rows as text, `row_limit` of them (-1: all).

        `sort_by` is any attribute of a row, the largest first; `cuda` or `xpu` in it means the device. `time_unit` is
        s, ms or us.
        """
        facts, rows = self.table_rows(sort_by)
        layout = Layout(
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            top_level_events_only=top_level_events_only,
            time_unit=time_unit,
        )
        return build_table(facts, rows, layout)

    def __str__(self) -> str:
        return self.table()


def build_table(facts: TableFacts, rows: Iterable[Row], layout: Layout) -> str:
    """The text. `rows` in the order they are printed; no more of them are taken than are printed."""
    if facts.n_rows == 0:
        return ""
    columns = _Columns(facts, layout)
    rule = "".join("-" * width + _GAP for width in columns.widths)
    double_rule = "=" * (sum(columns.widths) + len(_GAP) * (len(columns.widths) - 1))
    lines = [double_rule, layout.header] if layout.header is not None else []
    if layout.top_level_events_only:
        lines += [double_rule, "This report only display top-level ops statistics"]
    lines += [rule, columns.line(columns.titles), rule]
    n_left = layout.row_limit
    for row in rows:
        if n_left == 0:
            break
        if layout.top_level_events_only and row.has_parent:
            continue
        n_left -= 1
        lines += columns.lines_of(row)
    lines += [rule, f"Self CPU time total: {time_text(facts.self_cpu_us, layout.time_unit)}"]
    text = "".join(f"{line}\n" for line in lines)
    if facts.has_device_time:
        text += f"Self {columns.device} time total: {time_text(facts.self_device_us, layout.time_unit)}\n"
    return text


class _Columns:
    """Titles and widths of the columns, and the cells of a row in the same order."""

    def __init__(self, facts: TableFacts, layout: Layout) -> None:
        self._facts, self._layout = facts, layout
        self.device = "None" if facts.use_device is None else facts.use_device.upper()
        self._shows_device_memory = bool(facts.profile_memory and facts.use_device and facts.has_device_memory)
        self._flops_scale, flops_title = _flops_unit(facts.least_flops)
        self._shows_flops = facts.with_flops and facts.least_flops > 0
        name_width = _at_most(facts.longest_name + 4, layout.max_name_column_width)
        self._shapes_width = _at_most(facts.longest_shapes + 4, layout.max_shapes_column_width)
        self._source_width = 0
        names = ["Name", "Overload Name"] if facts.has_overloads else ["Name"]
        numbers = ["Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        if facts.has_device_time:
            numbers += [f"Self {self.device}", f"Self {self.device} %", f"{self.device} total", f"{self.device} time avg"]
        if facts.profile_memory:
            numbers += ["CPU Mem", "Self CPU Mem"]
        if self._shows_device_memory:
            numbers += [f"{self.device} Mem", f"Self {self.device} Mem"]
        numbers.append("# of Calls")
        self.titles = names + numbers
        self.widths = [name_width] * len(names) + [_COLUMN] * len(numbers)
        if facts.has_shapes:
            self.titles.append("Input Shapes")
            self.widths.append(self._shapes_width)
        if self._shows_flops:
            self.titles.append(f"Total {flops_title}")
            self.widths.append(_COLUMN)
        if facts.longest_stack_entry is not None:
            self._source_width = _at_most(facts.longest_stack_entry + 4, layout.max_src_column_width)
            self.titles.append("Source Location")
            self.widths.append(self._source_width)

    def line(self, cells: Sequence[object]) -> str:
        last = len(cells) - 1 if self._source_width else -1
        return "".join(
            f"{cell!s:{'<' if place == last else '>'}{width}}{_GAP}"
            for place, (cell, width) in enumerate(zip(cells, self.widths, strict=True))
        )

    def lines_of(self, row: Row) -> list[str]:
        cells = self._cells(row)
        if not self._source_width:
            return [self.line(cells)]
        stack = row.stack
        lines = [self.line([*cells, self._cut_path(stack[0]) if stack else ""])]
        empty = [""] * len(cells)
        lines += [self.line([*empty, self._cut_path(entry)]) for entry in stack[1:]]
        return [*lines, self.line([*empty, ""])]

    def _cells(self, row: Row) -> list[object]:
        """All but the source location, which may take more than one line."""
        facts, unit = self._facts, self._layout.time_unit
        cells: list[object] = [self._cut_name(row.key)]
        if facts.has_overloads:
            cells.append(self._cut_name(row.overload_name))
        cells += [
            share_text(row.self_cpu_time_total, facts.self_cpu_us),
            time_text(row.self_cpu_time_total, unit),
            0 if row.is_async else share_text(row.cpu_time_total, facts.self_cpu_us),
            time_text(row.cpu_time_total, unit),
            time_text(row.cpu_time, unit),
        ]
        if facts.has_device_time:
            cells += [
                time_text(row.self_device_time_total, unit),
                share_text(row.self_device_time_total, facts.self_device_us),
                time_text(row.device_time_total, unit),
                time_text(row.device_time, unit),
            ]
        if facts.profile_memory:
            cells += [memory_text(row.cpu_memory_usage), memory_text(row.self_cpu_memory_usage)]
        if self._shows_device_memory:
            cells += [memory_text(row.device_memory_usage), memory_text(row.self_device_memory_usage)]
        cells.append(row.count)
        if facts.has_shapes:
            cells.append(str(row.input_shapes)[: self._shapes_width])
        if self._shows_flops:
            cells.append("--" if row.flops <= 0 else f"{row.flops * self._flops_scale:8.3f}")
        return cells

    def _cut_name(self, name: str) -> str:
        most = self._layout.max_name_column_width
        return name if most is None or len(name) < most - 3 else name[: most - 3] + "..."

    def _cut_path(self, path: str) -> str:
        """The end of a path says more than its start."""
        if len(path) <= self._source_width:
            return path
        path = path[len(path) - self._source_width :]
        return "..." + path[3:] if len(path) > 3 else path


def _at_most(width: int, most: int | None) -> int:
    return width if most is None else min(width, most)


def _flops_unit(flops: int) -> tuple[float, str]:
    """(factor, title) by the smallest number of the column."""
    if flops <= 0:
        return 1.0, _FLOPS_UNITS[0]
    power = max(0.0, min(math.log10(flops) / 3, float(len(_FLOPS_UNITS) - 1)))
    return pow(10, math.floor(power) * -3.0), _FLOPS_UNITS[int(power)]
