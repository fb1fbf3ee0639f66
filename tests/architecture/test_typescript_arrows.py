"""The same house in TypeScript: what a folder of frontend/src may import, and that the page needs no other host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "frontend" / "src"
# Each may import itself and what stands before it.
ORDER = ("base", "data", "layout", "state", "draw", "widgets", "views", "app")
# `from '..'`, `import '..'`, `import('..')` and `new URL('..', import.meta.url)` of workers.
SPECIFIER = re.compile(r"""(?:from|import|import\(|new URL\()\s*['"](\.[^'"]*)['"]""")
HOST = re.compile(r"""(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+""", re.IGNORECASE)


class Arrow(NamedTuple):
    source: str  # both relative to frontend/src
    target: str


@pytest.fixture(scope="module")
def arrows() -> list[Arrow]:
    found = []
    for path in sorted(SOURCE.rglob("*.ts*")):
        for specifier in SPECIFIER.findall(path.read_text(encoding="utf-8")):
            target = (path.parent / specifier).resolve()
            found.append(Arrow(path.relative_to(SOURCE).as_posix(), target.relative_to(SOURCE.resolve()).as_posix()))
    assert len(found) > 10, "the reader of imports found next to nothing"
    return found


def test_every_folder_has_a_place() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} <= set(ORDER)


def test_arrows_point_down(arrows: list[Arrow]) -> None:
    wrong = []
    for arrow in arrows:
        source, target = arrow.source.split("/")[0], arrow.target.split("/")[0]
        if source in ORDER and (target not in ORDER or ORDER.index(target) > ORDER.index(source)):
            wrong.append(arrow)
    assert wrong == []


def test_no_view_imports_a_view(arrows: list[Arrow]) -> None:
    wrong = []
    for arrow in arrows:
        source, target = arrow.source.split("/"), arrow.target.split("/")
        both_views = source[:1] == target[:1] == ["views"] and len(source) > 2 and len(target) > 1
        # What lies beside the view folders (props, frame) is every view's.
        if both_views and target[1] != source[1] and (SOURCE / "views" / target[1]).is_dir():
            wrong.append(arrow)
    assert wrong == [], "what two views need sinks to widgets/, data/ or base/"


def test_the_page_names_no_host() -> None:
    files = [*SOURCE.rglob("*.ts*"), *SOURCE.rglob("*.css"), *(ROOT / "frontend" / "public").rglob("*.*")]
    shipped = [path for path in files if ".test." not in path.name and path.is_file()]
    named = {}
    for path in shipped:
        # xmlns is a name, never fetched; a host in a comment is an explanation.
        text = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        hosts = [host for host in HOST.findall(text) if "www.w3.org" not in host]
        if hosts:
            named[path.name] = hosts
    assert named == {}
