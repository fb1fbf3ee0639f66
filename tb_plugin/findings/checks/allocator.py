"""Does the caching allocator go back to the driver? cudaMalloc is slow, and cudaFree waits for the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.driver_calls import RETURNS, TAKES
from tb_plugin.trace.scope.recorded import LAUNCHES

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_CALLS: Final = TAKES | RETURNS


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.named(_CALLS.__contains__, Kind.RUNTIME, Kind.DRIVER))
    step = facts.trace.events.step[rows]
    rows = rows[step != 0] if len(facts.trace.steps) > 1 else rows  # the first step may still warm up
    gain_ns = facts.window_part(facts.union_of(rows))
    if facts.share(gain_ns) < worth.ONE_LINE:
        return None
    n_freed = sum(facts.name(row) in RETURNS for row in rows.tolist())
    # Returning memory inside a step is what the allocator does when it found no room: a retry.
    is_retry = n_freed > 0 and bool((facts.trace.events.step[rows] != NONE).any())
    return Seen(
        title="Keep the allocator from retrying: use less memory, or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
        if is_retry
        else "Warm up before the loop: memory is still taken from the driver",
        what=f"{counted(len(rows), 'call')} took memory from the driver or gave it back ({n_freed} gave back), for "
        f"{format_ns(gain_ns)} ({percent(facts.share(gain_ns))}).",
        evidence=[
            Evidence(text="calls that took memory", value=len(rows) - n_freed, unit="count"),
            Evidence(text="calls that gave memory back", value=n_freed, unit="count"),
            Evidence(text="host time in them", value=gain_ns, unit="ns"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="host time in these calls; the first step of several is not counted.",
        less=Less(host=rows),
        confidence="likely" if is_retry else "maybe",
    )


CHECK: Final = Check(
    id="allocator",
    looks_for="memory taken from the driver inside steps",
    needs=(LAUNCHES,),
    find=find,
    code="PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True python train.py",
    unless="it is the first step, which takes the memory that all others use.",
    link="https://docs.pytorch.org/docs/stable/notes/cuda.html",
)
