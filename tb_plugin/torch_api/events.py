"""`EventList` and `FunctionEvent`: windows on columns. An event becomes an object when one asks for it, and not before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.torch_api import averages, export
from tb_plugin.torch_api.averages import AverageList, FunctionEventAvg, attribute_name
from tb_plugin.torch_api.device import DEVICES_OF_TOTAL
from tb_plugin.torch_api.event_data import EventData
from tb_plugin.torch_api.function_event import FunctionEvent
from tb_plugin.torch_api.self_and_total import sum_of
from tb_plugin.torch_api.table import TableFacts, Tabular

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy.typing as npt


class EventList(EventData, Tabular, Sequence[FunctionEvent]):
    """All events of a profile by start, as `torch.profiler.profile.events()` lists them."""

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

    def table_rows(self, sort_by: str | None) -> tuple[TableFacts, Iterable[FunctionEvent]]:
        """For `table`."""
        order = np.arange(len(self)) if sort_by is None else self._order_by(attribute_name(sort_by))
        return self._facts(order), (FunctionEvent(self, place) for place in map(int, order))

    def export_chrome_trace(self, path: str | Path) -> None:
        """A small Chrome trace of the host's events, as torch's `EventList` writes it: names and times only."""
        export.event_list(self, self.columns.use_device or "cuda", path)

    def supported_export_stacks_metrics(self) -> list[str]:
        """What `export_stacks` can weigh stacks by."""
        return list(export.METRICS)

    def export_stacks(self, path: str | Path, metric: str = "self_cpu_time_total") -> None:
        """Collapsed stacks with whole µs, for flame graph tools."""
        export.stacks(self, path, metric)

    def _order_by(self, name: str) -> npt.NDArray[np.int64]:
        """Places, the largest value of an attribute first; equal ones stay in order, as in Python's `sorted(reverse=True)`."""
        try:
            values = self.column(name)
        except AttributeError:
            keys = [getattr(event, name) for event in self]
            return np.array(sorted(range(len(self)), key=keys.__getitem__, reverse=True), np.int64)
        return np.argsort(-values, kind="stable")

    def _facts(self, order: npt.NDArray[np.int64]) -> TableFacts:
        columns = self.columns
        names = [columns.texts[name] for name in np.unique(columns.name).tolist()]
        _ids, stacks = self.stacks.stack_ids()
        with_work = np.isin(columns.device_type, [device.value for device in DEVICES_OF_TOTAL]) & ~columns.is_user_annotation
        flops = self.flops[self.flops > 0]
        return TableFacts(
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
