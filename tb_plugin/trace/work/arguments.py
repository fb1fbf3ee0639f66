"""The arguments of a recorded call: tensors by their shapes and types, all others as text.

    aten::addmm  [[8],[4,2],[2,8],[],[]]  ["float","float","float","Scalar","Scalar"]  ["","","","1","1"]
    tensor(1)    Tensor((4, 2), "float")          value(3)   1          tensor(3)   Unknown

Rules of what a call computes and moves ask it, and raise Unknown where what they need was not recorded.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tb_plugin.trace.json_text import is_shape
from tb_plugin.trace.work.input_bytes import ELEMENT_BYTES, NO_TENSOR

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = tuple[int, ...]


class Tensor(NamedTuple):
    """`element`: the C++ name of its type."""

    shape: Shape
    element: str

    @property
    def elements(self) -> int:
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.elements * ELEMENT_BYTES[self.element]


class Unknown(Exception):
    """What a call moves does not follow from what is recorded."""


UNFIT: Final = (Unknown, IndexError, ValueError, ZeroDivisionError)
"""What a rule raises where it is not known, or of shapes and numbers that torch's schema cannot have: a file may hold any."""


class Arguments(NamedTuple):
    """Of one call, by place, None where they are no tensors, and as text ("" where not recorded)."""

    tensors: list[Tensor | None]
    texts: list[str]

    def tensor(self, place: int) -> Tensor:
        """The tensor of this place. Raises Unknown if there is none."""
        found = self.tensors[place] if place < len(self.tensors) else None
        if found is None:
            raise Unknown
        return found

    def given(self) -> list[Tensor]:
        return [each for each in self.tensors if each is not None]

    def value(self, place: int) -> Any:
        """The argument of this place: a number, a bool, a list of them. Raises Unknown where it is not recorded."""
        try:
            return msgspec.json.decode(self.texts[place].lower())
        except (msgspec.DecodeError, IndexError):
            raise Unknown from None

    def numbers(self, place: int) -> list[int]:
        """The same, as a list of whole numbers."""
        value = self.value(place)
        listed = value if isinstance(value, list) else [value]
        if not all(type(n) is int for n in listed):
            raise Unknown
        return listed


def arguments(shapes: Sequence[Any], types: Sequence[str], texts: Sequence[str]) -> Arguments:
    """Of "Input Dims", "Input type" and "Concrete Inputs". Raises Unknown for a type that nobody knows, or lists of tensors.

    A file may hold anything in these lists: what is no text where one belongs is Unknown, too.
    """
    if len(shapes) != len(types) or not all(isinstance(text, str) for text in (*types, *texts)):
        raise Unknown
    return Arguments([_tensor(shape, kind) for shape, kind in zip(shapes, types, strict=True)], list(texts))


def _tensor(shape: Any, kind: str) -> Tensor | None:
    if kind in NO_TENSOR:
        return None
    if kind not in ELEMENT_BYTES or not is_shape(shape):
        raise Unknown
    return Tensor(tuple(shape), kind)


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape that these are spread over. Raises Unknown where they do not fit."""
    width = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (width - len(shape)) + shape for shape in shapes]
    result = tuple(max(sizes) if 0 not in sizes else 0 for sizes in zip(*padded, strict=True))
    if any(n not in (1, size) for shape in padded for n, size in zip(shape, result, strict=True)):
        raise Unknown
    return result
