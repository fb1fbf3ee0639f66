"""Is device memory free but in pieces too small, so that the allocator takes more from the driver?

reserved   |##....####....##|      8 pieces free, 6 wanted in one: reserved grows
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_bytes
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.scope.recorded import RESERVED

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_LARGE: Final = 1 << 20
"""Smaller blocks have a pool of their own, which free large ones do not serve (CUDACachingAllocator's kSmallSize)."""

_LEAST_OF_RESERVED: Final = 0.05
"""The allocator reserves whole blocks of 2 to 20 MiB and rounds up: less of the reserve is always free in pieces."""


def find(facts: Facts) -> Seen | None:
    memory = facts.trace.memory
    at, free = _grew_with_room(facts)
    share = free / np.maximum(memory.total_reserved[at], 1)
    at, free = at[share >= _LEAST_OF_RESERVED], free[share >= _LEAST_OF_RESERVED]
    if len(at) == 0:
        return None
    worst = int(free.argmax())
    reserved = int(memory.total_reserved[at[worst]])
    return Seen(
        title="Let the allocator join free memory: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        what=f"{counted(len(at), 'allocation')} took memory from the driver although as much was free in pieces. "
        f"At worst {format_bytes(int(free[worst]))} of {format_bytes(reserved)} reserved were free "
        f"({percent(int(free[worst]) / reserved)}) when {format_bytes(int(memory.bytes[at[worst]]))} were asked for.",
        evidence=[
            Evidence(text="allocations that grew reserved memory in spite of room", value=len(at), unit="count"),
            Evidence(text="largest share of reserved memory that was free then", value=int(free[worst]) / reserved, unit="share"),
        ],
        rows=memory.row[at].astype(np.int64),
        weight=free,
        gain_ns=None,
        gain_how="unknown: it costs memory. Time in calls that take memory from the driver is a finding of its own.",
        confidence="maybe",
    )


def _grew_with_room(facts: Facts) -> tuple[Int64Array, Int64Array]:
    """(places in `trace.memory`, bytes that were free before): large allocations for which reserved memory grew."""
    trace = facts.trace
    memory = trace.memory
    known = np.flatnonzero((memory.device_type > 0) & (memory.total_reserved > 0) & (memory.total_allocated >= 0))
    time_ns = trace.events.start_ns[memory.row[known]]
    known = known[
        np.lexsort((trace.events.order[memory.row[known]], time_ns, memory.device_index[known], memory.device_type[known]))
    ]
    before, after = known[:-1], known[1:]
    same = (memory.device_index[before] == memory.device_index[after]) & (memory.device_type[before] == memory.device_type[after])
    free = memory.total_reserved[before] - memory.total_allocated[before]
    grew = memory.total_reserved[after] > memory.total_reserved[before]
    wanted = same & grew & (memory.bytes[after] >= _LARGE) & (free >= memory.bytes[after])
    steps = trace.events.step[memory.row[after]]
    if len(trace.steps) > 1:
        wanted &= (steps != 0) & (steps != NONE)  # the first step may still warm up
    return after[wanted].astype(np.int64), free[wanted].astype(np.int64)


CHECK: Final = Check(
    id="fragmentation",
    looks_for="device memory that is free in pieces while more is taken",
    needs=(RESERVED,),
    find=find,
    code="PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py",
    unless="sizes of batches are always the same: then there is nothing to gain.",
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html",
)
