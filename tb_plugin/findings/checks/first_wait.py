"""Does the recording begin with a call that waits for what is not in the file? All other checks leave that time out.

host    |launch A| |-------hipMemcpyWithStream-------| |launch B|
device                                              |A|        |B|      463 ms in which the device does nothing either
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import length
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES
from tb_plugin.trace.times.start_up import first_waits

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_CALLS_SHOWN: Final = 5


def find(facts: Facts) -> Seen | None:
    rows = first_waits(facts.trace)
    if len(rows) == 0:
        return None
    waited_ns, name = length(facts.union_of(rows)), facts.name(int(rows[facts.duration(rows).argmax()]))
    kind = "copy" if "cpy" in name else "wait"
    return Seen(
        title=f"Leave the first {kind} after the profiler started out: it waited for what is not in the file",
        what=f"{counted(len(rows), 'call')} of {name} took {format_ns(waited_ns)} while the device did nothing, which did "
        f"{format_ns(length(facts.busy))} of work in all. Shares and other findings are of the "
        f"{format_ns(facts.window_ns)} after that.",
        evidence=[
            Evidence(
                text=facts.name(row), value=int(facts.trace.events.end_ns[row] - facts.trace.events.start_ns[row]), unit="ns"
            )
            for row in rows[:_CALLS_SHOWN].tolist()
        ],
        rows=rows,
        gain_ns=None,
        gain_how="not of the work: it comes once, with the recording.",
        confidence="likely",
        is_first=True,
    )


CHECK: Final = Check(
    id="first_wait",
    looks_for="a first call that waits for what is not in the file",
    needs=(DEVICE, LAUNCHES),
    find=find,
    code="""\
torch.cuda.synchronize()  # nothing from before is left to wait for
profiler.start()
step()  # one more, which is not looked at""",
    unless="the same call takes as long in every recording, and in its middle: then it is the work.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
)
