"""Starts the child process that writes a profile's files, waits for it, and lets it run faster when somebody waits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.capture.order import Order, Outcome

if TYPE_CHECKING:
    import threading

    from tb_plugin.capture.scratch import Scratch

_WAKE_UP_S: Final = 0.1

# The child sees exactly the modules that the job sees, and nothing else: `python -m` alone would put the current
# directory first, where a training job's own `profile.py` or `queue.py` shadows the standard library.
_START: Final = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv[1])
sys.argv[1:] = sys.argv[2:]
runpy.run_module("tb_plugin.capture.write_pair", run_name="__main__", alter_sys=True)
"""


class ChildError(Exception):
    """The child did not say how it went; the text says why."""


def write(order: Order, order_file: Scratch, reply: Scratch, inherited: list[Scratch], hurry: threading.Event) -> Outcome:
    """Writes both files in a child. ChildError when it could not be started, died, or was killed."""
    order_file.file.write(order.dump())
    order_file.rewind()
    child = _start(order_file, reply, inherited, idle=not hurry.is_set())
    try:
        while child.poll() is None:
            if not hurry.wait(_WAKE_UP_S):
                continue
            if not _promote(child):
                # Without the right to raise a priority, starting anew is the faster way for whoever waits.
                child.kill()
                child.wait()
                order.remove_pieces()
                child = _start(order_file, reply, inherited, idle=False)
            child.wait()
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
    reply.rewind()
    said = reply.file.read()
    outcome = Outcome.find(said)
    if outcome is None:
        raise ChildError(_why(child.returncode, said))
    return outcome


def _start(order_file: Scratch, reply: Scratch, inherited: list[Scratch], *, idle: bool) -> subprocess.Popen[bytes]:
    if getattr(sys, "frozen", False) or not sys.executable:
        raise ChildError("this program has no Python interpreter of its own to start")
    # An entry may be relative to a directory that the job has left since; the package itself is found in any case.
    path = [*sys.path, str(Path(__file__).parents[2])]
    command = [sys.executable, "-I", "-c", _START, json.dumps(path), order_file.path, *(["--idle"] if idle else [])]
    reply.file.seek(0)
    reply.file.truncate()
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=reply.fd,
            stderr=subprocess.STDOUT,
            pass_fds=[scratch.fd for scratch in (order_file, *inherited)] if os.name == "posix" else (),
            # One thread is what it can use; more would only take memory and the training's processors.
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        )
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: the interpreter is about to end
        raise ChildError(f"{sys.executable} could not be started: {error}") from error


def _promote(child: subprocess.Popen[bytes]) -> bool:
    """Whether the child now runs like any other process, or has ended."""
    if not hasattr(os, "sched_setscheduler"):
        return True
    try:
        os.sched_setscheduler(child.pid, os.SCHED_OTHER, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, child.pid, 0)
    except PermissionError:
        return False
    except OSError:
        pass
    return True


def _why(code: int, said: bytes) -> str:
    if code < 0:
        with suppress(ValueError):
            name = signal.Signals(-code).name
            return f"its process was ended by {name}" + (", often because memory ran out" if name == "SIGKILL" else "")
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return f"its process ended with code {code}" + (f": {lines[-1].strip()}" if lines else "")
