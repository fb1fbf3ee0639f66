"""Who works on many files: processes of this machine, or the workers of a Dask cluster.

    for item, done in Processes(8).map_unordered(function, items): ...

`function` is one of a module, and `items` can be pickled: both go to other processes.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from tb_plugin.base.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

_CONNECT_S: Final = 10.0
_SAY_AFTER_S: Final = 5.0
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


class Processes:
    """At most `n` processes here. One that is killed, for its memory mostly, costs the item that it had, tried twice."""

    def __init__(self, n: int) -> None:
        self._n = n

    def map_unordered(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | Exception]]:
        waiting, suspects = list(reversed(items)), list[Any]()
        while waiting:
            yield from self._until_broken(function, waiting, suspects)
            # One of these ended the pool: each gets a pool of its own.
            for item in suspects:
                with self._pool(1) as pool:
                    yield item, _outcome(pool.submit(function, item))
            suspects.clear()

    def _until_broken(self, function: Callable[[T], R], waiting: list[T], suspects: list[T]) -> Iterator[tuple[T, R | Exception]]:
        with self._pool(min(self._n, len(waiting))) as pool:
            running: dict[Any, T] = {}
            while waiting or running:
                try:
                    while waiting and len(running) < self._n:
                        running[pool.submit(function, waiting[-1])] = waiting[-1]
                        waiting.pop()
                except BrokenProcessPool:
                    suspects.extend(running.values())
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    item, done = running.pop(future), _outcome(future)
                    if isinstance(done, BrokenProcessPool):
                        suspects.extend((item, *running.values()))
                        return
                    yield item, done

    def _pool(self, n: int) -> ProcessPoolExecutor:
        # Forked ones would inherit whatever the caller's threads hold.
        return ProcessPoolExecutor(n, mp_context=multiprocessing.get_context("spawn"), initializer=_end_with_parent)


class DaskCluster:
    """The workers of a scheduler, which see the same files under the same names and have this package.

    A worker that dies costs nothing: the scheduler gives what it had to another one, three times.
    """

    def __init__(
        self, address: str, say: Callable[[str], None] = lambda _sentence: None, *, connect_s: float = _CONNECT_S
    ) -> None:
        self._address = address
        self._say = say
        self._connect_s = connect_s

    def map_unordered(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[tuple[T, R | Exception]]:
        """UsageError without Dask, NotFoundError where nobody answers."""
        try:
            from distributed import Client, as_completed
            from distributed.comm import resolve_address
        except ImportError as error:
            raise UsageError("--scheduler needs Dask: pip install 'torch-tb-plugin[cluster]'") from error
        try:
            resolve_address(self._address)  # a client that was made for none takes 20 s to end
            client = Client(self._address, timeout=self._connect_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise NotFoundError(f"{self._address}: no scheduler answers ({error})") from error
        with client:
            self._await_workers(client)
            item_of = {client.submit(function, item, pure=False): item for item in items}
            for future in as_completed(item_of, loop=client.loop, raise_errors=False):
                item = item_of.pop(future)
                yield item, future.exception() if future.status == "error" else future.result()
                future.release()

    def _await_workers(self, client: Any) -> None:
        """A queue may take its time to start them; then it is said that nothing happens yet."""
        since, has_said = time.monotonic(), False
        while not client.nthreads():
            if not has_said and time.monotonic() - since > _SAY_AFTER_S:
                self._say(f"{self._address} has no workers yet: waiting for the first")
                has_said = True
            time.sleep(0.1)


def _end_with_parent() -> None:
    """A pool's process waits for work for ever where the one that gives it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _outcome(future: Any) -> Any:
    return future.exception() or future.result()
