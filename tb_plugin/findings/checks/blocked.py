"""What does the device wait for while work is queued?

host    |launch A|   |launch graph|
device      |--A--|                   gap ..........|Memset|     launched long before, begins late: grouped by what begins
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.intervals import length
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_GROUPS_SHOWN: Final = 5
_ALIKE: Final = 0.8
"""The shortest over the longest of the steps: what an accident does not do in each."""

_ENDS_NS: Final = 20_000
"""What ended so shortly before the work began is what it may have waited for."""


def find(facts: Facts) -> Seen | None:
    gaps = facts.when("blocked")
    gain_ns = length(gaps)
    if facts.share(gain_ns) < worth.EVERYWHERE:
        return None
    events = facts.trace.events
    gap_ns, following = gaps.end - gaps.start, facts.next_work(gaps.end)
    begins = following != NONE
    gap_ns, following = gap_ns[begins], following[begins]
    launch = events.launch[following].astype(np.int64)
    launcher = np.where(launch == NONE, NONE, events.name_id[launch])
    groups = group_by(events.name_id[following], launcher)
    group_ns = sum_by(groups, gap_ns)
    by_time = np.argsort(-group_ns, kind="stable")[:_GROUPS_SHOWN].tolist()
    first = np.flatnonzero(groups.of == by_time[0]) if by_time else groups.of
    waited_for = _ended_before(facts, gaps.end)
    longest_ns = int(gap_ns.max(initial=0))
    return Seen(
        title="Look at what queued work waits for: record all streams from the start, then compare with the other ranks",
        what=f"For {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) work was launched and the device did nothing, "
        f"{counted(len(gap_ns), 'gap')} of up to {format_ns(longest_ns)}; "
        f"{_every_step(facts, gap_ns[first], gaps.end[begins][first])}"
        f"{'a synchronisation of streams ended' if waited_for else 'nothing that was recorded ended'} shortly before the work "
        "went on.",
        evidence=[
            Evidence(text="device idle, with work launched", value=gain_ns, unit="ns"),
            *(
                Evidence(
                    text=f"of it before {_begins(facts, int(following[groups.first[group]]))}",
                    value=int(group_ns[group]),
                    unit="ns",
                )
                for group in by_time
            ),
        ],
        rows=following[first],
        weight=gap_ns[first],
        gain_ns=gain_ns,
        time=gaps,
        gain_how="time in which the busiest device did nothing though work had been launched 30 us before and more, as on the "
        "overview. What it waits for may be in no file: another rank, or work from before the recording.",
        less=Less(on_time=following),
        estimate_how="each of them begins as soon as its stream and its launch allow.",
        confidence="maybe",
    )


def _begins(facts: Facts, row: int) -> str:
    launch = int(facts.trace.events.launch[row])
    by = facts.name(launch) if launch != NONE else ""
    return f"the first recorded work of a graph, {facts.name(row)}" if "GraphLaunch" in by else facts.name(row)


def _every_step(facts: Facts, gap_ns: Int64Array, end_ns: Int64Array) -> str:
    """Whether each step has about the same longest one of these gaps: then it is no accident."""
    counted_steps = facts.counted
    start, end = (edge[counted_steps.places] for edge in (counted_steps.windows.start_ns, counted_steps.windows.end_ns))
    if len(start) <= 1:
        return ""
    longest = [int(gap_ns[(t0 < end_ns) & (end_ns <= t1)].max(initial=0)) for t0, t1 in zip(start, end, strict=True)]
    is_same = min(longest) > _ALIKE * max(longest)
    return f"each step has one of {format_ns(float(np.median(longest)))}: it is no accident; " if is_same else ""


def _ended_before(facts: Facts, time_ns: Int64Array) -> bool:
    """Whether waits between streams ended shortly before most of these times."""
    events = facts.trace.events
    ends = np.sort(events.end_ns[facts.tree.of_kinds(Kind.SYNC)])
    if len(ends) == 0 or len(time_ns) == 0:
        return False
    before = np.searchsorted(ends, time_ns, side="right") - 1
    return bool(((before >= 0) & (time_ns - ends[np.maximum(before, 0)] < _ENDS_NS)).mean() > 1 / 2)


CHECK: Final = Check(
    id="blocked",
    looks_for="work that is queued and does not begin",
    needs=(DEVICE, LAUNCHES, WHOLE),
    find=find,
    unless="the recording began in the middle of the work: what the streams still had to do then is in no file.",
)
