"""Arguments of some rows of a chunk as columns, by the names of their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import astuple

from tb_plugin.formats.kineto.events import CallNumbers, MemoryArgs, OperatorArgs, OperatorNumbers, WorkArgs, args_of
from tb_plugin.formats.kineto.json_repair import decode_any
from tb_plugin.trace.json_text import NOT_JSON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int32Array, Int64Array

_ALL: Final[dict[type[Any], msgspec.json.Decoder[list[Any]]]] = {
    shape: msgspec.json.Decoder(list[shape | None])  # type: ignore[valid-type]
    for shape in (OperatorArgs, WorkArgs, MemoryArgs)
}
_FEW: Final[dict[type[Any], msgspec.json.Decoder[list[Any]]]] = {
    shape: msgspec.json.Decoder(list[shape])  # type: ignore[valid-type]
    for shape in (OperatorNumbers, CallNumbers)
}
_ONE: Final = {shape: msgspec.json.Decoder(shape) for shape in _FEW}


def by_field(structs: Sequence[Any], shape: type[Any]) -> list[list[Any]]:
    """A column of each field of `shape`, out of one list of all values: three quarters of the time of `zip`."""
    values: list[Any] = []
    for each in structs:
        values += astuple(each)
    n_fields = len(shape.__struct_fields__)
    return [values[place::n_fields] for place in range(n_fields)]


def columns(raw_args: Sequence[msgspec.Raw], rows: Int64Array, shape: type[Any]) -> dict[str, list[Any]]:
    """Of these rows, whatever they have."""
    chosen = [raw_args[row] for row in rows.tolist()]
    try:
        found = _ALL[shape].decode(b"[%b]" % b",".join(chosen))
    except NOT_JSON:
        found = [args_of(raw, shape) for raw in chosen]
    try:
        values = by_field(found, shape)
    except TypeError:  # some have none
        nothing = shape()
        values = by_field([nothing if args is None else args for args in found], shape)
    return dict(zip(shape.__struct_fields__, values, strict=True))


def few_columns(raw_args: Sequence[msgspec.Raw], rows: Int64Array, shape: type[Any]) -> dict[str, list[Any]] | None:
    """Of rows that have nothing but what `shape` names; None where one has, or has no arguments. Nothing of no rows."""
    if len(rows) == 0:
        return {}
    try:
        found = _FEW[shape].decode(b"[%b]" % b",".join([raw_args[row] for row in rows.tolist()]))
    except NOT_JSON:
        return None
    return dict(zip(shape.__struct_fields__, by_field(found, shape), strict=True))


def labels_with_others(raw_args: Sequence[msgspec.Raw], rows: Int64Array, label: Int32Array, shape: type[Any]) -> list[int]:
    """Labels of which a row has other arguments than `shape` names. `label`: of each of these rows."""
    decode = _ONE[shape].decode
    found: set[int] = set()
    for row, each in zip(rows.tolist(), label.tolist(), strict=True):
        if each not in found:
            try:
                decode(raw_args[row])
            except NOT_JSON:
                found.add(each)
    return [*found]


def as_dict(raw: msgspec.Raw) -> dict[str, Any]:
    """{} where they are none."""
    value = decode_any(raw)
    return value if isinstance(value, dict) else {}
