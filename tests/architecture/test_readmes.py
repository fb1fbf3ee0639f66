"""A folder's README names files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tb_plugin

ROOT = Path(__file__).resolve().parents[2]
READMES = sorted(path for top in ("tb_plugin", "frontend/src") for path in (ROOT / top).rglob("README.md"))
NAMED = re.compile(r"`([^`\s*{]+\.(?:py|tsx?|css))`")


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.relative_to(ROOT).as_posix())
def test_every_file_that_a_readme_names_is_there(readme: Path) -> None:
    missing = [
        name
        for name in NAMED.findall(readme.read_text(encoding="utf-8"))
        # Beside it or in the folder around it; by its way from the top; or in every folder below (a view's `result.py`).
        if not any((top / name).is_file() for top in (readme.parent, readme.parent.parent, ROOT, *_tops(readme)))
        and not any(readme.parent.glob(f"*/{name}"))
        and not name.startswith("torch/")  # torch's own sources
    ]
    assert missing == []


def test_the_readme_names_what_the_package_offers() -> None:
    said = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in tb_plugin.__all__ if name.islower() and name != "__version__" and f"{name}(" not in said] == []


def _tops(readme: Path) -> list[Path]:
    return [ROOT / top for top in ("tb_plugin", "frontend/src") if readme.is_relative_to(ROOT / top)]
