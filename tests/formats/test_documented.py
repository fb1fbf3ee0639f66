"""docs/formats.md lists every format that is read and written, by the names that the code knows."""

from __future__ import annotations

import re
from pathlib import Path

from tb_plugin.formats.registry import FORMATS
from tb_plugin.formats.targets import TARGETS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "formats.md"


def table(first_column: str) -> list[list[str]]:
    """The cells of the table that begins with this column, without its head."""
    text = DOCS.read_text(encoding="utf-8")
    lines = text[text.index(f"| {first_column} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_target_has_its_row() -> None:
    named = [name for row in table("OUT") for name in quoted(row[0])]
    expected = [f"NAME{ending}" if ending.endswith("/") else f"*{ending}" for target in TARGETS for ending in target.endings]
    assert named == expected


def test_every_format_has_its_row() -> None:
    rows = [(row[0], [name for name in quoted(row[1]) if "by path" not in row[1]]) for row in table("format")]
    assert len(rows) == len(FORMATS)
    for (title, names), each in zip(rows, FORMATS, strict=True):
        assert title.startswith(each.title)
        assert names == [f"*{ending}" for ending in (*each.sure_endings, *each.endings)]
