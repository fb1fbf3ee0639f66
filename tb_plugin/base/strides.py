"""Ranks in few words: those that lie next to each other, or equally far apart, as a group of a mesh has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MANY: Final = 5


def in_strides(numbers: Sequence[int]) -> str:
    """Of numbers in order: `0-3, 8`; of five and more that lie equally far apart three and the last: `0, 4, 8 .. 28`."""
    parts: list[str] = []
    at = 0
    while at < len(numbers):
        apart = numbers[min(at + 1, len(numbers) - 1)] - numbers[at]
        end = at + 1
        while end < len(numbers) and numbers[end] - numbers[end - 1] == apart:
            end += 1
        if apart == 1:
            parts.append(f"{numbers[at]}-{numbers[end - 1]}")
        elif end - at >= _MANY:
            parts.append(f"{', '.join(map(str, numbers[at : at + 3]))} .. {numbers[end - 1]}")
        else:
            parts.append(str(numbers[at]))
            end = at + 1
        at = end
    return ", ".join(parts)
