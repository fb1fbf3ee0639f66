"""The numbers of a filter, kept as ranges: `3-5,8` is [3, 6) and [8, 9), and `0-999999999` one range."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import Merged, covers, union

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.base.units import BoolArray

_RANGE: Final = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")  # what int64 holds
_LISTED: Final = 8


def ranges_in(text: str, what: str) -> Merged:
    """The ranges of `3-5,8`, merged; a range that ends before it starts is empty. Raises UsageError that names `what`."""
    starts, ends = list[int](), list[int]()
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise UsageError(f"{what}: {_cut(part)!r} is no number and no range such as 3-5")
        starts.append(int(match[1]))
        ends.append(int(match[2] or match[1]) + 1)
    return union(np.array(starts, np.int64), np.array(ends, np.int64))


def chosen(text: str, what: str, there: npt.NDArray[np.integer]) -> BoolArray:
    """Which of the numbers that are `there` (NONE is no number) the text names.

    Raises UsageError for a text that cannot be read, NotFoundError where it names nothing that is there.
    """
    is_chosen = covers(ranges_in(text, what), there)
    if not is_chosen.any():
        raise NotFoundError(f"{what}={_cut(text)}: this profile has {_all(what, there)}")
    return is_chosen


def _all(what: str, there: npt.NDArray[np.integer]) -> str:
    """`steps 3-8, 12`, or that there are none."""
    numbers = distinct(there[there != NONE]).astype(np.int64)
    return f"{what} {ranges_in_words(union(numbers, numbers + 1))}" if len(numbers) else f"no {what}"


def filter_of(numbers: npt.NDArray[np.integer]) -> str:
    """The filter that names exactly these: `3-5,8`."""
    there = distinct(numbers).astype(np.int64)
    return ",".join(_each_in_words(union(there, there + 1)))


def ranges_in_words(ranges: Merged) -> str:
    """`3-8, 12`; the first eight of them."""
    shown = _each_in_words(ranges)
    more = f" and {len(shown) - _LISTED} more ranges" if len(shown) > _LISTED else ""
    return f"{', '.join(shown[:_LISTED])}{more}"


def _each_in_words(ranges: Merged) -> list[str]:
    return [
        str(low) if high == low + 1 else f"{low}-{high - 1}" for low, high in zip(*map(np.ndarray.tolist, ranges), strict=True)
    ]


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}..."
