"""Data loaders without worker processes: torch's SynchronizedDataLoaderPattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.patterns.synchronized_loader import SynchronizedLoader
from tb_plugin.trace.scope.recorded import FRAMES

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


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


CHECK: Final = Check(
    id="synchronized_loader",
    looks_for="data loaders without worker processes",
    needs=(FRAMES,),
    find=find,
    code="loader = DataLoader(dataset, num_workers=8, persistent_workers=True)",
    unless="the data set lies in memory and needs no work.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
