"""Writes the wire down for others: `frontend/src/wire/wire.ts` and `docs/openapi.json`, from the Structs themselves.

    python -m tb_plugin.doors.wire

Run it after changing a Params, a Result or a view's `definitions.md`: it writes what `definitions.py` and `figures.py` make, too.
A test fails while the files are stale.
"""

from __future__ import annotations

import inspect
import json
import types
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from tb_plugin.answers import bodies
from tb_plugin.answers.desk import JobParams, ProfileParams, besides
from tb_plugin.answers.questions import QUESTIONS, reply_type
from tb_plugin.doors import definitions, figures, replies
from tb_plugin.question.joint import Joint, JointReply
from tb_plugin.question.question import NoParams, ViewReply
from tb_plugin.views.ranks.hang.hang import Hangs

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
TYPESCRIPT: Final = ROOT / "frontend/src/wire/wire.ts"
OPENAPI: Final = ROOT / "docs/openapi.json"

_HEAD = "// Generated from the msgspec Structs by `python -m tb_plugin.doors.wire`. Do not edit.\n"
_NAMES = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null", Any: "unknown"}

_OWN: Final = (
    replies.RunsReply,
    replies.WaitReply,
    replies.ErrorReply,
    Hangs,
    replies.DropReply,
    replies.CancelReply,
    replies.WorkReply,
)
"""Replies that are none of a question's."""

StructType = type[msgspec.Struct]
_BESIDE = "the run of a file that came with it, empty for the first of several: ranks of one job are one run"


def typescript() -> str:
    """An interface for each Struct that crosses the wire, the outermost first."""
    done: dict[str, StructType] = {}
    parts = [_HEAD]
    for struct, is_params in dict.fromkeys(_roots()):
        for found in _with_parts(struct):
            known = done.setdefault(found.__name__, found)
            if known is not found:
                raise TypeError(f"two Structs are called {found.__name__}: {known.__module__} and {found.__module__}")
        if is_params:
            parts.append(_interface(struct, optional=True))
    results = [struct for struct in done.values() if (struct, True) not in set(_roots())]
    parts += [_interface(struct, optional=False) for struct in results]
    return "\n".join([*parts, _questions()])


