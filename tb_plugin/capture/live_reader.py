"""Reads from the live profile what its JSON does not hold, in slices short enough for the training loop not to notice.

`kineto_results` is a C++ object: every value costs a call under the interpreter's lock, 0.3 to 0.5 us. Making the list of
events is one call of 1.1 us an event that cannot be cut; the rest is cut into slices of half a millisecond.
"""

from __future__ import annotations

import time
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from tb_plugin.capture.pace import SLICE_S

if TYPE_CHECKING:
    from typing import BinaryIO

    from tb_plugin.capture.pace import Pace

COLUMNS: Final = (("start_ns", "q"), ("end_ns", "q"), ("start_thread", "q"), ("end_thread", "q"))
COLUMNS_SMALL: Final = (("name", "i"), ("scope", "h"), ("is_async", "b"))
ALL_COLUMNS: Final = COLUMNS + COLUMNS_SMALL
"""Column and `array` type code, in the order in which they lie one after the other in a scratch file."""

_MEMORY: Final = "[memory]"
_FIRST_SLICE: Final = 64


class KinetoResults(Protocol):
    """What `prof.profiler.kineto_results` is asked for."""

    def events(self) -> list[Any]: ...


@dataclass
class LiveEvents:
    """Operators and annotations in no order; times are ns since 1970, threads are torch's own small numbers.

    One row an event.

    start_ns    end_ns      start_thread  end_thread  name  scope  is_async
    1790...351  1790...821             1           1     0      7         0
    1790...811  1790...822             1           2     1      7         1
    """

    columns: dict[str, array[int]] = field(default_factory=lambda: {name: array(code) for name, code in ALL_COLUMNS})
    names: list[str] = field(default_factory=list)
    harmed: list[tuple[int, str]] = field(default_factory=list)
    """(start_ns, name) of events of any kind whose names torch's JSON writer cannot write."""

    def save(self, file: BinaryIO) -> int:
        """Writes the columns; gives the number of rows."""
        for name, _ in ALL_COLUMNS:
            self.columns[name].tofile(file)
        return len(self.columns["start_ns"])


def is_harmed(name: str) -> bool:
    """Whether the stock JSON writer (2.13) writes something else than this name, or breaks the file with it."""
    return not (name.isascii() and name.isprintable()) or '"' in name or "\\" in name or name == "kernel"


def read(kineto_results: KinetoResults, pace: Pace) -> LiveEvents:
    """Everything, slice by slice. The list is taken apart from its end, so that its objects are freed in slices too."""
    with pace.slice():
        events = kineto_results.events()
    live = LiveEvents()
    reader = _SliceReader(live)
    size = _FIRST_SLICE
    while events:
        with pace.slice():
            start = time.perf_counter()
            reader.read(events[-size:])
            del events[-size:]
            spent = time.perf_counter() - start
        size = max(16, min(4096, int(size * min(2.0, SLICE_S / max(spent, 1e-6)))))
    return live


class _SliceReader:
    def __init__(self, live: LiveEvents) -> None:
        self._live = live
        self._ids: dict[str, int] = {}
        self._harmed: dict[str, bool] = {}

    def read(self, events: list[Any]) -> None:
        live, ids, known = self._live, self._ids, self._harmed
        columns = live.columns
        rows = []
        for event in events:
            try:
                name = event.name()
            except UnicodeDecodeError:  # a C string that is not UTF-8 has no name in Python either
                continue
            if name == _MEMORY:
                continue
            harmed = known.get(name)
            if harmed is None:
                harmed = known[name] = is_harmed(name)
            if harmed:
                live.harmed.append((event.start_ns(), name))
            if event.is_python_function():
                continue  # nothing to learn: frames have no scope and end where they began
            name_id = ids.get(name)
            if name_id is None:
                name_id = ids[name] = len(live.names)
                live.names.append(name)
            rows.append(
                (
                    event.start_ns(),
                    event.end_ns(),
                    event.start_thread_id(),
                    event.end_thread_id(),
                    name_id,
                    event.scope(),
                    event.is_async(),
                )
            )
        for (column, _), values in zip(ALL_COLUMNS, zip(*rows, strict=True), strict=False):
            columns[column].extend(values)
