from __future__ import annotations

import atexit
import multiprocessing.util
import tempfile
import threading
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base import unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _nothing_is_said_at_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests lose on purpose would be summed up behind pytest's last line; ending is tested in its own process."""
    monkeypatch.setattr(atexit, "register", lambda *_: None)
    monkeypatch.setattr(multiprocessing.util, "Finalize", lambda *_, **__: None)


@pytest.fixture(autouse=True)
def _no_profile_of_a_test_is_left_to_others(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a test does not finish must not be swept by a real job, nor what real jobs left by a test."""
    folder = tmp_path_factory.mktemp("memory")
    monkeypatch.setattr(unfinished, "MEMORY_FOLDER", folder)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))


@pytest.fixture(autouse=True)
def _no_thread_stays() -> Iterator[None]:
    """A handler's thread ends with its work."""
    yield
    for thread in threading.enumerate():
        if thread.name == "tb-plugin-traces":
            thread.join(timeout=240)
            assert not thread.is_alive()
