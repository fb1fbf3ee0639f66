"""A threshold of a finding has its reason beside it."""

from __future__ import annotations

import ast
import re
from typing import TypeGuard

from tests.architecture.python_imports import PACKAGE, parsed, source_files

# How much is shown, which no finding rests on, and the number of a device type.
ONLY_SHOWN = re.compile(r"_(?:SHOWN|NAMED|LENGTH|WIDTH|CPU)$")


def test_each_threshold_of_a_finding_says_why() -> None:
    bare, n_seen = [], 0
    for path in source_files():
        if not path.is_relative_to(PACKAGE / "findings"):
            continue
        lines, body = path.read_text(encoding="utf-8").splitlines(), parsed(path).body
        for place, node in enumerate(body):
            if not _is_number(node) or ONLY_SHOWN.search(ast.unparse(node.target)):
                continue
            n_seen += 1
            behind = next((each for each in body[place + 1 :] if not _is_number(each)), None)
            has_words = isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant)
            if not has_words and "#" not in lines[node.lineno - 1]:
                bare.append(f"{path.name}: {ast.unparse(node.target)}")
    assert bare == []
    assert n_seen > 50


def _is_number(node: ast.stmt) -> TypeGuard[ast.AnnAssign]:
    """`_LEAST: Final = 0.2`."""
    return isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, int | float)
