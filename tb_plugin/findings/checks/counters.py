"""Were hardware counters read? Then kernels ran one at a time and again and again, and no other check says anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.compute.distinct import distinct
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    rows = facts.tree.of_kinds(Kind.PROFILER_RANGE)
    if len(rows) == 0:
        return None
    return Seen(
        title="Record once without hardware counters: no time in this file is that of the program",
        what=f"Counters were read for {counted(len(rows), 'range')}: for that kernels run one at a time, some of them several "
        "times, with pauses in between. The counters themselves are right; times, shares and idle time are not.",
        evidence=[Evidence(text="ranges with counters", value=len(distinct(rows)), unit="count")],
        rows=rows,
        gain_ns=None,
        gain_how="not of the work: the program without counters does not wait so.",
        confidence="sure",
        is_first=True,
    )


CHECK: Final = Check(
    id="counters",
    looks_for="hardware counters, for which kernels run one at a time",
    needs=(),
    find=find,
    code="profile(activities=[...])  # without experimental_config=_ExperimentalConfig(profiler_metrics=[...])",
    unless="the counters are what you want, and not times.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
)
