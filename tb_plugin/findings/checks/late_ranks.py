"""Do collectives take longer than their bytes need? Then they wait: for ranks that come late, or for a slow link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_bytes, format_ns, format_rate
from tb_plugin.compute.grouping import median_by
from tb_plugin.compute.intervals import intersect, length, subtract, union
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.scope.recorded import DEVICE, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_LARGE_BYTES: Final = 1 << 20
"""Smaller ones are bound by their latency."""

_SLOW: Final = 10e9
_OF_USUAL: Final = 0.1
_LEAST: Final = 2
"""One alone may be anything."""


def find(facts: Facts) -> Seen | None:
    known = facts.transfers
    usual = median_by(known.alike, known.rate)[known.alike.of]
    is_slow = (known.size_bytes >= _LARGE_BYTES) & ((known.rate < _SLOW) | (known.rate < _OF_USUAL * usual))
    rows = known.row[is_slow]
    if len(rows) < _LEAST:
        return None
    events = facts.trace.events
    # When within a collective its bytes move nobody knows: that it is at its end is as good as any.
    waits = union(events.start_ns[rows], events.end_ns[rows] - known.transfer_ns[is_slow])
    waiting = intersect(subtract(waits, facts.computation), facts.window)
    gain_ns = length(waiting)
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    slowest = int(np.argmax(known.size_bytes[is_slow]))
    largest_ns, rate = int(facts.duration(rows)[slowest]), float(known.rate[is_slow][slowest])
    return Seen(
        title="Find the rank that comes late: collectives wait longer than their bytes need",
        what=f"{counted(len(rows), 'collective')} moved their bytes at less than {_SLOW / 1e9:.0f} GB/s: the largest, "
        f"{format_bytes(int(known.size_bytes[is_slow][slowest]))}, took {format_ns(largest_ns)}, which is "
        f"{format_rate(rate)} over the busiest link. Waiting that no kernel hides: {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}).",
        evidence=[
            Evidence(text="time of these collectives", value=facts.window_part(facts.union_of(rows)), unit="ns"),
            Evidence(text="time that their bytes need at the best rate", value=int(known.transfer_ns[is_slow].sum()), unit="ns"),
            Evidence(text="best rate seen, or 10 GB/s where that is more, bytes a second", value=known.best_rate, unit="count"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        time=waiting,
        gain_how="time of these collectives less what their bytes need at the best rate of the file (at least 10 GB/s), as far "
        "as no computing kernel runs beside.",
        less=Less(work=rows, work_factor=known.transfer_ns[is_slow] / np.maximum(facts.duration(rows), 1)),
        estimate_how="each of these collectives takes what its bytes need.",
        confidence="likely",
        explains=("exposed_communication",),
    )


CHECK: Final = Check(
    id="late_ranks",
    looks_for="collectives that take longer than their bytes need",
    needs=(DEVICE, WHOLE),
    find=find,
    code="# the other ranks' profiles, on one clock:\ntb-plugin serve logs/my_run",
    unless="the link itself is slower than 10 GB/s, as between machines without RDMA: then fewer bytes help.",
    link="https://docs.pytorch.org/docs/stable/notes/ddp.html",
    view="ranks",
)
