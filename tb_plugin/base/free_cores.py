"""How many cores nobody uses: what reads a large file may take them, and leaves those of who trains alone."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

VARIABLE: Final = "TB_PLUGIN_READERS"
_MOST_READERS: Final = 4
"""Building the Trace is not shared: a fifth reader saves less than it takes."""


def readers() -> int:
    """How many processes read one large file, at least 1: what TB_PLUGIN_READERS says, else as many as cores are free.

    Free is what of the cores that this process may use the load of the last minute left: a server that was idle may have all.
    """
    with suppress(ValueError):
        return max(int(os.environ.get(VARIABLE, "")), 1)
    try:
        n_cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    except (AttributeError, OSError):  # not on Linux
        return 1
    return min(max(round(n_cores - load), 1), _MOST_READERS)
