"""The work of everything that runs on a device: of the call that launched it, or of a twin whose call is in the file.

    call                        kernels                       work
    aten::mm [8944,1024]x[...]  gemm                          its FLOPs and bytes
    aten::convolution_backward  dgrad, wgrad, transposes      all of it at the first of them, the time is that of all
    (launched before)           gemm, as launched above       that of its twin
    triton_poi_fused_add_3      of the same name              of the tensors that it is given
    (none)                      Memcpy DtoD                   read and written

A kernel whose launch is in no file has the work of its twins (`twins.py`). What remains is unknown, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.json_text import list_of, texts_of, value_of
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.work import call_bytes, call_flops
from tb_plugin.trace.work.call_arguments import call_arguments, has_rule
from tb_plugin.trace.work.copy_names import copy_ends
from tb_plugin.trace.work.input_bytes import expanded_bytes
from tb_plugin.trace.work.kernel_bytes import item_bytes
from tb_plugin.trace.work.launch_shapes import work_places
from tb_plugin.trace.work.main_kernels import launched_in
from tb_plugin.trace.work.taxonomy import collective_kernels
from tb_plugin.trace.work.triton_work import is_triton, triton_work
from tb_plugin.trace.work.twins import twins

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.trace.model import Trace


class CallWork(NamedTuple):
    """Of one call. None: not known. `is_most`: one of them is only the most that it can be."""

    flops: int | None
    bytes: int | None
    is_most: bool


@dataclass(frozen=True, kw_only=True)
class KernelWork:
    """Device rows but collectives, by row. `flops`, `bytes`: NONE where not known; a call with several has all at its first.

        row    call  flops    bytes  is_known  is_most  is_twin
        912     301  2.1e9  4.2e6        yes       no       no
        915     301      0      0        yes       no       no     the call's second kernel
       1044     301  2.1e9  4.2e6        yes       no      yes     launched before the recording; as row 912
       1050    NONE   NONE   NONE         no       no       no

    `call`: the event row of a call that shows operator, shapes and types.
    """

    row: Int64Array
    call: Int64Array
    flops: Int64Array
    bytes: Int64Array
    is_known: BoolArray
    is_most: BoolArray
    is_twin: BoolArray

    def those(self, places: Int64Array) -> KernelWork:
        return KernelWork(**{name: column[places] for name, column in vars(self).items()})


@once_per_trace
def kernel_work(trace: Trace) -> KernelWork:
    """Of the whole profile."""
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS) & ~collective_kernels(trace))
    call = np.full(len(rows), NONE, np.int64)
    launched = launched_in(trace, np.ones(len(events), np.bool_), has_rule(trace))
    call[np.searchsorted(rows, launched.kernel[np.isin(launched.kernel, rows)])] = launched.call[np.isin(launched.kernel, rows)]
    flops, n_bytes = np.full(len(rows), NONE, np.int64), np.full(len(rows), NONE, np.int64)
    is_most = np.zeros(len(rows), np.bool_)
    first = _first_of_calls(events.start_ns[rows], call)
    flops[first], n_bytes[first], is_most[first] = _of_calls(trace, rows[first], call[first])
    _spread(call, first, flops, n_bytes, is_most)
    _as_recorded(trace, rows, flops, n_bytes, is_most)
    is_twin = _take_from_twins(trace, rows, call, flops, n_bytes, is_most)
    _of_copies(trace, rows, flops, n_bytes)
    is_known = (flops != NONE) | (n_bytes != NONE)
    return KernelWork(row=rows, call=call, flops=flops, bytes=n_bytes, is_known=is_known, is_most=is_most, is_twin=is_twin)


def _first_of_calls(start_ns: Int64Array, call: Int64Array) -> Int64Array:
    """Places of the first kernel of each call."""
    known = np.flatnonzero(call != NONE)
    order = known[np.lexsort((start_ns[known], call[known]))]
    firsts: Int64Array = order[np.diff(call[order], prepend=NONE) != 0]
    return firsts


def _spread(call: Int64Array, first: Int64Array, flops: Int64Array, n_bytes: Int64Array, is_most: BoolArray) -> None:
    """The other kernels of a call with known work add none."""
    others = np.ones(len(call), np.bool_)
    others[first] = False
    others &= call != NONE
    order = first[np.argsort(call[first])]
    of_call = order[np.searchsorted(call[order], call[others])]
    flops[others] = np.where(flops[of_call] == NONE, NONE, 0)
    n_bytes[others] = np.where(n_bytes[of_call] == NONE, NONE, 0)
    is_most[others] = is_most[of_call]


def _of_calls(trace: Trace, kernels: Int64Array, call: Int64Array) -> tuple[Int64Array, Int64Array, BoolArray]:
    """(FLOPs, bytes, whether one is only a bound) of each call. Those that are alike are worked out once."""
    events, arguments = trace.events, call_arguments(trace)
    keys = (events.name_id[call], events.shapes_id[call], events.types_id[call], arguments.place[call], events.name_id[kernels])
    alike = group_by(*keys)
    found = [
        _of_texts(*(trace.text(i) for i in ids), *arguments.texts[text], item_bytes(trace.text(kernel)))
        for *ids, text, kernel in zip(*(key[alike.first].tolist() for key in keys), strict=True)
    ]
    of_flops = np.array([_number(work.flops) for work in found], np.int64)
    of_bytes = np.array([_number(work.bytes) for work in found], np.int64)
    return of_flops[alike.of], of_bytes[alike.of], np.array([work.is_most for work in found], np.bool_)[alike.of]


@lru_cache(maxsize=1 << 14)
def _of_texts(name: str, shapes: str, types: str, texts: bytes, strides: bytes, item: int) -> CallWork:
    plain, given = without_overload(name), (list_of(shapes), texts_of(types), texts_of(texts))
    if is_triton(plain):
        return CallWork(*triton_work(plain, *given[:2]))
    flops = call_flops.call_flops(plain, *given)
    n_bytes = call_bytes.call_bytes(plain, *given, item)
    is_most = (flops is not None and flops.is_most) or (n_bytes is not None and plain in call_bytes.MOST_BYTES)
    all_bytes = None
    if n_bytes is not None:
        all_bytes = max(n_bytes.all - expanded_bytes(*given[:2], list_of(strides)), n_bytes.written)
    return CallWork(None if flops is None else flops.n, all_bytes, is_most)


def _as_recorded(trace: Trace, rows: Int64Array, flops: Int64Array, n_bytes: Int64Array, is_most: BoolArray) -> None:
    """What torch itself wrote of kernels that it made (`kernel_flop`; `kernel_num_gb`, 10^9 bytes) goes before any rule."""
    made = rows[rows_named(trace, rows, is_triton)]
    of_row, said = trace.args.places(trace.events.order, made, ("kernel_flop", "kernel_num_gb"))
    made = made[of_row[made] != 0]
    for place, texts in zip(np.searchsorted(rows, made).tolist(), of_row[made].tolist(), strict=True):
        for column, text, unit in zip((flops, n_bytes), said[texts], (1.0, 1e9), strict=True):
            value = value_of(text) if text else None
            if isinstance(value, int | float) and 0 <= value * unit < _LARGEST:
                column[place], is_most[place] = round(value * unit), False


def _number(value: int | None) -> int:
    return NONE if value is None else min(value, _LARGEST)


def _take_from_twins(
    trace: Trace, rows: Int64Array, call: Int64Array, flops: Int64Array, n_bytes: Int64Array, is_most: BoolArray
) -> BoolArray:
    """Fills what was launched before the recording. Returns which rows these are."""
    is_twin = np.zeros(len(rows), np.bool_)
    is_kernel = trace.events.kind[rows] == Kind.KERNEL
    told = (flops, n_bytes, *call_ids(trace, call, trace.events.name_id[rows]))
    found = twins(trace, rows, is_kernel & (trace.events.owner[rows] == NONE), is_kernel & (call != NONE), told)
    for column in (call, flops, n_bytes):
        column[found.place] = column[found.twin]
    is_most[found.place] = is_most[found.twin]
    is_twin[found.place] = True
    return is_twin


def _of_copies(trace: Trace, rows: Int64Array, flops: Int64Array, n_bytes: Int64Array) -> None:
    """Copies within a device read and write, sets write; those from and to the host cross a bus, which has no roof here."""
    kind = trace.events.kind[rows]
    moves = np.flatnonzero(is_kind(kind, (Kind.COPY, Kind.SET)))
    known, place = work_places(trace, rows[moves])
    moves, moved = moves[known], trace.work.bytes[place]
    times = np.array([_times_moved(trace.text(i)) for i in trace.events.name_id[rows[moves]].tolist()], np.int64)
    times = np.where(kind[moves] == Kind.SET, 1, times)
    there = moved > 0
    n_bytes[moves[there]], flops[moves[there]] = (times * moved)[there], 0


@lru_cache(maxsize=1 << 10)
def _times_moved(name: str) -> int:
    return 2 if copy_ends(name) == ("device", "device") else 1


def call_ids(trace: Trace, call: Int64Array, name_id: npt.NDArray[np.integer]) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(names, shapes, types) by which rows are grouped: of the call, or where none is known the kernel's name alone."""
    events, known, at = trace.events, call != NONE, np.maximum(call, 0)
    names = np.where(known, events.name_id[at], name_id).astype(np.int64)
    shapes = np.where(known, events.shapes_id[at], NONE).astype(np.int64)
    return names, shapes, np.where(known, events.types_id[at], NONE).astype(np.int64)


_LARGEST: Final = int(np.iinfo(np.int64).max)
