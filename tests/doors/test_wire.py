from __future__ import annotations

import json
import re
from typing import Any, Literal

import msgspec
import pytest

from tb_plugin.answers.desk import besides
from tb_plugin.answers.questions import QUESTIONS, reply_type
from tb_plugin.doors import wire
from tb_plugin.doors.definitions import in_words, texts, view_ids

ROOT = wire.ROOT


def test_the_generated_files_are_fresh() -> None:
    stale = "stale: run `python -m tb_plugin.doors.wire`"
    assert wire.TYPESCRIPT.read_text(encoding="utf-8") == wire.typescript(), stale
    assert wire.OPENAPI.read_text(encoding="utf-8") == wire.openapi(), stale


def test_what_stands_behind_a_question_mark_names_no_fields() -> None:
    text = "The job's (`job_step_ns`), not `untold_ns` (`job_share`, and more); of `rank=5` `self_cpu_time_total`."
    assert in_words(text) == "The job's, not not told apart (job, and more); of `rank=5` `self_cpu_time_total`."
    assert in_words("Last by 20 us; none of us.") == "Last by 20 µs; none of us."
    for view in view_ids():
        assert not re.search(r"`\w+_ns`", "\n".join(texts(view).values()))


def test_every_route_is_documented() -> None:
    documented = (ROOT / "docs" / "http_api.md").read_text(encoding="utf-8")
    paths = json.loads(wire.openapi())["paths"]
    asked = {f"/api/v1/{name}{form}" for name in QUESTIONS for form in ("", ".csv")}
    forms = {f"/api/v1/view/trends.{form}" for form in ("markdown", "openmetrics", "jsonl")}
    own = {"/metrics", *(f"/api/v1/{name}" for name in ("runs", "hang", "definitions", "work", "drop", "cancel"))}
    assert set(paths) == {*own, *asked, *forms}
    for name in QUESTIONS:
        assert f"`api/v1/{'view/{id}' if name.startswith('view/') else name}`" in documented


def test_every_question_that_is_answered_in_json_is_in_the_pages_map() -> None:
    (questions,) = re.findall(r"^export interface Questions \{\n(.*?)^\}", wire.typescript(), re.DOTALL | re.MULTILINE)
    types = dict(re.findall(r"^  readonly '(.+?)': \{ (.+) \}$", questions, re.MULTILINE))
    assert set(types) == {name for name, question in QUESTIONS.items() if reply_type(question) is not None}
    assert types["view/advice"] == "readonly params: AdviceParams & JobParams; readonly reply: ViewReply<Advice>"
    assert types["choices"] == "readonly params: NoParams; readonly reply: Choices"


def test_references_of_the_openapi_document_lead_somewhere() -> None:
    document = json.loads(wire.openapi())

    def follow(node: Any) -> None:
        if isinstance(node, dict):
            if "$ref" in node:
                assert _at(document, node["$ref"])
            for child in node.values():
                follow(child)
        elif isinstance(node, list):
            for child in node:
                follow(child)

    follow(document)


def test_each_route_has_all_its_parameters_and_what_two_have_alike_is_written_once() -> None:
    document = json.loads(wire.openapi())
    shared = document["components"]["parameters"]
    inline: list[Any] = []
    for name, question in QUESTIONS.items():
        listed = document["paths"][f"/api/v1/{name}"]["get"]["parameters"]
        inline += [each for each in listed if "$ref" not in each]
        found = [_at(document, each["$ref"]) if "$ref" in each else each for each in listed]
        every = [each for params in (*besides(question), question.params) for each in wire._parameters(params)]
        assert found == wire._shorter(every)
    assert not any(each in shared.values() for each in inline)
    assert all(inline.count(each) == 1 for each in inline if each["name"] not in shared)


def test_what_may_be_nothing_is_a_list_of_types_where_it_may_be_anything_of_its_type() -> None:
    nothing = {"type": "null"}
    assert wire._shorter({"anyOf": [{"type": "integer"}, nothing], "default": 1}) == {"type": ["integer", "null"], "default": 1}
    for kept in (
        [{"type": "string", "enum": ["a"]}, nothing],
        [{"$ref": "#/x"}, nothing],
        [{"type": "string"}, {"type": "integer"}],
    ):
        assert wire._shorter({"anyOf": kept}) == {"anyOf": kept}


def _at(document: Any, reference: str) -> Any:
    for part in reference.removeprefix("#/").split("/"):
        document = document[part]
    return document


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
