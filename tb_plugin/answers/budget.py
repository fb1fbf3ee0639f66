"""One budget for every request: 10 s of a processor, 256 MB, and somebody who waits for the answer.

    a request --tag, work--> is it being worked out already? -> wait for that
                             is there room (3 at a time)?    -> a thread works it out
                             meanwhile the request looks: over the budget? has the client gone?
    over the budget, cancelled, or nobody waits any more -> the thread raises `_Stopped` at its next line of Python
    who else wants to know -> what the thread said last that it is at (`progress.now`)

What a thread does in one line is bounded by the profile: NumPy over its rows, RE2 over one name. So a stop comes within parts of
a second, and no place in the views has to ask whether it should go on. What several wait for goes on while one of them does; what
is kept of a trace (`trace/kept.py`) stays, and the next request goes on from there.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic, TypedDict, TypeVar

import msgspec

from tb_plugin.base import progress
from tb_plugin.base.errors import OverBudgetError
from tb_plugin.base.own_memory import give_back, own_bytes, use_one_heap

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

MAX_CPU_S: Final = 10.0
MAX_BYTES: Final = 256 << 20
"""Where the system tells it; elsewhere memory is bounded by what replies and ranges may hold."""
MAX_AT_ONCE: Final = 3
"""More would not be done sooner, since one interpreter runs one at a time, and small questions would wait for each."""

_PATIENCE_S: Final = 60.0  # in the queue; and with the answer, where a thread's processor time is not known
_LOOK_S: Final = 0.05
_LOOK_AT_MOST_S: Final = 0.4  # many wait for one answer: each looks less often with time
_LINES_TO_COME: Final = 100  # a stop comes at the next turn of a loop: many times what one needs
_CANCELLED: Final = "working it out was cancelled; nothing is wrong with the file"
_TOO_BUSY: Final = "the server has more to do than it can; ask again later"
_SPARE_BYTES: Final = 8 << 20
"""More than was there when memory was last given back: worth it. A window of the timeline leaves less."""


_BYTES_PER_EVENT: Final = 200
"""Of columns made on the way, and kept: what a view takes of memory grows with the profile and not with what is asked."""
_OPENS_WITH_S_PER_EVENT: Final = 3e-6
"""Of a processor, for what a view asks first, which nobody chose: the dearest, the overview, takes 1.0 to 1.4 µs an event."""


class More(TypedDict):
    """What `Budget.spend` allows beside what it allows each."""

    more_bytes: int
    more_cpu_s: float


def more_for(n_events: int, *, opens: bool) -> More:
    """An answer about so many events; `opens`: what a view asks first."""
    return More(more_bytes=_BYTES_PER_EVENT * n_events, more_cpu_s=_OPENS_WITH_S_PER_EVENT * n_events if opens else 0.0)


class _Stopped(BaseException):
    """Raised in a thread from outside. No `except Exception` holds it up."""


class Working(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is being worked out: what it is at, and how many parts were begun; 0 before the first one says so."""

    question: str
    part: str
    n_parts: int
    seconds: float  # until now


class _Job(Generic[T]):
    """Ends once, with a value or an error, under the lock of the budget."""

    def __init__(self, work: Callable[[], T], about: tuple[str, str], allowed_bytes: int, allowed_cpu_s: float) -> None:
        self.work = work
        self.about = about  # profile and question
        self.at = "", 0  # the part, and which it is
        self.allowed_bytes = allowed_bytes
        self.allowed_cpu_s = allowed_cpu_s
        self.n_waiting = 0
        self.thread: threading.Thread | None = None
        self.is_running = False  # its thread stands where a stop is caught
        self.is_stopped = False
        self.clock: int | None = None  # of the thread's processor time, once it runs
        self.began_s = time.monotonic()  # to wait; then to work
        self.began_bytes = 0
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None

    def hear(self, part: str) -> None:
        self.at = part, self.at[1] + 1


