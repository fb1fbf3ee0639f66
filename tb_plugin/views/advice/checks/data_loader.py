"""Does the device (or, without one, the step) wait for the next batch?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import subtract
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import HOST
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_SHARE: Final = 0.05


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.loader_rows)
    loading = facts.union_of(rows)
    gain_ns = facts.window_part(subtract(loading, facts.busy))
    if facts.share(gain_ns) < _LEAST_SHARE:
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
        gain_how="time in enumerate(DataLoader) with no device work; all of it is gained if loading hides behind the step.",
        confidence="sure" if is_single else "likely",
        says_also=("synchronized_loader",) if is_single else (),
    )


CHECK: Final = Check(id="data_loader", looks_for="steps that wait for the data loader", needs=(HOST,), find=find)
