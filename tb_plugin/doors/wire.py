"""Writes the wire down for others: `frontend/src/data/wire.ts` and `docs/openapi.json`, from the Structs themselves.

    python -m tb_plugin.doors.wire

Run it after changing a Params, a Result or a view's `definitions.md` (`definitions.py`); a test fails while the files are stale.
"""

from __future__ import annotations

import inspect
import json
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from tb_plugin.doors import definitions, replies
from tb_plugin.doors.routes import ROUTES, NoParams, ProfileParams, ViewReply

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[2]
TYPESCRIPT: Final = ROOT / "frontend/src/data/wire.ts"
OPENAPI: Final = ROOT / "docs/openapi.json"

_HEAD = "// Generated from the msgspec Structs by `python -m tb_plugin.doors.wire`. Do not edit.\n"
_NAMES = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null", Any: "unknown"}

StructType = type[msgspec.Struct]


def typescript() -> str:
    """An interface for each Struct that crosses the wire, the outermost first."""
    done: dict[str, StructType] = {}
    parts = [_HEAD]
    for struct, is_params in _roots():
        for found in _with_parts(struct):
            known = done.setdefault(found.__name__, found)
            if known is not found:
                raise TypeError(f"two Structs are called {found.__name__}: {known.__module__} and {found.__module__}")
        if is_params:
            parts.append(_interface(struct, optional=True))
    results = [struct for struct in done.values() if (struct, True) not in set(_roots())]
    parts += [_interface(struct, optional=False) for struct in results]
    return "\n".join(parts)


def openapi() -> str:
    """The OpenAPI 3.1 document."""
    routes = [route for route in ROUTES.values() if route.reply is not None]
    own = [replies.RunsReply, replies.WaitReply, replies.ErrorReply]
    template = "#/components/schemas/{name}"
    schemas, components = msgspec.json.schema_components([*own, *(route.reply for route in routes)], ref_template=template)
    runs, wait, error = schemas[:3]
    schema_of = dict(zip(map(id, routes), schemas[3:], strict=True))
    paths: dict[str, Any] = {"/api/v1/runs": {"get": {"summary": "What was searched and found.", "responses": _ok(runs)}}}
    for name, route in ROUTES.items():
        responses = _ok(schema_of.get(id(route))) if not route.media else _text(route.media)
        responses["202"] = _json("The profile is still loading: ask again.", wait)
        responses["304"] = {"description": "What the client has (If-None-Match) is current."}
        for status, why in (
            ("400", "A parameter makes no sense."),
            ("404", "No such run, worker, span or event."),
            ("422", "The file cannot be read as a profile."),
        ):
            responses[status] = _json(why, error)
        parameters = [*_parameters(ProfileParams), *_parameters(route.params)]
        paths[f"/api/v1/{name}"] = {"get": {"summary": route.summary, "parameters": parameters, "responses": responses}}
    document = {
        "openapi": "3.1.0",
        "info": {
            "title": "torch-tb-plugin",
            "version": "1",
            "description": "Relative to data/plugin/torch_profile/ in TensorBoard, to / under tb-plugin serve. See http_api.md.",
        },
        "paths": paths,
        "components": {"schemas": components},
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    TYPESCRIPT.write_text(typescript(), encoding="utf-8")
    OPENAPI.write_text(openapi(), encoding="utf-8")
    definitions.main()


def _roots() -> Iterator[tuple[StructType, bool]]:
    """(Struct, whether it holds parameters) of all that is asked and answered."""
    for reply in (replies.RunsReply, replies.WaitReply, replies.ErrorReply, ViewReply):
        yield reply, False
    yield ProfileParams, True
    for route in ROUTES.values():
        if route.params is not NoParams:
            yield route.params, True
        if route.reply is not None:
            # ViewReply[Overview] stands for its Overview; the envelope is generic on the other side too.
            yield (get_args(route.reply) or (route.reply,))[0], False


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
        {"name": field.encode_name, "in": "query", "required": field.required, "schema": properties[field.encode_name]}
        for field in msgspec.structs.fields(params)
    ]


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
