"""The tree drawn in base/errors.py is the one that is there, with every status and exit code."""

from __future__ import annotations

import ast
import importlib
import re

import tb_plugin.base.errors as errors
from tests.architecture.python_imports import ROOT, source_files

DRAWN = re.compile(r"^( *)(\w+Error) +exit (\d), HTTP (\d+)", re.MULTILINE)


def of_the_package() -> dict[str, type[errors.TbPluginError]]:
    """Every class of the tree, wherever it is written."""
    written = [
        (
            ".".join(path.relative_to(ROOT).with_suffix("").parts),
            node.name,
            {base.id for base in node.bases if isinstance(base, ast.Name)},
        )
        for path in source_files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    found: dict[str, type[errors.TbPluginError]] = {"TbPluginError": errors.TbPluginError}
    for _ in written:  # until nothing is new
        more = {name: module for module, name, bases in written if bases & found.keys() and name not in found}
        if not more:
            break
        found |= {name: getattr(importlib.import_module(module), name) for name, module in more.items()}
    return found


def test_every_error_is_drawn_with_its_codes() -> None:
    drawn = {
        name: (len(indent) // 2, int(code), int(status)) for indent, name, code, status in DRAWN.findall(errors.__doc__ or "")
    }
    depth = {name: len(error.__mro__) - len(errors.TbPluginError.__mro__) for name, error in of_the_package().items()}
    assert drawn == {name: (depth[name], error.exit_code, error.http_status) for name, error in sorted(of_the_package().items())}
    assert len(drawn) > 5
