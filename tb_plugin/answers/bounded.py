"""What a reply may be: 8 MB of JSON. A list is cut where the rest no longer fits, and that is said in a sentence.

How a list begins is what matters most of it: the largest rows, parents before their children, the first steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import msgspec

from tb_plugin.base.errors import OverBudgetError
from tb_plugin.base.readable import readable

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BYTES: Final = 8 << 20

S = TypeVar("S", bound=msgspec.Struct)


def fitting(reply: S, max_bytes: int = MAX_BYTES) -> tuple[S, list[str]]:
    """The reply with lists that fit, and what was left out. Nothing is encoded that has no room: a row may be large."""
    left, cut, said = max_bytes, dict[str, object](), list[str]()
    lists = {name: value for name in reply.__struct_fields__ if isinstance(value := getattr(reply, name), list)}
    for name, rows in sorted(lists.items(), key=lambda each: len(each[1])):  # short ones are whole: they explain the long one
        n_fit, n_bytes = _first(rows, left)
        left -= n_bytes
        if n_fit < len(rows):
            cut[name] = rows[:n_fit]
            said.append(f"{_title(name)}: the first {n_fit:,} of {len(rows):,}, for all are too much for one page.")
    return (msgspec.structs.replace(reply, **cut), said) if cut else (reply, said)


def encoded(reply: object, max_bytes: int = MAX_BYTES) -> bytes:
    """As JSON. OverBudgetError where it is larger than a reply may be."""
    data = json_of(reply)
    if len(data) > max_bytes + (max_bytes >> 4):  # the rest of a reply, beside its lists
        raise OverBudgetError(f"the answer has more than {max_bytes >> 20} MB; ask for less, with a filter for example")
    return data


def json_of(value: object) -> bytes:
    """As JSON, also of text that UTF-8 cannot say, which a file's name may be: it becomes readable."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_readable(msgspec.to_builtins(value, enc_hook=msgspec.json.decode)))


def _readable(value: object) -> object:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {_readable(key): _readable(item) for key, item in value.items()}
    return [_readable(item) for item in value] if isinstance(value, list | tuple) else value


def _first(rows: Sequence[object], max_bytes: int) -> tuple[int, int]:
    """(how many of the first rows fit, their bytes)."""
    n_bytes = 0
    for place, row in enumerate(rows):
        more = len(json_of(row)) + 1
        if n_bytes + more > max_bytes:
            return place, n_bytes
        n_bytes += more
    return len(rows), n_bytes


def _title(name: str) -> str:
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]
