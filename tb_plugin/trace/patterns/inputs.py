"""Input types and shapes of an operator, as the file has them: types in C++ names, shapes as nested lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def input_types(trace: Trace, row: int) -> list[str]:
    """`["float", "c10::Half", ""]`; empty where nothing was recorded, "" for what is no tensor."""
    return [one if isinstance(one, str) else "" for one in _listed(trace, int(trace.events.types_id[row]))]


def input_shapes(trace: Trace, row: int) -> list[list[Any]]:
    """`[[64, 128], [128, 32], []]`; a list of tensors is a list of shapes."""
    return [one if isinstance(one, list) else [] for one in _listed(trace, int(trace.events.shapes_id[row]))]


def _listed(trace: Trace, string_id: int) -> list[Any]:
    try:
        found = msgspec.json.decode(trace.text(string_id) or "[]")
    except msgspec.DecodeError:
        return []  # foreign writers put other text here: to us it is not recorded
    return found if isinstance(found, list) else []