def openapi() -> str:
    """The OpenAPI 3.1 document."""
    sent = {name: reply for name, question in QUESTIONS.items() if (reply := reply_type(question)) is not None}
    template = "#/components/schemas/{name}"
    schemas, components = msgspec.json.schema_components([*_OWN, *sent.values()], ref_template=template)
    for component in components.values():
        # From Python 3.13 on a docstring has no indentation, before it has.
        if "description" in component:
            component["description"] = inspect.cleandoc(component["description"])
    runs, wait, error, hang, drop, cancel, work = schemas[: len(_OWN)]
    schema_of = dict(zip(sent, schemas[len(_OWN) :], strict=True))
    paths: dict[str, Any] = {"/api/v1/runs": {"get": {"summary": "What was searched and found.", "responses": _ok(runs)}}}
    others = {
        "202": _json("The profile is still loading: ask again. With `Prefer: wait=1` the server waits a second for it.", wait),
        "304": {"description": "What the client has (If-None-Match) is current."},
        "400": _json("A parameter makes no sense.", error),
        "404": _json("No such run, worker, span or event.", error),
        "422": _json("The file cannot be read as a profile.", error),
    }
    refused = {status: {"$ref": f"#/components/responses/{status}"} for status in others}
    for name, question in QUESTIONS.items():
        parameters = [each for params in (*besides(question), question.params) for each in _parameters(params)]
        forms = question.forms if isinstance(question, Joint) else ()
        endings = [(".csv", _text(bodies.CSV)), *((f".{form}", _text(bodies.media(question, form))) for form in forms)]
        for ending, responses in (("", _ok(schema_of.get(name))), *endings):
            summary = {"": "", ".csv": " The rows of its table."}.get(ending, f" As {ending[1:]}.")
            summary = f"{question.title}{summary}"
            asked = {"summary": summary, "parameters": list(parameters), "responses": responses | refused}
            paths[f"/api/v1/{name}{ending}"] = {"get": asked}
    paths["/metrics"] = {
        "get": {"summary": "For a scraper.", "responses": _text(bodies.media(QUESTIONS["view/trends"], "openmetrics"))}
    }
    run = {"name": "run", "in": "query", "required": True, "schema": {"type": "string"}}
    summary = "Who did not come, from dumps of flight recorders beside a run's profiles."
    paths["/api/v1/hang"] = {"get": {"summary": summary, "parameters": [run], "responses": _ok(hang) | refused}}
    view = {"name": "view", "in": "query", "required": True, "schema": {"type": "string", "enum": definitions.view_ids()}}
    texts = _ok({"type": "object", "additionalProperties": {"type": "string"}})
    summary = "What the figures of a view are, by the names that its page knows them by."
    paths["/api/v1/definitions"] = {
        "get": {"summary": summary, "parameters": [view], "responses": texts | {k: refused[k] for k in ("304", "400", "404")}}
    }
    which_profile = [each for each in _parameters(ProfileParams) if each["name"] != "again"]
    summary = "What is being worked out about a profile."
    paths["/api/v1/work"] = {
        "get": {"summary": summary, "parameters": list(which_profile), "responses": _ok(work) | {"404": refused["404"]}}
    }
    name_of_file = {"name": "name", "in": "query", "required": True, "schema": {"type": "string"}}
    beside = {"name": "beside", "in": "query", "schema": {"type": "string"}, "description": _BESIDE}
    body = {"required": True, "content": {bodies.COLUMNS: {}}}
    paths["/api/v1/drop"] = {
        "post": {
            "summary": "Shows a file for as long as the server runs; from its own page alone.",
            "parameters": [name_of_file, beside],
            "requestBody": body,
            "responses": _ok(drop) | {status: refused[status] for status in ("400", "422")},
        }
    }
    paths["/api/v1/cancel"] = {
        "post": {
            "summary": "Ends the opening of a profile, and what is worked out about it; from the server's own page alone.",
            "parameters": which_profile,
            "responses": _ok(cancel) | {status: refused[status] for status in ("400", "404")},
        }
    }
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "torch-tb-plugin",
            "version": "1",
            "description": "Relative to data/plugin/torch_profile/ in TensorBoard, to / under tb-plugin serve. See http_api.md.",
        },
        "paths": paths,
        "components": {"parameters": _shared_parameters(paths), "responses": others, "schemas": components},
    }
    return json.dumps(_shorter(document), indent=1, ensure_ascii=False) + "\n"


