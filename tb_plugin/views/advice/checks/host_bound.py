"""Does the device run dry because the host cannot launch fast enough?

host    |launch A|   |launch B|            launch B begins after A was done: the gap is the host's
device      |A|           |B|
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.intervals import Merged, intersect, length, subtract, union
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import DEVICE, HOST, LAUNCHES
from tb_plugin.views.advice.result import Evidence

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_SHARE: Final = 0.1
_LEAST_KERNELS: Final = 50
_FEW_LAUNCHES: Final = 10


def find(facts: Facts) -> Seen | None:
    events = facts.trace.events
    kernels = facts.in_window(facts.busiest[events.kind[facts.busiest] == Kind.KERNEL])
    launched = kernels[events.launch[kernels] != NONE]
    if len(launched) < _LEAST_KERNELS:
        return None
    gaps, after = _waiting_for_launch(facts)
    waiting = subtract(intersect(gaps, facts.window), facts.union_of(facts.loader_rows))
    gain_ns = length(waiting)
    if facts.share(gain_ns) < _LEAST_SHARE:
        return None
    # A kernel counts against the host that launches it: the usual distance of launches is what one launch costs.
    launches = np.sort(events.start_ns[np.unique(events.launch[launched])])
    between_ns = float(np.median(np.diff(launches))) if len(launches) > 1 else 0.0
    kernel_ns = float(np.median(facts.duration(launched)))
    gap_ns = waiting.end - waiting.start
    # Many gaps of about a launch each: launching is too slow. A few long ones: the host was doing something else.
    is_short = kernel_ns < between_ns and gap_ns[gap_ns < _FEW_LAUNCHES * between_ns].sum() * 2 > gain_ns
    rows = facts.in_window(after)
    return Seen(
        title="Launch less: torch.compile, CUDA graphs, or a larger batch"
        if is_short
        else "Find what keeps the host from launching: the device waits for it",
        what=f"The device was idle for {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) because the next kernel was not "
        f"launched yet. The median kernel runs {format_ns(kernel_ns)}; the host launches one every {format_ns(between_ns)}.",
        evidence=[
            Evidence(text="device idle, waiting for a launch", value=gain_ns, unit="ns"),
            Evidence(text="longest such gap", value=int(gap_ns.max()), unit="ns"),
            Evidence(text="kernels in the window", value=len(kernels), unit="count"),
            Evidence(text="median kernel", value=kernel_ns, unit="ns"),
            Evidence(text="median time between launches", value=between_ns, unit="ns"),
        ],
        rows=rows,
        weight=_length_before(gaps, facts.trace.events.start_ns[rows]),
        gain_ns=gain_ns,
        gain_how="idle time of the busiest device before work whose launch began after the work before it was done, "
        "without time in the DataLoader. Profiling itself slows the host, so the true figure is smaller.",
        confidence="likely" if is_short else "maybe",
    )


def _waiting_for_launch(facts: Facts) -> tuple[Merged, Int64Array]:
    """(idle time before work that was launched too late, that work)."""
    events = facts.trace.events
    gap_start, gap_end = facts.busy.end[:-1], facts.busy.start[1:]
    work = facts.busiest[np.argsort(events.start_ns[facts.busiest], kind="stable")]
    after = work[np.searchsorted(events.start_ns[work], gap_end)]
    launch = events.launch[after]
    late = (launch != NONE) & (events.start_ns[launch] >= gap_start)
    return union(gap_start[late], gap_end[late]), after[late]


def _length_before(gaps: Merged, start_ns: Int64Array) -> Int64Array:
    """Length of the gap that ends at each of these times."""
    length_ns: Int64Array = (gaps.end - gaps.start)[np.minimum(np.searchsorted(gaps.end, start_ns), len(gaps.end) - 1)]
    return length_ns


CHECK: Final = Check(id="host_bound", looks_for="a device that waits for launches", needs=(HOST, DEVICE, LAUNCHES), find=find)
