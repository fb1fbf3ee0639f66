"""What `EventList` writes: collapsed stacks, and its small Chrome trace (names and times of the host)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import UsageError
from tb_plugin.torch_api.averages import attribute_name
from tb_plugin.torch_api.device import ATTRIBUTE_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.torch_api.event_data import EventData
    from tb_plugin.torch_api.function_event import FunctionEvent

METRICS: Final = ("self_cpu_time_total", *(f"self_{word}_time_total" for word in ATTRIBUTE_WORDS))
"""torch's names; all but the first mean the profile's device."""

_IN_STACK = str.maketrans(" ;\t\n", "____")


def stacks(events: EventData, path: str | Path, metric: str) -> None:
    """One line per event that has a stack and at least 1 µs: `outer;inner 12`."""
    if metric not in METRICS:
        raise UsageError(f"metric should be one of: {list(METRICS)}")
    ids, distinct = events.stacks.stack_ids()
    texts = [";".join(entry.translate(_IN_STACK) for entry in reversed(stack)) for stack in distinct]
    values = events.column(attribute_name(metric)).astype(int).tolist()
    with Path(path).open("w", encoding="utf-8") as file:
        for stack_id, value in zip(ids.tolist(), values, strict=True):
            if value > 0 and texts[stack_id]:
                file.write(f"{texts[stack_id]} {value}\n")


def event_list(events: Iterable[FunctionEvent], device: str, path: str | Path) -> None:
    """As torch writes it, but names are escaped: any name gives a file that can be read."""
    n_flows = 0
    with Path(path).open("w", encoding="utf-8") as file:
        separator = "["
        for event in events:
            if event.trace_name is None:
                continue
            name = json.dumps(event.trace_name, ensure_ascii=False)
            start, thread = event.time_range.start, event.thread
            file.write(
                f'{separator}{{"name": {name}, "ph": "X", "ts": {start}, "dur": {event.time_range.elapsed_us()}, '
                f'"tid": {thread}, "pid": "CPU functions", "args": {{}}}}'
            )
            separator = ", "
            for _ in event.kernels:
                file.write(
                    f', {{"name": {name}, "ph": "s", "ts": {start}, "tid": {thread}, "pid": "CPU functions", '
                    f'"id": {n_flows}, "cat": "cpu_to_{device}", "args": {{}}}}'
                )
                n_flows += 1
        file.write("[]" if separator == "[" else "]")
