"""Does the device (or, without one, the step) wait for the next batch?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import intersect
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.scope.recorded import HOST, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.loader_rows)
    loading = facts.union_of(rows)
    # What is queued, or what a call waits for, is no time that loading costs: as on the overview, and as host_line has it.
    without_work = intersect(loading, facts.when("waiting_for_host")) if len(facts.device_rows) else loading
    gain_ns = facts.window_part(without_work)
    if facts.share(gain_ns) < worth.ALWAYS_SOME:
        return None
    loading_ns = facts.window_part(loading)
    is_single = any("_SingleProcess" in facts.name(row) for row in rows[:1].tolist())
    waits = "with the device idle" if len(facts.device_rows) else "before the step could go on"
    first = "in the training process itself" if is_single else "by worker processes"
    return Seen(
        title="Load batches in worker processes: DataLoader(num_workers=...)"
        if is_single
        else "Make the DataLoader faster: more workers, persistent_workers, cheaper transforms",
        what=f"{counted(len(rows), 'batch', 'batches')} loaded {first}: "
        f"{format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) {waits}.",
        evidence=[
            Evidence(text="time in the DataLoader", value=loading_ns, unit="ns"),
            Evidence(text=f"of it {waits}", value=gain_ns, unit="ns"),
            Evidence(text="batches", value=len(rows), unit="count"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        time=without_work,
        code=_WITH_DEVICE if len(facts.device_rows) else "",
        gain_how="time in enumerate(DataLoader) in which the device waited for the host, as on the overview; without one all "
        "of it. It is gained if loading hides behind the step.",
        confidence="sure" if is_single else "likely",
        without=("loader=0",),
        says_also=("synchronized_loader",) if is_single else (),
    )


_WITH_DEVICE: Final = "loader = DataLoader(dataset, num_workers=8, pin_memory=True, persistent_workers=True, prefetch_factor=4)"


CHECK: Final = Check(
    id="data_loader",
    looks_for="steps that wait for the data loader",
    needs=(HOST, WHOLE),
    find=find,
    code="loader = DataLoader(dataset, num_workers=8, persistent_workers=True, prefetch_factor=4)",
    unless="one batch takes longer than a step times the workers that there are: then prepare the data before training.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
