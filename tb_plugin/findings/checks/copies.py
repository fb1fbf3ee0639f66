"""Copies between host and device that nothing runs beside: from pageable memory, which blocks the host too, and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import Int64Array, format_ns
from tb_plugin.compute.intervals import subtract
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.edits import written
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, WHOLE
from tb_plugin.trace.work.copy_names import FROM_PAGEABLE, NOT_FROM_PAGEABLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_HOW: Final = "time in which these copies ran and no computing kernel did."


def find_pageable(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.named(FROM_PAGEABLE.match, Kind.COPY))
    gain_ns = _exposed_ns(facts, rows)
    if facts.share(gain_ns) < worth.ONE_LINE:
        return None
    return Seen(
        title="Copy batches from pinned memory: DataLoader(pin_memory=True) and .to(device, non_blocking=True)",
        what=f"{counted(len(rows), 'copy', 'copies')} came to the device from pageable memory; for {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) no kernel ran beside them.",
        evidence=_evidence(facts, rows, gain_ns),
        rows=rows,
        gain_ns=gain_ns,
        gain_how=f"{_HOW} A copy from pageable memory holds the host; one from pinned memory runs beside kernels.",
        without=_beside(facts, rows),
        confidence="likely",
    )


def find_exposed(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.named(NOT_FROM_PAGEABLE.match, Kind.COPY))
    gain_ns = _exposed_ns(facts, rows)
    if facts.share(gain_ns) < worth.ONE_LINE:
        return None
    return Seen(
        title="Run copies beside kernels: non_blocking=True, or a stream of their own, one batch ahead",
        what=f"{counted(len(rows), 'copy', 'copies')} between host and device; for {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) no kernel ran beside them.",
        evidence=_evidence(facts, rows, gain_ns),
        rows=rows,
        gain_ns=gain_ns,
        gain_how=_HOW,
        without=_beside(facts, rows),
        confidence="maybe",
    )


def _beside(facts: Facts, rows: Int64Array) -> tuple[str, ...]:
    """Edits that have copies of these names run beside everything."""
    return tuple(edit for name in sorted({facts.name(row) for row in rows.tolist()}) for edit in written("copy", name, 0))


def _exposed_ns(facts: Facts, rows: Int64Array) -> int:
    return facts.window_part(subtract(facts.union_of(rows), facts.computation))


def _evidence(facts: Facts, rows: Int64Array, gain_ns: int) -> list[Evidence]:
    return [
        Evidence(text="copies", value=len(rows), unit="count"),
        Evidence(text="time of these copies", value=facts.window_part(facts.union_of(rows)), unit="ns"),
        Evidence(text="of it with no kernel beside", value=gain_ns, unit="ns"),
    ]


PAGEABLE: Final = Check(
    id="pageable_copies",
    looks_for="copies to the device from pageable memory",
    needs=(DEVICE, WHOLE),
    find=find_pageable,
    code="loader = DataLoader(dataset, pin_memory=True)\nbatch = batch.to(device, non_blocking=True)",
    unless="memory of the host is short: pinned memory is not given back.",
    link="https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html",
)
EXPOSED: Final = Check(
    id="exposed_copies",
    looks_for="other copies that no kernel runs beside",
    needs=(DEVICE, WHOLE),
    find=find_exposed,
    code="""\
with torch.cuda.stream(copies):
    following = next(batches).to(device, non_blocking=True)
torch.cuda.current_stream().wait_stream(copies)""",
    unless="the result is needed at once, as at the end of a step.",
    link="https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html",
)
