"""Kineto's decimal microseconds to integer nanoseconds, for every clock its files have used.

| years | ts | base | good to |
|---|---|---|---|
| 2021 to 2023 | integers, Unix epoch | none | 1000 ns |
| early 2024 | decimals, Unix epoch | none | 1 ns (`epoch.py`); 250 ns where only a double of it is left |
| since 2024 | decimals since `baseTimeNanoseconds` | that | 1 ns |

Times are first made relative to the first one (exact: both lie on the same grid of doubles), then scaled and rounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.formats.kineto.epoch import ShortTimes
from tb_plugin.formats.kineto.int_columns import whole

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.formats.issue_log import IssueLog

_EPOCH_US = 1e14
"""Later than this many microseconds (1973) is Unix time; clocks of a machine's uptime stay below."""

_MAX_ABS_US = 2e15
"""Farther from the first event than this (over 60 years) is not a time: an end after it must fit into int64 nanoseconds, too."""

_LATEST_US = 9e15
"""In any file: what is later (2255) has no place in int64 nanoseconds, also where all times are so and lie near each other."""

_LONGEST_US = 5e14


_LATEST_NS = 1 << 61

_AT_ONCE: Final = 1 << 15
"""Events whose times are converted together: a chunk has a thousand, for which NumPy takes as long as for ten thousand."""

DAY_NS: Final = 86_400_000_000_000
_TIMES_AS_FAR: Final = 1000
_FAR_AT_EACH_END: Final = 16
_FAR_SHARE: Final = 0.01
"""Of the events at most so many, and so large a part, at either end: more are part of the recording, however far away."""


class Times:
    """Collects (ts, dur) of every event, chunk by chunk; NaN is "not given"."""

    def __init__(self, base_us: float | None = None) -> None:
        self.base_us = base_us
        """What times are relative to; None until there is one."""
        self.short = ShortTimes()
        self._given: list[tuple[Float64Array, Float64Array]] = []  # not converted yet
        self._n_given = 0
        self._start: list[Int64Array] = []
        self._duration: list[Int64Array] = []
        self._untimed: list[BoolArray] = []
        self._no_duration: list[BoolArray] = []
        self._negative: list[BoolArray] = []
        self._whole = True
        self._exact = True  # none is a double of the time since 1970

    def add(self, ts: Float64Array, dur: Float64Array) -> None:
        if self.base_us is None:
            timed = self.short.since(0.0, ts[np.abs(ts) < _LATEST_US])
            if len(timed):
                self.base_us = float(np.floor(timed[timed > 0].min(initial=timed.max())))
        self._given.append((ts, dur))
        self._n_given += len(ts)
        if self._n_given >= _AT_ONCE:
            self._convert()

    def _convert(self) -> None:
        """What was given since the last time, in parts as it was given."""
        if not self._given:
            return
        ts, dur = (np.concatenate(parts) for parts in zip(*self._given, strict=True))
        ends = np.cumsum([len(part) for part, _ in self._given])[:-1]
        self._given, self._n_given = [], 0
        timed = np.abs(ts) < _LATEST_US  # neither is NaN
        relative = np.where(timed, self.short.since(self.base_us or 0.0, ts), 0.0)
        timed &= np.abs(relative) < _MAX_ABS_US
        no_duration = ~np.isfinite(dur) | (np.abs(dur) >= _LONGEST_US)
        duration = np.where(no_duration, 0.0, dur)
        if self._whole:
            self._whole = bool(_is_whole(relative[timed]) and _is_whole(duration))
        self._exact = self._exact and not bool((timed & (ts > _EPOCH_US)).any())
        for parts, column in (
            (self._start, np.rint(np.where(timed, relative, 0.0) * 1000).astype(np.int64)),
            (self._duration, np.rint(np.maximum(duration, 0.0) * 1000).astype(np.int64)),
            (self._untimed, ~timed),
            (self._no_duration, no_duration),
            (self._negative, duration < 0),
        ):
            parts.extend(np.split(column, ends))

    def join(self, other: Times) -> None:
        """What `other`, which has the same base, collected comes behind ours."""
        self._convert()
        other._convert()
        for name in ("_start", "_duration", "_untimed", "_no_duration", "_negative"):
            getattr(self, name).extend(getattr(other, name))
        self._whole = self._whole and other._whole
        self._exact = self._exact and other._exact

    def columns(self, metadata: dict[str, Any]) -> tuple[Int64Array, Int64Array, int, int]:
        """(start_ns, end_ns, Unix time of 0 in ns, resolution in ns)."""
        start = self.start_ns()
        self._start = [start]  # arrows ask for it once more
        base_us = self.base_us if self.base_us and abs(self.base_us) < _MAX_ABS_US else 0.0
        resolution = 1000 if self._whole else 1 if self._exact else 250
        given = metadata.get("baseTimeNanoseconds")
        base_ns = int(base_us) * 1000 + max(whole(given), 0)
        base_ns = base_ns if base_ns < _LATEST_NS else 0
        return start, start + _joined(self._duration, np.int64), base_ns, resolution

    def since(self, n_parts: int) -> tuple[Int64Array, Int64Array]:
        """(start, duration) in ns of all but the first `n_parts` additions; 0 where not given."""
        self._convert()
        return _joined(self._start[n_parts:], np.int64), _joined(self._duration[n_parts:], np.int64)

    def start_ns(self) -> Int64Array:
        self._convert()
        return _joined(self._start, np.int64)

    def untimed(self) -> BoolArray:
        self._convert()
        return _joined(self._untimed, np.bool_)

    def odd_durations(self) -> tuple[BoolArray, BoolArray]:
        """(negative, not given)."""
        self._convert()
        return _joined(self._negative, np.bool_), _joined(self._no_duration, np.bool_)


