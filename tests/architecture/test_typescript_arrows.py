"""The same house in TypeScript: what a folder of frontend/src may import, and that the page needs no other host."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.architecture.house import floors

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "frontend" / "src"
MAY_IMPORT = floors("frontend/src")
# `from '..'`, `import '..'`, `import('..')` and `new URL('..', import.meta.url)` of workers.
SPECIFIER = re.compile(r"""(?:from|import|import\(|new URL\()\s*['"](\.[^'"]*)['"]""")
LAZY = re.compile(r"""(?:import\(|new URL\()\s*['"](\.[^'"]*)['"]""")
OPENED = ("perfetto.ts", "https://ui.perfetto.dev")  # in a window of its own, on a click that says so
HOST = re.compile(r"""(?:https?:)?//[a-z0-9-]+(?:\.[a-z0-9-]+)+""", re.IGNORECASE)


class Arrow(NamedTuple):
    source: str  # both relative to frontend/src
    target: str
    # `import('..')`: asked for later, when both files have long been read.
    is_lazy: bool = False


@pytest.fixture(scope="module")
def arrows() -> list[Arrow]:
    found = []
    for path in sorted(path for path in SOURCE.rglob("*.ts*") if ".test." not in path.name):
        text = path.read_text(encoding="utf-8")
        lazy = set(LAZY.findall(text))
        for specifier in SPECIFIER.findall(text):
            target = (path.parent / specifier).resolve().relative_to(SOURCE.resolve()).as_posix()
            found.append(Arrow(path.relative_to(SOURCE).as_posix(), target, specifier in lazy))
    assert len(found) > 10, "the reader of imports found next to nothing"
    return found


def test_every_folder_has_a_place() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir()} == MAY_IMPORT.keys()


def test_arrows_point_down(arrows: list[Arrow]) -> None:
    wrong = []
    for arrow in arrows:
        source, target = arrow.source.split("/")[0], arrow.target.split("/")[0]
        # index.ts and standalone.ts, the entries, stand above all.
        if source in MAY_IMPORT and target not in [source, *MAY_IMPORT[source]]:
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


def test_no_file_imports_itself_in_a_circle(arrows: list[Arrow]) -> None:
    files = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.ts*")}
    imports: dict[str, list[str]] = {}
    for arrow in arrows:
        candidates = (f"{arrow.target}{ending}" for ending in (".ts", ".tsx", "/index.ts", "/index.tsx"))
        targets = [] if arrow.is_lazy else [target for target in candidates if target in files]
        imports.setdefault(arrow.source, []).extend(targets)
    assert sum(map(len, imports.values())) > 100, "imports lead to no files"
    assert circle_in(imports) == [], "what two files need of each other, types included, sinks to a third"


def circle_in(imports: dict[str, list[str]]) -> list[str]:
    """The files of one circle, in order; empty where there is none."""
    done: set[str] = set()

    def walk(file: str, way: list[str]) -> list[str]:
        if file in way:
            return [*way[way.index(file) :], file]
        if file in done:
            return []
        done.add(file)
        return next((found for target in imports.get(file, []) if (found := walk(target, [*way, file]))), [])

    return next((found for file in imports if (found := walk(file, []))), [])


def test_a_circle_is_found() -> None:
    assert circle_in({"a": ["b", "d"], "b": ["c"], "c": ["b"]}) == ["b", "c", "b"]
    assert circle_in({"a": ["b", "c"], "b": ["d"], "c": ["d"]}) == []


def test_the_page_names_no_host() -> None:
    files = [*SOURCE.rglob("*.ts*"), *SOURCE.rglob("*.css"), *(ROOT / "frontend" / "public").rglob("*.*")]
    shipped = [path for path in files if ".test." not in path.name and path.is_file()]
    named = {}
    for path in shipped:
        # xmlns is a name, never fetched; a host in a comment is an explanation.
        text = re.sub(r"/\*.*?\*/|(?:^|(?<=\s))//\s[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        hosts = [host for host in HOST.findall(text) if "www.w3.org" not in host and (path.name, host) != OPENED]
        if hosts:
            named[path.name] = hosts
    assert named == {}
