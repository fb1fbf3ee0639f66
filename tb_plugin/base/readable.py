r"""Names of files as text that any encoding can say: Python makes half a surrogate pair of each byte that is no UTF-8.

b"x\xff"    the run  x\xff        b"x\\xff", a backslash in truth    the run  x\x5cxff
"""

from __future__ import annotations

import re

_ODD = re.compile("[\ud800-\udfff]")
_LIKE_AN_ESCAPE = re.compile(r"\\(?=x[0-9a-f]{2}|ud[89a-f][0-9a-f]{2})")


def is_readable(text: str) -> bool:
    return text.isascii() or _ODD.search(text) is None


def readable(text: str) -> str:
    """For sentences."""
    return text if is_readable(text) else _ODD.sub(_escape, text)


def readable_name(text: str) -> str:
    """For names that are asked by: two of them are never the same, for what looks like an escape is escaped itself."""
    return readable(_LIKE_AN_ESCAPE.sub(r"\\x5c", text) if "\\" in text else text)


def _escape(odd: re.Match[str]) -> str:
    code = ord(odd[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
