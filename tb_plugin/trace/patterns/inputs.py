"""Input types and shapes of an operator, as the file has them: types in C++ names, shapes as nested lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tb_plugin.trace.json_text import list_of, texts_of

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def input_types(trace: Trace, row: int) -> list[str]:
    """`["float", "c10::Half", ""]`; empty where nothing was recorded, "" for what is no tensor."""
    return texts_of(trace.text(int(trace.events.types_id[row])))


def input_shapes(trace: Trace, row: int) -> list[list[Any]]:
    """`[[64, 128], [128, 32], []]`; a list of tensors is a list of shapes."""
    return [one if isinstance(one, list) else [] for one in list_of(trace.text(int(trace.events.shapes_id[row])))]
