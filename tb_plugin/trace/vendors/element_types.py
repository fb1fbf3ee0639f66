"""Types of elements as Kineto writes them in "Input type"."""

from __future__ import annotations

from typing import Final

HALF: Final = frozenset(("c10::Half",))
HALVES: Final = HALF | {"c10::BFloat16"}
FP8: Final = frozenset(("c10::Float8_e4m3fn", "c10::Float8_e5m2", "c10::Float8_e4m3fnuz", "c10::Float8_e5m2fnuz"))
INT8: Final = frozenset(("signed char",))
FLOAT: Final = frozenset(("float",))
DOUBLE: Final = frozenset(("double",))
