"""Does the recording begin with work that is in no file? Then the device looks idle, and nobody knows whether it was.

host    |launch graph|                          what was launched before it is not in the file,
device  ................|first recorded work|   and may have run all this time
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import clip, length
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_LEAST: Final = 0.2
"""Of the time: from here on the verdict says to look at the recording first."""


def find(facts: Facts) -> Seen | None:
    if len(facts.window.start) == 0 or len(facts.busy.start) == 0:
        return None
    begin, first_ns = int(facts.window.start[0]), int(facts.busy.start[0])
    unknown_ns = length(clip(facts.when("unknown"), begin, max(first_ns, begin)))
    if facts.share(unknown_ns) < _LEAST:
        return None
    work = facts.busiest[facts.trace.events.start_ns[facts.busiest] == first_ns]
    return Seen(
        title="Leave the time before the first recorded work out: what the device did then is not in the file",
        what=f"For {format_ns(unknown_ns)} ({percent(facts.share(unknown_ns))}) after work was launched nothing of the device is "
        f"recorded, until {facts.name(int(work[0]))} begins: what ran before is cut off, so this is no idle time.",
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
