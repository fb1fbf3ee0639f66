"""A rank whose processor is slower or shared: all that its host does takes longer, in each step something else.

    step 4    a gap 5 ms longer                       rank 0, on a core of its own        ##  ##  ##  ##
    step 6    aten::mm 4 ms longer, elsewhere 0.5     rank 1, which another one shares    ##  #....#  ##  ##  ##
    step 7    an addition 4 ms longer

None of these is a cause of its own: the rank was held up wherever it was just then, and that is told in one sentence. So it is of
one that is stopped for a few milliseconds again and again: single calls take as long as ever or much longer, so that medians tell
a factor of some operators, but of nearly each operator the sum is as many times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.why.cause import Cause
from tb_plugin.job.why.kernel_causes import held_up_by_name, of_kernels, took_by_name, uneven_calls

if TYPE_CHECKING:
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.own_time import OwnTime

_SOME_STEPS: Final = 3
_MOST_OF: Final = 0.6
_IN_GAPS: Final = 0.75
"""Of what it is held up: where more is in gaps, it sleeps there."""

_IN_ONE: Final = 0.5
_SOME_NAMES: Final = 2
_TOLD: Final = 0.2
"""Of the excess, in its loader or another recorded event: that is a cause."""

_MUCH_LONGER: Final = 1.3
_ALIKE: Final = (0.5, 1.6)
"""Times what all take longer that an operator does."""

_UNEVEN: Final = 0.2
_MORE_UNEVEN: Final = 1.5
_NEAR: Final = 0.25
_MOST_TIME: Final = 0.8
_FEW: Final = 3


def slow_host(job: Job, of: OwnTime, straggler: Straggler) -> Cause | None:
    """Only without a device, where operators tell when the host was held up."""
    late = straggler.excess_ns > 0
    total = float(straggler.excess_ns.sum())
    is_host = straggler.level == "rank" and job.of.ranks[straggler.number].summary.is_on_host
    if not is_host or not straggler.is_persistent or int(late.sum()) < _SOME_STEPS:
        return None
    of_events = sum(max(float(np.nansum(straggler.more[name][late])), 0.0) for name in ("loader", "collection"))
    in_gaps = max(float(np.nansum(straggler.more["idle"][late])) - of_events, 0.0)
    if of_events > _TOLD * total or not (_is_held_up(job, straggler, in_gaps) or _is_as_much_longer(job, straggler, in_gaps)):
        return None
    work = sum(float(np.nansum(of.parts[name][straggler.number][late])) for name in ("computation", "idle"))
    factor = work / max(work - total, 1.0)
    return Cause(id="slow_kernels", confidence="likely", amount_ns=straggler.mean_excess_ns, factor=factor, is_of_all=True)


def _is_held_up(job: Job, straggler: Straggler, in_gaps: float) -> bool:
    """Most of its excess are calls that take many times as long, of several operators, and gaps."""
    by_name = held_up_by_name(job, straggler)
    held = sum(by_name.values()) + in_gaps
    if held < _MOST_OF * float(straggler.excess_ns.sum()) or len(by_name) < _SOME_NAMES:
        return False
    return in_gaps <= _IN_GAPS * held and max(by_name.values()) <= _IN_ONE * held


def _is_as_much_longer(job: Job, straggler: Straggler, in_gaps: float) -> bool:
    """Nearly all operators take in sum as many times as long, though not in the median nor each call, as with more input."""
    took = sorted(took_by_name(job, straggler).values(), reverse=True)
    own, usual = np.array(took).reshape(-1, 2).T
    if len(took) < _FEW or own.sum() < _MUCH_LONGER * usual.sum() or in_gaps > _IN_ONE * float(straggler.excess_ns.sum()):
        return False
    of_all = float(own.sum() / usual.sum())
    cause = of_kernels(job, straggler, straggler.parts["computation"])
    is_one_factor = cause.id == "slow_kernels" and abs((cause.factor or 1.0) - of_all) <= _NEAR * (of_all - 1)
    if cause.id not in ("slow_kernels", "some_kernels") or cause.may_be_input or is_one_factor:
        return False
    uneven, usual_uneven = uneven_calls(job, straggler)
    if uneven < max(_UNEVEN, _MORE_UNEVEN * usual_uneven):
        return False
    longer = (own / np.maximum(usual, 1.0) - 1) / (of_all - 1)
    is_alike = (longer >= _ALIKE[0]) & (longer <= _ALIKE[1])
    parts = ((own, is_alike), (own[1:], is_alike[1:]))  # of the others, too, where one is most of it
    return all(float(some[alike].sum()) >= _MOST_TIME * float(some.sum()) for some, alike in parts)
