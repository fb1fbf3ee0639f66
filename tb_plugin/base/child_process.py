"""Modules of this package as processes of their own: how they are started, and what their end means."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.base.errors import TbPluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INTERRUPTED = 130
_BYTES, _BYTES_PER_BYTE, _BYTES_PER_EVENT = 5 << 29, 200, 4096
_CPU_S, _CPU_S_PER_MB, _CPU_GRACE_S = 15.0, 5.0, 3
_ANSWER_CPU_S, _EVENTS_PER_CPU_S = 60, 10_000


class TooMuchError(TbPluginError):
    """What takes more than is reasonable."""


class Most(NamedTuple):
    """What a piece of work may take, beyond what the process has; `what` names it in a sentence."""

    n_bytes: int
    cpu_s: int
    what: str


def most_for_reading(source: Path) -> Most:
    """2.5 GiB and 200 times the file: real profiles take up to 60 times theirs, packed 30 to 1. 15 s of processor time and 5 s a
    megabyte: the slowest take 1 s a megabyte. OSError when there is no file.
    """
    n_bytes = source.stat().st_size
    return Most(_BYTES + _BYTES_PER_BYTE * n_bytes, int(_CPU_S + _CPU_S_PER_MB * n_bytes / 1e6), f"{source}: reading it")


def most_for_asking(source: Path) -> Most:
    """Reading it, and a few answers."""
    most = most_for_reading(source)
    return most._replace(cpu_s=most.cpu_s + _ANSWER_CPU_S)


def most_for_answer(n_events: int) -> Most:
    """About twenty times what the slowest question takes: 3 s for 100 000 events, and 200 bytes an event."""
    return Most(_BYTES + _BYTES_PER_EVENT * n_events, _ANSWER_CPU_S + n_events // _EVENTS_PER_CPU_S, "this answer")


_GUARD = """
number=$(head -c 1 | od -An -tu1)
[ "$number" -eq "$1" ] 2>/dev/null || exit
sleep "$2"
echo "$3" >&2
kill -KILL "$4"
"""

# The child sees exactly the modules that we see, and nothing else: `python -m` alone would put the current directory
# first, where a training job's own `profile.py` or `queue.py` shadows the standard library.
_START = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv[1])
module, sys.argv[1:] = sys.argv[2], sys.argv[3:]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def command(module: str, *arguments: str) -> list[str]:
    """What runs this module as `__main__`."""
    # An entry may be relative to a directory that we have left since; the package itself is found in any case.
    path = [*sys.path, str(Path(__file__).parents[2])]
    return [sys.executable, "-I", "-c", _START, json.dumps(path), module, *arguments]


def environment() -> dict[str, str]:
    """Ours, for a child that uses one thread: more would only take memory, and processors of those that train."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def killed_by(code: int) -> str | None:
    """`SIGKILL, often because memory ran out`; None when the child ended by itself."""
    if code < 0:
        with suppress(ValueError):
            name = signal.Signals(-code).name
            return f"{name}, often because memory ran out" if name == "SIGKILL" else name
    return None


def limit(source: Path) -> None:
    """Ends this process, with a reason in words, when it takes more than is reasonable for a file of this size.

    On systems without such limits nothing is limited.
    """
    with suppress(ImportError, OSError):
        _lower(most_for_reading(source), is_for_ever=True)


@contextmanager
def limited(most: Most) -> Iterator[None]:
    """The same for a while, in a process that does more: MemoryError or TooMuchError, and then it goes on. In the main thread.

    One call of a library that does not come back to Python is ended with the process, and a line on stderr.
    """
    try:
        import resource
    except ImportError:  # Windows
        yield
        return
    kinds = (resource.RLIMIT_DATA, resource.RLIMIT_CPU)
    before = [resource.getrlimit(kind) for kind in kinds]
    handler = signal.getsignal(signal.SIGXCPU)
    try:
        with _ended_if_stuck(f"{_too_slow(most)}, and does not come back: ended"):
            _lower(most, is_for_ever=False)
            yield
    finally:
        for kind, limits in zip(kinds, before, strict=True):
            resource.setrlimit(kind, limits)
        signal.signal(signal.SIGXCPU, handler)


