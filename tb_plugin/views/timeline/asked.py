"""Which tracks a window or an area is asked for: one rule for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.intervals import covers
from tb_plugin.trace.scope.ranges import ranges_in

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array


def asked_tracks(text: str | None, n_tracks: int) -> Int64Array:
    """Ids in order, each once, of `0,4-7`; all for None. Those that the profile does not have are left out."""
    if text is None:
        return np.arange(n_tracks, dtype=np.int64)
    return np.flatnonzero(covers(ranges_in(text, "tracks"), np.arange(n_tracks)))
