"""The same house in TypeScript: what a folder of frontend/src may import, and that the page needs no other host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "frontend" / "src"
# folder: what it may import besides itself. A new folder of frontend/src needs a row here.
MAY_IMPORT = {
    "base": set[str](),
    "data": {"base"},
    "layout": {"base"},
    "state": {"base"},
    "draw": {"base", "layout", "data"},
    "widgets": {"base", "layout", "state"},
    "views": {"base", "data", "layout", "state", "draw", "widgets"},
    "app": {"base", "data", "layout", "state", "widgets", "views"},
}
# `from '..'`, `import '..'`, `import('..')` and `new URL('..', import.meta.url)` of workers.
SPECIFIER = re.compile(r"""(?:from|import|import\(|new URL\()\s*['"](\.[^'"]*)['"]""")
HOST = re.compile(r"""(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+""", re.IGNORECASE)


class Arrow(NamedTuple):
    source: str  # both relative to frontend/src
    target: str


@pytest.fixture(scope="module")
def arrows() -> list[Arrow]:
    found = []
    for path in sorted(path for path in SOURCE.rglob("*.ts*") if ".test." not in path.name):
        for specifier in SPECIFIER.findall(path.read_text(encoding="utf-8")):
            target = (path.parent / specifier).resolve()
            found.append(Arrow(path.relative_to(SOURCE).as_posix(), target.relative_to(SOURCE.resolve()).as_posix()))
    assert len(found) > 10, "the reader of imports found next to nothing"
    return found


def test_every_folder_has_a_place() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} <= MAY_IMPORT.keys()


def test_arrows_point_down(arrows: list[Arrow]) -> None:
    wrong = []
    for arrow in arrows:
        source, target = arrow.source.split("/")[0], arrow.target.split("/")[0]
        # index.ts and standalone.ts, the entries, stand above all.
        if source in MAY_IMPORT and target not in MAY_IMPORT[source] | {source}:
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
        text = re.sub(r"/\*.*?\*/|(?:^|(?<=\s))//\s[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        hosts = [host for host in HOST.findall(text) if "www.w3.org" not in host]
        if hosts:
            named[path.name] = hosts
    assert named == {}
