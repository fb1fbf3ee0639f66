"""A word has one meaning."""

from __future__ import annotations

import ast
from collections import defaultdict

from tests.architecture.python_imports import PACKAGE, parsed, source_files


def test_no_two_classes_share_a_name() -> None:
    homes = defaultdict(list)
    for path in source_files():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(PACKAGE).as_posix())
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
