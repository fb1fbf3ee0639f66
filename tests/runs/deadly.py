"""What an engine's tests have done: light, since each new process imports it."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

KILLS, FAILS = 3, 1


def square(item: int) -> int:
    """Of some numbers it never comes."""
    if item == KILLS:
        os.kill(os.getpid(), signal.SIGKILL)
    if item == FAILS:
        raise ValueError("not one")
    return item * item


def dies_once(marker: str) -> str:
    """Kills the first worker that has it in its hands."""
    try:
        Path(marker).touch(exist_ok=False)
    except FileExistsError:
        return marker
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


def holds(fifo: str) -> None:
    """Writes its number, and keeps the pipe open for as long as it lives."""
    with Path(fifo).open("w", encoding="ascii") as kept:
        kept.write(f"{os.getpid()}\n")
        kept.flush()
        threading.Event().wait()


def waits_after_first(item: int) -> int:
    """Of all others for ever."""
    if item:
        threading.Event().wait()
    return item
