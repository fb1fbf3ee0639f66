"""One at a time among several servers, by a lock on a file that the system takes back when its holder dies."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from tb_plugin.base.progress import silent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress

_LOOK_S: Final = 0.1


@contextmanager
def held(path: Path, on_progress: OnProgress = silent) -> Iterator[None]:
    """Waits for the lock. Where a file system has none, nobody waits: what is written under it must be whole by itself."""
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield
        return
    try:
        while not _take(number):
            on_progress(0.0, "waiting: another server reads it")
            time.sleep(_LOOK_S)
        yield
    finally:
        os.close(number)  # which gives the lock back


def _take(number: int) -> bool:
    """False while somebody else holds it."""
    with suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
        return True
    return _take_on_windows(number)


def _take_on_windows(number: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]  # of Windows alone
    except OSError:
        return False
    return True
