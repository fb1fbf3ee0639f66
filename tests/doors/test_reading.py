from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.base.progress import silent
from tb_plugin.doors.reading import Reading
from tb_plugin.formats import reader
from tb_plugin.runs import store
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.watch import Watch
from tests.formats.same_trace import assert_same
from tests.profiles import sample
from tests.runs.small import entries, loaded

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A profile that a server has opened."""
    monkeypatch.setenv("TB_PLUGIN_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "logs" / "w.1.pt.trace.json.gz"
    path.parent.mkdir()
    shutil.copy(sample("cuda"), path)
    server = store.ProfileStore(Watch(from_flags(str(path.parent), None)))
    try:
        assert loaded(server).state == "ready"
    finally:
        server.close()
    return path


def never(*_: object, **__: object) -> None:
    raise AssertionError("read again")


def test_what_a_server_has_read_is_not_read_again(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = reader.read(served)
    monkeypatch.setattr(reader, "read", never)
    for path in (served, served.parent / ".." / "logs" / served.name):
        assert_same(Reading(no_limits=False).read(path, silent), expected)


def test_a_file_that_has_changed_since_is_read(served: Path) -> None:
    served.write_bytes(b"no profile")
    with pytest.raises(FormatError):
        Reading(no_limits=False).read(served, silent)


def test_a_damaged_entry_of_the_cache_is_taken_away_and_the_file_read(served: Path, tmp_path: Path) -> None:
    (entry,) = entries(tmp_path / "cache")
    entry.write_bytes(b"no columns")
    assert_same(Reading(no_limits=False).read(served, silent), reader.read(served))
    assert not entry.exists()
