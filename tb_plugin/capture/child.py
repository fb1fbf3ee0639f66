"""The child process that writes a profile's files, as the job sees it: started, told to go on, waited for.

It is a session of its own and holds the profile's lock: whatever ends the job does not end it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from tb_plugin.base import child_process, unfinished
from tb_plugin.base.unfinished import Unfinished
from tb_plugin.capture.order import SAID, Outcome
from tb_plugin.capture.scratch import standard_descriptors_taken

if TYPE_CHECKING:
    from collections.abc import Sequence

_WAKE_UP_S: Final = 0.5
_PATIENCE_S: Final = 1.0
GENTLY: Final = "gently"
QUICKLY: Final = "quickly"
"""Files without content in the folder: the job has read the living profile. A word in a pipe would end a job by SIGPIPE that does
not ignore it, where the child is dead."""

_STARTING: Final = threading.RLock()
"""Held from before a child of ours is forked until it runs: `Popen` waits for the end of a pipe meanwhile. A process that the
job forks then (a worker of a data loader) would have that pipe too, and we would wait while it lives. Who forks waits instead."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_STARTING.acquire, after_in_parent=_STARTING.release, after_in_child=_STARTING.release)


class ChildError(Exception):
    """The child did not say how it went; the text says why."""


class Child:
    """One that runs. Whoever has it waits for it in the end."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, said: BinaryIO) -> None:
        self._process = process
        self._folder = folder
        self._said = said

    def go_on(self, *, quickly: bool) -> None:
        """The living profile was read: the stored profile can be made, in the way of nobody unless `quickly`."""
        with suppress(OSError):
            (self._folder / (QUICKLY if quickly else GENTLY)).touch()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def is_over(self) -> bool:
        over = self._process.poll() is not None
        if over:
            self._end()
        return over

    def wait(self, hurry: threading.Event, deadline: float) -> Outcome:
        """What it says. As fast as it can be from `deadline` (`time.monotonic()`) on, or when somebody waits.

        ChildError when it died, was killed, or found no interpreter.
        """
        while self._process.poll() is None:
            if not hurry.wait(_WAKE_UP_S) and time.monotonic() < deadline:
                continue
            if not _promote(self._process):
                # Without the right to raise a priority, starting anew is the faster way for whoever waits.
                self._end()
                held = Unfinished.taken(self._folder, patience_s=_PATIENCE_S)
                if held is None:  # it had just finished, or somebody else does it
                    return Outcome()
                (self._folder / GENTLY).unlink(missing_ok=True)
                anew = start(held)
                anew.go_on(quickly=True)
                self._process, self._said = anew._process, anew._said
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_WAKE_UP_S)
        self._said.seek(0)
        said = self._said.read()
        self._end()
        outcome = Outcome.find(said)
        if outcome is None:
            raise ChildError(_why(self._process.returncode, said))
        return outcome

    def _end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._said.close()


def was_told(folder: Path) -> bool:
    """Whether the job has said to go on."""
    return (folder / GENTLY).exists() or (folder / QUICKLY).exists()


def start(held: Unfinished) -> Child:
    """Hands the folder and its lock over to a new process. ChildError when there is none; the folder is still ours then."""
    if getattr(sys, "frozen", False) or not sys.executable:
        raise ChildError("this program has no Python interpreter of its own to start")
    with standard_descriptors_taken():
        said = (held.folder / SAID).open("w+b")
        inherited = [held.fd] if os.name == "posix" else []
        arguments = [str(held.folder), "--job", str(os.getpid()), *(["--lock", str(held.fd)] if inherited else [])]
        try:
            with _STARTING:
                process = subprocess.Popen(
                    child_process.command("tb_plugin.capture.write_pair", *arguments),
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                    pass_fds=inherited,
                    start_new_session=True,
                    env=child_process.environment(),
                )
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: the interpreter is about to end
            said.close()
            raise ChildError(f"{sys.executable} could not be started: {error}") from error
    held.let_go()
    return Child(process, held.folder, said)


_recovering: Final[list[subprocess.Popen[bytes]]] = []
"""Those that may still run: Python warns of one that nobody holds any more, and a handler may be gone before."""


def start_recovery(parents: Sequence[Path]) -> None:
    """Has finished or removed what jobs that were killed left on this host, if there is anything and an interpreter."""
    left = unfinished.found_in([*unfinished.usual_parents(), *parents])
    if not any(unfinished.is_free(folder) for folder in left) or getattr(sys, "frozen", False) or not sys.executable:
        return
    with standard_descriptors_taken(), suppress(OSError, ValueError, RuntimeError), _STARTING:
        process = subprocess.Popen(
            child_process.command(
                "tb_plugin.capture.recover", *(word for parent in parents for word in ("--parent", str(parent)))
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=child_process.environment(),
        )
        _recovering[:] = [process, *(each for each in _recovering if each.poll() is None)]


def _promote(child: subprocess.Popen[bytes]) -> bool:
    """Whether the child now runs like any other process, or has ended."""
    if sys.platform != "linux":
        return True
    try:
        os.setpriority(os.PRIO_PROCESS, child.pid, 0)
        Path(f"/proc/{child.pid}/autogroup").write_text("0", encoding="ascii")
    except PermissionError:
        return False
    except OSError:
        pass
    return True


def _why(code: int, said: bytes) -> str:
    if signal := child_process.killed_by(code):
        return f"its process was ended by {signal}"
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return f"its process ended with code {code}" + (f": {lines[-1].strip()}" if lines else "")
