"""What an `EventList` and its events are read from: columns, and what is worked out of the trace when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tb_plugin.torch_api.flows import Flow, flow_of_rows
from tb_plugin.torch_api.stacks import EventStacks
from tb_plugin.trace.work.flops import flops_by_row, plain_shapes

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tb_plugin.base.units import Int64Array
    from tb_plugin.torch_api.columns import EventColumns
    from tb_plugin.trace.model import Trace


class EventData:
    """Of the events of a profile by start; an event is a place in them."""

    def __init__(self, trace: Trace, columns: EventColumns) -> None:
        self.trace = trace
        self.columns = columns
        self.profile_memory = bool(trace.info.profile_memory)
        self.with_flops = bool(trace.info.with_flops)

    def __len__(self) -> int:
        return len(self.columns.row)

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
    def stacks(self) -> EventStacks:
        """Call stacks; reading them takes a pass over the stored arguments."""
        return EventStacks(self.trace, self.columns)

    @cached_property
    def arguments(self) -> Callable[[int], str]:
        """The JSON of what the file says of an event, by its place in the source."""
        return self.trace.args.reader()

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
