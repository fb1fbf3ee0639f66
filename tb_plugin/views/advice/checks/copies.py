"""Copies between host and device that nothing runs beside: from pageable memory, which blocks the host too, and others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import Int64Array, format_ns
from tb_plugin.compute.intervals import subtract
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import DEVICE
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_TO_DEVICE_PAGEABLE: Final = re.compile(r"Memcpy HtoD \(Pageable")
_OTHER: Final = re.compile(r"Memcpy (?:HtoD|DtoH) \((?!Pageable)|CopyHostToDevice|CopyDeviceToHost")
"""Samples: `Memcpy HtoD (Pinned -> Device)`, `Memcpy DtoH (Device -> Pageable)`, AMD's `CopyHostToDevice`."""

_LEAST_SHARE: Final = 0.005
_HOW: Final = "time in which these copies ran and no computing kernel did."


def find_pageable(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.named(_TO_DEVICE_PAGEABLE.match, Kind.COPY))
    gain_ns = _exposed_ns(facts, rows)
    if facts.share(gain_ns) < _LEAST_SHARE:
        return None
    return Seen(
        title="Copy batches from pinned memory: DataLoader(pin_memory=True) and .to(device, non_blocking=True)",
        what=f"{counted(len(rows), 'copy', 'copies')} came to the device from pageable memory; for {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) no kernel ran beside them.",
        evidence=_evidence(facts, rows, gain_ns),
        rows=rows,
        gain_ns=gain_ns,
        gain_how=f"{_HOW} A copy from pageable memory holds the host; one from pinned memory runs beside kernels.",
        confidence="likely",
    )


def find_exposed(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.named(_OTHER.match, Kind.COPY))
    gain_ns = _exposed_ns(facts, rows)
    if facts.share(gain_ns) < _LEAST_SHARE:
        return None
    return Seen(
        title="Run copies beside kernels: non_blocking=True, or a stream of their own, one batch ahead",
        what=f"{counted(len(rows), 'copy', 'copies')} between host and device; for {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) no kernel ran beside them.",
        evidence=_evidence(facts, rows, gain_ns),
        rows=rows,
        gain_ns=gain_ns,
        gain_how=_HOW,
        confidence="maybe",
    )


def _exposed_ns(facts: Facts, rows: Int64Array) -> int:
    return facts.window_part(subtract(facts.union_of(rows), facts.computation))


def _evidence(facts: Facts, rows: Int64Array, gain_ns: int) -> list[Evidence]:
    return [
        Evidence(text="copies", value=len(rows), unit="count"),
        Evidence(text="time of these copies", value=facts.window_part(facts.union_of(rows)), unit="ns"),
        Evidence(text="of it with no kernel beside", value=gain_ns, unit="ns"),
    ]


PAGEABLE: Final = Check(
    id="pageable_copies", looks_for="copies to the device from pageable memory", needs=(DEVICE,), find=find_pageable
)
EXPOSED: Final = Check(
    id="exposed_copies", looks_for="other copies that no kernel runs beside", needs=(DEVICE,), find=find_exposed
)
