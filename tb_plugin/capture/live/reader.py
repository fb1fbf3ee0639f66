"""Reads from the live profile what its JSON does not hold, in slices short enough for the training loop not to notice.

`kineto_results` is a C++ object: every value costs a call under the interpreter's lock, 0.3 to 0.5 us. Making the list of
events is one call of 1.1 us an event that cannot be cut; the rest is cut into slices of four milliseconds. Here the list
is read; `tree_reader` reads the tree.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

from tb_plugin.capture.live.columns import LiveColumns
from tb_plugin.capture.pace import SLICE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.capture.pace import Pace

_MEMORY: Final = "[memory]"
_FRAME: Final = re.compile(r"[^(]*\(\d+\): |<built-in |nn\.Module: ")
"""Names of Python's frames, by which torch before 2.13 tells them. Samples: `train.py(12): step`, `<built-in method apply>`."""
_FIRST_SLICE: Final = 64


class KinetoResults(Protocol):
    """What `prof.profiler.kineto_results` is asked for."""

    def events(self) -> list[Any]: ...

    def experimental_event_tree(self) -> list[Any]: ...


def is_harmed(name: str) -> bool:
    """Whether the stock JSON writer (2.13) writes something else than this name, or breaks the file with it."""
    return not (name.isascii() and name.isprintable()) or '"' in name or "\\" in name or name == "kernel"


def read(kineto_results: KinetoResults, pace: Pace) -> LiveColumns:
    """Every event, slice by slice. The list is taken apart from its end, so that its objects are freed in slices too."""
    with pace.slice():
        events = kineto_results.events()
    live = LiveColumns()
    reader = _SliceReader(live)

    def read_some(size: int) -> None:
        reader.read(events[-size:])
        del events[-size:]

    in_slices(read_some, lambda: bool(events), pace)
    return live


def in_slices(read_some: Callable[[int], None], has_more: Callable[[], bool], pace: Pace, first: int = _FIRST_SLICE) -> None:
    """Calls `read_some(n)` while there is more, with as many at a time as take four milliseconds."""
    size = first
    while has_more():
        with pace.slice():
            start = time.thread_time()
            read_some(size)
            spent = time.thread_time() - start
        size = max(min(16, first), min(4096, int(size * min(2.0, SLICE_S / max(spent, 1e-6)))))


class _SliceReader:
    def __init__(self, live: LiveColumns) -> None:
        self._live = live
        self._harmed: dict[str, bool] = {}
        self._frames: dict[str, bool] = {}

    def read(self, events: list[Any]) -> None:
        live, known, text_id = self._live, self._harmed, self._live.text_id
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
            if self._is_frame(event, name):
                continue  # nothing to learn: frames have no scope and end where they began
            rows.append(
                (
                    event.start_ns(),
                    event.end_ns(),
                    event.start_thread_id(),
                    event.end_thread_id(),
                    text_id(name),
                    event.scope(),
                    event.is_async(),
                )
            )
        live.add("events", rows)

    def _is_frame(self, event: Any, name: str) -> bool:
        asked = getattr(event, "is_python_function", None)
        if asked is not None:
            return bool(asked())
        known = self._frames.get(name)
        if known is None:
            known = self._frames[name] = _FRAME.match(name) is not None
        return known
