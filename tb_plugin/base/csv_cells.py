"""Texts of a profile as cells of CSV files, which people open in spreadsheets."""

from __future__ import annotations

from typing import Final

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a formula begins, in wide letters too (OWASP, "CSV Injection"), whatever blanks come first; `export.ts` has the same."""
_BLANKS: Final = " \n\v\f\0"


def inert(text: str) -> str:
    """What a spreadsheet would run as a formula begins with `'`, which tells spreadsheets that it is text."""
    cell = f"'{text}" if text.lstrip(_BLANKS).startswith(_FORMULA) else text
    return cell.replace("\r", "\n")  # csv does not quote it, and what follows would be a row of its own
