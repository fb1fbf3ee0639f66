"""Which steps take longer than the others, so that figures of all are of no usual one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.intervals import Merged, union
from tb_plugin.findings import worth

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.scope.counted_steps import CountedSteps

_LEAST_STEPS: Final = 4
"""Of three nobody can say which one is usual."""

_DEVIATIONS: Final = 5  # median absolute ones
_LONGER: Final = 0.1
"""Of the median, at least: where steps hardly differ, five deviations are nothing that anybody would look for."""


def outlying_steps(counted: CountedSteps) -> tuple[Int64Array, Int64Array]:
    """(which of the steps that count, by place among them, and by how much each of these is longer than the median, ns)."""
    duration_ns, median_ns = counted.duration_ns, counted.median_ns
    if median_ns is None or len(duration_ns) < _LEAST_STEPS:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    above_ns = duration_ns - median_ns
    margin_ns = max(_DEVIATIONS * float(np.median(np.abs(above_ns))), _LONGER * median_ns)
    outlying = np.flatnonzero(above_ns > margin_ns)
    return outlying, above_ns[outlying]


def come_first(counted: CountedSteps) -> bool:
    """Whether they are so long that nothing else is told before them."""
    _, above_ns = outlying_steps(counted)
    return bool(above_ns.sum() >= worth.EVERYWHERE * max(counted.duration_ns.sum(), 1)) and len(above_ns) > 0


def unusual_time(counted: CountedSteps) -> Merged:
    """When those steps were, however much they are of all: what the device waits for then is no habit of the model."""
    places = counted.places[outlying_steps(counted)[0]]
    return union(counted.windows.start_ns[places], counted.windows.end_ns[places])
