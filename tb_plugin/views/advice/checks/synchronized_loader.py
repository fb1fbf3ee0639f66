"""Data loaders without worker processes: torch's SynchronizedDataLoaderPattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.patterns.synchronized_loader import SynchronizedLoader
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import FRAMES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts


def find(facts: Facts) -> Seen | None:
    rows = SynchronizedLoader().rows(facts.tree)
    if len(rows) == 0:
        return None
    loading_ns = facts.window_part(facts.union_of(facts.loader_rows))
    return Seen(
        title="Load batches in worker processes: DataLoader(num_workers=...)",
        what=f"{counted(len(rows), 'data loader')} opened without worker processes.",
        evidence=[Evidence(text="time in enumerate(DataLoader)", value=loading_ns, unit="ns")],
        rows=rows,
        gain_ns=None,
        gain_how="unknown; time that steps wait for batches is a finding of its own where it is more than 5 %.",
        confidence="likely",
    )


CHECK: Final = Check(id="synchronized_loader", looks_for="data loaders without worker processes", needs=(FRAMES,), find=find)
