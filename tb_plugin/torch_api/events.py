"""`EventList` and `FunctionEvent`: windows on columns. An event becomes an object when one asks for it, and not before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.formats.arguments import Arguments
from tb_plugin.torch_api import averages, export
from tb_plugin.torch_api.averages import DEVICES_OF_TOTAL, AverageList, FunctionEventAvg, attribute_name
from tb_plugin.torch_api.flows import Flow, flow_of_rows
from tb_plugin.torch_api.function_event import FunctionEvent
from tb_plugin.torch_api.self_and_total import sum_of
from tb_plugin.torch_api.stacks import Stacks
from tb_plugin.torch_api.table import Facts, Tabular
from tb_plugin.trace.flops import flops_by_row, plain_shapes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy.typing as npt

    from tb_plugin.base.units import Int64Array
    from tb_plugin.torch_api.columns import EventColumns
    from tb_plugin.trace.model import Trace


class EventList(Tabular, Sequence[FunctionEvent]):
    """All events of a profile by start, as `torch.profiler.profile.events()` lists them."""

    def __init__(self, trace: Trace, columns: EventColumns) -> None:
        self.trace = trace
        self.columns = columns
        self.profile_memory = bool(trace.info.profile_memory)
        self.with_flops = bool(trace.info.with_flops)

    def __len__(self) -> int:
        return len(self.columns.row)

    @overload
    def __getitem__(self, place: int) -> FunctionEvent: ...
    @overload
    def __getitem__(self, place: slice) -> list[FunctionEvent]: ...
    def __getitem__(self, place: int | slice) -> FunctionEvent | list[FunctionEvent]:
        if isinstance(place, slice):
            return [FunctionEvent(self, each) for each in range(*place.indices(len(self)))]
        n = len(self)
        if not -n <= place < n:
            raise IndexError(f"event {place} of {n}")
        return FunctionEvent(self, place % n)

    def __repr__(self) -> str:
        return f"<EventList of {len(self)} events of {self.trace.info.source or 'a profile'}>"

    @property
    def self_cpu_time_total(self) -> float:
        """Sum over all events, µs."""
        return sum_of(self.columns.self_cpu_us)

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> AverageList:
        """One row per key: name, kind of device, is it a range; and input shapes, top of the stack, overload if asked."""
        return averages.key_averages(
            self, by_shape=group_by_input_shapes, stack_n=group_by_stack_n, by_overload=group_by_overload_name
        )

    def total_average(self) -> FunctionEventAvg:
        """One row, `Total`, with the sums of all events."""
        return averages.total_average(self)

    def table_rows(self, sort_by: str | None) -> tuple[Facts, Iterable[FunctionEvent]]:
        """For `table`."""
        order = np.arange(len(self)) if sort_by is None else self._order_by(attribute_name(sort_by))
        return self._facts(order), (FunctionEvent(self, place) for place in map(int, order))

    def export_chrome_trace(self, path: str | Path) -> None:
        """A small Chrome trace of the host's events, as torch's `EventList` writes it: names and times only."""
        export.event_list(self, path)

    def supported_export_stacks_metrics(self) -> list[str]:
        """What `export_stacks` can weigh stacks by."""
        return list(export.METRICS)

    def export_stacks(self, path: str | Path, metric: str = "self_cpu_time_total") -> None:
        """Collapsed stacks with whole µs, for flame graph tools."""
        export.stacks(self, path, metric)

    def column(self, name: str) -> npt.NDArray[Any]:
        """A numeric attribute of all events: one of `averages.TIMES`, `averages.BYTES` or `flops`."""
        columns = self.columns
        found = {
            "cpu_time_total": columns.cpu_us,
            "cpu_time": columns.cpu_us,
            "self_cpu_time_total": columns.self_cpu_us,
            "device_time_total": columns.device_us,
            "device_time": columns.device_us,
            "self_device_time_total": columns.self_device_us,
            "cpu_memory_usage": columns.cpu_bytes,
            "self_cpu_memory_usage": columns.self_cpu_bytes,
            "device_memory_usage": columns.device_bytes,
            "self_device_memory_usage": columns.self_device_bytes,
        }.get(name)
        if found is not None:
            return found
        if name == "flops":
            return self.flops
        raise AttributeError(name)

    @cached_property
    def flops(self) -> Int64Array:
        """Of each event; 0 for all where the profile was not recorded with_flops, as in torch."""
        if not self.with_flops:
            return np.zeros(len(self), np.int64)
        return flops_by_row(self.trace)[self.columns.row]

    @cached_property
    def stacks(self) -> Stacks:
        """Call stacks; reading them takes a pass over the stored arguments."""
        return Stacks(self.trace, self.columns)

    @cached_property
    def arguments(self) -> Arguments:
        """What the file says of each event, unpacked in blocks."""
        return Arguments(self.trace)

    @cached_property
    def flows(self) -> dict[int, Flow]:
        """Ends of arrows by event row."""
        return flow_of_rows(self.trace)

    @cached_property
    def shapes(self) -> dict[int, list[list[int]]]:
        """`input_shapes` by the trace's shapes_id, of all ids that are used."""
        used = np.unique(self.trace.events.shapes_id[self.columns.row]).tolist()
        return {shapes_id: plain_shapes(self.trace.text(shapes_id)) for shapes_id in used}

    def shape_ids(self) -> Int64Array:
        """A number for each event, equal where `str(input_shapes)` is."""
        numbers: dict[str, int] = {}
        of_id = np.zeros(len(self.trace.strings) + 1, np.int64)
        for shapes_id, shapes in self.shapes.items():
            of_id[shapes_id] = numbers.setdefault(str(shapes), len(numbers))
        result: Int64Array = of_id[self.trace.events.shapes_id[self.columns.row]]
        return result

    @cached_property
    def children(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """(places by parent, where each parent's begin): the children of p are `[0][[1][p] : [1][p + 1]]`."""
        parent = self.columns.parent
        order = np.argsort(parent, kind="stable")
        return order, np.searchsorted(parent[order], np.arange(len(parent) + 1))

    def _order_by(self, name: str) -> npt.NDArray[np.int64]:
        """Places, the largest value of an attribute first; equal ones stay in order, as in Python's `sorted(reverse=True)`."""
        try:
            values = self.column(name)
        except AttributeError:
            keys = [getattr(event, name) for event in self]
            return np.array(sorted(range(len(self)), key=keys.__getitem__, reverse=True), np.int64)
        return np.argsort(-values, kind="stable")

    def _facts(self, order: npt.NDArray[np.int64]) -> Facts:
        columns = self.columns
        names = [columns.texts[name] for name in np.unique(columns.name).tolist()]
        _ids, stacks = self.stacks.stack_ids()
        with_work = np.isin(columns.device_type, [device.value for device in DEVICES_OF_TOTAL]) & ~columns.is_user_annotation
        flops = self.flops[self.flops > 0]
        return Facts(
            n_rows=len(self),
            use_device=columns.use_device,
            profile_memory=self.profile_memory,
            with_flops=self.with_flops,
            has_device_time=bool((columns.self_device_us > 0).any()),
            has_device_memory=bool((columns.self_device_bytes > 0).any()),
            has_shapes=any(self.shapes.values()),
            has_overloads=bool((columns.overload != NONE).any()),
            longest_name=max(map(len, names), default=0),
            longest_shapes=max((len(str(shapes)) for shapes in self.shapes.values()), default=0),
            longest_stack_entry=max((len(entry) for stack in stacks for entry in stack), default=None),
            least_flops=int(flops.min()) if len(flops) else 0,
            self_cpu_us=sum_of(columns.self_cpu_us[order]),
            self_device_us=sum_of(columns.self_device_us[order][with_work[order]]),
        )
