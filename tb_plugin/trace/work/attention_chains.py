"""Attention that ran as single operators: a product, the softmax of it, and a product with that.

    thread  |aten::bmm Q·K^T|  |div|  |add mask|  |aten::_softmax|  |dropout|  |aten::bmm P·V|
    shapes  [16,512,64] x [16,64,512]             [16,512,512]                 [16,512,512] x [16,512,64]

Known by the order of operators on a thread (no other product between) and by their shapes, which must fit each other. The
matrices of the softmax are what fused attention never writes: that, and the launches between, is what it saves.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.json_text import is_shape, list_of
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import judged, without_overload

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_MATRICES: Final = {"aten::bmm": 0, "aten::baddbmm": 1}
"""Products of batches, and which input is the left one."""

_SOFTMAX: Final = "aten::_softmax"

_OTHERS: Final = frozenset(f"aten::{name}" for name in ("mm", "addmm", "mv", "addmv", "_scaled_mm", "_int_mm", "convolution"))
"""Products that launch kernels themselves: where one lies between, there is no chain. `aten::matmul` lies around one."""

_PRODUCT, _NORMALISES, _BREAKS = 1, 2, 3

_LONGEST_HEAD: Final = 256
"""Head dimensions above it have no fused kernel."""


class Sizes(NamedTuple):
    """Of one chain. `batch` counts heads too."""

    batch: int
    queries: int
    keys: int
    head: int

    @property
    def flops(self) -> int:
        """Of both products, forward."""
        return 4 * self.batch * self.queries * self.keys * self.head

    @property
    def elements(self) -> int:
        """Of queries, keys, values and the result: what fused attention reads and writes."""
        return 2 * self.batch * self.head * (self.queries + self.keys)


class AttentionChains(NamedTuple):
    """One entry per chain: event rows of its three operators, and its sizes."""

    scores: Int64Array
    softmax: Int64Array
    result: Int64Array
    sizes: list[Sizes]


@once_per_trace
def attention_chains(trace: Trace) -> AttentionChains:
    """Those of the whole profile, by thread and time."""
    events = trace.events
    rows = np.flatnonzero((events.kind == Kind.OPERATOR) & (events.shapes_id != NONE))
    role = judged(trace, rows, _role)
    rows, role = rows[role != 0], role[role != 0]
    thread = events.track[rows]
    follows = (role[:-2] == _PRODUCT) & (role[1:-1] == _NORMALISES) & (role[2:] == _PRODUCT) & (thread[:-2] == thread[2:])
    at = np.flatnonzero(follows)
    groups = group_by(*(column[rows[at + k]] for k in range(3) for column in (events.name_id, events.shapes_id)))
    of_group = [sizes_of(*(_call(trace, int(row)) for row in rows[i : i + 3])) for i in at[groups.first].tolist()]
    found = [of_group[group] for group in groups.of.tolist()]
    at = at[np.array([each is not None for each in found], np.bool_)]
    return AttentionChains(rows[at], rows[at + 1], rows[at + 2], [each for each in found if each is not None])


def sizes_of(scores: tuple[str, str], softmax: tuple[str, str], result: tuple[str, str]) -> Sizes | None:
    """Of three operators as (name, "Input Dims"); None where their shapes do not fit each other."""
    left, right = _matrices(*scores)
    weights, _ = _matrices(*result)
    normalised = next(iter(_shapes(softmax[1])), [])
    if len(left) != 3 or len(right) != 3 or len(weights) != 3 or len(normalised) < 2:
        return None
    batch, queries, head = left
    keys = right[2]
    out = [batch, queries, keys]
    heads: int = prod(normalised[:-2])
    fits = right[:2] == [batch, head] and weights == out and [heads, *normalised[-2:]] == out
    return Sizes(batch, queries, keys, head) if fits and 0 < head <= _LONGEST_HEAD and all(out) else None


def _role(name: str) -> int:
    plain = without_overload(name)
    return _PRODUCT if plain in _MATRICES else _NORMALISES if plain == _SOFTMAX else _BREAKS if plain in _OTHERS else 0


def _call(trace: Trace, row: int) -> tuple[str, str]:
    events = trace.events
    return without_overload(trace.text(int(events.name_id[row]))), trace.text(int(events.shapes_id[row]))


def _matrices(name: str, dims: str) -> tuple[list[int], list[int]]:
    shapes = _shapes(dims)[_MATRICES[name] :][:2]
    return (shapes[0], shapes[1]) if len(shapes) == 2 else ([], [])


def _shapes(dims: str) -> list[list[int]]:
    return [shape if is_shape(shape) else [] for shape in list_of(dims)]
