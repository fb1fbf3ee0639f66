from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from tb_plugin.runs.cache import DIRECTORY_VARIABLE, ProfileCache
from tb_plugin.runs.catalogue import ProfileFile

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

FILE = ProfileFile(path="/logs/w.1.pt.trace.json", size_bytes=10, mtime_ns=20)


def test_the_environment_chooses_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv(DIRECTORY_VARIABLE, raising=False)
    assert ProfileCache().path_of(FILE).parent == tmp_path / "xdg" / "torch-tb-plugin"
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path / "mine"))
    assert ProfileCache().path_of(FILE).parent == tmp_path / "mine"


def test_a_directory_that_cannot_be_made_is_replaced_by_a_private_temporary_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "file").write_text("in the way")
    found = ProfileCache(tmp_path / "file" / "cache").path_of(FILE).parent
    assert found.parent == tmp_path
    assert found.stat().st_mode & 0o077 == 0


def test_a_temporary_directory_planted_by_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    planted = tmp_path / f"torch-tb-plugin-{os.getuid()}"
    planted.symlink_to(tmp_path)
    cache = ProfileCache(tmp_path / "x")
    assert cache.use_fallback()
    assert cache.path_of(FILE).parent not in (planted, tmp_path)


def test_another_size_or_time_is_another_entry(tmp_path: Path) -> None:
    cache = ProfileCache(tmp_path)
    changed = ProfileFile(path=FILE.path, size_bytes=10, mtime_ns=21)
    assert cache.path_of(FILE) == cache.path_of(FILE)
    assert cache.path_of(FILE) != cache.path_of(changed)


def test_what_was_unused_for_longest_goes_first(tmp_path: Path) -> None:
    cache = ProfileCache(tmp_path, max_bytes=250)
    paths = [cache.path_of(ProfileFile(path=f"/logs/{place}.json", size_bytes=1, mtime_ns=1)) for place in range(4)]
    for age, path in enumerate(reversed(paths)):
        path.write_bytes(b"x" * 100)
        os.utime(path, (time.time() - age, time.time() - age))
    cache.touch(paths[0])
    cache.prune(keep=paths[3])
    assert {path for path in paths if path.exists()} == {paths[0], paths[3]}


def test_scratch_files_of_a_crash_go_after_a_day(tmp_path: Path) -> None:
    old, new = tmp_path / ".a.pb.1.tmp", tmp_path / ".b.pb.2.tmp"
    for path in (old, new):
        path.write_bytes(b"x")
    os.utime(old, (0, 0))
    cache = ProfileCache(tmp_path)
    cache.prune(keep=cache.path_of(FILE))
    assert not old.exists()
    assert new.exists()
