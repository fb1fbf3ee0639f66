"""The bytes that kernels move at least, from the operators that launched them, against the device's memory bandwidth.

What a call reads and writes (`call_bytes`) is its main kernel's (`main_kernels`): of a call that multiplies the longest that
multiplies, since those that change layouts move the same data once more; of any other the longest of all.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.work.call_arguments import call_arguments
from tb_plugin.trace.work.call_bytes import KNOWN, call_bytes
from tb_plugin.trace.work.device_peaks import device_at, device_peak
from tb_plugin.trace.work.input_bytes import ELEMENT_BYTES
from tb_plugin.trace.work.main_kernels import Launched, launched_in, main_kernels
from tb_plugin.trace.work.taxonomy import MULTIPLIES, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_ITEM: Final = re.compile(r"(?:CatArray|multi_tensor_apply_kernel<.*Functor)\w*<(?:[\w:() ]*OpaqueType<(\d+)u?>|([\w:]+),)")
"""The kernels of lists of tensors say how wide an element is. Samples: `CatArrayBatchedCopy<OpaqueType<2u>, unsigned int, 3>`,
`CatArrayBatchedCopy<float, unsigned int, 2>`, `multi_tensor_apply_kernel<..., FusedAdamMathFunctor<float, 4>>`."""


class KernelBytes(NamedTuple):
    """The kernels whose bytes are known, by row: all that they move, and what of it they write.

    `at_bandwidth_ns`: their time at the device's memory bandwidth, or NaN.
    """

    row: Int64Array
    bytes: Int64Array
    written: Int64Array
    at_bandwidth_ns: Float64Array


@once_per_trace
def kernel_bytes(trace: Trace) -> KernelBytes:
    """Inputs read once and outputs written once, of kernels that do the work of a call alone."""
    events = trace.events
    operators = np.flatnonzero((events.kind == Kind.OPERATOR) & (events.shapes_id != NONE))
    has_rule = np.zeros(len(events), np.bool_)
    has_rule[operators[rows_named(trace, operators, lambda name: without_overload(name) in KNOWN)]] = True
    launched = launched_in(trace, np.ones(len(events), np.bool_), has_rule)
    multiplies = is_kind(category_by_row(trace), MULTIPLIES)
    found = main_kernels(trace, launched.those(multiplies[launched.kernel] | ~multiplies[launched.call]))
    moved = _of_calls(trace, found)
    known = moved[:, 0] != NONE
    found, (n_bytes, written) = found.those(known), moved[known].T
    return KernelBytes(found.kernel, n_bytes, written, 1e9 * n_bytes / _bandwidths(trace, found.kernel))


def _of_calls(trace: Trace, launched: Launched) -> Int64Array:
    """(bytes that each call moves, those that it writes), NONE where not known. Calls that are alike are worked out once."""
    events, call = trace.events, launched.call
    if len(call) == 0:
        return np.zeros((0, 2), np.int64)
    place, texts = call_arguments(trace)
    keys = (events.name_id[call], events.shapes_id[call], events.types_id[call], place[call], events.name_id[launched.kernel])
    alike = group_by(*keys)
    found = [
        _of_texts(*(trace.text(i) for i in ids), texts[text][0], item_bytes(trace.text(kernel)))
        for *ids, text, kernel in zip(*(key[alike.first].tolist() for key in keys), strict=True)
    ]
    return np.array(found, np.int64).reshape(-1, 2)[alike.of]


def _bandwidths(trace: Trace, kernels: Int64Array) -> Float64Array:
    """Bytes/s of each kernel's device, NaN where unknown."""
    device_of = trace.tracks.device[trace.events.track[kernels]]
    result = np.full(len(kernels), np.nan)
    for index in distinct(device_of).tolist():
        peak = device_peak(device_at(trace, index))
        if peak is not None:
            result[device_of == index] = peak.bytes_per_s
    return result


@lru_cache(maxsize=1 << 14)
def _of_texts(name: str, shapes: str, types: str, texts: bytes, item: int) -> tuple[int, int]:
    moved = call_bytes(without_overload(name), _list(shapes), _list(types), _list(texts), item)
    most = np.iinfo(np.int64).max
    return (NONE, NONE) if moved is None else (min(moved.all, most), min(moved.written, most))


def item_bytes(kernel: str) -> int:
    """Of an element of the lists of tensors that this kernel is given; 0 where its name does not tell."""
    match = _ITEM.search(kernel)
    return 0 if match is None else int(match[1]) if match[1] else ELEMENT_BYTES.get(match[2], 0)


def _list(text: str | bytes) -> list[Any]:
    """The list that a JSON text holds; empty for anything else."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return []
    return value if isinstance(value, list) else []
