"""What is worked out once for a trace and kept as long as the trace: several views need it, and each asks on its own."""

from __future__ import annotations

import functools
import threading
import weakref
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

T = TypeVar("T")


class _Place(Generic[T]):
    """Room for one trace's answer; whoever comes first works it out while the others wait."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.answer: T | None = None


def once_per_trace(build: Callable[[Trace], T]) -> Callable[[Trace], T]:
    """Makes `build` answer from memory the second time. The answer is shared by threads: it must not be changed."""
    # By identity: a Trace compares by its columns and so has no hash. The entry goes when its trace does.
    places: dict[int, _Place[T]] = {}
    lock = threading.Lock()

    @functools.wraps(build)
    def answer(trace: Trace) -> T:
        with lock:
            place = places.get(id(trace))
            if place is None:
                place = places[id(trace)] = _Place()
                weakref.finalize(trace, places.pop, id(trace), None)
        with place.lock:
            if place.answer is None:
                place.answer = build(trace)
            return place.answer

    return answer
