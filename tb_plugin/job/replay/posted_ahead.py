"""Receives posted ahead: which kernels wait for one whose rank does not tell, as those of its sort that do tell.

    order     recv F2 | kernels B1 | send B1 | recv B2 | kernels F2 | send F2 | recv F3 | kernels B2 ...
    run             0           1                             2                            3

A run is the kernels between two messages, whatever other collectives are among them. What arrives is used by somebody: of most
receives here by the second run after they were posted. One that had arrived long before that run began does not tell, and is not
what held up the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import BoolArray, Int64Array


class Runs(NamedTuple):
    """Of the orders of several ranks, one after the other (`orders.py`)."""

    rank: Int64Array  # of each row
    of_row: Int64Array  # the run of a chunk, and of all else the last one before it
    first: Int64Array  # row of each run's first chunk, and NONE


def runs(order: Mapping[str, Int64Array], is_message: BoolArray) -> Runs:
    """`is_message`: of each row, it is a collective between two."""
    is_chunk = order["kind"] == CHUNK
    n_messages = np.cumsum(is_message & (order["kind"] == COLLECTIVE)) + order["rank"]
    chunk = np.flatnonzero(is_chunk)
    begins = np.zeros(len(is_chunk), np.bool_)
    begins[chunk] = np.diff(n_messages[chunk], prepend=-1) > 0
    return Runs(order["rank"], np.cumsum(begins), np.append(np.flatnonzero(begins), NONE))


def usual_lead(rank: Int64Array, sort: Int64Array, lead: Int64Array, told: BoolArray) -> Int64Array:
    """Of each receive after how many runs most of its sort that are `told` are waited for: on its rank, without one there on all.

    NONE where none of its sort tells.
    """
    both = group_by(rank, sort)
    of_rank, of_sort = _most_frequent(both.of, lead, told), _most_frequent(sort, lead, told)
    found: Int64Array = np.where(of_rank == NONE, of_sort, of_rank)
    return found


def _most_frequent(part: Int64Array, lead: Int64Array, told: BoolArray) -> Int64Array:
    """Of each, in its part; the smaller of two that are as frequent."""
    pairs = group_by(part[told], lead[told])
    its, value = part[told][pairs.first], lead[told][pairs.first]
    count = np.bincount(pairs.of, minlength=len(pairs))
    order = np.lexsort((-value, count, its))
    found = np.full(int(part.max(initial=-1)) + 1, NONE)
    found[its[order]] = value[order]  # the last one of each stays
    return found[part]


def waiting_run(of: Runs, row: Int64Array, lead: Int64Array) -> Int64Array:
    """Row of the first chunk of its rank's run so many after each of these rows; NONE where there are not so many."""
    place, n = of.of_row[row] - 1 + lead, len(of.first) - 1
    first = of.first[np.where((lead == NONE) | (place < 0) | (place >= n), n, place)]
    found: Int64Array = np.where(of.rank[first] == of.rank[row], first, NONE)
    return found
