"""How long the bytes of collectives take at best, and how fast they moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.collectives.kinds import RECV, SEND
from tb_plugin.trace.collectives.table import collectives

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.compute.grouping import Groups
    from tb_plugin.trace.model import Trace

_LEAST_RATE: Final = 10e9
"""Bytes a second: what PCIe gives. The best of a file where all wait is no measure."""


@dataclass(frozen=True, kw_only=True)
class Transfers:
    """One row per collective whose size is known."""

    row: Int64Array
    kind: Int64Array  # a place in `trace.collectives.kinds.KINDS`
    size_bytes: Int64Array
    bus_bytes: Float64Array  # over the busiest link
    rate: Float64Array  # bytes a second over the busiest link
    transfer_ns: Int64Array  # at the best rate, at most what it took
    alike: Groups  # collectives of one name and size
    best_rate: float


def transfers(trace: Trace, kernels: Int64Array) -> Transfers:
    """Of these kernels. A send or receive waits for its partner by design: it is none."""
    every = collectives(trace)
    bus_bytes = every.bus_bytes
    is_known = np.isin(every.row, kernels) & ~np.isnan(bus_bytes) & ~np.isin(every.kind, (SEND, RECV))
    rows = np.flatnonzero(is_known)[np.argsort(every.row[is_known], kind="stable")]
    row, bus_bytes, size = every.row[rows], bus_bytes[rows], every.message_bytes[rows]
    duration_ns = trace.events.duration_ns(row)
    rate = bus_bytes / np.maximum(duration_ns, 1) * 1e9
    best = max(float(rate.max(initial=0)), _LEAST_RATE)
    return Transfers(
        row=row,
        kind=every.kind[rows],
        size_bytes=size,
        bus_bytes=bus_bytes,
        rate=rate,
        transfer_ns=np.minimum(bus_bytes / best * 1e9, duration_ns).astype(np.int64),
        alike=group_by(every.kind[rows], size),
        best_rate=best,
    )
