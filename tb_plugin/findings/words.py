"""Words for counts."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 call`, `2 calls`, `3 batches`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
