"""How a background thread stays out of the way of the training loop, which needs the interpreter's lock more."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

SHARE = 0.03
"""Of the time, at most so much is worked while holding the lock; a step then is slower by about as much."""

SLICE_S = 0.0005
"""Work in a row. The loop waits no longer than this when it wants the lock back."""


class Pace:
    """Sleeps long after each short slice of work, unless somebody waits for the result."""

    def __init__(self, hurry: threading.Event) -> None:
        self._hurry = hurry

    @property
    def hurried(self) -> bool:
        return self._hurry.is_set()

    @contextmanager
    def slice(self) -> Iterator[None]:
        start = time.perf_counter()
        yield
        busy = time.perf_counter() - start
        if not self._hurry.is_set():
            self._hurry.wait(busy * (1 / SHARE - 1))
