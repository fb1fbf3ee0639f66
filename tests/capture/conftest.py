from __future__ import annotations

import atexit
import multiprocessing.util
import threading
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _nothing_is_said_at_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests lose on purpose would be summed up behind pytest's last line; ending is tested in its own process."""
    monkeypatch.setattr(atexit, "register", lambda *_: None)
    monkeypatch.setattr(multiprocessing.util, "Finalize", lambda *_, **__: None)


@pytest.fixture(autouse=True)
def _no_thread_stays() -> Iterator[None]:
    """A handler's thread ends with its work."""
    yield
    for thread in threading.enumerate():
        if thread.name == "tb-plugin-traces":
            thread.join(timeout=30)
            assert not thread.is_alive()
