"""Outermost operators by module, name, shapes and types, with the wall share of their work in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.apportion import apportioned
from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.grouping import Groups, group_by, min_by, sum_by
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.work.alike_operators import alike_operator
from tb_plugin.trace.work.kernel_work import kernel_work
from tb_plugin.trace.work.taxonomy import CATEGORIES, NO_CATEGORY, category_by_row
from tb_plugin.views.compare.sums.pieces import WorkPieces, call_of
from tb_plugin.views.compare.sums.result import CallSums, KernelSums

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.compare.sums.result import Basis
    from tb_plugin.views.compare.sums.windows import Windows

MOST_FIGURES: Final = 400_000
"""Kernels of calls, times steps: what is kept of a profile stays below a few megabytes."""

FOLDED: Final = "(smaller calls)"


def call_sums(trace: Trace, windows: Windows, basis: Basis, found: WorkPieces, busy_ns: Int64Array) -> tuple[list[CallSums], int]:
    """In the order of their texts, and how many are folded into one. Their wall shares of a step sum to `busy_ns` of it."""
    if len(found.row) == 0:
        return [], 0
    call = call_of(trace, basis, found.row)
    calls = _by_call(trace, found.row, call)
    kept, n_folded = _kept(calls, found, len(windows.start_ns))
    calls = Groups(kept[calls.of], calls.first)
    kernels = group_by(calls.of, np.where(calls.of == NONE, NONE, trace.events.name_id[found.row]))
    order = _order(trace, found, call, calls, kernels)
    wall = np.zeros((len(kernels), len(windows.start_ns)))
    np.add.at(wall, (kernels.of, found.window), found.wall_ns)
    whole = np.zeros(wall.shape, np.int64)
    whole[order] = apportioned(wall[order], busy_ns)
    made = _Maker(trace, windows, basis, found, call, calls, kernels, whole)
    places: dict[int, list[int]] = {int(of): [] for of in calls.of[kernels.first[order]].tolist()}
    for kernel in order.tolist():
        places[int(calls.of[kernels.first[kernel]])].append(kernel)
    return [made.call(of, own) for of, own in places.items()], n_folded


def _by_call(trace: Trace, row: Int64Array, call: Int64Array) -> Groups:
    """WorkPieces whose call has the same module, name, shapes and types; of none: the same module."""
    events = trace.events
    has_call = call != NONE
    module = module_paths(trace).of_rows(np.where(has_call, call, row)).astype(np.int64)
    columns = [np.where(has_call, column[call], NONE).astype(np.int64) for column in (events.shapes_id, events.types_id)]
    return group_by(module, _alike_ids(trace, call), *columns)


def _alike_ids(trace: Trace, call: Int64Array) -> Int64Array:
    """A number for each name that operators share."""
    ids = np.where(call == NONE, NONE, trace.events.name_id[call]).astype(np.int64)
    names, place = numbered(ids)
    numbers: dict[str, int] = {}
    of_name = [
        NONE if name == NONE else numbers.setdefault(alike_operator(trace.text(name)), len(numbers)) for name in names.tolist()
    ]
    found: Int64Array = np.array(of_name, np.int64)[place.reshape(-1)]
    return found


def _kept(calls: Groups, found: WorkPieces, n_steps: int) -> tuple[Int64Array, int]:
    """For each call itself, or NONE where it is one of too many small ones."""
    kept = np.arange(len(calls))
    most = max(MOST_FIGURES // max(n_steps, 1), 1)
    if len(calls) <= most:
        return kept, 0
    wall = np.bincount(calls.of, weights=found.wall_ns, minlength=len(calls))
    small = np.argsort(-wall, kind="stable")[most:]
    kept[small] = NONE
    return kept, len(small)


def _order(trace: Trace, found: WorkPieces, call: Int64Array, calls: Groups, kernels: Groups) -> Int64Array:
    """Kernels by their texts, so that nothing depends on the order in which a file has its events."""

    def key(kernel: int) -> tuple[str, ...]:
        piece = int(kernels.first[kernel])
        return (
            *_texts(trace, int(found.row[piece]), int(call[piece]), is_folded=calls.of[piece] == NONE),
            _name(trace, found, piece),
        )

    return np.array(sorted(range(len(kernels)), key=key), np.int64)


def _name(trace: Trace, found: WorkPieces, piece: int) -> str:
    return trace.text(int(trace.events.name_id[found.row[piece]]))


def _texts(trace: Trace, row: int, call: int, *, is_folded: bool) -> tuple[str, str, str, str]:
    """(module, operator, shapes, types)."""
    if is_folded:
        return "", FOLDED, "", ""
    paths, events = module_paths(trace), trace.events
    path = paths.of(call if call != NONE else row)
    module = paths.texts[path] if path != NONE else ""
    if call == NONE:
        return module, "", "", ""
    operator = alike_operator(trace.text(int(events.name_id[call])))
    return module, operator, _list(trace.text(int(events.shapes_id[call]))), _list(trace.text(int(events.types_id[call])))


def _list(text: str) -> str:
    """What says nothing is nothing."""
    return "" if text in ("[]", "[[]]") else text


class _Maker:
    """Makes the structs of calls from columns over pieces."""

    def __init__(
        self,
        trace: Trace,
        windows: Windows,
        basis: Basis,
        found: WorkPieces,
        call: Int64Array,
        calls: Groups,
        kernels: Groups,
        whole: Int64Array,
    ) -> None:
        self._trace, self._windows, self._found, self._call = trace, windows, found, call
        self._calls, self._kernels, self._whole = calls, kernels, whole
        self._category = category_by_row(trace)
        events = trace.events
        duration = events.duration_ns(found.row)
        begins = np.concatenate(([True], found.row[1:] != found.row[:-1])) if len(found.row) else np.zeros(0, np.bool_)
        self._count = sum_by(kernels, begins.astype(np.int64))
        self._total = sum_by(kernels, np.where(begins, duration, 0))
        first = min_by(kernels, found.start_ns - windows.start_ns[found.window])
        self._first = first
        self._longest = np.lexsort((-found.row, duration, kernels.of))
        self._longest = self._longest[np.diff(kernels.of[self._longest], append=NONE) != 0]
        self._duration = duration
        self._n_calls = self._calls_by_kernel_group()
        self._flops, self._bytes = self._amounts(basis, begins)

    def call(self, of: int, own: list[int]) -> CallSums:
        piece = int(self._kernels.first[own[0]])
        row, call = int(self._found.row[piece]), int(self._call[piece])
        module, operator, shapes, types = _texts(self._trace, row, call, is_folded=of == NONE)
        name = FOLDED if of == NONE else "" if call == NONE else self._trace.text(int(self._trace.events.name_id[call]))
        longest = max((int(self._longest[kernel]) for kernel in own), key=lambda place: int(self._duration[place]))
        return CallSums(
            module=module,
            operator=operator,
            name=name,
            shapes=shapes,
            types=types,
            calls=self._n_calls.get(of, [0] * len(self._windows.start_ns)),
            first_ns=min(int(self._first[kernel]) for kernel in own),
            longest_ns=int(self._trace.events.start_ns[self._found.row[longest]]),
            longest_for_ns=int(self._duration[longest]),
            flops=_sum(self._flops[own]),
            bytes=_sum(self._bytes[own]),
            kernels=[self._kernel(kernel) for kernel in own],
        )

    def _kernel(self, kernel: int) -> KernelSums:
        piece = int(self._kernels.first[kernel])
        row = int(self._found.row[piece])
        category = int(self._category[row])
        is_folded = self._calls.of[piece] == NONE
        return KernelSums(
            name=FOLDED if is_folded else _name(self._trace, self._found, piece),
            category="other" if category == NO_CATEGORY or is_folded else CATEGORIES[category].id,
            count=int(self._count[kernel]),
            total_ns=int(self._total[kernel]),
            wall_ns=self._whole[kernel].tolist(),
        )

    def _calls_by_kernel_group(self) -> dict[int, list[int]]:
        """Of each call group: how many calls have their first work in each window; without a call the pieces of work."""
        found, n_windows = self._found, len(self._windows.start_ns)
        one = np.where(self._call == NONE, len(self._trace.events) + found.row, self._call)
        order = np.lexsort((found.start_ns, one))
        firsts = order[np.concatenate(([True], np.diff(one[order]) != 0))]
        counted: dict[int, list[int]] = {}
        groups = group_by(self._calls.of[firsts], found.window[firsts])
        number = np.bincount(groups.of)
        for group, piece in enumerate(firsts[groups.first].tolist()):
            own = counted.setdefault(int(self._calls.of[piece]), [0] * n_windows)
            own[int(found.window[piece])] += int(number[group])
        return counted

    def _amounts(self, basis: Basis, begins: BoolArray) -> tuple[Int64Array, Int64Array]:
        """FLOPs and bytes of each kernel group, NONE where one of them is not known."""
        unknown = np.full(len(self._kernels), NONE, np.int64)
        if basis == "host":
            return unknown, unknown
        work = kernel_work(self._trace)
        place = np.minimum(np.searchsorted(work.row, self._found.row), max(len(work.row) - 1, 0))
        is_there = (work.row[place] == self._found.row) if len(work.row) else np.zeros(len(place), np.bool_)
        results = []
        for column in (work.flops, work.bytes):
            amount = np.where(is_there, column[place] if len(column) else NONE, NONE)
            lacks = sum_by(self._kernels, (amount == NONE).astype(np.int64)) > 0
            total = np.bincount(
                self._kernels.of, weights=np.where((amount != NONE) & begins, amount, 0), minlength=len(self._kernels)
            )
            results.append(np.where(lacks, NONE, np.minimum(total, 2.0**62).astype(np.int64)))
        return results[0], results[1]


def _sum(amounts: Int64Array) -> int | None:
    return None if (amounts == NONE).any() else int(amounts.sum())
