"""How long events take: a few figures and a histogram, for the details of any row that stands for events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.compute.histogram import log_histogram

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Durations in [start_ns, end_ns)."""

    start_ns: int
    end_ns: int
    count: int
    total_ns: int


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Durations of events. Bins are logarithmic and without gaps; their counts add up to `count`, their totals to `total_ns`."""

    count: int
    total_ns: int
    mean_ns: float
    min_ns: int
    median_ns: float
    p95_ns: float
    max_ns: int
    bins: list[Bin]


def spread(duration_ns: Int64Array) -> Spread | None:
    """Of these durations; None when there are none."""
    if len(duration_ns) == 0:
        return None
    edges, count, total = (column.tolist() for column in log_histogram(duration_ns))
    median_ns, p95_ns = np.percentile(duration_ns, (50, 95)).tolist()
    return Spread(
        count=len(duration_ns),
        total_ns=int(duration_ns.sum()),
        mean_ns=float(duration_ns.mean()),
        min_ns=int(duration_ns.min()),
        median_ns=median_ns,
        p95_ns=p95_ns,
        max_ns=int(duration_ns.max()),
        bins=[
            Bin(start_ns=low, end_ns=high, count=n, total_ns=ns)
            for low, high, n, ns in zip(edges[:-1], edges[1:], count, total, strict=True)
        ],
    )
