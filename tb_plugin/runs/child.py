"""Reads one profile in a child process, so that this one keeps its GIL and survives what kills the child."""

from __future__ import annotations

import atexit
import json
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, TypeAlias

from tb_plugin.base import child_process
from tb_plugin.base.errors import FormatError, TbPluginError
from tb_plugin.base.readable import readable
from tb_plugin.base.units import format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tb_plugin.base.progress import OnProgress

STALLED_AFTER_S = 600.0
"""A child that says nothing for so long hangs, on a dead mount for example."""


SMALL_BYTES: Final = 4 << 20
"""Of a profile: read in less time than two processes take to start."""

OnTold: TypeAlias = "Callable[[str], None]"
_Process: TypeAlias = "subprocess.Popen[str]"

_BASE_BYTES = 100 << 20
"""Of a child that has read nothing."""


def _forgotten(_told: str) -> None:
    """For who does not ask."""


class ConverterDiedError(TbPluginError):
    """The child ended without a word about the file: killed, hanging, or not even started. Trying again may help."""


class Children:
    """Runs children and knows which are alive, so that none outlives us."""

    def __init__(self, *, stalled_after_s: float = STALLED_AFTER_S) -> None:
        self._lock = threading.Lock()
        self._children: dict[_Process, Path | None] = {}  # with what they read; None for those that were told to end
        self._closed = False
        self._stalled_after_s = stalled_after_s

    def convert(self, source: Path, target: Path, on_progress: OnProgress, on_told: OnTold = _forgotten) -> None:
        """Writes `target`, the columns of `source`, or the stored profile where its name says so.

        FormatError with the child's own reason, or ConverterDiedError. `on_told` gets what it tells meanwhile, as JSON.
        """
        command = child_process.command("tb_plugin.formats.convert", str(source), str(target))
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            child = self._start(command, source, errors, subprocess.DEVNULL)
            try:
                self._hear(child, source, errors, on_progress, on_told)
            finally:
                self._forget(child)

    @contextmanager
    def staying(self, module: str) -> Iterator[Staying]:
        """Who has things done by this module, one after the other, mostly by the same child. None is started before the first."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
            staying = Staying(self, child_process.command(module), errors)
            try:
                yield staying
            finally:
                staying.end()

    def cancel(self, source: Path) -> None:
        """Ends those that read this file; they leave nothing half written."""
        with self._lock:
            for child, read in self._children.items():
                if read == source:
                    self._children[child] = None
                    child.terminate()

    def close(self) -> None:
        """Kills what still runs. Nothing is converted after this."""
        with self._lock:
            self._closed = True
            children = list(self._children)
        for child in children:
            child.kill()
        atexit.unregister(self.close)

    def _start(self, command: list[str], source: Path, errors: IO[str], stdin: int) -> _Process:
        with self._lock:
            if self._closed:
                raise ConverterDiedError("the server is stopping")
            if not self._children:
                atexit.register(self.close)
            errors.seek(0)
            errors.truncate()
            try:
                child = subprocess.Popen(
                    command,
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    encoding="utf-8",
                    errors="replace",
                    env=child_process.environment(),
                )
            except OSError as error:
                raise ConverterDiedError(f"the converter could not be started: {error}") from error
            self._children[child] = source
        _prefer_for_memory_kill(child.pid)
        return child

    def _goes_on(self, child: _Process, source: Path) -> bool:
        """Gives a child another file to read, where it was not told to end, and has not."""
        with self._lock:
            stays = self._children[child] is not None and child.poll() is None
            if stays:
                self._children[child] = source
        return stays

    def _hear(self, child: _Process, source: Path, errors: IO[str], on_progress: OnProgress, on_told: OnTold) -> None:
        """Waits until the child has done it; else raises what it said, or how it ended."""
        stalled = self._follow(child, on_progress, on_told)
        if not child.returncode:  # it stays, or ended well
            return
        if stalled:
            raise ConverterDiedError(f"reading stopped: nothing happened for {self._stalled_after_s:.0f} s")
        errors.seek(0)
        last_line = next((line.strip() for line in reversed(errors.readlines()) if line.strip()), "")
        raise _reason(source, child.returncode, last_line)

    def _follow(self, child: _Process, on_progress: OnProgress, on_told: OnTold) -> bool:
        """Passes progress on until the child is done or ends; True when it was killed because it hung."""
        done = threading.Event()
        heard = [time.monotonic()]
        stalled = threading.Event()

        def watch() -> None:
            while not done.wait(min(5.0, self._stalled_after_s / 4)):
                if time.monotonic() - heard[0] > self._stalled_after_s:
                    stalled.set()
                    child.kill()
                    return

        watcher = threading.Thread(target=watch, name="tb-plugin-watchdog", daemon=True)
        watcher.start()
        try:
            assert child.stdout is not None
            for line in child.stdout:
                heard[0] = time.monotonic()
                number, _, stage = line.strip().partition(" ")
                if number == child_process.DONE:
                    break
                if number == child_process.TOLD:
                    on_told(stage)
                    continue
                with suppress(ValueError):  # anything else on stdout is noise of a library
                    on_progress(min(max(float(number), 0.0), 1.0), stage)
            else:
                child.wait()
        finally:
            done.set()
            watcher.join()
        return stalled.is_set()

    def _forget(self, child: _Process) -> None:
        if child.poll() is None:
            child.kill()
            child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
        with self._lock:
            self._children.pop(child, None)
            if not self._children:
                atexit.unregister(self.close)


class Staying:
    """Has things done by one child after the other, each as long as what it reads is small, and goes well."""

    def __init__(self, children: Children, command: list[str], errors: IO[str]) -> None:
        self._children = children
        self._command = command
        self._errors = errors
        self._child: _Process | None = None

    def run(self, arguments: Sequence[str], source: Path, on_progress: OnProgress) -> None:
        """Done with these arguments, which reads `source`. Errors as `Children.convert`."""
        if self._child is None or not self._children._goes_on(self._child, source):
            self.end()
            self._child = self._children._start(self._command, source, self._errors, subprocess.PIPE)
        stays = False
        try:
            assert self._child.stdin is not None
            with suppress(BrokenPipeError):  # how it has ended is heard
                self._child.stdin.write(json.dumps(arguments) + "\n")
                self._child.stdin.flush()
            self._children._hear(self._child, source, self._errors, on_progress, _forgotten)
            stays = _is_small(source)
        finally:
            if not stays:
                self.end()

    def end(self) -> None:
        """Its child, if there is one."""
        if self._child is not None:
            self._children._forget(self._child)
            self._child = None


def _is_small(source: Path) -> bool:
    with suppress(OSError):
        return source.stat().st_size < SMALL_BYTES
    return False


def _reason(source: Path, code: int, last_line: str) -> TbPluginError:
    if code == 1 and last_line:
        return FormatError(source.name, last_line.removeprefix(f"{readable(str(source))}: "))
    if signal := child_process.killed_by(code):
        return ConverterDiedError(f"reading stopped: the converter was ended by {signal}{_needs(source)}")
    said = f": {last_line}" if last_line else ""
    return ConverterDiedError(f"reading stopped: the converter ended with code {code}{said}")


def _needs(source: Path) -> str:
    """How much memory must be free for it: what large profiles take, packed 30 to 1 at most."""
    try:
        n_bytes = source.stat().st_size
    except OSError:
        return ""
    times = 60 if source.suffix in (".gz", ".zst") else 2
    return f"; reading it takes up to {format_bytes(_BASE_BYTES + times * n_bytes)}"


def _prefer_for_memory_kill(pid: int) -> None:
    """When memory runs out the kernel takes the child, not the server. Linux only."""
    with suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000", encoding="ascii")
