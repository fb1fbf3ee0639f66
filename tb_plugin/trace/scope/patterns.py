r"""Names by a regular expression, matched in time linear in the name: a pattern comes from a link, and links come from anybody.

The grammar is RE2's (https://github.com/google/re2/wiki/Syntax), which has no look-around and no back references: these
need an engine that tries again and again, and `(\w+)+\$` keeps that busy for years. RE2 also lets other threads run meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import re2

from tb_plugin.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_STEPS: Final = 1500
"""Size of a pattern's program. One character takes at most so many steps: `(a{0,100}){10}` has 2,004."""

SEARCHED_BYTES: Final = 16 << 10
"""Of a name, what is searched: real ones end long before."""

_MEMORY_BYTES: Final = 1 << 20  # of one pattern; the library keeps the last 128 of them


def name_matcher(text: str, *, literal: bool = False) -> Callable[[str], bool]:
    """A predicate for names from a regular expression, or from a part of the name; upper and lower case alike.

    Raises UsageError for what is no regular expression of RE2, or too large a one.
    """
    options = re2.Options()
    options.case_sensitive, options.literal = False, literal
    options.never_capture, options.log_errors, options.max_mem = True, False, _MEMORY_BYTES
    try:
        pattern = re2.compile(_bytes(text), options)
    except re2.error as error:
        raise UsageError(f"not a regular expression: {_reason(error)}") from None
    if pattern.programsize > MOST_STEPS and not literal:
        raise UsageError("this regular expression is too large: name fewer repetitions")
    search = pattern.search
    return lambda name: search(_bytes(name[:SEARCHED_BYTES])) is not None


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _reason(error: re2.error) -> str:
    said = error.args[0]
    words = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    impossible = words.startswith(("invalid perl operator", "invalid escape sequence"))
    return f"{words} (the grammar is RE2's, without look-around and back references)" if impossible else words
