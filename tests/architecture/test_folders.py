from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST_README = 1500  # characters: what one reads in a minute
LONGEST_FILE = 400
# Made, not written.
BUILT = {"__pycache__", "static", "node_modules"}


def _folders(top: str) -> list[str]:
    found = [path for path in (ROOT / top).rglob("*") if path.is_dir() and not BUILT & set(path.relative_to(ROOT).parts)]
    return [top, *sorted(path.relative_to(ROOT).as_posix() for path in found if any(path.iterdir()))]


@pytest.mark.parametrize("folder", _folders("tb_plugin")[1:] + _folders("frontend/src")[1:])
def test_every_folder_says_what_lives_there(folder: str) -> None:
    readme = ROOT / folder / "README.md"
    assert readme.is_file(), f"{folder} has no README.md"
    assert 0 < len(readme.read_text(encoding="utf-8")) <= LONGEST_README


def test_no_source_file_is_longer_than_one_can_read() -> None:
    written = [
        path
        for top, pattern in (("tb_plugin", "*.py"), ("frontend/src", "*.ts*"), ("frontend/src", "*.css"), ("tests", "*.py"))
        for path in (ROOT / top).rglob(pattern)
        if not BUILT & set(path.parts) and "_pb2" not in path.name and path.name != "wire.ts"
    ]
    too_long = {path.relative_to(ROOT).as_posix(): n for path in written if (n := path.read_bytes().count(b"\n")) > LONGEST_FILE}
    assert too_long == {}
