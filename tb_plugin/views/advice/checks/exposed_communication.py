"""Does the device communicate while it could compute?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import subtract
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import DEVICE
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_SHARE: Final = 0.05


def find(facts: Facts) -> Seen | None:
    mine = np.zeros(len(facts.is_collective), np.bool_)
    mine[facts.busiest] = True
    rows = facts.in_window(np.flatnonzero(facts.is_collective & mine))
    communication = facts.union_of(rows)
    gain_ns = facts.window_part(subtract(communication, facts.computation))
    if facts.share(gain_ns) < _LEAST_SHARE:
        return None
    all_ns = facts.window_part(communication)
    return Seen(
        title="Hide communication: first look for a late rank, then larger buckets, no_sync, compression",
        what=f"Of {format_ns(all_ns)} in {counted(len(rows), 'collective')}, {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))} of the time) ran with no computing kernel beside.",
        evidence=[
            Evidence(text="time in collectives", value=all_ns, unit="ns"),
            Evidence(text="of it exposed", value=gain_ns, unit="ns"),
            Evidence(text="hidden share of communication", value=1 - gain_ns / max(all_ns, 1), unit="share"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="time of collective kernels with no other kernel running. It holds waiting for slower ranks, which one rank's "
        "profile cannot tell from transfer.",
        confidence="likely",
    )


CHECK: Final = Check(id="exposed_communication", looks_for="communication that is not hidden", needs=(DEVICE,), find=find)
