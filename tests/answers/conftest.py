from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.answers.desk import Desk
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
def desk(logdir: Path, tmp_path: Path) -> Iterator[Desk]:
    """Nothing it started is left behind."""
    with no_thread_left():
        store = ProfileStore(Watch(from_flags(str(logdir), None), min_age_s=0), cache=ProfileCache(tmp_path / "cache"))
        made = Desk(store)
        yield made
        made.close()
