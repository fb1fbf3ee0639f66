"""What is worked out once and kept, for several threads: as long as the trace, since several views ask for it each on its own; or
the last few of many answers.
"""

from __future__ import annotations

import functools
import threading
import weakref
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from tb_plugin.trace.model import Trace

T = TypeVar("T")
K = TypeVar("K", bound="Hashable")


class _Place(Generic[T]):
    """Room for one answer; whoever comes first works it out while the others wait."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answer: T | None = None

    def get(self, build: Callable[[], T]) -> T:
        with self._lock:
            if self._answer is None:
                self._answer = build()
            return self._answer


def once_per_trace(build: Callable[[Trace], T]) -> Callable[[Trace], T]:
    """Makes `build` answer from memory the second time. The answer is shared by threads: it must not be changed."""
    places: weakref.WeakKeyDictionary[Trace, _Place[T]] = weakref.WeakKeyDictionary()
    lock = threading.Lock()

    @functools.wraps(build)
    def answer(trace: Trace) -> T:
        with lock:
            place = places.setdefault(trace, _Place())
        return place.get(lambda: build(trace))

    return answer


class LastAnswers(Generic[K, T]):
    """The answers to the last `most` questions. They are shared by threads: they must not be changed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._places: dict[K, _Place[T]] = {}  # used last last

    def get(self, question: K, build: Callable[[], T]) -> T:
        """What `build` gives, or gave when the question was asked before."""
        with self._lock:
            place = self._places.pop(question, None) or _Place()
            self._places[question] = place
            if len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        return place.get(build)
