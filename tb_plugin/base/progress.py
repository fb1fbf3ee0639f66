"""How far something is: a share of 1 and what is being done. Who does a part of the work is given a part of the bar."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import TypeAlias

_LISTENING = threading.local()

_TELLING = 0.05
"""Of what is done before what is left can be told from it."""

OnProgress: TypeAlias = Callable[[float, str], None]
"""Gets (0 to 1, what is being done)."""


def silent(_share: float, _stage: str) -> None:
    """For who does not ask."""


def part(on_progress: OnProgress, start: float, end: float) -> OnProgress:
    """What moves the bar from `start` to `end` while its own share goes from 0 to 1."""
    return lambda share, stage: on_progress(start + (end - start) * share, stage)


def now(part: str) -> None:
    """Says what is worked out from here on, to who listens in this thread. Mostly nobody does."""
    heard: Callable[[str], None] | None = getattr(_LISTENING, "heard", None)
    if heard is not None:
        heard(part)


def listen(heard: Callable[[str], None]) -> None:
    """From now on `heard` gets what this thread says: one that works for one question, and ends."""
    _LISTENING.heard = heard


class Countdown:
    """How long something goes on, as if at the pace it had since the first word about it, which may come in its midst."""

    def __init__(self) -> None:
        self._began = time.monotonic(), 0.0  # and the share done by then
        self._heard: tuple[float, float] | None = None  # when the last word came, and the share shown then
        self._pace = 0.0  # a second

    def hear(self, share: float) -> None:
        """A word about how far it is."""
        now = time.monotonic()
        if self._heard is None:
            self._began = now, share
        began_s, before = self._began
        self._heard, self._pace = (
            (now, max(share, self.reached())),
            (share - before) / (now - began_s) if now > began_s and share - before >= _TELLING else 0.0,
        )

    def reached(self) -> float:
        """The share by now: what was heard, and from there on at the pace so far, ever slower, as the end is not to be passed.

        Sorting ten million rows is one call that says nothing for seconds.
        """
        heard_s, share = self._heard or self._began
        if share >= 1.0:
            return 1.0
        left = 1.0 - share
        return 1.0 - left * math.exp(-self._pace * (time.monotonic() - heard_s) / left)

    def seconds_left(self, share: float) -> float | None:
        """After this share of 1; None before that can be told."""
        began_s, before = self._began
        return None if share - before < _TELLING else (time.monotonic() - began_s) * (1.0 - share) / (share - before)
