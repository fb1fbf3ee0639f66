"""`tb_plugin.load(path)`: a stored profile, asked as one asks `torch.profiler.profile` while the job lives.

profile = tb_plugin.load("worker.1700000000.pt.trace.json.gz")
print(profile.key_averages(group_by_input_shape=True).table(sort_by="self_cpu_time_total", row_limit=10))
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base import progress
from tb_plugin.base.errors import UsageError
from tb_plugin.formats import reader
from tb_plugin.formats.kineto import chrome_trace
from tb_plugin.torch_api import memory_timeline, patterns
from tb_plugin.torch_api.columns import event_columns
from tb_plugin.torch_api.events import EventList
from tb_plugin.torch_api.tree.event_tree import EventTree
from tb_plugin.trace.scope.recorded import STACKS

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.torch_api.averages import AverageList, FunctionEventAvg
    from tb_plugin.torch_api.memory_timeline import MemoryEvent
    from tb_plugin.trace.model import Trace


class Profile:
    """One worker's profile of one span. `trace` is all of it, as columns; the methods are torch.profiler's own."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def _events(self) -> EventList:
        return EventList(self.trace, event_columns(self.trace))

    def events(self) -> EventList:
        """All events by start: operators, ranges, Python frames, launches, kernels."""
        return self._events

    @cached_property
    def _tree(self) -> EventTree:
        return EventTree(self.trace)

    def tree(self) -> EventTree:
        """Roots of the event tree: torch's `profiler.kineto_results.experimental_event_tree()`."""
        return self._tree

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> AverageList:
        """One row per key: name, kind of device, is it a range; and input shapes, top of the stack, overload if asked."""
        return self._events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """One row, `Total`, with the sums of all events."""
        return self._events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Sum over all events, µs."""
        return self._events.self_cpu_time_total

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
        """`events().table(...)`: every event a line. Most ask for `key_averages().table(...)`."""
        return self._events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
            time_unit,
        )

    def export_chrome_trace(self, path: str | Path) -> None:
        """The whole profile as Chrome trace JSON, compressed when the name ends in .gz. May be called more than once."""
        chrome_trace.write(self.trace, path)

    def export_stacks(self, path: str | Path, metric: str = "self_cpu_time_total") -> None:
        """Collapsed stacks with whole µs, for flame graph tools."""
        if not (STACKS.is_recorded(self.trace) or any(self._events.stacks.stack_ids()[1])):
            raise UsageError(f"{self.trace.info.source}: {STACKS.why_not(self.trace)}")
        self._events.export_stacks(path, metric)

    def memory_timeline(self) -> list[MemoryEvent]:
        """What happened to memory, by time and with categories: torch's `_memory_profile().timeline`.

        Needs record_shapes, profile_memory and with_stack, and our trace handler; UsageError without.
        """
        return memory_timeline.timeline(self.trace)

    def export_memory_timeline(self, path: str | Path, device: str | None = None) -> None:
        """Bytes by category over time as `.json[.gz]`, or every change as `.raw.json.gz`, as torch writes them.

        `device`: "cuda:0", "cpu", ...; without one the first device, or the CPU where there is none.
        """
        memory_timeline.export(self.trace, path, device)

    def report_all_anti_patterns(
        self, should_benchmark: bool = False, print_enable: bool = True, json_report_dir: str | Path | None = None
    ) -> str:
        """Torch's report of what is usually a mistake, printed and returned. `tb-plugin advice` says what each one costs.

        `should_benchmark` measures the speed-up where this process has torch and a CUDA device; `json_report_dir` takes
        `torchtidy_report.json`, by source file.
        """
        text = patterns.report(self.trace, should_benchmark=should_benchmark, json_report_dir=json_report_dir)
        if print_enable:
            sys.stdout.write(text + "\n")
        return text

    def __repr__(self) -> str:
        n_steps, n_events = len(self.trace.steps), len(self.trace.events)
        longest = np.max(self.trace.events.end_ns, initial=0) / 1e6
        return f"<Profile {self.trace.info.source}: {n_events} events, {n_steps} steps, {longest:.3f} ms>"


def load(path: str | Path, on_progress: OnProgress | None = None) -> Profile:
    """The profile of a file: Chrome JSON of any year (plain or gzip) or our own. `on_progress` gets (0 to 1, what is done)."""
    return Profile(reader.read(path, on_progress or progress.silent))
