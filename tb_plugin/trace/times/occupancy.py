"""Achieved occupancy of kernels, as far as the file's estimate can be true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.trace.model import Work

_MOST_WARPS: Final = 64  # of a multiprocessor, on any device
_LEAST_SHOWN: Final = 0.01  # the file's estimates are whole percent


def occupancy_percent(work: Work) -> Float64Array:
    """Percent for each row of `work`, NaN where the file does not say, or says 0 of warps that do run.

    Kineto's estimate is 0 for kernels with more shared memory than a block gets without asking (48 KiB on sm70 to sm90): it finds
    no room for any block. Up to half of the kernel time of the shared A100 traces is such matrix products.

        blocks_per_sm  warps_per_sm  in the file
                 2.50          20.0           31    31
                 0.95          10.9            0   NaN    11 of 64 warps are 17 %
                 0.01          0.08            0     0
    """
    told = work.occupancy_percent
    with np.errstate(invalid="ignore"):
        at_least = work.warps_per_sm / np.maximum(work.blocks_per_sm, 1) / _MOST_WARPS  # one block, if there is one for each
        found: Float64Array = np.where((told == 0) & (at_least >= _LEAST_SHOWN), np.nan, told)
    return found
