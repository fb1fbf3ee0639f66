"""Processes of this machine that work on many items: an engine (`engines.py`).

They are started as modules of ours are (`base.child_process`), not by `multiprocessing`: that runs the caller's script again in
each of them, and one without `if __name__ == "__main__"` would begin its own work anew there.
"""

from __future__ import annotations

import pickle
import queue
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tb_plugin.base import child_process
from tb_plugin.base.errors import TbPluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
R = TypeVar("R")

_MODULE: Final = "tb_plugin.runs.works"
_TRIES: Final = 2


class Processes:
    """At most `n` processes here. One that is killed, for its memory mostly, costs the item that it had, tried twice."""

    def __init__(self, n: int) -> None:
        self._n = n

    def map_unordered(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | Exception]]:
        waiting, done = queue.SimpleQueue[T](), queue.SimpleQueue[tuple[T, Any]]()
        for item in items:
            waiting.put(item)
        children = [_Child() for _ in range(min(self._n, len(items)))]
        threads = [threading.Thread(target=_give, args=(child, function, waiting, done), daemon=True) for child in children]
        try:
            for thread in threads:
                thread.start()
            for _ in items:
                yield done.get()
        finally:
            for child in children:
                child.end()
            for thread in threads:
                thread.join()


def _give(
    child: _Child, function: Callable[[T], R], waiting: queue.SimpleQueue[T], done: queue.SimpleQueue[tuple[T, Any]]
) -> None:
    with suppress(queue.Empty):
        while not child.has_ended:
            item = waiting.get_nowait()
            try:
                outcome = child.outcome(function, item)
            except Exception as error:  # noqa: BLE001 - this engine's contract: whatever it ends with is handed on
                outcome = error
            done.put((item, outcome))
    child.forget()


class _Child:
    """Works on one item after the other. Where its process dies another one is started for the next."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.has_ended = False

    def outcome(self, function: Callable[[T], R], item: T) -> R | Exception:
        """What the function returns or raises; TbPluginError where the process dies of it."""
        code = 0
        for _ in range(_TRIES):
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                pickle.dump((function, item), process.stdin)
                process.stdin.flush()
                (made,) = pickle.load(process.stdout)
            except (EOFError, OSError, pickle.UnpicklingError):
                self.forget()
                code = process.returncode
            else:
                return made  # type: ignore[no-any-return]
        return TbPluginError(f"the process that worked on it was ended by {child_process.killed_by(code) or f'code {code}'}")

    def end(self) -> None:
        """Whatever it does."""
        with self._lock:
            self.has_ended = True
            if self._process is not None:
                self._process.terminate()  # it leaves nothing half written

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self.has_ended:
                raise TbPluginError("nobody waits for it any more")
            if self._process is None:
                self._process = subprocess.Popen(
                    child_process.command(_MODULE),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=child_process.environment(),
                )
            return self._process

    def forget(self) -> None:
        """Its process, which has died or has nothing to do."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()
