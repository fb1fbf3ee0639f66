"""Names of memory events, where they say more than `[memory]`."""

from __future__ import annotations

from typing import Final

MEMORY: Final = "[memory]"

HELD_BEFORE: Final = "[memory] from before the recording"
"""A block that was allocated before the recording and is still held at its end. The event stands before the first one of the
recording, not where the block was allocated. Written by the reader of memory snapshots."""

NO_TOTALS: Final = "totals"
"""The kind of the issue that says why events of a memory snapshot have no totals."""
