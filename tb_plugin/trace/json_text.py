"""JSON that a file holds as text and nobody has looked into: arguments, shapes, types. What is damaged is not recorded."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

NOT_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError, OverflowError, ValueError)
"""What decoding raises of text that is not JSON, not UTF-8, or too deep or large to be held."""

_LARGEST = 1 << 62
_MOST_DIGITS = 18  # what surely fits into int64


def value_of(text: str | bytes) -> Any:
    """None for what is no JSON. Integers that 64 bits do not hold stay text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.ValidationError:
        pass
    except NOT_JSON:
        return None
    try:
        return json.loads(text, parse_int=_integer)
    except NOT_JSON:
        return None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def raw_of(text: bytes) -> msgspec.Raw | None:
    """The same text where it is JSON."""
    try:
        return msgspec.json.decode(text, type=msgspec.Raw)
    except NOT_JSON:
        return None


def list_of(text: str | bytes) -> list[Any]:
    """Empty for what is no list."""
    value = value_of(text)
    return value if isinstance(value, list) else []


def texts_of(text: str | bytes) -> list[str]:
    """A list of texts, as "Input type" is; "" for what is none."""
    return [one if isinstance(one, str) else "" for one in list_of(text)]


def is_shape(value: object) -> bool:
    """A list of sizes."""
    return isinstance(value, list) and all(isinstance(size, int) and 0 <= size < _LARGEST for size in value)
