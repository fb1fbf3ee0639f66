"""Is the device's memory nearly full? Then the allocator retries, and a slightly larger batch fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_bytes
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE_MEMORY

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_LEAST_OF_CAPACITY: Final = 0.9
"""Less than a tenth is left: a batch of another length, or what the driver and other libraries take, is enough to fail."""
_CPU: Final = 0


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    memory = trace.memory
    capacities = {device.index: device.memory_bytes for device in trace.info.devices if device.memory_bytes}
    held = np.maximum(memory.total_reserved, memory.total_allocated)
    capacity = np.zeros(len(memory), np.int64)
    for index, n_bytes in capacities.items():
        capacity[memory.device_index == index] = n_bytes
    known = (memory.device_type != _CPU) & (capacity > 0)
    share = np.where(known, held / np.maximum(capacity, 1), 0.0)
    failed = np.flatnonzero(trace.events.kind == Kind.OUT_OF_MEMORY)
    if len(failed) == 0 and share.max(initial=0.0) < _LEAST_OF_CAPACITY:
        return None
    what, evidence, rows = "", [], failed
    if share.max(initial=0.0) >= _LEAST_OF_CAPACITY:
        peak = int(share.argmax())
        rows = np.append(rows, memory.row[peak])
        what = (
            f"Up to {format_bytes(int(held[peak]))} of {format_bytes(int(capacity[peak]))} ({percent(float(share[peak]))}) of "
            f"device {int(memory.device_index[peak])} were taken. "
        )
        evidence = [Evidence(text="peak share of the device's memory", value=min(float(share[peak]), 1.0), unit="share")]
    if len(failed):
        what += f"{counted(len(failed), 'allocation')} failed for want of memory."
        evidence.append(Evidence(text="allocations that failed", value=len(failed), unit="count"))
    return Seen(
        title="Use less device memory: activation checkpointing, mixed precision, a smaller batch",
        what=what.strip(),
        evidence=evidence,
        rows=rows.astype(np.int64),
        gain_ns=None,
        gain_how="unknown: a full device costs time only where the allocator retries, which is a finding of its own.",
        confidence="sure" if len(failed) else "likely",
    )


CHECK: Final = Check(
    id="memory_limit",
    looks_for="device memory at its limit",
    needs=(DEVICE_MEMORY,),
    find=find,
    code="""\
optimizer.zero_grad(set_to_none=True)
output = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)""",
    link="https://docs.pytorch.org/docs/stable/checkpoint.html",
)
