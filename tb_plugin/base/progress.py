"""How far something is: a share of 1 and what is being done. Who does a part of the work is given a part of the bar."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

_TELLING = 0.05
"""Of what is done before what is left can be told from it."""

OnProgress: TypeAlias = Callable[[float, str], None]
"""Gets (0 to 1, what is being done)."""


def silent(_share: float, _stage: str) -> None:
    """For who does not ask."""


def part(on_progress: OnProgress, start: float, end: float) -> OnProgress:
    """What moves the bar from `start` to `end` while its own share goes from 0 to 1."""
    return lambda share, stage: on_progress(start + (end - start) * share, stage)


class Countdown:
    """How long something goes on, as if at the pace it had since this was made."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def seconds_left(self, share: float) -> float | None:
        """After this share of 1; None before that can be told."""
        return None if share < _TELLING else (time.monotonic() - self._began) * (1.0 - share) / share
