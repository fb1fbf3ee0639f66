"""Kernels whose launch is in no file, and what they are told to be by kernels that look alike and stand among the same others.

    launched before      gemm_a  add  gemm_a  mul            grid 70x8 each
    in the file          gemm_a  add  gemm_a  mul  gemm_a    by mm [8944,1024]x[1024,1024], mm [...], ...

Alike: name, grid and block; where the file lacks these (AMD) the name, but then with the same neighbours and about as long. If
all alike had one and the same call, that is it. If not, those that have the same neighbours in their stream are asked, near
ones first. What stays ambiguous has no twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import Groups, group_by, max_by, min_by
from tb_plugin.trace.work.launch_shapes import launch_shapes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.trace.model import Trace

_NEIGHBOURS: Final = 8
"""On each side: the longest run of kernels that is compared."""

_AT_LEAST: Final = 2
"""On each side, for kernels that are known by their names alone."""

_ABOUT: Final = 2.0
"""As long: within this factor. Layers of one name and other sizes differ by more."""


class Twins(NamedTuple):
    """Places in the rows that were asked about, and of each the place of its twin."""

    place: Int64Array
    twin: Int64Array


def twins(trace: Trace, rows: Int64Array, asks: BoolArray, tells: BoolArray, told: Sequence[Int64Array]) -> Twins:
    """`asks`, `tells`: which of these event rows look for a twin, and which can be one. `told`: all that twins must agree on."""
    twin = np.full(len(rows), NONE, np.int64)
    if asks.any() and tells.any():
        events = trace.events
        order: Int64Array = np.lexsort((events.start_ns[rows], events.track[rows]))
        shape = launch_shapes(trace, rows)[order, :6]
        duration = events.duration_ns(rows)
        named = group_by(events.name_id[rows[order]].astype(np.int64))
        shaped = group_by(named.of, *shape.T)
        for looks, least in ((shaped, 0), (named, _AT_LEAST)):
            can_ask = asks[order] & ((shape[:, 0] != NONE) | (least > 0))
            for width, alike in _alike(looks.of):
                seeks = can_ask & (twin[order] == NONE)
                if not seeks.any():
                    break
                if width >= least:
                    found, source = _agreed(alike, order, seeks, tells[order], told)
                    ratio = np.maximum(duration[found], 1) / np.maximum(duration[source], 1)
                    near = (ratio < _ABOUT) & (ratio > 1 / _ABOUT) | (least == 0)
                    twin[found[near]] = source[near]
    place = np.flatnonzero(twin != NONE)
    return Twins(place, twin[place])


def _alike(looks: Int64Array) -> Iterator[tuple[int, Groups]]:
    """(neighbours on each side, groups of rows that look alike with these), more and more of them."""
    groups = group_by(looks)
    yield 0, groups
    for width in range(1, _NEIGHBOURS + 1):
        before = np.concatenate((np.full(min(width, len(looks)), NONE), looks[:-width]))
        after = np.concatenate((looks[width:], np.full(min(width, len(looks)), NONE)))
        groups = group_by(groups.of, before.astype(np.int64), after.astype(np.int64))
        yield width, groups


def _agreed(
    alike: Groups, order: Int64Array, seeks: BoolArray, tells: BoolArray, told: Sequence[Int64Array]
) -> tuple[Int64Array, Int64Array]:
    """(places that seek and find, their twins): all that tell in the group tell the same."""
    is_sought = np.zeros(len(alike), np.bool_)
    is_sought[alike.of[seeks]] = True
    telling = np.flatnonzero(tells & is_sought[alike.of])
    those, agreed = Groups(alike.of[telling], alike.first), np.ones(len(alike), np.bool_)
    for column in told:
        agreed &= min_by(those, column[order[telling]]) == max_by(those, column[order[telling]])
    source = np.full(len(alike), NONE, np.int64)
    np.maximum.at(source, those.of, order[telling])
    at = np.flatnonzero(seeks & (agreed & (source != NONE))[alike.of])
    return order[at], source[alike.of[at]]
