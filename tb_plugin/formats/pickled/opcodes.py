"""What a pickle is about to do, looked at before any of it is done: few bytes can ask for gigabytes.

Plain values are dicts, lists, tuples, text, bytes and numbers, as `pickle.dump` writes them since protocol 2. Other opcodes are
refused, and places in the memo that are farther than the file is long: the unpickler would make a table of that size.
"""

from __future__ import annotations

import re
from typing import Final

LARGEST_FILE: Final = 8 << 20
"""Looking takes longer than unpickling. In a larger file what an opcode asks for is small beside the file, or is refused by the
limits of the child that reads it."""

# Opcodes without an argument, or with one of a fixed size; so many at once, or the expression would remember each of them.
_PLAIN: Final = re.compile(
    rb"(?:[()\]}tldaesu0N.\x85-\x89\x8f-\x91\x94]|[Khq\x80].|M.{2}|[Jj].{4}|[G\x95].{8}){1,200}", re.DOTALL
)
_WITH_BYTES: Final = {1: b"UC\x8a\x8c", 4: b"TXB\x8b", 8: b"\x8d\x8e\x96"}
_SIZES: Final = {opcode: size for size, opcodes in _WITH_BYTES.items() for opcode in opcodes}
"""Opcodes with bytes behind them, and how many bytes say how many."""
_PUT: Final = ord("r")  # LONG_BINPUT
_LOOKED_UP: Final = (*b"cPQ\x82\x83\x84\x93",)
"""Names and references, which the unpickler refuses with their names."""
_LONGEST_ARGUMENT: Final = 9


class NotPlainPickleError(ValueError):
    """It asks for what plain values do not need."""


def check(content: bytes) -> None:
    """NotPlainPickleError for what must not be unpickled. A file that ends too early is left to the unpickler."""
    place = 0
    while place < len(content):
        plain = _PLAIN.match(content, place)
        if plain:
            place = plain.end()
            continue
        opcode = content[place]
        if opcode in _LOOKED_UP or len(content) - place < _LONGEST_ARGUMENT:
            return
        size = 4 if opcode == _PUT else _SIZES.get(opcode)
        if size is None:
            raise NotPlainPickleError(f"opcode {opcode} at byte {place}, which plain values do not need")
        number = int.from_bytes(content[place + 1 : place + 1 + size], "little")
        if opcode == _PUT and number > len(content):
            raise NotPlainPickleError(f"place {number} of its memo at byte {place}, where {len(content)} are possible")
        place += 1 + size + (0 if opcode == _PUT else number)
