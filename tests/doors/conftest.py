from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from werkzeug.test import Client

from tb_plugin.doors.http import HttpApp
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tests.runs.small import no_thread_left

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def client(logdir: Path, tmp_path: Path) -> Iterator[Client]:
    """The application as `tb-plugin serve` has it."""
    with no_thread_left():
        store = ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=0), cache=ProfileCache(tmp_path / "cache"))
        yield Client(HttpApp(store, page=tmp_path / "static"))
        store.close()
