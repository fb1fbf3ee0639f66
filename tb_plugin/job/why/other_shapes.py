"""Of a kernel or operator that runs on other shapes than on the peers: which of theirs stands for it.

aten::mm    rank 1  [768, 256] [256, 256]
            peers   [64, 256] [256, 256]    differs in one: this one
                    [256, 64] [64, 256]     differs in both
"""

from __future__ import annotations

import math
import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHAPE: Final = re.compile(r"(?:grid |block )?\[[\d, ]+\]")
"""Samples: `[[256], [64, 256], []]` of inputs, `grid [8, 1, 1] block [128, 1, 1]` of a launch."""


def shapes_in(text: str) -> list[str]:
    """Those that are no scalars."""
    return _SHAPE.findall(text)


def size_of(text: str) -> float:
    """Elements of all inputs that are recorded, else blocks of the grid; NaN where neither is."""
    shapes = shapes_in(text)
    of = [shape for shape in shapes if shape.startswith("[")] or shapes[:1]
    return float(sum(math.prod(map(int, re.findall(r"\d+", shape))) for shape in of)) or math.nan


def nearest(own: str, others: Sequence[str]) -> int:
    """The place of the one that differs in the fewest shapes, of equal ones the first."""
    mine = shapes_in(own)
    differ = [sum(a != b for a, b in zip_longest(mine, shapes_in(other))) for other in others]
    return differ.index(min(differ))


def first_that_differs(own: str, other: str) -> tuple[str, str] | None:
    """Of each; None where what is kept of them does not."""
    return next((pair for pair in zip(shapes_in(own), shapes_in(other), strict=False) if pair[0] != pair[1]), None)
