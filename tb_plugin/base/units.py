"""Type names of the arrays and ids used everywhere, and the words for quantities. Standard library and NumPy types only."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

Int64Array: TypeAlias = npt.NDArray[np.int64]
Int32Array: TypeAlias = npt.NDArray[np.int32]
IntArray: TypeAlias = npt.NDArray[np.signedinteger[Any]]
Float64Array: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

NONE = -1
"""No row, no id, not recorded: the one sentinel of integer columns."""

_TIME_STEPS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"))
_BYTE_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_PERCENT: Final = re.compile(r"\s*\+?(\d+(?:\.\d+)?)\s*%\s*")
_DECIMAL_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def format_ns(ns: float) -> str:
    """Nanoseconds as three significant digits and a unit: `12.3 ms`."""
    return _scaled(ns, _TIME_STEPS, "ns")


def share_of_percent(text: str) -> float | None:
    """`5%` or `+5 %` as 0.05. None for all else: a number alone may mean 5 % and 500 %."""
    match = _PERCENT.fullmatch(text)
    return None if match is None else float(match[1]) / 100


def signed_ns(ns: float) -> str:
    """A difference: `+1.24 ms`, `-58.1 ms`, `0 ns`."""
    return f"{'+' if ns > 0 else ''}{format_ns(ns)}"


def format_bytes(n_bytes: float) -> str:
    """Bytes as three significant digits and a binary unit: `4.56 GiB`."""
    return _scaled(n_bytes, _BYTE_STEPS, "B")


def with_prefix(count: float) -> str:
    """`61.2 T`, with a decimal prefix, for a unit to stand behind it."""
    return _scaled(count, _DECIMAL_STEPS, "")


def at_least(n_bytes: int, n_unsized: int) -> str:
    """A sum of those whose size is known."""
    return f"{'at least ' if n_unsized else ''}{format_bytes(n_bytes)}"


def format_rate(bytes_per_s: float) -> str:
    """`21.6 GB/s`: a decimal prefix, as links and memories are sold by, and as the page writes it."""
    return f"{with_prefix(bytes_per_s)}B/s"


def rounded(value: float, digits: int) -> str:
    """A half goes away from zero, as on the page (`toFixed`): Python's own goes to the even digit, and 766.5 is 767 there."""
    if abs(value) * 10**digits % 1 == 0.5:
        return str(Decimal(float(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))
    return f"{value + 0.0:.{digits}f}"  # 0 has no sign


def _scaled(value: float, steps: Sequence[tuple[float, str]], base: str) -> str:
    for size, unit in steps:
        if abs(value) >= size * 0.9995:  # what would round up to 1000 of a unit is 1.00 of the next
            return f"{_three_digits(value / size)} {unit}"
    return f"{rounded(value, 0) if value % 1 == 0 else _three_digits(value)} {base}"


def _three_digits(value: float) -> str:
    magnitude = abs(value)
    return rounded(value, 0 if magnitude >= 99.95 else 1 if magnitude >= 9.995 else 2)
