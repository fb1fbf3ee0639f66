"""The short lists: the heaviest operators, kernels and modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import count_by, group_by, sum_by
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.classes import classes_of
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.times.operator_times import OperatorTimes, key_text
from tb_plugin.views.overview.result import TopModule, TopRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace


def self_times(times: OperatorTimes) -> tuple[Int64Array, int, Literal["device_self", "host_self"]]:
    """(self time of each entry, all such time, which time it is): of the device where there is one, else of the host."""
    has_device = bool(times.device_self_ns.any() or times.not_attributed_ns)
    self_ns = times.device_self_ns if has_device else times.host_self_ns
    return self_ns, int(self_ns.sum()) + times.not_attributed_ns, "device_self" if has_device else "host_self"


def top_operators(trace: Trace, times: OperatorTimes, top: int) -> list[TopRow]:
    self_ns, all_ns, by = self_times(times)
    if by == "host_self":  # what a step has besides its operators is none of them; work it launches itself is a row
        self_ns = np.where(times.key < len(trace.strings), self_ns, 0)
    return _top(times.key, self_ns, all_ns, top, lambda key: key_text(trace, key))


def top_kernels(trace: Trace, kept: BoolArray, top: int) -> list[TopRow]:
    events = trace.events
    rows = np.flatnonzero((events.kind == Kind.KERNEL) & kept)
    duration = events.duration_ns(rows)
    return _top(events.name_id[rows].astype(np.int64), duration, int(duration.sum()), top, trace.text)


def top_modules(trace: Trace, times: OperatorTimes, top: int) -> list[TopModule]:
    """By the self times of the operators that run in a module and in none below it; by class where instances repeat."""
    paths = module_paths(trace)
    self_ns, all_ns, _ = self_times(times)
    path = paths.of_row[times.row].astype(np.int64)
    inside = path != NONE
    classes = classes_of(paths.names, paths.class_names, paths.qualified, paths.parent.tolist())
    if classes.repeat:
        rows = _top(classes.of_path[path[inside]], self_ns[inside], all_ns, top, classes.names.__getitem__)
        n_instances = dict(zip(classes.names, classes.n_instances, strict=True))
    else:
        rows = _top(path[inside], self_ns[inside], all_ns, top, paths.texts.__getitem__)
        n_instances = {}
    return [TopModule(**msgspec.structs.asdict(row), instances=n_instances.get(row.name, 1)) for row in rows]


def _top(key: Int64Array, time_ns: Int64Array, all_ns: int, top: int, text_of: Callable[[int], str]) -> list[TopRow]:
    groups = group_by(key)
    total, count = sum_by(groups, time_ns), count_by(groups)
    order = np.argsort(-total, kind="stable")[: max(top, 0)]
    return [
        TopRow(
            name=text_of(int(key[groups.first[g]])),
            count=int(count[g]),
            time_ns=int(total[g]),
            share=int(total[g]) / all_ns,
        )
        for g in order.tolist()
        if total[g] > 0
    ]
