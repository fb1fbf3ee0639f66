"""How kernels were launched: blocks, threads and what each needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

LAUNCH_SHAPE: Final = ("grid x", "grid y", "grid z", "block x", "block y", "block z", "registers", "shared bytes")
"""The columns of `launch_shapes`."""


def work_places(trace: Trace, rows: Int64Array) -> tuple[BoolArray, Int64Array]:
    """(which of these event rows have an entry in `trace.work`, the places of those that do)."""
    work = trace.work
    if not len(work):
        return np.zeros(len(rows), np.bool_), np.empty(0, np.int64)
    place = np.minimum(np.searchsorted(work.row, rows), len(work) - 1)
    known: BoolArray = work.row[place] == rows
    return known, place[known]


def launch_shapes(trace: Trace, rows: Int64Array) -> Int64Array:
    """A line of LAUNCH_SHAPE for each event row; NONE where the file does not say."""
    shapes = np.full((len(rows), len(LAUNCH_SHAPE)), NONE, np.int64)
    known, place = work_places(trace, rows)
    work = trace.work
    shapes[known] = np.column_stack((work.grid, work.block, work.registers, work.shared_bytes))[place]
    return shapes
