"""How far something is: a share of 1 and what is being done. Who does a part of the work is given a part of the bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

OnProgress: TypeAlias = Callable[[float, str], None]
"""Gets (0 to 1, what is being done)."""


def silent(_share: float, _stage: str) -> None:
    """For who does not ask."""


def part(on_progress: OnProgress, start: float, end: float) -> OnProgress:
    """What moves the bar from `start` to `end` while its own share goes from 0 to 1."""
    return lambda share, stage: on_progress(start + (end - start) * share, stage)
