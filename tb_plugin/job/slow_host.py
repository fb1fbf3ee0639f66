"""A rank whose processor is slower or shared: all that its host does takes longer, in each step something else.

    step 4    a gap 5 ms longer                       rank 0, on a core of its own        ##  ##  ##  ##
    step 6    aten::mm 4 ms longer, elsewhere 0.5     rank 1, which another one shares    ##  #....#  ##  ##  ##
    step 7    an addition 4 ms longer

None of these is a cause of its own: the rank was held up wherever it was just then, and that is told in one sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.cause import Cause
from tb_plugin.job.kernel_causes import held_up_by_name

if TYPE_CHECKING:
    from tb_plugin.job.job import Job
    from tb_plugin.job.own_time import OwnTime
    from tb_plugin.job.stragglers import Straggler

_SOME_STEPS: Final = 3
_MOST_OF: Final = 0.6
_IN_GAPS: Final = 0.75
"""Of what it is held up: where more is in gaps, it sleeps there."""

_IN_ONE: Final = 0.5
_SOME_NAMES: Final = 2
_TOLD: Final = 0.2
"""Of the excess, in its loader or another recorded event: that is a cause."""


def slow_host(job: Job, of: OwnTime, straggler: Straggler) -> Cause | None:
    """Only without a device, where operators tell when the host was held up."""
    late = straggler.excess_ns > 0
    total = float(straggler.excess_ns.sum())
    is_host = straggler.level == "rank" and job.of.ranks[straggler.number].summary.is_on_host
    if not is_host or not straggler.is_persistent or int(late.sum()) < _SOME_STEPS:
        return None
    by_name = held_up_by_name(job, straggler)
    of_events = sum(max(float(np.nansum(straggler.more[name][late])), 0.0) for name in ("loader", "collection"))
    in_gaps = max(float(np.nansum(straggler.more["idle"][late])) - of_events, 0.0)
    held = sum(by_name.values()) + in_gaps
    if of_events > _TOLD * total or held < _MOST_OF * total or len(by_name) < _SOME_NAMES:
        return None
    if in_gaps > _IN_GAPS * held or max(by_name.values()) > _IN_ONE * held:
        return None
    work = sum(float(np.nansum(of.parts[name][straggler.number][late])) for name in ("computation", "idle"))
    factor = work / max(work - total, 1.0)
    return Cause(id="slow_kernels", confidence="likely", amount_ns=straggler.mean_excess_ns, factor=factor, is_of_all=True)