class Budget:
    """Safe to use from any thread. Starts a thread for each piece of work, and keeps none.

    `is_opening` says that memory grows for another reason now.
    """

    def __init__(
        self,
        *,
        max_cpu_s: float = MAX_CPU_S,
        max_bytes: int = MAX_BYTES,
        max_at_once: int = MAX_AT_ONCE,
        is_opening: Callable[[], bool] = lambda: False,
    ) -> None:
        self._max_cpu_s = max_cpu_s
        self._max_bytes = max_bytes
        self._max_at_once = max_at_once
        self._is_opening = is_opening
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job[Any]] = {}
        self._queue: deque[_Job[Any]] = deque()
        self._threads: set[threading.Thread] = set()
        use_one_heap()
        self._settled_bytes = 0  # of memory, once what was left over was given back

    def spend(
        self,
        tag: str,
        work: Callable[[], T],
        *,
        about: tuple[str, str] = ("", ""),
        is_gone: Callable[[], bool] = lambda: False,
        more_bytes: int = 0,
        more_cpu_s: float = 0.0,
    ) -> T:
        """What `work` gives, worked out once for all who ask by the same tag meanwhile.

        `about`: profile and question, for `working`. `is_gone`: the client has stopped waiting. `more_bytes` may be taken
        besides, by what is kept for later requests, and `more_cpu_s` of time, by what grows with the profile and not with
        what is asked.
        OverBudgetError says what there was too much of; other errors are those of the work.
        """
        job: _Job[T] = self._join(tag, work, about, self._max_bytes + more_bytes, self._max_cpu_s + more_cpu_s)
        look_s = _LOOK_S
        try:
            while not job.done.wait(look_s):
                look_s = min(1.3 * look_s, _LOOK_AT_MOST_S)
                if is_gone():
                    raise OverBudgetError("nobody waits for the answer any more")
                too_much = self._too_much(job)
                if too_much is not None:
                    self._stop(job, too_much)
        finally:
            with self._lock:
                job.n_waiting -= 1
                is_last = job.n_waiting == 0
            if is_last:
                self._stop(job, "nobody waits for the answer any more")
        if job.error is not None:
            raise job.error
        return job.value  # type: ignore[return-value]  # it ended without an error

    def working(self, profile: str) -> list[Working]:
        """What is being worked out about it, begun first first."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.about[0] == profile and not job.done.is_set()]
        now_s = time.monotonic()
        return [
            Working(question=job.about[1], part=job.at[0], n_parts=job.at[1], seconds=now_s - job.began_s)
            for job in sorted(jobs, key=lambda job: job.began_s)
        ]

    def cancel(self, profile: str) -> bool:
        """Ends what is being worked out about it, for all who wait; False where nothing is."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.about[0] == profile]
        stopped = [self._stop(job, _CANCELLED) for job in jobs]
        return any(stopped)

    def close(self) -> None:
        """Stops what runs, and waits for it."""
        with self._lock:
            jobs, threads = list(self._jobs.values()), list(self._threads)
        for job in jobs:
            self._stop(job, "the server is stopping")
        for thread in threads:
            thread.join()

    def _join(self, tag: str, work: Callable[[], T], about: tuple[str, str], allowed_bytes: int, allowed_cpu_s: float) -> _Job[T]:
        with self._lock:
            job = self._jobs.get(tag)
            if job is None or job.done.is_set():
                job = self._jobs[tag] = _Job(work, about, allowed_bytes, allowed_cpu_s)
                self._queue.append(job)
                self._start_next()
            job.n_waiting += 1
            return job

    def _start_next(self) -> None:
        while self._queue and len(self._threads) < self._max_at_once:
            job = self._queue.popleft()
            job.began_s, job.began_bytes = time.monotonic(), own_bytes()
            job.thread = threading.Thread(target=self._run, args=(job,), name="tb-plugin-answer", daemon=True)
            self._threads.add(job.thread)
            try:
                job.thread.start()
            except RuntimeError:  # the system gives no more threads
                self._threads.discard(job.thread)
                self._set_done(job, None, OverBudgetError(_TOO_BUSY))

    def _run(self, job: _Job[Any]) -> None:
        with suppress(_Stopped):  # it may come in any line of this block, once, and in none after it
            with self._lock:
                job.is_running = not job.is_stopped
            if job.is_running:
                self._work(job)
        self._settle()  # the answer is on its way: nobody waits for this
        with self._lock:
            self._threads.discard(threading.current_thread())
            self._start_next()

    def _settle(self) -> None:
        """Gives memory back that the work has left over."""
        now = own_bytes()
        with self._lock:
            is_alone = len(self._threads) == 1
        if now > self._settled_bytes + _SPARE_BYTES:
            give_back()
            if is_alone:  # what others still work with is not settled: they would not give it back
                self._settled_bytes = own_bytes()
        else:
            self._settled_bytes = min(self._settled_bytes, now)

    def _work(self, job: _Job[Any]) -> None:
        try:
            job.clock = _own_clock()
            progress.listen(job.hear)
            self._end(job, job.work(), None)
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            self._end(job, None, error)
        with self._lock:
            is_stopped = job.is_stopped
        for _ in range(_LINES_TO_COME * is_stopped):
            pass

    def _stop(self, job: _Job[Any], too_much: str) -> bool:
        """False where it has ended."""
        with self._lock:
            if job.done.is_set():
                return False
            self._set_done(job, None, OverBudgetError(too_much))
            job.is_stopped = True
            if job.thread is None:
                self._queue.remove(job)
            elif job.is_running:
                # Never taken back (with NULL): CPython 3.11 would look for it at every call for ever, and not get past
                # the first one under a profile function, as torch's is.
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(job.thread.ident or 0), ctypes.py_object(_Stopped))
            return True

    def _end(self, job: _Job[Any], value: object, error: BaseException | None) -> None:
        with self._lock:
            if not job.done.is_set():
                self._set_done(job, value, error)

    def _set_done(self, job: _Job[Any], value: object, error: BaseException | None) -> None:
        job.value, job.error = value, error
        job.done.set()
        self._jobs = {tag: other for tag, other in self._jobs.items() if other is not job}

    def _too_much(self, job: _Job[Any]) -> str | None:
        """What a job takes too much of, in a sentence for who asked."""
        waited_s = time.monotonic() - job.began_s
        if job.thread is None:
            return _TOO_BUSY if waited_s > _PATIENCE_S else None
        cpu_s = _cpu_s(job.clock)
        if cpu_s > job.allowed_cpu_s if cpu_s is not None else waited_s > _PATIENCE_S:
            return f"this takes more than {job.allowed_cpu_s:g} s of computing; ask for less, with a filter for example"
        if self._is_opening():
            job.began_bytes = own_bytes()
        elif own_bytes() - job.began_bytes > job.allowed_bytes * len(self._threads):
            return f"this takes more than {job.allowed_bytes >> 20} MB of memory; ask for less, with a filter for example"
        return None


def _own_clock() -> int | None:
    clock = getattr(time, "pthread_getcpuclockid", None)  # not on Windows and macOS
    return None if clock is None else int(clock(threading.get_ident()))


def _cpu_s(clock: int | None) -> float | None:
    """Of a thread; 0 of one that has just begun or ended."""
    if clock is None:
        return None if not hasattr(time, "pthread_getcpuclockid") else 0.0
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0
