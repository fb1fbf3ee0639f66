"""How much a call computes or moves: a number, or where only a bound is known, the most."""

from __future__ import annotations

from typing import NamedTuple


class Amount(NamedTuple):
    """`is_most`: what it really is depends on values, which are in no file."""

    n: int
    is_most: bool = False
