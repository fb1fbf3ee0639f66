"""What is worked out once and kept, for several threads: as long as the trace, since several views ask for it each on its own; or
the last few of many answers.
"""

from __future__ import annotations

import dataclasses
import functools
import threading
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from tb_plugin.trace.compact import is_mapped, n_bytes
from tb_plugin.trace.model import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    import numpy.typing as npt

    from tb_plugin.trace.model import Trace

T = TypeVar("T")
K = TypeVar("K", bound="Hashable")

Columns: TypeAlias = "dict[str, npt.NDArray[Any]]"
_SHELF: Final = "_kept shelf"
_LARGE_BYTES: Final = 1 << 16
_DEPTH: Final = 4  # of what lies in an answer
_MOST_PARTS: Final = 32  # of a tuple or a list: longer ones hold no columns


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
    """Makes `build` answer from memory the second time. The answer is shared by threads: it must not be changed.

    It lies in the trace, so that one which leads back to its trace goes with it: in a table outside it would keep it for ever.
    """
    name = f"_kept {build.__module__}.{build.__qualname__}"

    @functools.wraps(build)
    def answer(trace: Trace) -> T:
        # `setdefault` of a dictionary whose keys are texts is one step: of two threads both get the place of the first.
        place: _Place[T] = vars(trace).setdefault(name, _Place())
        return place.get(lambda: _put_away(build(trace), vars(trace).get(_SHELF)))

    return answer


def _put_away(part: T, shelf: Shelf | None, depth: int = _DEPTH) -> T:
    """The same answer, its large columns on the shelf. Objects stay the ones they are: others may lead to them."""
    put: Any = part
    if shelf is None or depth == 0:
        return part
    if isinstance(part, np.ndarray):
        put = shelf.put_away(part) if is_large(part) else part
    elif isinstance(part, LastAnswers):
        part.shelf = shelf
    elif isinstance(part, tuple) and len(part) <= _MOST_PARTS:
        parts = [_put_away(each, shelf, depth - 1) for each in part]
        if any(new is not old for new, old in zip(parts, part, strict=True)):
            put = part._make(parts) if hasattr(part, "_make") else tuple(parts)
    elif isinstance(part, list) and len(part) <= _MOST_PARTS:
        part[:] = [_put_away(each, shelf, depth - 1) for each in part]
    elif dataclasses.is_dataclass(part) and hasattr(part, "__dict__"):
        # Of what an answer leads back to, as its trace, another thread may keep something meanwhile.
        for name, each in list(vars(part).items()):
            if (new := _put_away(each, shelf, depth - 1)) is not each:
                vars(part)[name] = new
    kept: T = put
    return kept


def is_large(part: object) -> bool:
    """Whether it is a column that takes memory worth giving back."""
    return isinstance(part, np.ndarray) and n_bytes(part) >= _LARGE_BYTES and not is_mapped(part)


class Shelf(Protocol):
    """Room on disk beside an open trace, for columns that were worked out of it."""

    def take(self, name: str) -> Columns | None:
        """What somebody has kept under this name, by the code that runs now."""

    def keep(self, name: str, columns: Columns) -> Columns:
        """The same columns, in a file from now on where that is possible, and read-only."""

    def put_away(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The same column, for as long as somebody has it, and not in memory of our own where that is possible; read-only."""


def put_beside(trace: Trace, shelf: Shelf) -> None:
    """From now on. In the trace's place and no field of it: a trace that is made of it has other columns."""
    vars(trace)[_SHELF] = shelf
    for table in TABLES:
        late = trace.table(table).late
        if late is not None:
            late.keep = lambda column: _put_away(column, shelf)


def kept_columns(trace: Trace, name: str, build: Callable[[], Columns]) -> Columns:
    """What `build` gives, or gave to whoever had the trace open before."""
    shelf: Shelf | None = vars(trace).get(_SHELF)
    if shelf is None:
        return build()
    found = shelf.take(name)
    return shelf.keep(name, build()) if found is None else found


class LastAnswers(Generic[K, T]):
    """The answers to the last `most` questions. They are shared by threads: they must not be changed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.shelf: Shelf | None = None
        self._lock = threading.Lock()
        self._places: dict[K, _Place[T]] = {}  # used last last

    def get(self, question: K, build: Callable[[], T]) -> T:
        """What `build` gives, or gave when the question was asked before."""
        with self._lock:
            place = self._places.pop(question, None) or _Place()
            self._places[question] = place
            if len(self._places) > self._most:
                del self._places[next(iter(self._places))]
        return place.get(lambda: _put_away(build(), self.shelf))
