"""How a background thread stays out of the way of the training loop, which needs the interpreter's lock more."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

SHARES: Final = ((0.0, 0.03), (8.0, 0.05), (14.0, 0.1))
"""(seconds since the cycle ended, part of the time): so much is worked from then on, and a step is slower by about as much. The
longer somebody could be waiting for the profile, the more."""

SLICE_S: Final = 0.004
"""Work in a row: less than any Python thread has (`sys.getswitchinterval`). Where other programs want the cores, too, a change of
hands costs the loop as much again: shorter slices cost more."""

_BREATH_S: Final = 0.0005


def earned_s(age_s: float) -> float:
    """How much may have been worked in all so long after the cycle's end."""
    ends = (*(since for since, _ in SHARES[1:]), float("inf"))
    return sum(share * (min(age_s, end) - since) for (since, share), end in zip(SHARES, ends, strict=True) if age_s > since)


def rest_s(worked_s: float, age_s: float) -> float:
    """How long to rest then: until all is earned, or when it is just long enough for the loop to take the lock."""
    share = next(share for since, share in reversed(SHARES) if age_s >= since)
    return max(_BREATH_S, (worked_s - earned_s(age_s)) / share)


class Pace:
    """Sleeps after each short slice of work until it is earned, unless somebody waits for the result.

    Counts processor time of this thread: where every core is busy it also waits for its turn, and that is nobody's work.
    """

    def __init__(self, hurry: threading.Event) -> None:
        self._hurry = hurry
        self._started = time.monotonic()
        self._worked_s = 0.0

    @property
    def hurried(self) -> bool:
        return self._hurry.is_set()

    @contextmanager
    def slice(self) -> Iterator[None]:
        # The next cycle may record the stacks of all threads. Ours is none of the user's, and would be slower for it.
        sys.setprofile(None)
        start = time.thread_time()
        yield
        self._worked_s += time.thread_time() - start
        # One long rest and not many short ones: to wake up takes the lock from the loop, too.
        self._hurry.wait(rest_s(self._worked_s, time.monotonic() - self._started))
