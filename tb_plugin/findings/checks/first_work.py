"""Does the recording begin with work that is in no file? Then the device looks idle, and nobody knows whether it was.

host    |launch graph|                          what was launched before it is not in the file,
device  ................|first recorded work|   and may have run all this time
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import length
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    unknown_ns = length(facts.before_work)
    if unknown_ns == 0:
        return None
    all_ns = unknown_ns + facts.window_ns
    work = facts.busiest[facts.trace.events.start_ns[facts.busiest] == facts.busy.start[0]]
    return Seen(
        title="Leave the time before the first recorded work out: what the device did then is not in the file",
        what=f"For {format_ns(unknown_ns)} ({percent(unknown_ns / all_ns)}) of {format_ns(all_ns)} after work was "
        f"launched nothing of the device is recorded, until "
        f"{facts.name(int(work[0]))} begins: what ran before is cut off, so this is no idle time.",
        evidence=[Evidence(text="idle before the first recorded work, as far as the file tells", value=unknown_ns, unit="ns")],
        rows=work,
        gain_ns=None,
        gain_how="not of the work: it comes once, with the recording.",
        confidence="likely",
    )


CHECK: Final = Check(
    id="first_work",
    looks_for="work from before the recording that nothing tells of",
    needs=(DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
torch.cuda.synchronize()  # nothing from before is left to run
profiler.start()
for _ in range(3):
    step()  # look at the last of them""",
    unless="the device was idle then, since the server had no request.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
)
