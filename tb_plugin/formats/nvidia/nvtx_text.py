"""What torch's `emit_nvtx` writes into the text of a range.

    aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]], input_op_ids = [[3,0], [4,0]]
    MmBackward, stashed seq=5                                                               (2018)

Ranges of `record_function` have an op_id only. Any other text is the name of somebody's own range, as it stands.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.base.units import NONE
from tb_plugin.trace.json_text import NOT_JSON
from tb_plugin.trace.kinds import STEP_NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPERATOR_NAME = re.compile(r"\w+::\w[\w.]*")
_SEQUENCE_MARKS = (", seq = ", ", stashed seq = ", ", stashed seq=", ", seq=")
_MOST_DIGITS = 18  # what surely fits into int64


@dataclass(frozen=True)
class Range:
    """The text taken apart. `shapes` is JSON as in the file; `args` is what a click on the event shows."""

    name: str
    is_operator: bool = False
    sequence: int = NONE
    op_id: int = NONE
    shapes: str = ""
    args: bytes = b"null"


def parse(text: str) -> Range:
    """Works from the end, where torch appends; what does not look as torch writes it stays in the name."""
    name, inputs = _list_after(text, ", input_op_ids = ")
    name, shapes = _list_after(name, ", sizes = ")
    name, op_id = _number_after(name, (", op_id = ",))
    name, sequence = _number_after(name, _SEQUENCE_MARKS)
    if sequence == NONE and op_id == NONE:
        return Range(text, is_operator=text.startswith("aten::") and _OPERATOR_NAME.fullmatch(text) is not None)
    is_operator = (sequence != NONE or _OPERATOR_NAME.fullmatch(name) is not None) and not STEP_NAME.match(name)
    args: dict[str, Any] = {}
    if sequence != NONE:
        args["Sequence number"] = sequence
    if op_id != NONE:
        args["External id"] = op_id
    if shapes:
        args["Input Dims"] = msgspec.Raw(shapes.encode())
    if inputs:
        args["input_op_ids"] = msgspec.Raw(inputs.encode())
    return Range(name, is_operator, sequence, op_id, shapes, msgspec.json.encode(args))


def _list_after(text: str, mark: str) -> tuple[str, str]:
    head, found, value = text.rpartition(mark)
    if not found or not head or not value.startswith("["):
        return text, ""
    return (head, value) if _is_list(value) else (text, "")


@functools.lru_cache(maxsize=4096)  # many operators have the same shapes
def _is_list(text: str) -> bool:
    try:
        msgspec.json.decode(text, type=list[Any])
    except NOT_JSON:
        return False
    return True


def _number_after(text: str, marks: Sequence[str]) -> tuple[str, int]:
    for mark in marks:
        head, found, value = text.rpartition(mark)
        if found and head and value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS:
            return head, int(value)
    return text, NONE