def _shorter(schema: Any) -> Any:
    """Of "this or nothing" one list of types, as JSON Schema has it: 650 of them are a tenth of the document."""
    if isinstance(schema, list):
        return [_shorter(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _shorter(value) for key, value in schema.items()}
    match kept.get("anyOf"):
        case [{"type": str(one), **more}, {"type": "null", **nothing}] if not nothing and "enum" not in more:
            return {"type": [one, "null"], **more, **{key: value for key, value in kept.items() if key != "anyOf"}}
    return kept


def main() -> None:
    TYPESCRIPT.write_text(typescript(), encoding="utf-8")
    OPENAPI.write_text(openapi(), encoding="utf-8")
    definitions.main()
    figures.main()


def _roots() -> Iterator[tuple[StructType, bool]]:
    """(Struct, whether it holds parameters) of all that is asked and answered."""
    for reply in (*_OWN, ViewReply, JointReply):
        yield reply, False
    yield ProfileParams, True
    yield JobParams, True
    for question in QUESTIONS.values():
        if question.params is not NoParams:
            yield question.params, True
        reply = reply_type(question)
        if reply is not None:
            # ViewReply[Overview] stands for its Overview; the envelope is generic on the other side too.
            yield (get_args(reply) or (reply,))[0], False


def _questions() -> str:
    """A map of what is asked of a profile: the page's requests take the types of their parameters and replies from it."""
    lines = [
        "/** For questions that need nothing but the profile. */",
        "export type NoParams = Readonly<Record<string, never>>",
        "",
        "/** What is asked of a profile and answered in JSON: what it takes besides the profile, and the reply. */",
        "export interface Questions {",
    ]
    for name, question in QUESTIONS.items():
        reply = reply_type(question)
        if reply is not None:
            inner = "".join(f"<{argument.__name__}>" for argument in get_args(reply))
            shown = f"{(get_origin(reply) or reply).__name__}{inner}"
            params = " & ".join(each.__name__ for each in (question.params, *besides(question)[1:]))
            lines.append(f"  readonly '{name}': {{ readonly params: {params}; readonly reply: {shown} }}")
    return "\n".join([*lines, "}", ""])


def _with_parts(struct: StructType) -> Iterator[StructType]:
    """The Struct, then the Structs its fields hold, each once."""
    seen: dict[StructType, None] = {}
    pending = [struct]
    while pending:
        now = pending.pop(0)
        if now not in seen:
            seen[now] = None
            pending += [part for hint in get_type_hints(now).values() for part in _structs_in(hint)]
    yield from seen


def _structs_in(hint: object) -> list[StructType]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return [hint]
    return [part for argument in get_args(hint) for part in _structs_in(argument)]


def _interface(struct: StructType, *, optional: bool) -> str:
    """`optional`: fields with a default may be left out. Replies always carry every field."""
    lines = _comment(struct)
    generic = "<R>" if getattr(struct, "__parameters__", ()) else ""
    lines.append(f"export interface {struct.__name__}{generic} {{")
    hints = get_type_hints(struct)
    for field in msgspec.structs.fields(struct):
        hint, mark = hints[field.name], ""
        if optional and not field.required:
            mark = "?"
            given = [argument for argument in get_args(hint) if argument is not type(None)]
            hint_text = " | ".join([*(map(_type, given) if _is_union(hint) else [_type(hint)]), "undefined"])
        else:
            hint_text = _type(hint)
        lines.append(f"  readonly {field.encode_name}{mark}: {hint_text}")
    return "\n".join([*lines, "}", ""])


def _comment(struct: StructType) -> list[str]:
    text = inspect.cleandoc(struct.__doc__ or "").replace("*/", "* /")
    if not text:
        return []
    if "\n" not in text:
        return [f"/** {text} */"]
    return ["/**", *(f" * {line}".rstrip() for line in text.splitlines()), " */"]


def _is_union(hint: object) -> bool:
    return get_origin(hint) in (Union, types.UnionType)


def _type(hint: object) -> str:
    """The TypeScript of a type hint."""
    if hint in _NAMES:
        return _NAMES[hint]
    if isinstance(hint, TypeVar) or (isinstance(hint, type) and issubclass(hint, msgspec.Struct)):
        return hint.__name__
    arguments = get_args(hint)
    if _is_union(hint):
        return " | ".join(_type(argument) for argument in arguments)
    origin = get_origin(hint)
    if origin is Literal:
        return " | ".join(json.dumps(choice).replace('"', "'") for choice in arguments)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return f"readonly [{', '.join(map(_type, arguments))}]"
    if origin in (list, tuple):
        inner = _type(arguments[0])
        return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"
    if origin is dict:
        return f"Readonly<Record<{_type(arguments[0])}, {_type(arguments[1])}>>"
    raise TypeError(f"no TypeScript for {hint}")


def _parameters(params: StructType) -> list[dict[str, Any]]:
    _, components = msgspec.json.schema_components([params])
    properties = components[params.__name__].get("properties", {})
    return [
        {"name": field.encode_name, "in": "query", "schema": properties[field.encode_name]}
        | ({"required": True} if field.required else {})
        for field in msgspec.structs.fields(params)
    ]


def _shared_parameters(paths: dict[str, Any]) -> dict[str, Any]:
    """Parameters that several routes have alike, by name; in `paths` a reference takes their place.

    Two routes may give one name different defaults: then what more of them have is shared.
    """
    lists = [route["parameters"] for path in paths.values() for route in path.values() if "parameters" in route]
    written = Counter(json.dumps(parameter) for parameters in lists for parameter in parameters)
    shared: dict[str, Any] = {}
    for text, n_routes in written.most_common():
        if n_routes > 1:
            shared.setdefault(json.loads(text)["name"], json.loads(text))
    for parameters in lists:
        parameters[:] = [
            {"$ref": f"#/components/parameters/{each['name']}"} if shared.get(each["name"]) == each else each
            for each in parameters
        ]
    return shared


def _ok(schema: dict[str, Any] | None) -> dict[str, Any]:
    if schema is None:
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        return {"200": {"description": "Raw columns, see http_api.md.", "content": content}}
    return {"200": _json("The answer.", schema)}


def _text(media: str) -> dict[str, Any]:
    return {"200": {"description": "The rows as text.", "content": {media: {"schema": {"type": "string"}}}}}


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


if __name__ == "__main__":
    main()
