"""How long a rank's device waits for launches in each step: what it idles in gaps all over, which no event fills.

device   |A|  |B|  |C|        |D|      the host launches one kernel after the other, and more slowly than the device runs them
idle       ..   ..   ........          less its loader, Python's collector, what events tell, and the few gaps that are long

A host that launches more slowly than its device computes is bound to do so by chance here and there, too: who idles some more in
some steps then, and whose host takes no longer, is late for nothing of its own.

What of it the bubble of a pipeline hides costs nothing: the neighbour would be waited for instead (`but_bubble`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.limits import median
from tb_plugin.job.late.longest_gaps import gaps_but, is_loader, off_the_longest
from tb_plugin.job.late.peers import OF_EVENTS
from tb_plugin.job.why.alone import BY_WAITS, HIDDEN
from tb_plugin.trace.rank.pause_events import IDLE_IN
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.own.pipeline import Pipeline

_LONG: Final = 0.02
"""Of the step: a gap from this on is one by itself, where a few such are most of all."""

_MOSTLY: Final = 0.5
_FAR_LONGER: Final = 3.0
"""Than the shortest of the few that are kept."""


def waits_for_launches(job: Job, of: OwnTime) -> Float64Array:
    """[rank, step], ns; 0 where no launch was recorded."""
    parts = of.parts
    by_events = np.sum([parts[name] for name in OF_EVENTS], axis=0)
    left = parts["idle"] - parts[HIDDEN] + parts[BY_WAITS] - by_events
    gaps = _but_events(gaps_but(job, of, lambda event: is_loader(event) or event.told in IDLE_IN), parts, by_events)
    long = np.where(gaps >= _LONG * of.step, gaps, 0.0)
    is_all_over = long.sum(axis=0) <= _MOSTLY * left  # of such gaps some are longer by chance
    long = np.where(is_all_over & (gaps < _FAR_LONGER * parts[PAUSES[-1]]), 0.0, long).sum(axis=0)
    found: Float64Array = np.where(parts["n_launches"] > 0, np.maximum(left - long, 0.0), 0.0 * left)
    return found


def but_bubble(waits: Float64Array, own: OwnTime, place: JobLayout, of: Pipeline | None) -> Float64Array:
    """No more than what a step is longer than its schedule makes it, were launches at once. A rank that is not known there, and a
    schedule that is not told, leave it as it is.

        left = step - computation outside of the window - exposed transfer - window of the schedule
        window of the schedule = all stages once, and the busiest for the other micro-batches, a chunk each
    """
    if of is None or of.schedule.n_micro_batches is None or of.schedule.n_chunks is None:
        return waits
    n_parts = of.schedule.n_micro_batches * of.schedule.n_chunks
    busy = (of.window - of.bubble) / n_parts
    stages = np.array([median(busy[place.stage == stage]) for stage in range(of.n_stages)])
    window = stages.sum(axis=0) + (n_parts - 1) * stages.max(axis=0)
    left = own.step - (own.parts["computation"] - of.computation) - own.parts["transfer"] - window
    return np.where(np.isfinite(left), np.clip(left, 0.0, waits), waits)


def _but_events(gaps: Float64Array, parts: dict[str, Float64Array], by_events: Float64Array) -> Float64Array:
    """Of a gap in which a host is in its loader and then launches slowly only the rest: what events tell of is told already. It
    is taken off the longest, but what is in gaps that are told by their event alone, which count nothing in `gaps`.
    """
    untold = np.maximum(by_events - np.sum([parts[name] - gap for name, gap in zip(PAUSES, gaps, strict=True)], axis=0), 0.0)
    return off_the_longest(gaps, untold)


def is_as_others_wait(job: Job, of: OwnTime, one: Straggler) -> bool:
    """Of who idles for no known reason: its peers wait for launches as long in these steps. Unless it does in every step, but for
    a stage: that launches other work by design.
    """
    late = one.excess_ns > 0
    is_always = one.level != "stage" and bool(late[np.isfinite(of.step[list(one.members)]).any(axis=0)].all())
    usual = median(waits_for_launches(job, of)[list(one.peers)])
    return not is_always and bool((one.excess_ns <= usual)[late].all())
