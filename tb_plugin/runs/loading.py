"""Works behind the requests: a bounded number of things at a time, each with a state, what was made kept while it fits.

found --ask--> queued --> loading 0.43 "reading" --> ready, or failed "why, in one sentence" until the file changes
                       --cancel--> failed, until somebody asks again
"""

from __future__ import annotations

import gc
import threading
import time
from collections import OrderedDict, deque
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from tb_plugin.base.errors import FormatError, TbPluginError
from tb_plugin.base.progress import Countdown
from tb_plugin.runs.child import ConverterDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from tb_plugin.base.progress import OnProgress

State = Literal["found", "queued", "loading", "ready", "failed"]

MAX_LOADING = 2
MAX_OPEN_BYTES = 2 << 30
RETRY_AFTER_S = 20.0
"""When the converter was killed, which says nothing about the file, asking again later tries again."""


CANCELLED = "opening it was cancelled; nothing is wrong with the file"
READ_AGAIN = "open it and try again to have it read"
"""What is said of it where it cannot be begun again: elsewhere a button says so."""

W = TypeVar("W")
"""What is to be loaded, as a value: another one is loaded anew."""
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Loading(Generic[T]):
    """How far it is. `progress` is 0 to 1, as was last said; `value` is there when it is ready."""

    state: State = "found"
    progress: float = 0.0
    stage: str = ""
    error: str | None = None
    value: T | None = None
    is_cancelled: bool = False
    countdown: Countdown = field(default_factory=Countdown, compare=False)

    @property
    def reached(self) -> float:
        """The progress by now, as if it went on since then at the pace it had so far: for who waits and looks each second."""
        return self.countdown.reached() if self.state == "loading" else self.progress

    @property
    def seconds_left(self) -> float | None:
        """At that pace; None before it can be told."""
        return self.countdown.seconds_left(self.reached) if self.state == "loading" else None


@dataclass
class _Entry(Generic[W, T]):
    what: W
    now: Loading[T]
    retry_at: float = float("inf")
    n_bytes: int = 0
    is_cancelled: bool = False


def alone(load: Callable[[W, OnProgress], T]) -> Callable[[], AbstractContextManager[Callable[[W, OnProgress], T]]]:
    """Of work that needs nothing which stays from one thing to the next."""
    return lambda: nullcontext(load)


class CancelledError(TbPluginError):
    """Somebody ended the opening of a profile."""


