"""What the trace handler says when something is lost: once per reason, never by stopping the training."""

from __future__ import annotations

import sys
import threading
import warnings
from typing import Final

from tb_plugin.base.errors import TbPluginError

WAITS: Final = "waits to be finished (`tb-plugin recover`)"
_FATES: Final = {
    True: (f"profile {WAITS}", "profiles wait to be finished (`tb-plugin recover`)"),
    False: ("profile was lost, in whole or in part", "profiles were lost, in whole or in part"),
}


class TraceHandlerWarning(UserWarning):
    """A profile, or a part of one, was lost, or waits for room. The text says which and why; training goes on."""


class TraceHandlerError(TbPluginError):
    """The same, for `on_error="raise"`: raised in the training loop by the next call or by `flush()`."""


class Reporter:
    """Says each kind of problem once and counts the rest, from whichever thread finds it: what is lost, and what only waits."""

    def __init__(self, *, raises: bool) -> None:
        self._raises = raises
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, bool], int] = {}  # by kind and whether it waits
        self._noted: set[str] = set()
        self._pending: list[TraceHandlerError] = []

    def lost(self, kind: str, text: str, cause: BaseException | None = None, *, waits: bool = False) -> None:
        """Something of `kind` happened; `text` is a sentence that names what was lost, or `waits` to be finished, and why."""
        with self._lock:
            self._counts[kind, waits] = self._counts.get((kind, waits), 0) + 1
            first = self._counts[kind, waits] == 1
            if self._raises:
                error = TraceHandlerError(text)
                error.__cause__ = cause
                self._pending.append(error)
                return
        if first:
            _warn(text)

    def note(self, kind: str, text: str) -> None:
        """Something worth a warning that loses nothing; never raised."""
        with self._lock:
            first = kind not in self._noted
            self._noted.add(kind)
        if first:
            _warn(text)

    def raise_pending(self) -> None:
        with self._lock:
            pending, self._pending = self._pending, []
        if pending:
            raise pending[0]

    def sum_up(self) -> None:
        """At the end: how often what was said once happened again."""
        with self._lock:
            counts, self._counts = self._counts, {}
        for fate, (one, several) in _FATES.items():
            repeated = sum(count - 1 for (_, waits), count in counts.items() if waits == fate)
            if repeated and not self._raises:
                _warn(f"{repeated} more {one if repeated == 1 else several}, for reasons that were warned about before")


def _warn(text: str) -> None:
    try:
        warnings.warn(text, TraceHandlerWarning, stacklevel=3)
    except TraceHandlerWarning:
        # `python -W error` makes it an exception, which in our thread would reach nobody.
        if sys.stderr is not None:  # closed by the job
            sys.stderr.write(f"TraceHandlerWarning: {text}\n")
