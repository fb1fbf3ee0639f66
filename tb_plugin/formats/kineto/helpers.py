"""Processes that read stretches of a file from its last one on, while this one reads from its first.

They are forked, which takes no time, so only from a process without threads, and only on Linux. Each is handed a stretch at a
time through a pipe and hands back what it read, pickled: 50 MB of a file of 200 MB, 0.03 s. One that dies is not missed: what
it had is read here. They end with `close`, and when this process is gone.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tb_plugin.formats.kineto.stretches import ByteRange, ReadAlone, read_alone

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess
    from pathlib import Path

_EARLY: Final = 8
"""Without helpers: of so many stretches the last is read first, for who waits. Kernels stand there."""


class Helpers:
    """`n_processes` of them, or fewer where there is no room. `on_part` gets what each stretch came to, as soon as it is read."""

    def __init__(
        self,
        path: Path,
        base_us: float,
        stretches: list[ByteRange],
        n_processes: int,
        on_part: Callable[[ByteRange, ReadAlone], None],
    ) -> None:
        self._path = path
        self._base_us = base_us
        self._left = list(stretches)
        self._on_part = on_part
        self._parts: dict[ByteRange, ReadAlone] = {}
        self._reading: dict[Connection, ByteRange] = {}
        self._processes: list[ForkProcess] = []
        if n_processes and sys.platform == "linux":
            self._start(n_processes)

    def read_early(self) -> None:
        """Where nobody helps: reads the file's last eighth."""
        if not self._reading:
            for stretch in self._left[len(self._left) - len(self._left) // _EARLY :][::-1]:
                self._left.remove(stretch)
                self._keep(stretch, read_alone(self._path, stretch, self._base_us))

    def look(self) -> None:
        """Takes what is ready and hands out more. Cheap: between two chunks."""
        self._receive(0)

    def part(self, stretch: ByteRange) -> ReadAlone | None:
        """What was read of it, waited for where it is being read; None: read it here."""
        if stretch in self._left:
            self._left.remove(stretch)
        while stretch in self._reading.values():
            self._receive(None)
        return self._parts.pop(stretch, None)

    def close(self) -> None:
        """Ends them, whatever they do."""
        for connection in self._reading:
            connection.close()
        self._reading.clear()
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()

    def _start(self, n_processes: int) -> None:
        from multiprocessing import get_context

        context = get_context("fork")
        for _ in range(min(n_processes, len(self._left) - 1)):
            ours, theirs = context.Pipe()
            process = context.Process(target=_help, args=(theirs, [ours, *self._reading], self._path, self._base_us), daemon=True)
            try:
                process.start()
            except OSError:  # no room for one more
                ours.close()
                return
            finally:
                theirs.close()
            self._processes.append(process)
            self._hand_out(ours)

    def _hand_out(self, connection: Connection) -> None:
        self._reading.pop(connection, None)
        if self._left:
            with suppress(OSError):  # it died
                connection.send(self._left[-1])
                self._reading[connection] = self._left.pop()
                return
        connection.close()

    def _receive(self, timeout_s: float | None) -> None:
        from multiprocessing.connection import wait

        if not self._reading:
            return
        for connection in wait(list(self._reading), timeout_s):
            stretch = self._reading[connection]  # type: ignore[index]  # it waits for more than pipes
            part = None
            with suppress(EOFError, OSError, pickle.UnpicklingError):  # it died, perhaps while it wrote
                part = pickle.loads(connection.recv_bytes())  # type: ignore[union-attr]
            self._keep(stretch, part)
            self._hand_out(connection)  # type: ignore[arg-type]

    def _keep(self, stretch: ByteRange, part: ReadAlone | None) -> None:
        if part is not None:
            self._parts[stretch] = part
            self._on_part(stretch, part)


def _help(connection: Connection, of_others: list[Connection], path: Path, base_us: float) -> None:
    """A helper's life: reads what it is told to until nobody tells it any more."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    for other in of_others:  # else these pipes do not end when the one that reads them does
        other.close()
    # What goes wrong here goes wrong there too, and is told once; nor does who waits for the end of its output wait for us.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            part = read_alone(path, connection.recv(), base_us)
            connection.send_bytes(pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL))
