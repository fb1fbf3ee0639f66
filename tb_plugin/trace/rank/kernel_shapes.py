"""How long the same kernels took: by name, grid and block, in each step, to be held against another rank that runs the same.

Where no device works, how long the same operators took: self time by name, shapes and types of the inputs.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.grouping import count_by, group_by, median_by, sum_by
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.rank.step_work import computing_operators
from tb_plugin.trace.times.operator_times import operator_times
from tb_plugin.trace.work.launch_shapes import launch_shapes
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

_MOST: Final = 200
"""Rows a step; the longest in sum."""

_TOLD: Final = 24
"""Of these, with what they ran on."""

MOST_INPUTS: Final = 160


class KernelShapes(NamedTuple):
    """The columns of `summary.SHAPES`, the texts of `name`, and of `shape` those of the longest: `RankSummary.inputs`."""

    columns: dict[str, Int64Array]
    names: list[str]
    inputs: dict[str, str]


class _Ran(NamedTuple):
    """Rows of events, [row, numbers that tell two of a name apart], ns; `text`: of these numbers, the same on all ranks;
    `inputs`: of a row's event, for people.
    """

    row: Int64Array
    shape: Int64Array
    duration: Int64Array
    text: Callable[[list[int]], str]
    inputs: Callable[[int], str]


def kernel_shapes(trace: Trace) -> KernelShapes:
    """Of what computes, with a step."""
    events = trace.events
    rows, shape, duration, text, inputs = _kernels(trace) if is_kind(events.kind, DEVICE_KINDS).any() else _operators(trace)
    groups = group_by(events.step[rows], events.name_id[rows], *shape.T)
    total, count = sum_by(groups, duration), count_by(groups)
    step = events.step[rows][groups.first].astype(np.int64)
    order = np.lexsort((-total, step))
    rank_in_step = np.arange(len(order)) - np.searchsorted(step[order], step[order])
    is_kept = rank_in_step < _MOST
    kept, told = order[is_kept], np.flatnonzero(rank_in_step[is_kept] < _TOLD)
    names, name = numbered(events.name_id[rows][groups.first][kept])
    texts = [trace.text(name_id) for name_id in names.tolist()]
    shapes = shape[groups.first][kept]
    longest = np.lexsort((-duration, groups.of))[np.cumsum(count) - count][kept]
    keys = [_hash(texts[at], text(each)) for at, each in zip(name.tolist(), shapes.tolist(), strict=True)]
    return KernelShapes(
        {
            "step": trace.steps.number[step[kept]] if len(trace.steps) else step[kept],
            "shape": np.array(keys, np.int64).reshape(-1),
            "name": name.astype(np.int64).reshape(-1),
            "count": count[kept],
            "total": total[kept],
            "median": median_by(groups, duration.astype(np.float64))[kept].astype(np.int64),
            "longest": duration[longest],
            "longest_at": events.start_ns[rows][longest],
        },
        texts,
        {str(keys[at]): said for at in told.tolist() if (said := inputs(int(rows[groups.first[kept[at]]]))[:MOST_INPUTS])},
    )


def _kernels(trace: Trace) -> _Ran:
    events = trace.events
    rows = np.flatnonzero((events.kind == Kind.KERNEL) & ~collective_kernels(trace) & (events.step != NONE))
    shapes = launch_shapes(trace, rows)[:, :6]
    return _Ran(
        rows, shapes, events.duration_ns(rows), str, lambda row: _inputs(trace, int(events.owner[row])) or _launch(trace, row)
    )


def _launch(trace: Trace, row: int) -> str:
    """Nothing where the file does not say it."""
    shape = launch_shapes(trace, np.array([row]))[0].tolist()
    return "" if NONE in shape[:6] else f"grid {shape[:3]} block {shape[3:6]}"


def _inputs(trace: Trace, row: int) -> str:
    return trace.text(int(trace.events.shapes_id[row])) if row != NONE and trace.events.shapes_id[row] != NONE else ""


def _operators(trace: Trace) -> _Ran:
    events, found = trace.events, operator_times(trace)
    use = np.isin(found.row, computing_operators(trace)) & (events.step[found.row] != NONE)
    rows = found.row[use]
    inputs = np.column_stack((events.shapes_id[rows], events.types_id[rows]))
    return _Ran(
        rows,
        inputs,
        found.host_self_ns[use],
        lambda ids: " ".join(trace.text(each) for each in ids if each != NONE),
        lambda row: _inputs(trace, row),
    )


def is_of_any_input(name: str, shape: int) -> bool:
    """Of an operator: whether nothing of its inputs was recorded, so that `shape` stands for whatever it ran on."""
    return shape == _hash(name, "")


def _hash(name: str, shape: str) -> int:
    """The same in every process: Python's own differs."""
    digest = hashlib.blake2b(f"{name}\0{shape}".encode(errors="surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest, "little")
