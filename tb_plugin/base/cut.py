"""Names of one list cut to what fits, so that two that differ never read the same.

The rule of `frontend/src/base/names.ts` and `cut.ts`, for the shell; both are held to `tests/base/cut_cases.json`. Noise goes
first (return types, what all modules begin with, namespaces, parameters), then template arguments, then the middle. Where that
makes names equal, what they differ in is kept; where there is no room for it, a number.

    cutlass_75_tensorop_f16_s1688gemm_f16_256x128_nn_align1     cutlass_75…f16_256x128_nn…
    cutlass_75_tensorop_f16_s1688gemm_f16_128x128_nn_align1     cutlass_75…f16_128x128_nn…
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ELLIPSIS: Final = "…"

_NOISE: Final = (
    (re.compile(r"^(?:void |nn\.Module: (?=.))"), ""),
    (re.compile(r"\(anonymous namespace\)::"), ""),
    (re.compile(r"(?<=\S)\([^()]{2,}(?:\([^()]*\)[^()]*)*\)$"), f"({ELLIPSIS})"),
    (re.compile(r"\b(?:at::native|at|c10|std|cuda|thrust|cub)::(?=\w)", re.ASCII), ""),
)
_ARGUMENTS_HEAD: Final = 0.75
_LEAST_ARGUMENTS: Final = 10
_HEAD: Final = 0.55
_NESTED_HEAD: Final = 0.25
_LEAST: Final = 6
_LONGEST_TOKEN: Final = 16
_ROOMY: Final = 16


def cut_middle(name: str, size: int) -> str:
    """`name` in at most `size` characters."""
    short = _plainest(name, size)
    if len(short) <= size:
        return short
    return _cut_template(short, size) or _cut(short, size)


def cut_apart(names: Iterable[str], size: int) -> dict[str, str]:
    """Each of these names in at most `size` characters; different ones differ, in any size that has room for a number."""
    shorts = {name: cut_middle(name, size) for name in names}
    groups = _clashes(shorts)
    _tell_apart(shorts, groups, size)
    # Of two groups, told apart each by itself, some may read alike now: then they are one.
    group_of = {name: group for group in groups for name in group}
    joined = [dict.fromkeys(name for one in alike for name in group_of.get(one, [one])) for alike in _clashes(shorts)]
    _tell_apart(shorts, [list(names) for names in joined], size)
    return _numbered(shorts, size)


def _tell_apart(shorts: dict[str, str], groups: Iterable[list[str]], size: int) -> None:
    for group in groups:
        plain = [_plainest(name, size) for name in group]
        texts = plain if len(set(plain)) == len(group) else group
        shorts.update(zip(group, _apart(texts, size), strict=True))


def _plainest(name: str, size: int) -> str:
    short = name
    for pattern, instead in _NOISE:
        if len(short) <= size:
            return short
        count = 1 if pattern.pattern.startswith("^") else 0
        short = pattern.sub(instead, short, count=count) or short
    return short


def _cut_template(name: str, size: int) -> str | None:
    start, end = name.find("<"), name.rfind(">")
    if start < 0 or end <= start or size < 2 * _LEAST_ARGUMENTS:
        return None
    kernel, arguments, tail = name[:start], name[start + 1 : end], name[end + 1 :]
    room = size - len(kernel) - len(tail) - 2
    if room >= _LEAST_ARGUMENTS:
        return f"{kernel}<{_cut(arguments, room, _ARGUMENTS_HEAD)}>{tail}"
    short = _cut(kernel, size // 2 - 1)
    return f"{short}<{_cut(arguments, size - len(short) - 2, _ARGUMENTS_HEAD)}>"


def _cut(text: str, size: int, share: float = 0.55) -> str:
    if len(text) <= size:
        return text
    keep = max(0, size - 1)
    head = math.ceil(keep * share)
    return text[:head] + ELLIPSIS + text[len(text) - (keep - head) :]


def _clashes(shorts: dict[str, str]) -> list[list[str]]:
    """Names of the same text, where there are several."""
    groups: dict[str, list[str]] = {}
    for name, text in shorts.items():
        groups.setdefault(text, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _apart(texts: Sequence[str], size: int) -> list[str]:
    prefix, suffix = _common(texts)
    in_words = _around(texts, size, *_to_words(texts[0], prefix, suffix))
    return in_words or _around(texts, size, prefix, suffix) or _nested(texts, size, prefix, suffix)


def _around(texts: Sequence[str], size: int, prefix: int, suffix: int) -> list[str] | None:
    """The beginning, the difference and the end; None where the longest difference leaves too little for the beginning."""
    room = size - max(len(text) - prefix - suffix for text in texts) - 2
    if room < (min(prefix, _LEAST) if size >= _ROOMY else 0):
        return None
    tail = min(suffix, max(room - math.ceil(room * _HEAD), room - prefix))
    head = min(prefix, room - tail)
    before, after = ELLIPSIS if head < prefix else "", ELLIPSIS if tail < suffix else ""
    return [text[:head] + before + text[prefix : len(text) - suffix] + after + text[len(text) - tail :] for text in texts]


def _nested(texts: Sequence[str], size: int, prefix: int, suffix: int) -> list[str]:
    """The differences are cut as names of their own."""
    head = min(prefix, math.floor(size * _NESTED_HEAD))
    room = size - head - 1
    if room < _LEAST:
        return [_cut(text, size) for text in texts]
    differences = [text[prefix : len(text) - suffix] for text in texts]
    shorts = {text: _cut(text, room) for text in differences}
    for group in _clashes(shorts):
        shorts.update(zip(group, _apart(group, room), strict=True))
    before = texts[0][:head] + (ELLIPSIS if head < prefix else "")
    return [before + shorts[text] for text in differences]


def _common(texts: Sequence[str]) -> tuple[int, int]:
    """How many characters all begin with, and all end with."""
    prefix = _n_equal(texts)
    shortest = min(map(len, texts))
    return prefix, min(_n_equal([text[::-1] for text in texts]), shortest - prefix)


def _n_equal(texts: Sequence[str]) -> int:
    """How many characters from the start on are the same in all; all lie between the first and the last in order."""
    low, high = min(texts), max(texts)
    return next((place for place, pair in enumerate(zip(low, high, strict=False)) if pair[0] != pair[1]), len(low))


def _to_words(first: str, prefix: int, suffix: int) -> tuple[int, int]:
    """The same, up to the ends of the words that the difference lies in."""
    before, after = prefix, suffix
    while before > 0 and _is_word(first[before - 1]):
        before -= 1
    while after > 0 and _is_word(first[-after]):
        after -= 1
    return prefix if prefix - before > _LONGEST_TOKEN else before, suffix if suffix - after > _LONGEST_TOKEN else after


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _numbered(shorts: dict[str, str], size: int) -> dict[str, str]:
    """What still reads the same gets a number, in the order of the list: `… (2)`, as no name ends."""
    taken = {name for name, text in shorts.items() if name == text}
    found: dict[str, str] = {}
    for name, text in shorts.items():
        unique, number = text, 2
        while unique != name and unique in taken and number <= len(shorts) + 1:
            mark = f"{ELLIPSIS} ({number})"
            unique = (text[: max(0, size - len(mark))] + mark)[-max(size, 1) :]
            number += 1
        taken.add(unique)
        found[name] = unique
    return found
