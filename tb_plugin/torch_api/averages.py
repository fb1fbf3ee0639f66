"""`key_averages()` and `total_average()`: sums over the events of one key, from columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.grouping import Groups, group_by
from tb_plugin.torch_api.device import ATTRIBUTE_WORDS, DEVICES_OF_TOTAL
from tb_plugin.torch_api.formatted_times import FormattedTimes
from tb_plugin.torch_api.function_event import FunctionEvent
from tb_plugin.torch_api.self_and_total import sum_of
from tb_plugin.torch_api.table import TableFacts, Tabular
from tb_plugin.trace.device_types import DeviceType

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.base.units import Int64Array
    from tb_plugin.torch_api.event_data import EventData

TIMES: Final = ("cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total")
BYTES: Final = ("cpu_memory_usage", "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage")


class FunctionEventAvg(FormattedTimes):
    """Sums over the events of one key; what is not a number is that of the first event. The same attributes as torch's."""

    node_id = -1
    is_remote = False
    is_legacy = False

    def __init__(self, key: str, first: FunctionEvent | None) -> None:
        self.key = key
        self.first_event = first
        self.count = self.flops = 0
        self.cpu_time_total = self.device_time_total = self.self_cpu_time_total = self.self_device_time_total = 0.0
        self.cpu_memory_usage = self.device_memory_usage = self.self_cpu_memory_usage = self.self_device_memory_usage = 0
        self.input_shapes: list[list[int]] | str = ""
        self.overload_name = ""
        self.stack: list[str] = []
        self.use_device = None if first is None else first.use_device
        self.is_async = False if first is None else first.is_async
        self.scope = None if first is None else first.scope
        self.device_type = DeviceType.CPU if first is None else first.device_type
        self.is_user_annotation = False if first is None else first.is_user_annotation

    @property
    def cpu_parent(self) -> FunctionEvent | None:
        """Of the first event."""
        return None if self.first_event is None else self.first_event.cpu_parent

    @property
    def cpu_children(self) -> list[FunctionEvent]:
        """Of the first event."""
        return [] if self.first_event is None else self.first_event.cpu_children

    @property
    def has_parent(self) -> bool:
        return self.first_event is not None and self.first_event.has_parent

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f" self_{device}_time={self.self_device_time_total_str} {device}_time={self.device_time_str} "
            f"input_shapes={self.input_shapes!s} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage}>"
        )


class AverageList(Tabular, list[FunctionEventAvg]):
    """What `key_averages()` gives: rows in the order in which their keys first appear."""

    use_device: str | None = None
    profile_memory = False
    with_flops = False

    @property
    def self_cpu_time_total(self) -> float:
        """Sum over all rows, µs."""
        return sum(row.self_cpu_time_total for row in self)

    def total_average(self) -> FunctionEventAvg:
        """One row, `Total`, with the sums of all."""
        total = FunctionEventAvg("Total", self[-1].first_event if self else None)
        for row in self:
            for name in (*TIMES, *BYTES, "count", "flops"):
                setattr(total, name, getattr(total, name) + getattr(row, name))
        if self:
            total.input_shapes, total.stack, total.overload_name = self[-1].input_shapes, self[-1].stack, self[-1].overload_name
        return total

    def table_rows(self, sort_by: str | None) -> tuple[TableFacts, list[FunctionEventAvg]]:
        """For `table`."""
        rows = list(self)
        if sort_by is not None:
            name = attribute_name(sort_by)
            rows.sort(key=lambda row: getattr(row, name), reverse=True)
        return self._facts(rows), rows

    def _facts(self, rows: list[FunctionEventAvg]) -> TableFacts:
        entries = [len(entry) for row in rows for entry in row.stack]
        on_device = [row for row in rows if row.device_type in DEVICES_OF_TOTAL and not row.is_user_annotation]
        return TableFacts(
            n_rows=len(rows),
            use_device=self.use_device,
            profile_memory=self.profile_memory,
            with_flops=self.with_flops,
            has_device_time=any(row.self_device_time_total > 0 for row in rows),
            has_device_memory=any(row.self_device_memory_usage > 0 for row in rows),
            has_shapes=any(len(row.input_shapes) > 0 for row in rows),
            has_overloads=any(row.overload_name for row in rows),
            longest_name=max((len(row.key) for row in rows), default=0),
            longest_shapes=max((len(str(row.input_shapes)) for row in rows), default=0),
            longest_stack_entry=max(entries, default=None),
            least_flops=min((row.flops for row in rows if row.flops > 0), default=0),
            self_cpu_us=sum(row.self_cpu_time_total for row in rows),
            self_device_us=sum(row.self_device_time_total for row in on_device),
        )


def attribute_name(sort_by: str) -> str:
    """Today's name: torch's old ones say `cuda` or `xpu` for any device."""
    for word in ATTRIBUTE_WORDS:
        sort_by = sort_by.replace(word, "device")
    return sort_by


def key_averages(events: EventData, *, by_shape: bool, stack_n: int, by_overload: bool) -> AverageList:
    """One row per (name, kind of device, is it a range) and what else is asked for."""
    columns = events.columns
    averages = AverageList()
    averages.use_device = columns.use_device
    averages.profile_memory, averages.with_flops = events.profile_memory, events.with_flops
    if len(events) == 0:
        return averages
    key: list[npt.NDArray[np.integer]] = [columns.name, columns.device_type, columns.is_user_annotation.astype(np.int8)]
    if by_overload:
        key.append(columns.overload)
    if by_shape:
        key.append(events.shape_ids())
    if stack_n > 0:
        key.append(events.stacks.top_ids(stack_n))
    groups = group_by(*key)
    by_first = np.argsort(groups.first)
    sums = {name: _sums(groups, events.column(name), by_first) for name in (*TIMES, *BYTES, "flops")}
    counts = np.bincount(groups.of)[by_first].tolist()
    for place, first in enumerate(groups.first[by_first].tolist()):
        event = FunctionEvent(events, first)
        row = FunctionEventAvg(event.key, event)
        for name, values in sums.items():
            setattr(row, name, values[place])
        row.count = counts[place]
        if by_shape:
            row.input_shapes = event.input_shapes
        if by_overload:
            row.overload_name = event.overload_name
        if stack_n > 0:
            row.stack = event.stack[:stack_n]
        averages.append(row)
    return averages


def total_average(events: EventData) -> FunctionEventAvg:
    """Sums over all events, as one row `Total`; what is not a number is that of the last event, as in torch."""
    last = FunctionEvent(events, len(events) - 1) if len(events) else None
    total = FunctionEventAvg("Total", last)
    total.count = len(events)
    for name in TIMES:
        setattr(total, name, sum_of(events.column(name)))
    for name in (*BYTES, "flops"):
        setattr(total, name, int(events.column(name).sum()))
    if last is not None:
        total.input_shapes, total.stack, total.overload_name = last.input_shapes, last.stack, last.overload_name
    return total


def _sums(groups: Groups, values: npt.NDArray[np.generic], order: Int64Array) -> list[float] | list[int]:
    """Sums per group in the given order of groups. Floats one after the other, as torch adds them; integers exactly."""
    if values.dtype == np.float64:
        total: npt.NDArray[np.generic] = np.bincount(groups.of, weights=values, minlength=len(groups))
    else:
        total = np.zeros(len(groups), np.int64)
        some = np.flatnonzero(values)
        np.add.at(total, groups.of[some], values[some])
    found: list[float] | list[int] = total[order].tolist()
    return found
