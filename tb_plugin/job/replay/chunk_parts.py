"""A chunk of which only the later part waits is two rows: every edit of its length is then one of its parts.

row   start   end   waits                row   start   end   waits
  4     100   900   at 500, for row 2      4     100   600
                                           5     600   900   for row 2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import Int64Array


class Parted(NamedTuple):
    """`waits`: (collective, row that waits for it). `produced`: rows that wait for the chunk before them."""

    order: Mapping[str, Int64Array]
    waits: tuple[Int64Array, Int64Array]
    produced: Int64Array


def parted(order: Mapping[str, Int64Array], waits: Int64Array, produced: Int64Array) -> Parted:
    """`waits`: [pair, 3]: collective, row, and how far into the row the part begins that waits, ns."""
    collective, row, into = waits.T
    is_part = into > 0
    if not is_part.any():
        return Parted(order, (collective, row), produced)
    cuts, nth = np.unique(waits[is_part, 1:], axis=0, return_inverse=True)
    chunk = cuts[:, 0]
    part = chunk + np.arange(len(cuts)) + 1
    split = {name: np.insert(column, chunk + 1, column[chunk]) for name, column in order.items()}
    split["start"][part] += cuts[:, 1]
    split["end"][part - 1] = split["start"][part]
    for name in ("loader", "blocked", "called", "copied"):
        split[name][part] = 0
    last = split["after"] + np.searchsorted(chunk, split["after"], side="right")
    split["after"] = np.where(split["after"] == NONE, NONE, last)
    split["behind"][part] = NONE
    last = split["behind"] + np.searchsorted(chunk, split["behind"], side="right")
    split["behind"] = np.where(split["behind"] == NONE, NONE, last)
    collective, row, produced = (rows + np.searchsorted(chunk, rows) for rows in (collective, row, produced))
    row[is_part] = part[nth.reshape(-1)]
    return Parted(split, (collective, row), produced)
