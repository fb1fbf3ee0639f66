"""Who came last to a collective: one rank, or several together, as far as their clocks can tell.

    rank 3   ----------|======      3 and 7 lie within 20 us, or within three errors of their clocks: both came last
    rank 5   ---|=============      and whoever says by a hair that it was 7 tells by chance
    rank 7   -----------|=====

20 us on one clock as well: that is how far apart launches and devices of ranks that do the same lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.job.clocks.clock import Clocks

TIED_NS: Final = 20_000
"""Two that come closer together than this are both last."""

_ERRORS: Final = 3


def tied_ns(error_ns: float) -> float:
    """How far apart two times of clocks with this error together may lie that are still told as one."""
    return max(float(TIED_NS), _ERRORS * error_ns)


def is_last(arrived: Int64Array, local: Int64Array, on: Int64Array, last: Int64Array, clocks: Clocks) -> BoolArray:
    """Of each row, whether it came last, alone or with others. `arrived` on the job's clock, `local` on its own, which is `on`;
    `last`: where the row of its collective is that came latest.
    """
    error = clocks.error_at(on, local)
    apart = np.where(on == on[last], 0.0, np.sqrt(error**2 + error[last] ** 2))  # one clock is off by the same for both
    found: BoolArray = arrived[last] - arrived <= np.maximum(TIED_NS, _ERRORS * apart)
    return found
