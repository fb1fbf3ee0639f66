"""Times of several lanes on one axis, so that all lanes are asked at once.

lane   time          number               a lane's are in order of their times, and behind all of the lane before
0      7, 9          7, 9
1      5, 8          15, 18
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.distinct import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array

_LARGEST: Final = 1 << 61


def in_lanes(lanes: Sequence[Int64Array], times: Sequence[Int64Array]) -> list[Int64Array]:
    """A number for each time of each of these lists; `lanes`: of each time, 0 or more. They say nothing but the order."""
    low = min((int(each.min()) for each in times if len(each)), default=0)
    width = max((int(each.max()) for each in times if len(each)), default=0) - low + 1
    n_lanes = max((int(each.max()) for each in lanes if len(each)), default=0) + 1
    if n_lanes * width < _LARGEST:
        return [lane * width + (time - low) for lane, time in zip(lanes, times, strict=True)]
    once, place = numbered(np.concatenate(times))  # too far apart for that: which of them it is says as much
    number = np.concatenate(lanes) * len(once) + place
    ends = np.cumsum([0, *map(len, times)])
    return [number[begin:end] for begin, end in pairwise(ends.tolist())]
