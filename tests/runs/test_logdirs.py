from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.runs.logdirs import from_flags

if TYPE_CHECKING:
    from pathlib import Path


def _found(logdir: str | None, spec: str | None) -> list[tuple[str, str]]:
    return [(found.prefix, found.path) for found in from_flags(logdir, spec)]


def test_a_logdir_is_one_directory(tmp_path: Path) -> None:
    assert _found(str(tmp_path), None) == [("", str(tmp_path))]


def test_a_home_directory_is_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _found("~/logs", "") == [("", str(tmp_path / "logs"))]


def test_a_logdir_spec_names_directories_and_leaves_colons_in_paths_alone() -> None:
    assert _found("", "a:/x/one,/x/two:2,b:/x/three:3") == [("a", "/x/one"), ("two:2", "/x/two:2"), ("b", "/x/three:3")]


def test_directories_of_one_name_stay_apart() -> None:
    assert [prefix for prefix, _ in _found("", "/x/logs,/y/logs")] == ["logs", "/y/logs"]


def test_a_comma_list_is_several_directories_unless_it_is_one(tmp_path: Path) -> None:
    assert _found("/x/one,/x/two", None) == [("one", "/x/one"), ("two", "/x/two")]
    with_comma = tmp_path / "a,b"
    with_comma.mkdir()
    assert _found(str(with_comma), None) == [("", str(with_comma))]


def test_nothing_given_is_nothing_searched() -> None:
    assert from_flags("", "") == from_flags(None, None) == ()


@pytest.mark.parametrize("remote", ["s3://bucket/logs", "gs://bucket", "hdfs://host:9000/logs"])
def test_remote_storage_says_that_it_cannot_be_opened_yet(remote: str) -> None:
    (found,) = from_flags(remote, None)
    assert found.problem is not None
    assert remote in found.problem


def test_a_file_address_is_a_local_directory() -> None:
    assert _found("file:///x/logs", None) == [("", "/x/logs")]
