"""A profile's folder belongs to one at a time, and is found by nobody else than its owner."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from tb_plugin.base import unfinished
from tb_plugin.base.unfinished import Note, Unfinished

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a folder with an open file stays there")


def test_a_folder_is_taken_by_one_until_it_lets_go(tmp_path: Path) -> None:
    made = Unfinished.made(tmp_path)
    assert not unfinished.is_free(made.folder)
    assert Unfinished.taken(made.folder, patience_s=0.1) is None
    made.let_go()
    made.let_go()  # once more does nothing
    taken = Unfinished.taken(made.folder)
    assert taken is not None
    taken.remove()
    assert Unfinished.taken(made.folder) is None
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_a_sweep_looks_at_while_it_is_made_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = unfinished._lock
    looking: list[int] = []

    def looked_at_first(fd: int) -> bool:
        if looking:
            return lock(fd)
        (folder,) = tmp_path.iterdir()
        looking.append(os.open(folder / "lock", os.O_RDWR))
        try:
            assert lock(looking[0])
            return lock(fd)
        finally:
            os.close(looking[0])

    monkeypatch.setattr(unfinished, "_lock", looked_at_first)
    made = Unfinished.made(tmp_path)
    assert not unfinished.is_free(made.folder)
    made.remove()


def test_a_folder_that_was_removed_while_one_waited_for_it_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Unfinished.made(tmp_path)

    def finished_meanwhile(_fd: int) -> bool:
        made.remove()
        return True

    monkeypatch.setattr(unfinished, "_lock", finished_meanwhile)
    assert Unfinished.taken(made.folder) is None


def test_a_file_system_without_locks_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def unknown(*_: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", unknown)
    Unfinished.made(tmp_path).remove()


def test_folders_of_others_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Unfinished.made(tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "tb_plugin_scratch_link").symlink_to("/nowhere")
    found = unfinished.found_in([tmp_path, tmp_path, tmp_path / "missing"])
    assert sorted(found) == sorted([made.folder, tmp_path / "tb_plugin_scratch_link"])
    assert [unfinished.json_target(folder) for folder in found] == [None, None]
    monkeypatch.setattr(os, "getuid", lambda: -5)
    assert unfinished.found_in([tmp_path]) == []
    made.let_go()


def test_a_log_directory_is_known_by_either_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    for named in (Path("link"), tmp_path / "link"):
        assert unfinished.is_below(tmp_path / "link" / "run" / "w.json", [named])
        assert unfinished.is_below(tmp_path / "real" / "w.json", [named])
        assert not unfinished.is_below(tmp_path / "really" / "w.json", [named])


def test_a_note_is_hidden_beside_its_profile_and_read_again(tmp_path: Path) -> None:
    path = Note.beside(tmp_path / "a.pt.b.17.pt.trace.json.gz")
    assert path == tmp_path / ".a.pt.b.17.unfinished"
    Note.of(tmp_path / "x").write(path)
    note = Note.read(path)
    assert note is not None
    assert note.is_here
    assert (note.folder, unfinished.profile_name(path)) == (str(tmp_path / "x"), "a.pt.b.17")
    assert unfinished.is_note(path.name)
    for text in ("", "[]", "{}", "\xff"):
        path.write_text(text, encoding="latin-1")
        assert Note.read(path) is None


def test_what_failed_for_a_week_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Unfinished.made(tmp_path)
    (made.folder / unfinished.ORDER).write_text('{"json_target": "x"}')
    unfinished.remove_hopeless(made.folder)
    monkeypatch.setattr(unfinished, "_GIVEN_UP_AFTER_S", -1.0)
    unfinished.remove_hopeless(made.folder)
    assert made.folder.exists()  # somebody works on it
    made.let_go()
    unfinished.remove_hopeless(made.folder)
    assert not made.folder.exists()
