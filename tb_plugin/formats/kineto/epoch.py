"""Times since 1970 that are written to the nanosecond, as in early 2024: more digits than a double has.

    "ts": 1712195495519689.047      as the file has it: read as a double it is up to 244 ns off
    "ts":     995495519689.047      as it is decoded: good to a tenth of a nanosecond

A chunk's text keeps its length, so that places in it stay places in the file. What the first digits stood for is added when
times are made relative (`times.py`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array

_TIMES: Final = re.compile(rb'("ts": ?)([1-9]\d*)(\.?)')
_N_DIGITS: Final = 16  # of microseconds since 1970, from 2001 to 2286
_N_CUT: Final = 5
_LEFT_US: Final = 1e11
"""What the digits that are left count to: 28 hours. Times of another such day stay as they are."""
_MARK: Final = b"    9"
"""For the digits cut off: no number may begin with a zero, and none that is cut begins with 9."""
_MARK_US: Final = 9 * _LEFT_US
_END_US: Final = 10 * _LEFT_US


class ShortTimes:
    """Of one file. Looks at its text until there is such a time or one that shows that there is none."""

    def __init__(self) -> None:
        self._cut: bytes | None = None  # None: not known yet; b"": there is nothing to shorten
        self._short = b""
        self._origin_us = 0.0

    def shorten(self, text: bytes) -> bytes:
        """`text` itself where the file has no times that a double does not hold."""
        if self._cut is None:
            self._learn(text)
        return text.replace(self._cut, self._short) if self._cut else text

    def restored(self, args: bytes) -> bytes:
        """Text of arguments as the file has it: they, too, may have a "ts"."""
        return args.replace(self._short, self._cut) if self._cut else args

    def is_short(self, ts: Float64Array) -> BoolArray:
        short: BoolArray = (ts >= _MARK_US) & (ts < _END_US) if self._cut else np.zeros(len(ts), np.bool_)
        return short

    def since(self, base_us: float, ts: Float64Array) -> Float64Array:
        """Of times as they were decoded: what lies between them and `base_us`, a whole number. (n,) float64, us."""
        return ts + np.where(self.is_short(ts), self._origin_us - _MARK_US - base_us, -base_us)

    def _learn(self, text: bytes) -> None:
        found = _TIMES.findall(text)
        if not found:
            return
        key, digits, _ = found[0]
        is_cut = len(digits) == _N_DIGITS and digits[:1] != _MARK[-1:] and any(point for _, _, point in found)
        self._cut = key + digits[:_N_CUT] if is_cut else b""
        self._short = key + _MARK
        self._origin_us = int(digits[:_N_CUT]) * _LEFT_US
