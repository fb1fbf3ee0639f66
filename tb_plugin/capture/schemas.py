"""What torch knows of the arguments of each recorded operator: which may be written, and of which types they are.

A profile names operators, not their overloads. The page has no torch to ask, so the job does: 0.1 ms an operator.

    "aten::add_": ["T! T N", "T! N N"]

One word an argument, one text an overload: T tensor, L list of tensors, B bool, I int, F float, C complex, N any number,
A anything, X what the profiler does not record; `?` may be None, `!` is written.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tb_plugin.capture.live.reader import in_slices

if TYPE_CHECKING:
    from tb_plugin.capture.pace import Pace


def read(names: list[str], pace: Pace) -> dict[str, list[str]]:
    """The signatures of those names that are operators of torch; asked in slices."""
    torch = sys.modules.get("torch")
    if torch is None:
        return {}
    left = [name for name in names if "::" in name]
    found: dict[str, list[str]] = {}

    def read_some(size: int) -> None:
        for _ in range(min(size, len(left))):
            name = left.pop()
            signatures = _signatures(torch._C, name)
            if signatures:
                found[name] = signatures

    in_slices(read_some, lambda: bool(left), pace, first=1)
    return found


def _signatures(c: Any, name: str) -> list[str]:
    try:
        schemas = c._jit_get_schemas_for_operator(name)
    except RuntimeError:  # a range with "::" in its name
        return []
    return sorted({" ".join(_word(c, argument) for argument in schema.arguments) for schema in schemas})


def _word(c: Any, argument: Any) -> str:
    written = "!" if getattr(argument.alias_info, "is_write", False) else ""
    kind, optional = argument.type, ""
    while isinstance(kind, c.OptionalType):
        kind, optional = kind.getElementType(), "?"
    return f"{_letter(c, kind)}{optional}{written}"


def _letter(c: Any, kind: Any) -> str:
    """In the order in which torch's own memory profiler asks (`SchemaMatcher`)."""
    if isinstance(kind, c.AnyType):
        return "A"
    if kind.isSubtypeOf(c.ListType.ofTensors()):
        return "L"
    letters = (
        (c.TensorType, "T"),
        (c.NoneType, "0"),
        (c.BoolType, "B"),
        (c.IntType, "I"),
        (c.FloatType, "F"),
        (c.ComplexType, "C"),
        (c.NumberType, "N"),
    )
    return next((letter for type_, letter in letters if isinstance(kind, type_)), "X")
