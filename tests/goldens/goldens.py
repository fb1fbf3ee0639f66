"""Answers as text that a person can compare: one row a line, keys once, what is long cut with a digest of all of it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

MOST_ROWS = 25  # of a table; most numbers of a list on one line
MOST_LINES = 200  # of a text
MOST_NUMBERS = 40
DIGITS = 9  # of a fraction: sums of floats differ in the last ones between processors
_INDENT = "  "


def as_text(answers: dict[str, Any]) -> str:
    """JSON, by title; the same text for the same answers on any machine."""
    return _block(_rounded(answers), "") + "\n"


def _block(value: Any, indent: str) -> str:
    """One value, with line breaks where it holds tables or other blocks."""
    flat = _flat(value)
    if len(indent) + len(flat) <= 120 or not isinstance(value, (dict, list)):
        return flat
    inner = indent + _INDENT
    if isinstance(value, dict):
        parts = [f"{_flat(key)}: {_block(each, inner)}" for key, each in sorted(value.items())]
        return _lines("{", parts, "}", indent)
    if _is_table(value):
        keys = list(value[0])
        rows = [[row[key] for key in keys] for row in value]
        return _lines("[", [_flat(keys), *map(_flat, rows[:MOST_ROWS]), *_rest(rows, MOST_ROWS)], "]", indent)
    if all(isinstance(each, (int, float, type(None))) for each in value):
        return _flat([*value[:MOST_NUMBERS], *map(json.loads, _rest(value, MOST_NUMBERS))])
    most = MOST_LINES if all(isinstance(each, str) for each in value) else MOST_ROWS
    return _lines("[", [*(_block(each, inner) for each in value[:most]), *_rest(value, most)], "]", indent)


def _is_table(value: list[Any]) -> bool:
    return isinstance(value[0], dict) and all(isinstance(row, dict) and list(row) == list(value[0]) for row in value)


def _rest(rows: list[Any], most: int) -> list[str]:
    """A line for the rows beyond the shown ones, which changes when any of them does."""
    if len(rows) <= most:
        return []
    digest = hashlib.sha256(_flat(rows[most:]).encode()).hexdigest()[:16]
    return [_flat(f"{len(rows) - most} more, sha256 {digest}")]


def _lines(opening: str, parts: list[str], closing: str, indent: str) -> str:
    inner = f"\n{indent}{_INDENT}"
    return f"{opening}{inner}{f',{inner}'.join(parts)}\n{indent}{closing}"


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value
