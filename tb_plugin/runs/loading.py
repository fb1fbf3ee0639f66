"""Loads profiles behind the requests: a bounded number at a time, each with a state, open Traces kept while they fit.

found --ask--> queued --> loading 0.43 "reading" --> ready, or failed "why, in one sentence" until the file changes
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from tb_plugin.base.errors import FormatError, TbPluginError
from tb_plugin.runs.catalogue import ProfileFile, Span
from tb_plugin.runs.child import ConverterDiedError
from tb_plugin.trace import compact
from tb_plugin.trace.model import TABLES, Trace

State = Literal["found", "queued", "loading", "ready", "failed"]

MAX_LOADING = 2
MAX_OPEN_BYTES = 2 << 30
KEPT_BYTES_PER_EVENT = 40
"""What all views and the timeline keep of a trace (`trace.kept`), measured on real traces: 32 to 37 bytes an event."""

RETRY_AFTER_S = 20.0
"""When the converter was killed, which says nothing about the file, asking again later tries again."""


@dataclass(frozen=True, kw_only=True)
class Loading:
    """How far a span is. `progress` is 0 to 1; `trace` is there when it is ready."""

    state: State = "found"
    progress: float = 0.0
    stage: str = ""
    error: str | None = None
    rank: int | None = None
    trace: Trace | None = None


@dataclass
class _Entry:
    files: tuple[ProfileFile, ...]
    now: Loading
    retry_at: float = float("inf")
    n_bytes: int = 0


Open = Callable[[tuple[ProfileFile, ...], Callable[[float, str], None]], Trace]


class Loader:
    """`open_files` does the work, in a thread of its own per profile; at most `max_loading` run at a time."""

    def __init__(self, open_files: Open, *, max_loading: int = MAX_LOADING, max_open_bytes: int = MAX_OPEN_BYTES) -> None:
        self._open_files = open_files
        self._max_loading = max_loading
        self._max_open_bytes = max_open_bytes
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()  # used longest ago first
        self._queue: deque[str] = deque()
        self._threads: set[threading.Thread] = set()
        self._closed = False

    def look(self, span: Span) -> Loading:
        """The state, without starting anything."""
        with self._lock:
            entry = self._entries.get(span.key)
            return entry.now if entry is not None and entry.files == span.files else Loading()

    def ask(self, span: Span) -> Loading:
        """The state; starts loading when this span, with its files as they are now, was never asked for."""
        with self._lock:
            entry = self._entries.get(span.key)
            if entry is None or entry.files != span.files or time.monotonic() >= entry.retry_at:
                entry = self._entries[span.key] = _Entry(span.files, Loading(state="queued"))
                if span.key not in self._queue:
                    self._queue.append(span.key)
                self._start_next()
            self._entries.move_to_end(span.key)
            return entry.now

    def forget_others(self, spans: Iterable[Span]) -> None:
        """Drops what was loaded from files that are gone."""
        with self._lock:
            for key in self._entries.keys() - {span.key for span in spans}:
                del self._entries[key]

    def close(self) -> None:
        """Starts nothing more and waits for what runs; whoever owns the converter ends its children first."""
        with self._lock:
            self._closed = True
            self._queue.clear()
            threads = list(self._threads)
        for thread in threads:
            thread.join()

    def _start_next(self) -> None:
        while self._queue and len(self._threads) < self._max_loading and not self._closed:
            key = self._queue.pop()  # what was asked for last is what somebody looks at now
            entry = self._entries.get(key)
            if entry is None or entry.now.state != "queued":
                continue
            entry.now = Loading(state="loading", stage="opening")
            thread = threading.Thread(target=self._load, args=(entry,), name="tb-plugin-load", daemon=True)
            self._threads.add(thread)
            thread.start()

    def _load(self, entry: _Entry) -> None:
        def progress(fraction: float, stage: str) -> None:
            entry.now = replace(entry.now, progress=fraction, stage=stage)

        done = Loading(state="failed", error="reading stopped at an error of the plugin; the server's log says more")
        retry_at = float("inf")
        try:
            trace = self._open_files(entry.files, progress)
            done = Loading(state="ready", progress=1.0, rank=trace.info.rank, trace=trace)
            entry.n_bytes = n_bytes(trace)
        except ConverterDiedError as error:
            done = Loading(state="failed", error=str(error))
            retry_at = time.monotonic() + RETRY_AFTER_S
        except FormatError as error:
            done = Loading(state="failed", error=error.reason)
        except (TbPluginError, OSError, MemoryError) as error:
            done = Loading(state="failed", error=f"{type(error).__name__}: {error}")
        finally:  # also after an error that nobody expected: no state may stay "loading" for ever
            with self._lock:
                entry.now = done
                entry.retry_at = retry_at
                self._threads.discard(threading.current_thread())
                self._close_oldest()
                self._start_next()

    def _close_oldest(self) -> None:
        """Closes Traces used longest ago until the rest fits; the one used last always stays."""
        total = sum(entry.n_bytes for entry in self._entries.values())
        for key in list(self._entries)[:-1]:
            if total <= self._max_open_bytes:
                return
            entry = self._entries[key]
            if entry.now.state == "ready":
                total -= entry.n_bytes
                del self._entries[key]


def n_bytes(trace: Trace) -> int:
    """Memory of an open Trace: its columns, its strings, its undecoded arguments, and what views will keep of it."""
    columns = sum(compact.n_bytes(column) for table in TABLES for column in trace.table(table).columns().values())
    return columns + KEPT_BYTES_PER_EVENT * len(trace.events) + sum(len(text) + 60 for text in trace.strings) + trace.args.n_bytes
