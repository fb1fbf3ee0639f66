"""The type that torch gives to the result of an operator of several tensors (c10::result_type), by their C++ names.

float + c10::BFloat16          float
c10::Half + c10::BFloat16      float
c10::BFloat16 + double []      c10::BFloat16    (without dimensions: a Python number)
long int + double []           not known        (a number makes it float, a tensor double)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.work.input_bytes import ELEMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

_FLOATS: Final = ("c10::Half", "c10::BFloat16", "float", "double")
_WHOLE: Final = ("signed char", "char", "short", "short int", "int", "long", "long int", "long long", "__int64")


def promoted(tensors: Sequence[tuple[str, int]]) -> str | None:
    """Of (type, number of dimensions) of each; None where it does not follow, or for types whose rules are not here."""
    if not tensors or any(_kind(element) is None for element, _ in tensors):
        return None
    with_axes = [element for element, n_axes in tensors if n_axes]
    numbers = [element for element, n_axes in tensors if not n_axes]
    if with_axes and max(map(_order, numbers), default=0) > max(map(_order, with_axes)):
        return None
    decides = with_axes or numbers
    highest = max(map(_order, decides))
    among = {element for element in decides if _order(element) == highest}
    if among == {"c10::Half", "c10::BFloat16"}:
        return "float"
    return max(among, key=lambda element: ELEMENT_BYTES[element])


def is_float(element: str) -> bool:
    """Is it a floating point type with torch's usual arithmetic? Those of eight bits have none."""
    return element in _FLOATS


def _order(element: str) -> int:
    """bool, whole numbers, floats."""
    return _kind(element) or 0


def _kind(element: str) -> int | None:
    return 2 if is_float(element) else 1 if element in _WHOLE else 0 if element == "bool" else None
