"""Time that several sets cover at once, divided among them.

sets    0: |------|        1:    |------|           time of 0     3 + 3/2, of 1     3/2 + 3: together what either covers
           0      6              3      9
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.coverage import Pieces, within
from tb_plugin.compute.distinct import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.compute.intervals import Merged


def shared(sets: Sequence[Merged], t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    """Share of each set (columns) in each window [t0_ns, t1_ns) (rows), ns. A row sums to what any of the sets covers, exactly:
    an instant is divided equally among the sets that cover it, and what does not divide goes to the first of them.
    """
    edges = [edge for one in sets for edge in (one.start, one.end)]
    times = np.concatenate(edges) if edges else np.zeros(0, np.int64)
    order = np.argsort(times, kind="stable")
    bits = np.repeat([sign << i for i in range(len(sets)) for sign in (1, -1)], [len(edge) for edge in edges])
    mask = np.cumsum(bits[order]) if len(order) else np.zeros(0, np.int64)
    known, category = numbered(mask)
    by_mask = within(Pieces(times[order], category.reshape(-1), len(known)), t0_ns, t1_ns)
    result = np.zeros((len(t0_ns), len(sets)), np.int64)
    for place, active in enumerate(known.tolist()):
        members = [i for i in range(len(sets)) if active >> i & 1]
        if members:
            each, rest = np.divmod(by_mask[:, place], len(members))
            result[:, members] += each[:, None]
            result[:, members[0]] += rest
    return result
