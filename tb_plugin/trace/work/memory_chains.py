"""Kernels one after the other on a stream that only move memory, each over what the one before wrote: one kernel could do it all.

    stream 7  |gemm|  |add| |copy_| |pow| |mean| |add| |rsqrt| |mul|  |gemm|
                      `------------ a chain of seven ------------'

Tensors have no identity in a file. A kernel is taken to go on with what the one before wrote where their largest tensors agree
in size but for the last dimension ([16, 559, 1024] and [16, 559, 1]), or where neither's sizes were recorded.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import numbered
from tb_plugin.trace.json_text import is_shape, list_of
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace

FEWEST: Final = 3
"""Kernels of a chain. Two of them are everywhere: a product's bias, an activation."""

_MOVE_MEMORY: Final = (Category.NORMALISATION, Category.ELEMENTWISE, Category.REDUCTION)
_LAYOUT: Final = ("cat", "stack", "copy_", "clone", "contiguous", "where", "masked_fill", "masked_fill_", "roll")
_NOT_FUSED: Final = ("fill_", "zero_", "sort", "topk", "cumsum", "multinomial")
"""They read nothing, or all before they write any."""
_NOT_FUSED_WORDS: Final = ("_foreach_", "_fused_", "conv", "pool", "embedding")


class MemoryChains(NamedTuple):
    """Kernels by stream and time, and the number of the chain of each."""

    kernel: Int64Array
    of: Int64Array

    @property
    def follows(self) -> BoolArray:
        """Whether each goes on with what the one before it wrote."""
        same: BoolArray = np.concatenate((np.zeros(1, np.bool_), self.of[1:] == self.of[:-1]))[: len(self.of)]
        return same


def memory_chains(trace: Trace, rows: Int64Array) -> MemoryChains:
    """Those among these event rows of device work, on all their streams. Other work between two kernels ends a chain."""
    events = trace.events
    rows = rows[np.lexsort((events.start_ns[rows], events.track[rows]))]
    if len(rows) == 0:
        return MemoryChains(rows, rows)
    owner = np.maximum(events.owner[rows], 0)
    is_one = _only_moves(trace, rows) & (events.owner[rows] != NONE) & (events.kind[owner] == Kind.OPERATOR)
    is_one &= rows_named(trace, owner, _can_be_fused)
    size = _sizes(trace, owner)
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = ~(is_one[1:] & is_one[:-1] & (events.track[rows[1:]] == events.track[rows[:-1]]) & (size[1:] == size[:-1]))
    of = np.cumsum(begins) - 1
    chosen = is_one & (np.bincount(of)[of] >= FEWEST)
    _, number = numbered(of[chosen])
    return MemoryChains(rows[chosen], number.astype(np.int64))


def memory_kernels(trace: Trace, rows: Int64Array) -> Int64Array:
    """Those of these that only move memory, in chains or not."""
    found: Int64Array = rows[_only_moves(trace, rows)]
    return found


def _only_moves(trace: Trace, rows: Int64Array) -> BoolArray:
    events, owner = trace.events, trace.events.owner[rows]
    by_category = is_kind(category_by_row(trace)[rows], _MOVE_MEMORY)
    by_operator = (owner != NONE) & rows_named(trace, np.maximum(owner, 0), lambda name: _plain(name) in _LAYOUT)
    moves: BoolArray = (events.kind[rows] == Kind.KERNEL) & (by_category | by_operator)
    return moves


def _sizes(trace: Trace, operators: Int64Array) -> Int64Array:
    """Of the largest tensor of each operator all dimensions but the last, multiplied; NONE where not recorded."""
    shapes_id = trace.events.shapes_id[operators]
    ids, place = numbered(shapes_id)
    found: Int64Array = np.array([_size(trace.text(each)) if each != NONE else NONE for each in ids.tolist()], np.int64)[place]
    return found


@lru_cache(maxsize=1 << 12)
def _size(shapes: str) -> int:
    given = [each for each in _flat(list_of(shapes)) if each]
    largest = max(given, key=prod, default=None)
    return NONE if largest is None else min(prod(largest[:-1]), np.iinfo(np.int64).max)


def _flat(shapes: list[Any]) -> list[list[int]]:
    """A list of tensors counts as each of them."""
    lists = [shape for shape in shapes if isinstance(shape, list)]
    return [each for shape in lists for each in ([shape] if is_shape(shape) else shape) if is_shape(each)]


def _plain(name: str) -> str:
    return without_overload(name).removeprefix("aten::")


def _can_be_fused(name: str) -> bool:
    plain = _plain(name)
    return name.startswith("aten::") and plain not in _NOT_FUSED and not any(word in plain for word in _NOT_FUSED_WORDS)
