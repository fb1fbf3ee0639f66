"""Is the device's memory nearly full? Then the allocator retries, and a slightly larger batch fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_bytes
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import MEMORY
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_SHARE: Final = 0.9
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
    if len(failed) == 0 and share.max(initial=0.0) < _LEAST_SHARE:
        return None
    what, evidence, rows = "", [], failed
    if share.max(initial=0.0) >= _LEAST_SHARE:
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


CHECK: Final = Check(id="memory_limit", looks_for="device memory at its limit", needs=(MEMORY,), find=find)
