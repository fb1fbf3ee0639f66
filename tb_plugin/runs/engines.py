"""Who works on many files: processes of this machine, or the workers of a Dask cluster.

    for item, done in Processes(8).map_unordered(function, items): ...

`function` is one of a module, and `items` can be pickled: both go to other processes.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.runs.processes import Processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