class Loader(Generic[W, T]):
    """At most `max_loading` threads work, each on one key after the other. What `working` gives does the work, and is given up
    when there is none left.

    `size_of` says how many bytes a value takes: those used longest ago go first when all are more than `max_open_bytes`.
    """

    def __init__(
        self,
        working: Callable[[], AbstractContextManager[Callable[[W, OnProgress], T]]],
        *,
        size_of: Callable[[T], int],
        max_loading: int = MAX_LOADING,
        max_open_bytes: int = MAX_OPEN_BYTES,
    ) -> None:
        self._working = working
        self._size_of = size_of
        self._max_loading = max_loading
        self._max_open_bytes = max_open_bytes
        self._lock = threading.Lock()
        self._has_ended = threading.Condition(self._lock)
        self._n_ended = 0
        self._entries: OrderedDict[str, _Entry[W, T]] = OrderedDict()  # used longest ago first
        self._queue: deque[str] = deque()
        self._threads: set[threading.Thread] = set()
        self._closed = False

    def look(self, key: str, what: W) -> Loading[T]:
        """The state, without starting anything; what is to be tried again when it is asked for is as if nobody had asked yet."""
        with self._lock:
            entry = self._entries.get(key)
            return Loading() if entry is None or entry.what != what or time.monotonic() >= entry.retry_at else entry.now

    def is_settled(self, key: str, what: W) -> bool:
        """Whether it has ended, well or not, for as long as nobody asks for it `again`."""
        with self._lock:
            entry = self._entries.get(key)
            has_ended = entry is not None and entry.what == what and entry.now.state in ("ready", "failed")
            return has_ended and entry is not None and entry.retry_at == float("inf") and not entry.now.is_cancelled

    def ask(self, key: str, what: W, *, again: bool = False) -> Loading[T]:
        """The state; starts loading when this, as it is now, was never asked for, or has failed and is to be tried `again`."""
        with self._lock:
            entry = self._entries.get(key)
            has_failed = entry is not None and entry.now.state == "failed"
            if entry is None or entry.what != what or time.monotonic() >= entry.retry_at or (again and has_failed):
                entry = self._entries[key] = _Entry(what, Loading(state="queued"))
                if key not in self._queue:
                    self._queue.append(key)
                self._start_next()
            self._entries.move_to_end(key)
            return entry.now

    def cancel(self, key: str) -> bool:
        """Ends its loading at the next word about its progress; False when it is not being loaded."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.now.state not in ("queued", "loading"):
                return False
            entry.is_cancelled = True
            if entry.now.state == "queued":
                entry.now = Loading(state="failed", error=CANCELLED, is_cancelled=True)
            return True

    @property
    def n_ended(self) -> int:
        """How many have ended, well or not: for `wait`."""
        return self._n_ended

    def wait(self, n_ended: int, timeout_s: float) -> None:
        """Until more than these have ended."""
        with self._has_ended:
            self._has_ended.wait_for(lambda: self._n_ended > n_ended or self._closed, timeout_s)

    @property
    def is_busy(self) -> bool:
        """Whether anything is being loaded."""
        return bool(self._threads)

    def forget_others(self, keys: Iterable[str]) -> None:
        """Drops what was loaded from files that are gone."""
        with self._lock:
            for key in self._entries.keys() - set(keys):
                del self._entries[key]

    def close(self) -> None:
        """Starts nothing more and waits for what runs; whoever owns the converter ends its children first."""
        with self._lock:
            self._closed = True
            self._has_ended.notify_all()
            self._queue.clear()
            threads = list(self._threads)
        for thread in threads:
            thread.join()

    def _start_next(self) -> None:
        while len(self._threads) < self._max_loading and (entry := self._take()) is not None:
            thread = threading.Thread(target=self._work, args=(entry,), name="tb-plugin-load", daemon=True)
            self._threads.add(thread)
            thread.start()

    def _take(self) -> _Entry[W, T] | None:
        while self._queue and not self._closed:
            key = self._queue.pop()  # what was asked for last is what somebody looks at now
            entry = self._entries.get(key)
            if entry is not None and entry.now.state == "queued":
                entry.now = Loading(state="loading", stage="opening")
                return entry
        return None

    def _work(self, entry: _Entry[W, T] | None) -> None:
        try:
            with self._working() as load:
                while entry is not None:
                    self._load(entry, load)
                    with self._lock:
                        entry = self._take()
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())
                self._start_next()

    def _load(self, entry: _Entry[W, T], load: Callable[[W, OnProgress], T]) -> None:
        def progress(fraction: float, stage: str) -> None:
            if entry.is_cancelled:
                raise CancelledError(CANCELLED)
            entry.now.countdown.hear(fraction)
            entry.now = replace(entry.now, progress=fraction, stage=stage)

        done: Loading[T] = Loading(state="failed", error="reading stopped at an error of the plugin; the server's log says more")
        retry_at = float("inf")
        try:
            value = load(entry.what, progress)
            done = Loading(state="ready", progress=1.0, value=value)
            entry.n_bytes = self._size_of(value)
        except CancelledError:  # elsewhere: there it is begun again, and here when it is asked for then
            done = Loading(state="failed", error=CANCELLED, is_cancelled=True)
            retry_at = time.monotonic()
        except ConverterDiedError as error:
            done = Loading(state="failed", error=str(error))
            retry_at = time.monotonic() + RETRY_AFTER_S
        except FormatError as error:
            done = Loading(state="failed", error=error.reason)
        except (TbPluginError, OSError, MemoryError) as error:
            done = Loading(state="failed", error=f"{type(error).__name__}: {error}")
        finally:  # also after an error that nobody expected: no state may stay "loading" for ever
            if entry.is_cancelled and done.value is None:  # what its child died of
                done, retry_at = Loading(state="failed", error=CANCELLED, is_cancelled=True), float("inf")
            with self._lock:
                entry.now = done
                entry.retry_at = retry_at
                self._n_ended += 1
                self._has_ended.notify_all()
                n_closed = self._close_oldest()
            if n_closed:
                gc.collect()  # what was worked out of a trace lies in it, and may lead back to it

    def _close_oldest(self) -> int:
        """Drops what was used longest ago until the rest fits; the one used last always stays. How many were."""
        total, n_closed = sum(entry.n_bytes for entry in self._entries.values()), 0
        for key in list(self._entries)[:-1]:
            if total <= self._max_open_bytes:
                break
            entry = self._entries[key]
            if entry.now.state == "ready":
                total -= entry.n_bytes
                n_closed += 1
                del self._entries[key]
        return n_closed