@contextmanager
def _ended_if_stuck(line: str) -> Iterator[None]:
    """A signal's number is written by C as soon as it comes, its handler runs when Python does: who reads it waits, and kills.

    No limit of the system does that and can be raised again; a thread of ours may wait for the interpreter for ever.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    words = (str(int(signal.SIGXCPU)), str(_CPU_GRACE_S), f"tb-plugin: {line}", str(os.getpid()))
    guard = None
    with suppress(OSError):  # no shell, no room for a process: then not
        guard = subprocess.Popen(["/bin/sh", "-c", _GUARD, "sh", *words], stdin=reading, start_new_session=True)
    os.close(reading)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        if guard is not None:
            guard.kill()
            guard.wait()
        os.close(writing)


def _too_slow(most: Most) -> str:
    return f"{most.what} takes more than {most.cpu_s} s of processor time, too much for its size"


def _lower(most: Most, *, is_for_ever: bool) -> None:
    """The limits of memory and processor time, for ever or so that they can be raised again."""
    import resource

    with suppress(ValueError):  # a limit below it stands already
        memory = _data_bytes() + most.n_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory if is_for_ever else resource.getrlimit(resource.RLIMIT_DATA)[1]))

    def too_slow(_signal: int, _frame: object) -> None:
        raise TooMuchError(_too_slow(most))

    with suppress(ValueError):
        signal.signal(signal.SIGXCPU, too_slow)
        until_s = int(time.process_time()) + most.cpu_s
        # Where a library does not come back to Python the second limit ends a process that does nothing else.
        last_s = until_s + _CPU_GRACE_S if is_for_ever else resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (until_s, last_s))


def _data_bytes() -> int:
    """What counts of this process under the limit of memory already; 0 where that is not told."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except OSError:  # not on Linux
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


TOLD = "told"
"""What a line begins with that is no progress."""
DONE = "done"
"""The line of a child that has done what it was asked, and waits for more."""


class ProgressLines:
    """Prints `0.43 reading` when it moved by a hundredth or the stage changed. A parent that went away stops nothing."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, fraction: float, stage: str) -> None:
        line = f"{fraction:.2f} {stage}"
        if line == self._last:
            return
        self._last = line
        _say(line)

    def tell(self, what: str) -> None:
        """Prints `told ` and what is known meanwhile, in one line of JSON."""
        _say(f"{TOLD} {what}")


def report(work: Callable[[ProgressLines], None], about: str) -> int:
    """Does a child's work: progress on stdout, one line on stderr when it fails. The exit code: 0, 1 or 130 (interrupted)."""
    try:
        work(ProgressLines())
    except TbPluginError as error:
        return _fail(str(error))
    except MemoryError:
        return _fail(f"{about}: reading it takes more memory than there is, or than is reasonable for a file of its size")
    except OSError as error:
        return _fail(f"{error.filename or about}: {error.strerror or error}")
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def report_each(work: Callable[[list[str], ProgressLines], None]) -> int:
    """The same for a child that stays: of each line of stdin, arguments as JSON. The first that fails ends it, so that none
    works with what a failure has left behind.
    """
    for line in sys.stdin:
        arguments = json.loads(line)
        code = report(lambda lines, given=arguments: work(given, lines), arguments[0])  # type: ignore[misc]
        if code != 0:
            return code
        gc.collect()  # else what was read last lies beside what is read next
        gc.freeze()  # what is left stays, and need not be looked at again
        _say(DONE)
    return 0


def exit_with(main: Callable[[], int]) -> None:
    """Runs a child's `main` and ends the process, at once: freeing the objects of a large profile one by one takes longer
    than opening it, and who waits for the child waits for that.
    """
    gc.disable()  # one short job whose objects die with it: collecting them takes longer than the work
    signal.signal(signal.SIGTERM, _terminate)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):
            stream.flush()
    os._exit(code)


def _say(line: str) -> None:
    with suppress(BrokenPipeError):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _fail(reason: str) -> int:
    with suppress(BrokenPipeError):
        sys.stderr.write(" ".join(reason.split()) + "\n")
    return 1


def _terminate(_signal: int, _frame: object) -> None:
    """A parent's terminate() cleans up like Ctrl-C does."""
    raise KeyboardInterrupt