def far_away(start: Int64Array) -> BoolArray:
    """Which of these lie where no recording goes on: a day or more from all others, and a thousand times as far as those reach.

    One wrong time stamp would make a second's work a moment of weeks. Only a few, at either end, are looked at.
    """
    far = np.zeros(len(start), np.bool_)
    most = min(_FAR_AT_EACH_END, int(_FAR_SHARE * len(start)))
    if most == 0 or start.max() - start.min() < DAY_NS:
        return far
    order = np.argsort(start, kind="stable")
    least = max(DAY_NS, _TIMES_AS_FAR * int(start[order[-1 - most]] - start[order[most]]))
    gaps = np.diff(start[order])
    before, after = np.flatnonzero(gaps[:most] > least), np.flatnonzero(gaps[len(gaps) - most :] > least)
    if len(before):
        far[order[: before[-1] + 1]] = True
    if len(after):
        far[order[len(order) - most + after[0] :]] = True
    return far


def pair_ranges(
    start: Int64Array,
    end: Int64Array,
    is_begin: BoolArray,
    is_end: BoolArray,
    track: npt.NDArray[np.int32],
    keep: BoolArray,
    issues: IssueLog,
) -> Int64Array:
    """Ends of ranges that are written as two events, B and E: the E's time goes to its B and the E is not kept.

    Kineto writes none, other writers of the same format do. Rows in file order; changes `keep`.
    """
    rows = np.flatnonzero(keep & (is_begin | is_end))
    if len(rows) == 0:
        return end
    end = end.copy()
    last = int(end[keep].max(initial=0))
    open_rows: dict[int, list[int]] = {}
    for row in rows[np.argsort(start[rows], kind="stable")].tolist():
        stack = open_rows.setdefault(int(track[row]), [])
        if is_begin[row]:
            stack.append(row)
            continue
        keep[row] = False
        if stack:
            end[stack.pop()] = start[row]
        else:
            issues.add("end without begin", "ends of ranges whose begin is not in the file are left out", 0)
    for row in (row for stack in open_rows.values() for row in stack):
        end[row] = last
        issues.add("begin without end", "ranges whose end is not in the file are shown to the end of the recording", 0)
    return end


def _is_whole(values: Float64Array) -> bool:
    return bool((values == np.floor(values)).all())


def _joined(parts: list[npt.NDArray[Any]], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0, dtype)
