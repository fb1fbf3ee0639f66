"""Who imports whom in `tb_plugin`, read from the source: inside functions and under TYPE_CHECKING too."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tb_plugin"


@dataclass(frozen=True)
class Import:
    """`module` is imported by `file`, at import time unless it stands in a function or under TYPE_CHECKING."""

    file: str
    line: int
    module: str
    at_import_time: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def source_files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if not path.name.endswith("_pb2.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports_of(path: Path) -> Iterator[Import]:
    file = path.relative_to(ROOT).as_posix()
    for node, at_import_time in _walk(parsed(path), at_import_time=True):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(file, node.lineno, alias.name, at_import_time)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                # `from tb_plugin import views` names a module, `from tb_plugin.view import View` a thing in one:
                # both ways the longer name lies in the right folder.
                yield Import(file, node.lineno, f"{node.module}.{alias.name}", at_import_time)


@cache
def all_imports() -> tuple[Import, ...]:
    return tuple(found for path in source_files() for found in _imports_of(path))


def _walk(node: ast.AST, *, at_import_time: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Statements; there is no import in an expression."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            continue
        now = at_import_time and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            now = False
        yield child, now
        yield from _walk(child, at_import_time=now)
