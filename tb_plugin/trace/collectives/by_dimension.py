"""Which collectives are of which dimension, as far as one rank tells: one division for all who tell of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED, dimension_told
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

ONE_RANK: Final = "groups of one rank"
"""Collectives that no other rank takes part in."""


@dataclass(frozen=True, kw_only=True)
class ByDimension:
    """
    names                by_use
    tensor               False
    pipeline             True       nobody described a group of it: what it sends and receives tells
    not recorded         False
    groups of one rank   False
    """

    names: tuple[str, ...]
    by_use: tuple[bool, ...]
    of: Int64Array  # a place in `names` of each row of the table of collectives; behind them, at NONE, that of one rank's


@once_per_trace
def by_dimension(trace: Trace) -> ByDimension:
    table = collectives(trace)
    told = [dimension_told(group, table.kind[table.group == at], trace.info.world_size) for at, group in enumerate(table.groups)]
    of_group = [each or (NOT_RECORDED, False) for each in told] + [(NOT_RECORDED, False)]  # NONE falls on the last
    names = [*dict.fromkeys(name for name, _ in of_group), ONE_RANK]
    place = np.array([names.index(name) for name, _ in of_group], np.int64)
    return ByDimension(
        names=tuple(names),
        by_use=tuple(name != ONE_RANK and all(by_use for each, by_use in of_group if each == name) for name in names),
        of=np.append(place[table.group], len(names) - 1),
    )


def dimension_by_row(trace: Trace) -> Int64Array:
    """A place in `names` of each row of the table of collectives; NONE where it is not recorded."""
    found = by_dimension(trace)
    return np.where(found.of[:-1] == found.names.index(NOT_RECORDED), NONE, found.of[:-1])


def events_of(trace: Trace, dimension: str) -> BoolArray:
    """For every event row: is it a kernel, or a range on the host, of a collective of this dimension?"""
    found, table = by_dimension(trace), collectives(trace)
    is_it = np.array([name == dimension for name in found.names], np.bool_)[found.of]
    mask: BoolArray = collective_kernels(trace) & is_it[-1]
    is_there = table.row != NONE
    mask[table.row[is_there]] = False
    mask[table.row[is_there & is_it[:-1]]] = True  # of a kernel that is of two each has it
    return mask
