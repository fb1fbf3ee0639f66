"""How often a statement names what it defines with WITH.

SQLite writes such a part out wherever it is named before it looks at anything, so ten parts that name the one before five times
would be five to the tenth: no handler is asked meanwhile. With so few names in all there cannot be many copies: 3 to the 7th.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

MOST_NAMES: Final = 20

_TOKEN: Final = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)"  # comments
    r"|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\]"  # all of these may be names to SQLite
    r"|[\w$]+|\S",
    re.DOTALL,
)


def names(statement: str) -> int:
    """Of parts that WITH defines, besides the definitions; as a column's table, `part.name`, they do not count."""
    tokens = [_plain(token) for token in _TOKEN.findall(statement) if not token.startswith(("--", "/*"))]
    defined = {name for name in (_defined(tokens, place) for place in range(len(tokens))) if name is not None}
    used = [token for token, after in pairwise([*tokens, ""]) if token in defined and after != "."]
    return len(used) - len(defined)


def _defined(tokens: list[str], place: int) -> str | None:
    """The name in `NAME [(columns)] AS [NOT] [MATERIALIZED] (` whose AS stands there."""
    if tokens[place] != "as" or place == 0:
        return None
    after = [token for token in tokens[place + 1 : place + 4] if token not in ("not", "materialized")]
    if after[:1] != ["("]:
        return None
    before = place - 1
    if tokens[before] == ")":
        while before > 0 and tokens[before] != "(":
            before -= 1
        before -= 1
    return tokens[before] if before >= 0 else None


def _plain(token: str) -> str:
    """Without quotes, and in small letters: SQLite takes `"A"` and `a` for one name."""
    quoted = len(token) > 1 and token[0] in "'\"`["
    return (token[1:-1].replace(token[0] * 2, token[0]) if quoted else token).lower()
