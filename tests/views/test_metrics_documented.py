"""docs/metrics.md has every figure that a view shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import pytest

from tb_plugin import views

if TYPE_CHECKING:
    from tb_plugin.view import View

METRICS = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


@pytest.mark.parametrize("view", views.ALL, ids=lambda view: view.id)
def test_every_field_of_a_result_has_its_formula(view: View[Any, Any]) -> None:
    chapters = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", METRICS.read_text(encoding="utf-8"), re.M | re.S))
    explained = {name for row in re.findall(r"^\| (.+)", chapters[view.id], re.M) for name in re.findall(r"`(\w+)`", row)}
    assert _fields(view.result) - explained == set()


def _fields(struct: type[msgspec.Struct]) -> set[str]:
    """Names of the fields of a Struct and of all Structs in it."""
    found: set[str] = set()
    for field in msgspec.structs.fields(struct):
        found.add(field.encode_name)
        for part in _types(field.type):
            found |= _fields(part)
    return found


def _types(annotation: object) -> list[type[msgspec.Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return [annotation]
    return [found for part in get_args(annotation) for found in _types(part)]
