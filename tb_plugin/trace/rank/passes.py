"""Where forward and backward of a step begin and end on a rank's device: what a pipeline's bubbles are measured in.

    loader | fwd fwd ... bwd bwd | grad norm | optimizer        from: the first computing kernel that is no optimizer's
           ^from             until^                             until: the last that begins before the optimizer does

An optimizer's kernels are told by the range or operator that launched them, or, where the host was not recorded, by their name.
Kernels of an optimizer before `from` clear gradients. Without any, `until` is the end of the step's last computing kernel.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import covers, length_within, union
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace

PASSES: Final = ("passes_from", "passes_until", "passes_busy")

_RANGE: Final = re.compile(r"Optimizer\.step#|aten::_fused_(?:adam|sgd|adagrad)")
_KERNEL: Final = re.compile(
    r"multi_tensor_apply|fused_?(?:adam|sgd|adagrad|lamb)|(?:adam|lamb|sgd|adafactor)_kernel", re.IGNORECASE
)


def passes(trace: Trace, start: Int64Array, end: Int64Array) -> dict[str, Int64Array]:
    """Of each window: from, until, and the union of computing kernels between; NONE, NONE, 0 where nothing computed."""
    events = trace.events
    rows = np.flatnonzero((events.kind == Kind.KERNEL) & ~collective_kernels(trace))
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    begun, ended, optimizes = events.start_ns[rows], events.end_ns[rows], _of_optimizer(trace, rows)
    found = np.full((2, len(start)), NONE, np.int64)
    bounds = np.column_stack((np.searchsorted(begun, start), np.searchsorted(begun, end)))
    for step, (low, high) in enumerate(bounds.tolist()):
        others = low + np.flatnonzero(~optimizes[low:high])
        if len(others) == 0:
            continue
        after = others[0] + np.flatnonzero(optimizes[others[0] : high])
        if len(after):
            others = others[others < after[0]]
        found[:, step] = begun[others[0]], min(ended[others].max(), end[step])
    busy = length_within(union(begun, ended), *np.where(found == NONE, 0, found))
    return dict(zip(PASSES, (*found, busy), strict=True))


def _of_optimizer(trace: Trace, rows: Int64Array) -> BoolArray:
    events = trace.events
    host = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    host = host[rows_named(trace, host, _RANGE.match)]
    ranges = union(events.start_ns[host], events.end_ns[host])
    launch = events.launch[rows]
    when = np.where(launch == NONE, np.iinfo(np.int64).min, events.start_ns[np.maximum(launch, 0)])
    named: BoolArray = covers(ranges, when) | rows_named(trace, rows, _KERNEL.search)
    return named
