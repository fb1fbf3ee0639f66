"""Self and total times of operators and ranges, host and device, by torch's own rules.

The host side equals `EventList.key_averages()` (torch/autograd/profiler_util.py): the same events are left out, an
asynchronous range has no self time, and an operator that only wraps one of the same name is one with it.

    aten::linear 0-100 > aten::addmm 10-90 > cudaLaunchKernel 20-30 -> gemm 40-70
      aten::linear   host self 20, total 100   device self  0, total 30
      aten::addmm    host self 70, total  80   device self 30, total 30
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.nesting import marked_around, nearest_marked, nest, sum_over_children
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.selection import filters_of, selected

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.scope.selection import Selection

NOT_IN_EVENT_LIST: Final = frozenset(
    (
        "[memory]",
        "[OutOfMemory]",
        "profiler::_record_function_enter",
        "profiler::_record_function_enter_new",
        "profiler::_record_function_exit",
        "aten::is_leaf",
        "aten::output_nr",
        "aten::_version",
    )
)
"""`_filter_name` of torch/autograd/profiler_util.py. Their children belong to their parents."""

STEP_KEY: Final = "ProfilerStep*"
"""What torch calls all steps together."""


@dataclass(frozen=True, kw_only=True)
class OperatorTimes:
    """One entry per operator, range, or bare launch call that device work belongs to.

        row  key          host_self_ns  host_total_ns  device_self_ns  device_total_ns
          1  7 (linear)         20_000        100_000               0           30_000
          2  4 (addmm)          70_000         80_000          30_000           30_000

    `key` is the name's id, or len(strings) for all `ProfilerStep#N`; `key_text` gives its name.
    """

    row: Int64Array
    key: Int64Array
    host_self_ns: Int64Array
    host_total_ns: Int64Array
    device_self_ns: Int64Array
    device_total_ns: Int64Array
    not_attributed_ns: int  # device time of no entry
    n_not_attributed: int


def operator_times(trace: Trace, kept: BoolArray | None = None) -> OperatorTimes:
    """Every device row's time is in exactly one entry's `device_self_ns`, or in `not_attributed_ns`.

    `kept`: the event rows that count (`trace.selection`). Host times are those of kept entries, device times those of
    kept device work; an entry that is not kept and has kept work is there with that work alone.
    """
    events = trace.events
    duration: Int64Array = events.end_ns - events.start_ns
    tree = operator_tree(trace)
    parent, entry = tree.parent, tree.entry
    own_ns = without_children(trace)
    told = np.flatnonzero(entry | tree.wraps)
    target = marked_around(parent, ~tree.wraps, told)
    self_ns = np.bincount(target, weights=own_ns[told], minlength=len(events)).astype(np.int64)

    counts = np.ones(len(tree.work), np.bool_) if kept is None else kept[tree.work]
    work, work_entry = tree.work[counts], tree.work_entry[counts]
    found = work_entry != NONE
    device_self_ns = np.bincount(work_entry[found], weights=duration[work[found]], minlength=len(events)).astype(np.int64)
    device_total_ns = _with_descendants(device_self_ns, tree.entry_above)
    not_attributed_ns = int(duration[work[~found]].sum())
    self_ns[tree.bare] = own_ns[tree.bare]
    shown = entry.copy()
    shown[tree.bare] = True
    if kept is not None:
        self_ns, duration = np.where(kept, self_ns, 0), np.where(kept, duration, 0)
        shown &= kept | (device_self_ns > 0)
    rows = np.flatnonzero(shown)
    return OperatorTimes(
        row=rows,
        key=name_keys(trace, rows),
        host_self_ns=self_ns[rows],
        host_total_ns=duration[rows],
        device_self_ns=device_self_ns[rows],
        device_total_ns=device_total_ns[rows],
        not_attributed_ns=not_attributed_ns,
        n_not_attributed=int(np.count_nonzero(~found)),
    )


def times_of(trace: Trace, selection: Selection) -> OperatorTimes:
    """Of what counts under these filters: several questions ask under the same ones, one after the other."""
    return _times(trace).get(filters_of(selection), lambda: operator_times(trace, selected(trace, selection)))


@once_per_trace
def _times(_trace: Trace) -> LastAnswers[tuple[str, ...], OperatorTimes]:
    return LastAnswers(1)


@once_per_trace
def without_children(trace: Trace) -> Int64Array:
    """Host time of each event row without what it calls directly; 0 for rows that do not nest."""
    tree = operator_tree(trace)
    duration = np.where(tree.nests, trace.events.end_ns - trace.events.start_ns, 0)
    # Siblings that overlap in part can be longer than the whole: torch then shows a negative time.
    return np.maximum(duration - sum_over_children(tree.parent, duration), 0)


@dataclass(frozen=True, kw_only=True)
class OperatorTree:
    """What torch's EventList makes of the host's ranges: one entry per event row, and one per device row.

    row                nests  parent  wraps  entry  entry_above
      1  aten::linear   True      -1  False   True           -1
      2  aten::linear   True       1   True  False            1   the only child of one of its name: part of it
      3  net.py(3): f   True       2  False  False            1   nests, but is no operator or range
    """

    nests: BoolArray
    parent: Int32Array
    wraps: BoolArray
    entry: BoolArray
    bare: Int32Array  # rows of launch calls that device work belongs to because no operator is around them
    entry_above: Int32Array  # the nearest entry around the row, not itself
    work: Int32Array  # device rows
    work_entry: Int32Array  # the entry or bare call that each of them belongs to, or NONE


@once_per_trace
def operator_tree(trace: Trace) -> OperatorTree:
    """The tree that self and total times are counted in."""
    events = trace.events
    listed = is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION))
    listed[np.flatnonzero(listed)] &= ~rows_named(trace, np.flatnonzero(listed), NOT_IN_EVENT_LIST.__contains__)
    nests = _nests(trace, listed)
    asynchronous = trace.live.row[trace.live.is_async]
    parent = nest_parents(trace, nests, distinct(events.track[asynchronous]))
    if np.array_equal(parent, events.nest_parent):
        parent = events.nest_parent  # no second copy is kept
    wraps = only_wraps(parent, listed, lambda rows: name_keys(trace, rows))
    entry = listed & ~wraps

    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    owner = events.owner[work]
    bare = np.zeros(len(events), np.bool_)
    bare[owner[owner != NONE]] = True
    bare &= is_kind(events.kind, LAUNCH_KINDS)
    return OperatorTree(
        nests=nests,
        parent=parent,
        wraps=wraps,
        entry=entry,
        bare=np.flatnonzero(bare).astype(np.int32),
        entry_above=parent_among(parent, entry),
        work=work.astype(np.int32),
        work_entry=marked_around(events.nest_parent, entry | bare, owner).astype(np.int32),
    )


def name_keys(trace: Trace, rows: npt.NDArray[np.integer] | None = None) -> Int64Array:
    """The key of each of these event rows, or of all: its name's id, or one key for all `ProfilerStep#N`."""
    events = trace.events
    if rows is None:
        rows = np.arange(len(events))
    key: Int64Array = events.name_id[rows].astype(np.int64)
    ranges = np.flatnonzero(events.kind[rows] == Kind.ANNOTATION)
    key[ranges[rows_named(trace, rows[ranges], lambda name: name.startswith("ProfilerStep#"))]] = len(trace.strings)
    return key


