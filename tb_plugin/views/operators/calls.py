"""The calls behind one row of operators, and what is around and below them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.scope.selection import selected
from tb_plugin.trace.times.operator_times import OperatorTimes, operator_times, operator_tree, times_of
from tb_plugin.views.operators.compute import NOT_ATTRIBUTED
from tb_plugin.views.operators.groupings import OF_ONE_NAME, Label, group, outermost

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.times.operator_times import OperatorTree
    from tb_plugin.views.operators.details_result import OperatorDetailsParams
    from tb_plugin.views.operators.result import GroupBy


@dataclass(frozen=True, kw_only=True)
class Calls:
    """`chosen` and `counted` are places in `times`: all calls of the row, and those whose total times the row adds up."""

    trace: Trace
    times: OperatorTimes
    tree: OperatorTree
    kept: BoolArray  # event rows
    chosen: Int64Array
    counted: Int64Array
    is_mixed: bool  # the row holds more than one name
    is_not_attributed: bool

    @cached_property
    def place_of_row(self) -> Int64Array:
        """Place in `times` of each event row, or NONE."""
        place = np.full(len(self.trace.events), NONE, np.int64)
        place[self.times.row] = np.arange(len(self.times.row))
        return place

    @cached_property
    def device_total_of_row(self) -> Int64Array:
        """Device time of each entry with all it calls; 0 for other rows."""
        total = np.zeros(len(self.trace.events), np.int64)
        total[self.times.row] = self.times.device_total_ns
        return total

    @cached_property
    def is_counted_row(self) -> BoolArray:
        return self._marked(self.counted)

    @cached_property
    def holder(self) -> Int32Array:
        """For each event row the counted call that it is or lies in, the innermost, or NONE."""
        return nearest_marked(self.tree.entry_above, self.is_counted_row)

    @cached_property
    def work(self) -> tuple[Int32Array, Int32Array]:
        """(device rows that count, the entry of each or NONE)."""
        counts = self.kept[self.tree.work]
        return self.tree.work[counts], self.tree.work_entry[counts]

    def is_chosen_row(self) -> BoolArray:
        return self._marked(self.chosen)

    def _marked(self, places: Int64Array) -> BoolArray:
        marked = np.zeros(len(self.trace.events), np.bool_)
        marked[self.times.row[places]] = True
        return marked


def calls_of(trace: Trace, params: OperatorDetailsParams) -> Calls:
    """The calls of a row of `view/operators`; none when the filters leave none. NotFoundError for a row that is not there."""
    kept = selected(trace, params)
    times = times_of(trace, params)
    rows = group(trace, times, params.group_by)
    wanted = Label(params.name, params.kind, params.input_shapes)
    number = next((i for i, label in enumerate(rows.labels) if label == wanted), NONE)
    is_not_attributed = params.kind == "not_attributed" and params.name == NOT_ATTRIBUTED
    if number == NONE and not is_not_attributed and not _is_there(trace, params.group_by, wanted):
        raise NotFoundError(f"there is no row {params.name!r} of kind {params.kind}, grouped by {params.group_by}")
    is_chosen = rows.groups.of == number
    is_mixed = params.group_by not in OF_ONE_NAME
    is_counted = is_chosen & outermost(trace, times, rows.groups) if is_mixed else is_chosen
    return Calls(
        trace=trace,
        times=times,
        tree=operator_tree(trace),
        kept=kept,
        chosen=np.flatnonzero(is_chosen),
        counted=np.flatnonzero(is_counted),
        is_mixed=is_mixed,
        is_not_attributed=is_not_attributed,
    )


def _is_there(trace: Trace, group_by: GroupBy, wanted: Label) -> bool:
    """Whether there is such a row without filters."""
    return wanted in group(trace, operator_times(trace), group_by).labels
