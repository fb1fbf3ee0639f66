r"""Repairs of one broken event's text. What torch's own writer and common tools get wrong, and nothing more.

| repair | what was written | what is read |
|---|---|---|
| encoding | bytes that are not UTF-8 | U+FFFD in their place |
| control characters | a line feed or \\x01 inside a string | \\n, \\u0001 |
| half characters | "\\ud800" without its other half, as Python's json writes it | U+FFFD |
| backslashes | "C:\\Users" (no such escape) | "C:\\\\Users" |
| not numbers | NaN, Infinity, N/A as a value | null |
| trailing commas | [1, 2,] | [1, 2] |
| bare quotes | "name": "say "hi"", "pid" | "name": "say \\"hi\\"", "pid" |
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tb_plugin.trace.json_text import NOT_JSON, value_of

_STRING_OR_ODD = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|nan|Infinity|inf)\b|\bN/A\b|,(?=\s*[}\]])', re.DOTALL)
_CONTROL = re.compile(rb"[\x00-\x1f]")
_BAD_ESCAPE = re.compile(rb'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|(?=.|$))', re.DOTALL)
# Any escape; of characters beyond 16 bits both halves at once, so that what is left over is a half without the other.
_HALF = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
# The writer puts these keys in this order; a value runs to the next of them, whatever quotes are in it.
_KNOWN_VALUE = re.compile(rb'("(?:name|cat)"\s*:\s*")(.*?)(?="\s*,\s*"(?:pid|ph|cat|name|tid|ts|dur|args|id)"\s*:)', re.DOTALL)
_BARE_QUOTE = re.compile(rb'(?<!\\)"')
_CLOSES = re.compile(rb'"\s*(?:[,}\]:]|$)')


def repair(text: bytes) -> tuple[bytes, list[str]]:
    """(repaired text, names of the repairs made), for text that is not JSON. The result may still not be JSON."""
    done: list[str] = []
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        text = text.decode("utf-8", errors="replace").encode()
        done.append("encoding")
    quoted = _escape_bare_quotes(text)
    if quoted != text:
        done.append("bare quotes")
    fixes: set[str] = set()
    fixed = _STRING_OR_ODD.sub(lambda match: _fix_token(match.group(), fixes), quoted)
    return fixed, done + sorted(fixes)


def decode_any(raw: bytes | msgspec.Raw) -> Any:
    """The value of a JSON text that a decoder passed over unread (it does not look into what it skips); None if beyond repair."""
    try:
        return msgspec.json.decode(raw)
    except NOT_JSON:
        return value_of(repair(bytes(raw))[0])


def _fix_token(token: bytes, fixes: set[str]) -> bytes:
    if token == b",":
        fixes.add("trailing commas")
        return b""
    if token[:1] != b'"':
        fixes.add("not numbers")
        return b"null"
    if _CONTROL.search(token):
        fixes.add("control characters")
        token = _CONTROL.sub(lambda c: b"\\u%04x" % c.group()[0], token)
    escaped = _BAD_ESCAPE.sub(lambda e: e.group() if e.group(1) else b"\\\\", token)
    if escaped != token:
        fixes.add("backslashes")
    whole = _HALF.sub(lambda e: rb"\ufffd" if e.group(1) else e.group(), escaped)
    if whole != escaped:
        fixes.add("half characters")
    return whole


def _escape_bare_quotes(text: bytes) -> bytes:
    """Escapes quotes inside strings: first in values whose end is known by the key behind, then by what surrounds them."""
    text = _KNOWN_VALUE.sub(lambda m: m[1] + _BARE_QUOTE.sub(b'\\\\"', m[2]), text)
    pieces: list[bytes] = []
    inside = False
    last = 0
    for quote in _BARE_QUOTE.finditer(text):
        place = quote.start()
        if not inside:
            inside = True
            continue
        if _CLOSES.match(text, place):
            inside = False
            continue
        # The stock writer turns the backslash of an escaped quote into a slash: "a /"quoted/" value".
        start = place - 1 if text[place - 1 : place] == b"/" else place
        pieces += [text[last:start], b'\\"']
        last = place + 1
    return b"".join(pieces) + text[last:] if pieces else text
