"""Who works on many files: processes of this machine, or the workers of a Dask cluster.

    for item, done in Processes(8).map_unordered(function, items): ...

`function` is one of a module, and `items` can be pickled: both go to other processes.
"""

from __future__ import annotations

import logging
import os
import queue
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from tb_plugin.base.errors import NotFoundError, TbPluginError, UsageError
from tb_plugin.runs.processes import Processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

T = TypeVar("T")
R = TypeVar("R")

_CONNECT_S: Final = 10.0
_SAY_AFTER_S: Final = 5.0
_LOOK_EACH_S: Final = 1.0
_WITHOUT_WORKER_S: Final = 60.0
"""A nanny starts a worker anew in seconds, a queue that has room in less than this."""
_GO_ON: Final = "What is made stays: the same command goes on with the rest; without --scheduler, on this machine."
_READ_HERE_BYTES: Final = 4 << 20
"""Packed JSON of torch takes about 0.4 s a megabyte, a process of ours 0.5 s to start."""


class Engine(Protocol):
    """Gives each item once, with what the function made of it or the exception that it ended with, as they end."""

    def map_unordered(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | Exception]]: ...


class Here:
    """One after the other, in the process that asks."""

    def map_unordered(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | Exception]]:
        return ((item, function(item)) for item in items)


def fitting(n_bytes: int) -> Engine:
    """For files of this size together: what is read before a process has started is read here."""
    return Here() if n_bytes < _READ_HERE_BYTES else Processes(os.cpu_count() or 1)


class DaskCluster:
    """The workers of a scheduler, which see the same files under the same names and have this package.

    A worker that dies costs nothing: the scheduler gives what it had to another one, three times. Where none is left for
    `without_worker_s`, or the scheduler goes, TbPluginError says how to go on.
    """

    def __init__(
        self,
        address: str,
        say: Callable[[str], None] = lambda _sentence: None,
        *,
        connect_s: float = _CONNECT_S,
        without_worker_s: float = _WITHOUT_WORKER_S,
    ) -> None:
        self._address = address
        self._say = say
        self._connect_s = connect_s
        self._without_worker_s = without_worker_s

    def map_unordered(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | Exception]]:
        """UsageError without Dask, NotFoundError where nobody answers."""
        try:
            from distributed import Client
            from distributed.comm import resolve_address
        except ImportError as error:
            raise UsageError("--scheduler needs Dask: pip install 'torch-tb-plugin[cluster]'") from error
        try:
            resolve_address(self._address)  # a client that was made for none takes 20 s to end
            client = Client(self._address, timeout=self._connect_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise NotFoundError(f"{self._address}: no scheduler answers ({error})") from error
        with _quiet("distributed.client"), client:
            with self._connected():
                self._await_workers(client)
                ended = queue.SimpleQueue[Any]()
                item_of = {client.submit(function, item, pure=False): item for item in items}
            for future in list(item_of):
                future.add_done_callback(ended.put)
            while item_of:
                future = self._next(client, ended)
                if future.status == "lost":  # with the worker that had made it: the scheduler has another one make it again
                    future.add_done_callback(ended.put)
                    continue
                item = item_of.pop(future)
                if future.status == "cancelled":
                    raise self._scheduler_is_gone()
                with self._connected():
                    done = future.exception() if future.status == "error" else future.result()
                yield item, done
                future.release()

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """What a connection that broke raises is an OSError, as of a file; what the function raised is a result."""
        try:
            yield
        except OSError as error:
            raise self._scheduler_is_gone() from error

    def _scheduler_is_gone(self) -> TbPluginError:
        return TbPluginError(f"{self._address}: the scheduler is gone. {_GO_ON}")

    def _next(self, client: Any, ended: queue.SimpleQueue[Any]) -> Any:
        """The next future that ends, as long as somebody works."""
        since: float | None = None
        while True:
            with suppress(queue.Empty):
                return ended.get(timeout=_LOOK_EACH_S)
            try:
                n_workers = len(client.nthreads())
            except (OSError, TimeoutError):  # its futures say in a moment that the scheduler is gone
                continue
            if n_workers:
                since = None
            elif since is None:
                since = time.monotonic()
                self._say(f"{self._address} has no workers any more: waiting {self._without_worker_s:.0f} s for another one")
            elif time.monotonic() - since > self._without_worker_s:
                raise TbPluginError(f"{self._address}: its last worker is gone, and no other has come. {_GO_ON}")

    def _await_workers(self, client: Any) -> None:
        """A queue may take its time to start them; then it is said that nothing happens yet."""
        since, has_said = time.monotonic(), False
        while not client.nthreads():
            if not has_said and time.monotonic() - since > _SAY_AFTER_S:
                self._say(f"{self._address} has no workers yet: waiting for the first")
                has_said = True
            time.sleep(0.1)


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """A logger that prints a traceback of what is told here in a sentence."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
