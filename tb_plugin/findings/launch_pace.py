"""How fast the host launches, and whether that is what the device waits for.

gaps of the device   |.|..|.|....|..|.|      about a launch each: launching is too slow
                     |..............|.|      few and long: the host was at something else
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import Merged, length

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_LEAST_KERNELS: Final = 50
"""Fewer do not tell the usual distance of launches, and so not whether launching itself is what takes long."""

_FEW_LAUNCHES: Final = 10
"""What a gap has room for at most: in a longer one the host did something else."""


@dataclass(frozen=True, kw_only=True)
class LaunchPace:
    """Of the busiest device's kernels in the window."""

    n_kernels: int
    kernel_ns: float  # median
    between_ns: float  # median time between launches
    waiting: Merged  # when the device waited for the host, without time in data loaders
    is_limit: bool  # gaps of a few launches each are most of all idle time
    elsewhere: Merged  # of `waiting` the longer gaps, in which the host was at something else


def launch_pace(trace: Trace, kernels: Int64Array, waiting: Merged, idle: Merged) -> LaunchPace | None:
    """Of these kernels of one device, which waited for the host and was idle at these times; None where none has a launch."""
    events = trace.events
    launched = kernels[events.launch[kernels] != NONE]
    if len(launched) == 0:
        return None
    # A kernel counts against the host that launches it: the usual distance of launches is what one launch costs.
    launches = np.sort(events.start_ns[distinct(events.launch[launched])])
    between_ns = float(np.median(np.diff(launches))) if len(launches) > 1 else 0.0
    kernel_ns = float(np.median(events.duration_ns(launched)))
    gap_ns = waiting.end - waiting.start
    is_short = gap_ns < _FEW_LAUNCHES * between_ns
    has_rate = len(launched) >= _LEAST_KERNELS and kernel_ns < between_ns
    return LaunchPace(
        n_kernels=len(kernels),
        kernel_ns=kernel_ns,
        between_ns=between_ns,
        waiting=waiting,
        is_limit=has_rate and 2 * int(gap_ns[is_short].sum()) > length(idle),
        elsewhere=Merged(waiting.start[~is_short], waiting.end[~is_short]),
    )
