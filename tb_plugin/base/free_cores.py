"""How many cores nobody uses: what reads a large file may take them, and leaves those of who trains alone."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

VARIABLE: Final = "TB_PLUGIN_READERS"
_STAT: Final = Path("/proc/stat")
_IDLE: Final = slice(4, 6)
"""Of a core's line in it: its name, then user, nice, system, idle and waiting for a disk, in ticks."""
_PARENT: Final = "/proc/{}/stat"
_TIMES: Final = slice(11, 13)
"""User's and system's, in ticks, behind the name, which may hold anything."""
_LEAST_S: Final = 0.1
"""A core's ticks are 10 ms each: a tenth of it."""
_MOST_READERS: Final = 4
"""Building the Trace is not shared: a fifth reader saves less than it takes."""


class FreeCores:
    """Looks from its making on. A load of the last minute would still count what has ended: a training, or the last file read."""

    def __init__(self) -> None:
        self._begun_s, self._own_s, self._idle_s = time.monotonic(), _own_s(), _idle_s()

    def readers(self) -> int:
        """How many processes read one large file, at least 1: what TB_PLUGIN_READERS says, else as many as cores were free.

        Free are, of the cores that this process may use, those that were idle, its own or of the server that waits for it, which
        answers the page meanwhile. 1 where the system does not tell.
        """
        with suppress(ValueError):
            return max(int(os.environ.get(VARIABLE, "")), 1)
        if self._idle_s is None:
            return 1
        time.sleep(max(self._begun_s + _LEAST_S - time.monotonic(), 0.0))
        elapsed_s = time.monotonic() - self._begun_s
        idle_s = (_idle_s() or 0.0) - self._idle_s
        return min(max(round((idle_s + _own_s() - self._own_s) / elapsed_s), 1), _MOST_READERS)


def _own_s() -> float:
    """Processor time of this process and of the one that started it, as far as the system tells."""
    of_parent = 0.0
    with suppress(OSError, ValueError, IndexError):
        fields = Path(_PARENT.format(os.getppid())).read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        of_parent = sum(map(int, fields[_TIMES])) / os.sysconf("SC_CLK_TCK")
    return time.process_time() + of_parent


def _idle_s() -> float | None:
    """For how long the cores that this process may use did nothing, all together; None where the system does not tell."""
    with suppress(AttributeError, OSError, ValueError):  # AttributeError: not on Linux
        mine = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        cores = [line.split() for line in _STAT.read_text(encoding="ascii").splitlines() if line.startswith("cpu")]
        ticks = [sum(map(int, core[_IDLE])) for core in cores if core[0] in mine]
        return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else None
    return None
