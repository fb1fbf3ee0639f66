from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tb_plugin.runs.cache import DIRECTORY_VARIABLE, ProfileCache
from tb_plugin.runs.catalogue import ProfileFile
from tests.runs.small import LONG_S, until

if TYPE_CHECKING:
    from pathlib import Path


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
    assert sys.platform == "win32" or found.stat().st_mode & 0o077 == 0


def test_a_temporary_directory_planted_by_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("a temporary directory is a user's own there")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    planted = tmp_path / f"torch-tb-plugin-{os.getuid()}"
    planted.symlink_to(tmp_path)
    cache = ProfileCache(tmp_path / "x")
    assert cache.use_fallback()
    assert cache.path_of(FILE).parent not in (planted, tmp_path)


def test_a_directory_of_somebody_else_is_not_used_and_that_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("owners are no numbers there")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    me = os.getuid()
    if me == 0:
        os.chown(theirs, 12345, -1)
    else:
        monkeypatch.setattr("os.getuid", lambda: me + 1)
    cache = ProfileCache(theirs)
    assert cache.path_of(FILE).parent != theirs
    assert cache.problem is not None
    assert cache.problem.startswith(f"{theirs}: this directory belongs to somebody else; ")


def test_a_directory_that_everybody_can_write_to_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("permissions are no bits there")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for mode, is_used in ((0o777, False), (0o1777, False), (0o775, True), (0o700, True)):
        shared = tmp_path / f"{mode:o}"
        shared.mkdir()
        shared.chmod(mode)
        cache = ProfileCache(shared)
        assert (cache.path_of(FILE).parent == shared) == is_used
        assert (cache.problem is None) == is_used


def test_an_entry_is_made_by_one_at_a_time_and_a_lock_of_the_dead_is_none(tmp_path: Path) -> None:
    entry = tmp_path / "a.pt.columns"
    said = list[str]()
    with ThreadPoolExecutor(1) as pool:
        with ProfileCache(tmp_path).turn(entry):
            other = pool.submit(_take, tmp_path, entry, said)
            until(lambda: said, bool)
            assert not other.done()
        assert other.result(LONG_S)
    assert said[0] == "waiting: another server reads it"
    code = "import os, pathlib, sys; from tb_plugin.runs.cache import ProfileCache as Cache; "
    code += "Cache(pathlib.Path(sys.argv[1])).turn(pathlib.Path(sys.argv[2])).__enter__(); os._exit(9)"
    died = subprocess.run([sys.executable, "-c", code, str(tmp_path), str(entry)], check=False)
    assert died.returncode == 9
    assert _take(tmp_path, entry, [])


def _take(directory: Path, entry: Path, said: list[str]) -> bool:
    with ProfileCache(directory).turn(entry, lambda _, stage: said.append(stage)):
        return True


def test_a_file_system_without_locks_holds_nobody_up(tmp_path: Path) -> None:
    assert _take(tmp_path, tmp_path / "not there" / "a.pb", [])


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
