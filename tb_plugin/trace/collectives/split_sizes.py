"""What an all-to-all with sizes of its own for each rank sends: torch writes `In split size` beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.json_text import value_of

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_WRITTEN = "In split size"


def split_sizes(trace: Trace, kernels: Int64Array) -> dict[int, list[int]]:
    """Of those of these kernels that say so: elements to each rank, by row."""
    known, read, order = collectives(trace), trace.args.reader(), trace.events.order
    mine = np.flatnonzero(np.isin(known.row, kernels))
    found = {}
    for row, call in zip(known.row[mine].tolist(), known.call[mine].tolist(), strict=True):
        for each in (row, call):
            args = value_of(read(int(order[each])) or "{}") if each != NONE else None
            sizes = args.get(_WRITTEN) if isinstance(args, dict) else None
            if isinstance(sizes, list) and len(sizes) > 1 and all(isinstance(size, int) and size >= 0 for size in sizes):
                found[row] = sizes
                break
    return found
