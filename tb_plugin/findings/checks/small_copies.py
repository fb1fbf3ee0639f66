"""Many small copies between host and device, each of which costs a call: one copy of them together costs one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_bytes, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import union
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES
from tb_plugin.trace.work.copy_names import BETWEEN_HOST_AND_DEVICE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_SMALL: Final = 1 << 14
"""Up to 16 KiB a copy takes as long as an empty one: a few microseconds (PCIe at 25 GB/s moves them in 0.7)."""

_LEAST: Final = 20
"""Fewer are what a loop prints and counts, no habit of the model."""


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    bytes_of = np.full(len(trace.events), NONE, np.int64)
    bytes_of[trace.work.row] = trace.work.bytes
    rows = facts.in_window(facts.named(BETWEEN_HOST_AND_DEVICE.match, Kind.COPY))
    rows = rows[(bytes_of[rows] >= 0) & (bytes_of[rows] <= _SMALL) & (trace.events.launch[rows] != NONE)]
    calls = distinct(trace.events.launch[rows]).astype(np.int64)
    if len(rows) < _LEAST:
        return None
    # Longer calls wait for the device, which one copy of all would do as well.
    typical_ns = int(np.median(facts.duration(calls)))
    start_ns = trace.events.start_ns[calls]
    gain_ns = facts.window_part(union(start_ns, start_ns + np.minimum(facts.duration(calls), typical_ns)))
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    return Seen(
        title="Copy small tensors together: stack them on one side, or create them where they are used",
        what=f"{len(rows)} copies between host and device moved {format_bytes(int(bytes_of[rows].sum()))} in all, each at most "
        f"{format_bytes(int(bytes_of[rows].max()))}. Half of the calls took {format_ns(typical_ns)} and more; without "
        f"what they waited beyond that, they held the host for {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}).",
        evidence=[
            Evidence(text="copies of at most 16 KiB", value=len(rows), unit="count"),
            Evidence(text="host time in their calls, at most the median of each", value=gain_ns, unit="ns"),
            Evidence(text="device time of the copies", value=facts.window_part(facts.union_of(rows)), unit="ns"),
        ],
        rows=rows,
        weight=facts.duration(trace.events.launch[rows]),
        gain_ns=gain_ns,
        gain_how="host time in the calls that started these copies, of each at most the median: beyond it calls wait.",
        less=Less(work=rows),
        confidence="maybe",
    )


CHECK: Final = Check(
    id="small_copies",
    looks_for="many small copies between host and device",
    needs=(DEVICE, LAUNCHES),
    find=find,
    code="values = torch.stack(values).tolist()  # one copy instead of one for each value",
    unless="each value is needed before the next one is computed.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
