"""The drawings of docs/design/README.md: which floor may import which."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_DRAWING = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)
_FLOOR = re.compile(r"(?P<floor>\w+) +<(?P<imports>(?: \w+)*)  ")


def floors(top: str) -> dict[str, list[str]]:
    """What each floor of `tb_plugin` or `frontend/src` may import, the highest floor first."""
    drawings = _DRAWING.findall((ROOT / "docs" / "design" / "README.md").read_text(encoding="utf-8"))
    (drawing,) = (text for text in drawings if text.startswith(f"{top} "))
    lines = drawing.removeprefix(top).splitlines()
    matches = [_FLOOR.search(line) for line in lines]
    assert all(matches), "each line of the drawing is a floor"
    return {match["floor"]: match["imports"].split() for match in matches if match}
