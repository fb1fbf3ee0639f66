from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
def cache_dir(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(logdir: Path, cache_dir: Path) -> Iterator[ProfileStore]:
    with no_thread_left():
        made = ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=0), cache=ProfileCache(cache_dir))
        yield made
        made.close()
