"""How device work was launched, as Kineto's arguments: for profiles whose own do not tell all (databases of nsys, nvprof)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tb_plugin.base.units import NONE
from tb_plugin.formats.kineto.events import WorkArgs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

_KEYS: Final = {field.name: field.encode_name for field in msgspec.structs.fields(WorkArgs)}


def arguments_with_work(trace: Trace) -> Callable[[int], str]:
    """The JSON of an event's arguments by its place in the source, "" for none, with what only `trace.work` tells of it."""
    told = trace.args.reader()
    untold = _untold(trace, told)

    def read(order: int) -> str:
        text, more = told(order), untold.get(order)
        if more is None:
            return text
        return more if text in ("", "{}") else f"{text.rstrip()[:-1]},{more[1:]}"

    return read


def _untold(trace: Trace, told: Callable[[int], str]) -> dict[int, str]:
    """By place in the source, the JSON of arguments that only `trace.work` holds. AMD tells on the launch: that counts."""
    work, order, launch = trace.work, trace.events.order, trace.events.launch
    columns = {name: column for name, column in work.columns().items() if name != "row"}
    found = {}
    for row, *values in zip(work.row.tolist(), *(column.tolist() for column in columns.values()), strict=True):
        text = told(int(order[row]))
        says = {_KEYS[name]: value for name, value in zip(columns, values, strict=True) if _is_told(value)}
        says = {key: value for key, value in says.items() if f'"{key}"' not in text}
        if says and launch[row] != NONE:
            text = told(int(order[launch[row]]))
            says = {key: value for key, value in says.items() if f'"{key}"' not in text}
        if says:
            found[int(order[row])] = json.dumps(says)
    return found


def _is_told(value: Any) -> bool:
    """Not NONE, not NaN, not a triple of NONE."""
    return bool(value == value and value not in (NONE, [NONE] * 3))
