from __future__ import annotations

import json
from typing import Any, Literal

import msgspec
import pytest

from tb_plugin.doors import routes, wire

ROOT = wire.ROOT


def test_the_generated_files_are_fresh() -> None:
    stale = "stale: run `python -m tb_plugin.doors.wire`"
    assert wire.TYPESCRIPT.read_text(encoding="utf-8") == wire.typescript(), stale
    assert wire.OPENAPI.read_text(encoding="utf-8") == wire.openapi(), stale


def test_every_route_is_documented() -> None:
    documented = (ROOT / "docs" / "http_api.md").read_text(encoding="utf-8")
    paths = json.loads(wire.openapi())["paths"]
    assert set(paths) == {"/api/v1/runs", *(f"/api/v1/{name}" for name in routes.ROUTES)}
    for name in routes.ROUTES:
        assert f"`api/v1/{'view/{id}' if name.startswith('view/') else name}`" in documented


def test_references_of_the_openapi_document_lead_somewhere() -> None:
    document = json.loads(wire.openapi())

    def follow(node: Any) -> None:
        if isinstance(node, dict):
            if "$ref" in node:
                assert node["$ref"].rpartition("/")[2] in document["components"]["schemas"]
            for child in node.values():
                follow(child)
        elif isinstance(node, list):
            for child in node:
                follow(child)

    follow(document)


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (int, "number"),
        (float | None, "number | null"),
        (Literal["a", "b"], "'a' | 'b'"),
        (list[str], "readonly string[]"),
        (list[int | None], "readonly (number | null)[]"),
        (tuple[int, int], "readonly [number, number]"),
        (tuple[str, ...], "readonly string[]"),
        (dict[str, Any], "Readonly<Record<string, unknown>>"),
        (dict[str, list[bool]], "Readonly<Record<string, readonly boolean[]>>"),
    ],
)
def test_a_type_is_the_same_on_the_other_side(hint: Any, text: str) -> None:
    assert wire._type(hint) == text


def test_parameters_with_a_default_may_be_left_out_and_results_are_whole() -> None:
    class Sample(msgspec.Struct):
        """Says what it is."""

        a: int
        b: str | None = None

    sample: Any = Sample
    sample.__annotations__.update(a=int, b=str | None)
    assert wire._interface(sample, optional=True).splitlines() == [
        "/** Says what it is. */",
        "export interface Sample {",
        "  readonly a: number",
        "  readonly b?: string | undefined",
        "}",
    ]
    assert "readonly b: string | null" in wire._interface(sample, optional=False)
