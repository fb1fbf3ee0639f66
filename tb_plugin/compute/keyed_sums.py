"""Sums by key over any stretches of a long table, most of which were added up before: chunk by chunk, each key once.

    row    0  1  2  3 | 4  5  6  7        chunk  key  count  length  longest
    key    a  b  a  a | c  c  a  b            0    a      3       9        2
    length 1  2  5  3 | 4  1  1  2            0    b      1       2        1
                                              1    a  ...

What lies in whole chunks costs as much as they have keys; the rest of a stretch is added row by row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.grouping import count_by, group_by, max_by, sum_by

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.base.units import BoolArray, Int64Array

CHUNK: Final = 1 << 14
"""Rows. Smaller ones hold their keys more often, larger ones leave more rows at both ends of a stretch."""


class KeyLines(NamedTuple):
    """Lines of sums, each of one key; a key may have several."""

    key: Int64Array
    n_rows: Int64Array
    length: Int64Array
    own: Int64Array
    longest_row: Int64Array
    longest: Int64Array

    def in_all(self, n_keys: int) -> KeyLines:
        """One line a key, in order; those without rows have -1 as their longest row. Exact below 2**53."""
        n_rows, length, own = (
            np.bincount(self.key, weights=values, minlength=n_keys).astype(np.int64)
            for values in (self.n_rows, self.length, self.own)
        )
        longest = np.full(n_keys, -1, np.int64)
        np.maximum.at(longest, self.key, self.longest)
        is_longest = self.longest == longest[self.key]
        row = np.full(n_keys, np.iinfo(np.int64).max)
        np.minimum.at(row, self.key[is_longest], self.longest_row[is_longest])
        row[longest < 0] = -1
        return KeyLines(np.arange(n_keys), n_rows, length, own, row, longest)


class KeyedSums(NamedTuple):
    """Of a table: the sums of each chunk, one after the other."""

    first: Int64Array  # line of each chunk, and the number of lines
    lines: KeyLines

    def of_chunks(self, chunks: Int64Array) -> KeyLines:
        """Their lines."""
        n = self.first[chunks + 1] - self.first[chunks]
        place = np.repeat(self.first[chunks] - np.cumsum(n) + n, n) + np.arange(n.sum())
        return KeyLines(*(column[place] for column in self.lines))


def of_rows(
    key: npt.NDArray[np.integer], length: Int64Array, own: Int64Array, rows: Int64Array, left_out: BoolArray | None = None
) -> KeyLines:
    """Each row as a line of its own. `left_out`: of these rows, whose length is in no sum."""
    summed = length if left_out is None else np.where(left_out, 0, length)
    return KeyLines(key.astype(np.int64), np.ones(len(rows), np.int64), summed, own, rows, length)


def build(
    key: npt.NDArray[np.integer], length: Int64Array, own: npt.NDArray[np.integer], left_out: BoolArray | None = None
) -> KeyedSums:
    """The sums of each chunk. Keys are numbers from 0 on, lengths not negative. `left_out`: rows whose length is in no sum."""
    summed = length if left_out is None else np.where(left_out, 0, length)
    parts = [_summed(key, length, summed, own, low) for low in range(0, len(key), CHUNK)]
    first = np.concatenate(([0], np.cumsum([len(part.key) for part in parts]))).astype(np.int64)
    none = KeyLines(*(np.empty(0, np.int64) for _ in KeyLines._fields))
    return KeyedSums(first, concatenated(none, *parts))


def _summed(
    key: npt.NDArray[np.integer], length: Int64Array, summed: Int64Array, own: npt.NDArray[np.integer], low: int
) -> KeyLines:
    part = slice(low, low + CHUNK)
    key, length, summed, own = key[part], length[part], summed[part], own[part]
    groups = group_by(key)
    longest = max_by(groups, length)
    is_longest = np.flatnonzero(length == longest[groups.of])[::-1]
    row = np.empty(len(groups), np.int64)
    row[groups.of[is_longest]] = low + is_longest  # the first one is written last
    return KeyLines(
        key[groups.first].astype(np.int64), count_by(groups), sum_by(groups, summed), sum_by(groups, own), row, longest
    )


def concatenated(*parts: KeyLines) -> KeyLines:
    """All lines."""
    return KeyLines(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