def key_text(trace: Trace, key: int) -> str:
    """The name of a key."""
    return trace.strings[key] if key < len(trace.strings) else STEP_KEY


def _nests(trace: Trace, listed: BoolArray) -> BoolArray:
    """Rows that can be parent and child: what is on one thread from start to end."""
    kind = trace.events.kind
    nests: BoolArray = listed | (is_kind(kind, HOST_KINDS) & ~is_kind(kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    nests[trace.live.row[trace.live.is_async]] = False
    return nests


def nest_parents(trace: Trace, nests: BoolArray, anew: npt.NDArray[np.integer]) -> Int32Array:
    """EventList's parents when only these rows exist: NONE for all others.

    `anew`: tracks whose tree is another without the rows that are left out (a range that ends on another thread hides
    parents from what overlaps it), or with rows that are in no tree of the Trace.
    """
    events = trace.events
    parent = np.where(nests, parent_among(events.nest_parent, nests), NONE).astype(np.int32)
    for track in anew.tolist():
        rows = np.flatnonzero(nests & (events.track == track))
        above, _depth = nest(events.start_ns[rows], events.end_ns[rows])
        parent[rows] = np.where(above == NONE, NONE, rows[above])
    return parent


def parent_among(parent: Int32Array, keep: BoolArray) -> Int32Array:
    """The nearest ancestor that is kept, never the row itself."""
    return np.where(parent == NONE, NONE, nearest_marked(parent, keep)[parent]).astype(np.int32)


def only_wraps(parent: Int32Array, among: BoolArray, key_of: Callable[[npt.NDArray[np.integer]], Int64Array]) -> BoolArray:
    """Of these rows the only children of one of the same key: `_remove_dup_nodes`, whose passes need no repeating here."""
    rows = np.flatnonzero(among & (parent != NONE))
    rows = rows[key_of(rows) == key_of(parent[rows])]
    is_around = np.zeros(len(parent) + 1, np.bool_)  # one entry more: NONE (-1) falls on it
    is_around[parent[rows]] = True
    n_children = np.bincount(parent[is_around[parent]], minlength=len(parent))
    wraps = np.zeros(len(parent), np.bool_)
    wraps[rows] = n_children[parent[rows]] == 1
    return wraps


def _with_descendants(values: Int64Array, parent: Int32Array) -> Int64Array:
    """Each row's value plus those of all rows below it. Only rows with a value climb, one level a pass."""
    total: Int64Array = values.copy()
    rows: npt.NDArray[np.integer] = np.flatnonzero(values)
    amount = values[rows]
    while len(rows):
        above = parent[rows]
        climbs = above != NONE
        rows, amount = above[climbs], amount[climbs]
        np.add.at(total, rows, amount)
    return total
