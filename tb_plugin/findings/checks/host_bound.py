"""Does launching itself hold the device up: does most of its idle time lie in gaps of about a launch each?

host    |launch A|   |launch B|            until launch B returns, the gap is the host's (`trace/times/idle.py`)
device      |A|           |B|

Longer gaps, in which the host is at something else, are `host_line`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import length, subtract
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

COMPILED: Final = "host=0.33"


def find(facts: Facts) -> Seen | None:
    pace = facts.launch_pace
    if pace is None or not pace.is_limit:
        return None
    waiting = pace.waiting
    gain_ns = length(waiting)
    if facts.share(gain_ns) < worth.EVERYWHERE:
        return None
    gap_ns, following = waiting.end - waiting.start, facts.next_work(waiting.end)
    rows = distinct(following[following != NONE])
    return Seen(
        title="Launch less: torch.compile, CUDA graphs, or a larger batch",
        what=f"The device was idle for {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) because the next kernel was not "
        f"launched yet. The median kernel runs {format_ns(pace.kernel_ns)}; the host launches one every "
        f"{format_ns(pace.between_ns)}.",
        evidence=[
            Evidence(text="device idle, waiting for a launch", value=gain_ns, unit="ns"),
            Evidence(text="longest such gap", value=int(gap_ns.max()), unit="ns"),
            Evidence(text="kernels in the window", value=pace.n_kernels, unit="count"),
            Evidence(text="median kernel", value=pace.kernel_ns, unit="ns"),
            Evidence(text="median time between launches", value=pace.between_ns, unit="ns"),
        ],
        rows=rows,
        weight=np.bincount(np.searchsorted(rows, following[following != NONE]), weights=gap_ns[following != NONE]),
        gain_ns=gain_ns,
        # A replay with a faster host gains in unusual steps, too: what is told of these wants a part of that.
        time=subtract(facts.when("waiting_for_host"), facts.union_of(facts.loader_rows)),
        gain_how="time in which the busiest device waited for the host, as on the overview: nothing was launched, and no call "
        f"waited for it; without time in the DataLoader{' and in steps longer than usual' if length(facts.unusual) else ''}. "
        "Profiling itself slows the host, so the true figure is smaller.",
        without=(COMPILED,),
        estimate_how="what torch.compile leaves of the host's time, about.",
        confidence="likely",
    )


CHECK: Final = Check(
    id="host_bound",
    looks_for="a device that waits for launches",
    needs=(HOST, DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
model = torch.compile(model, mode="reduce-overhead")  # CUDA graphs of what is compiled
# or, of shapes that do not change:
step = torch.cuda.make_graphed_callables(step, sample_batch)""",
    unless="shapes change from step to step, or values of tensors decide what is launched (.item(), nonzero).",
    link="https://pytorch.org/blog/accelerating-pytorch-with-cuda-graphs/",
)
