"""What the trace handler says when something is lost: once per reason, never by stopping the training."""

from __future__ import annotations

import sys
import threading
import warnings

from tb_plugin.base.errors import TbPluginError


class TraceHandlerWarning(UserWarning):
    """A profile, or a part of one, was lost. The text says which and why; training goes on."""


class TraceHandlerError(TbPluginError):
    """The same, for `on_error="raise"`: raised in the training loop by the next call or by `flush()`."""


class Reporter:
    """Says each kind of problem once and counts the rest, from whichever thread finds it."""

    def __init__(self, *, raises: bool) -> None:
        self._raises = raises
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}
        self._noted: set[str] = set()
        self._pending: list[TraceHandlerError] = []

    def lost(self, kind: str, text: str, cause: BaseException | None = None) -> None:
        """Something of `kind` happened; `text` is a sentence that names what was lost and why."""
        with self._lock:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            first = self._counts[kind] == 1
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
            repeated = sum(count - 1 for count in self._counts.values())
            self._counts.clear()
        if repeated and not self._raises:
            _warn(f"{repeated} more profiles were lost, in whole or in part, for reasons that were warned about before")


def _warn(text: str) -> None:
    try:
        warnings.warn(text, TraceHandlerWarning, stacklevel=3)
    except TraceHandlerWarning:
        # `python -W error` makes it an exception, which in our thread would reach nobody.
        if sys.stderr is not None:  # closed by the job
            sys.stderr.write(f"TraceHandlerWarning: {text}\n")
