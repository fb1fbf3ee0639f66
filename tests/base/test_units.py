"""Quantities in words read as the page's do, which is held to the same cases (`frontend/src/base/units.test.ts`)."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import copysign, floor, nextafter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.units import format_bytes, format_ns, format_rate, rounded, signed_ns, with_prefix

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = json.loads((Path(__file__).parent / "units_cases.json").read_text(encoding="utf-8"))
SHOWN: dict[str, Callable[[float], str]] = {
    "ns": format_ns,
    "signed_ns": signed_ns,
    "bytes": format_bytes,
    "bytes_per_s": format_rate,
    "flops": lambda flops: f"{with_prefix(flops)}FLOP",
}


@pytest.mark.parametrize("kind", CASES)
def test_cases_that_the_page_has_too(kind: str) -> None:
    assert [[value, SHOWN[kind](value)] for value, _ in CASES[kind]] == CASES[kind]


def _as_the_page(value: float, digits: int) -> str:
    """`toFixed` as ECMA-262 says it: the whole number n with n / 10**digits closest, of two the larger, and the sign apart."""
    n = floor(abs(Fraction(value)) * 10**digits + Fraction(1, 2))
    text = str(n).rjust(digits + 1, "0")
    return ("-" if value < 0 else "") + (f"{text[:-digits]}.{text[-digits:]}" if digits else text)


def test_a_half_and_its_neighbours_round_as_on_the_page() -> None:
    made = random.Random(7)
    for _ in range(5_000):
        digits = made.randrange(3)
        half = made.randrange(1, 10**6, 2) / 2 / 10**digits
        for value in (half, nextafter(half, 0), nextafter(half, 1e9), made.uniform(-1e3, 1e3), 0.0, -0.0):
            value = copysign(value, made.choice((-1, 1)))
            assert rounded(value, digits) == _as_the_page(value, digits), (value, digits)
