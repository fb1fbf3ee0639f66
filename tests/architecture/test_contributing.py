"""The changes that CONTRIBUTING.md shows still fit the files that they change."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIFF = re.compile(r"^```diff\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILE = re.compile(r" (?:#|//) ([\w/]+\.\w+)")


def test_what_a_change_stands_beside_is_there() -> None:
    changed = set()
    for diff in DIFF.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        there: set[str] = set()
        for line in diff.splitlines():
            if (file := FILE.match(line)) is not None:
                changed.add(file[1])
                there = {each.strip() for each in (ROOT / file[1]).read_text(encoding="utf-8").splitlines()}
            elif line.strip() not in ("", "...") and not line.startswith("+"):
                assert line[1:].strip() in there, f"{sorted(changed)}: {line}"
    assert len(changed) >= 7
