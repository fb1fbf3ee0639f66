"""Why was it late? What a straggler does more than its peers, split by what can be told apart.

    slow_kernels    computation is most of it, and the same kernels (name, grid, block; on CPUs operators by name and
                    inputs) take longer by one factor
    some_kernels    only some of them do
    long_call       one call of one of them takes three times as long as ever, or longer, and that is most of it
    more_work       the same kernels take as long, and there are more of them or others. Of one that runs more often this is all
                    that it takes more, but for the factor of those that run as often. Or they had more input at the same grid
                    (`same_grid.py`); where that is not recorded and may be, and no others tell it, they are some_kernels
    kernels         computation is most of it, and neither of these three explains it
    copies          most of it is copies and sets of memory
    input           the data loader
    pause           a long gap in which nothing ran, or a few; `collection` where Python's collector was recorded in it
    checkpoint, compile, allocator, sync     a pause that events of such names fill; of any other name it stays a pause. All but
                    a sync in however many gaps
    sync            also where most of it, or else of what communication does not hide of it, follows calls that wait for the
                    device and that its peers do not make
    launches        gaps all over, and each launch takes longer, in sum for a fifth of them; below 1.5 x for a third
    more_launches   gaps all over, and there are more launches
    idle            gaps that nothing explains

Causes are told by step: steps of which the cause of the mean over all late ones is less than half, where the rest is 2 % of the
step, have their own; so have long calls of one kernel and those of another, and short pauses beside long ones. But steps about as
late for the same two causes are told at once, whichever is the larger. Beside it stands a second one in the same steps,
where that is a fifth of the excess or, unless it tells no reason, 2 % of the step; where it is in less than half of them it is a
quarter of the excess in its own, too.

What would separate two causes and is in no trace (clocks and temperature of the device) makes the cause likely at most.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.limits import median
from tb_plugin.job.late.longest_gaps import is_loader
from tb_plugin.job.why.alone import HIDDEN
from tb_plugin.job.why.cause import OF_KERNELS, SLOW_LAUNCHES, STANDS_STILL, Cause, CauseId
from tb_plugin.job.why.gap_events import event_of, in_gaps, kind_of, longer_in, longest_copies
from tb_plugin.job.why.kernel_causes import by_long_call, more_often, of_kernels
from tb_plugin.job.why.more_waits import more_waits
from tb_plugin.job.why.range_only_here import range_between_operators
from tb_plugin.job.why.slow_host import slow_host
from tb_plugin.job.why.told_alike import told_alike
from tb_plugin.trace.rank.pause_events import IDLE_IN, PauseEvent
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.longest_gaps import LongestGaps
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.why.more_waits import MoreWaits

_HALF: Final = 0.5
_ALIKE: Final = 0.8
"""Share of what fills gaps that a few of them are."""

_SLOWER_LAUNCHES: Final = 1.1
_A_THIRD: Final = 1 / 3
_SMALL_PART: Final = 0.2
_TWO: Final = 2
_ALSO_LONG: Final = 0.25
_A_FIFTH: Final = 0.2
_OF_STEP: Final = 0.02
_SEEN: Final = 0.25
"""Of idle time, hidden or not, what is seen after waits at least is: what is less may be the smaller part of two causes."""

_EVENTS_SAY: Final[dict[str, CauseId]] = {"loader": "input", "collection": "collection", **{cause: cause for cause in IDLE_IN}}
"""Parts of idle time."""


def by_cause(job: Job, of: OwnTime, straggler: Straggler) -> list[tuple[Straggler, Cause]]:
    """The straggler in the steps of each of its causes, the largest total excess first."""
    if (of_all := slow_host(job, of, straggler)) is not None:
        return [(straggler, of_all)]
    first, excess = cause_of(job, of, straggler), straggler.excess_ns
    rest = excess - explained(straggler, first)
    is_other = (rest > _HALF * excess) & (rest > _OF_STEP * median(of.step))
    places = np.arange(len(excess))
    calls = by_long_call(job, straggler) if first.id == "long_call" else {}
    groups: dict[str, list[int]] = {}
    for at in places[excess > 0].tolist():
        alone = straggler.in_steps(of, places == at) if is_other[at] else None
        sort = _sort(first) if alone is None else _sort_of(job, of, alone)
        call = calls.get(int(of.number[at])) if sort == OF_KERNELS[0] else None
        groups.setdefault(sort if call is None else f"{sort} {call}", []).append(at)
    apart = [part for sort, steps in groups.items() for part in _about_as_late(sort, np.array(steps), excess)]
    if len(apart) == 1:
        return [(straggler, _with_second(job, of, straggler, first))]
    told: list[tuple[Straggler, Cause]] = []
    for steps in sorted(apart, key=lambda some: -float(excess[some].sum())):
        one = _in_its(job, of, straggler, np.isin(places, steps))
        for nth, other in enumerate(told):
            both = _in_its(job, of, straggler, (one[0].excess_ns > 0) | (other[0].excess_ns > 0))
            if _are_one_fault(one, other) and {_sort(one[1]), _sort(other[1])} <= {_sort(each) for each in both[1].with_second}:
                told[nth] = both
                break
        else:
            told.append(one)
    return told


def _in_its(job: Job, of: OwnTime, straggler: Straggler, steps: BoolArray) -> tuple[Straggler, Cause]:
    one = straggler.in_steps(of, steps)
    return one, _with_second(job, of, one, cause_of(job, of, one))


def _about_as_late(sort: str, steps: Int64Array, excess: Float64Array) -> list[Int64Array]:
    """Of steps of one cause those of its pause, or stalled loader, and those in which it stands still for a small part of that:
    a mean of both tells neither.
    """
    is_small = excess[steps] < _SMALL_PART * excess[steps].max()
    return [steps[~is_small], steps[is_small]] if sort in (*STANDS_STILL, "input") and is_small.any() else [steps]


def _are_one_fault(one: tuple[Straggler, Cause], other: tuple[Straggler, Cause]) -> bool:
    """Steps that are about as late for the same two causes, whichever is the larger, or for a third at least for one."""
    each = [{_sort_of_call(cause): cause.amount_ns for cause in told[1].with_second} for told in (one, other)]
    late = [told[0].mean_excess_ns for told in (one, other)]
    if min(len(causes) for causes in each) < _TWO or min(late) < _HALF * max(late):
        return False
    common = np.array([[causes[sort] for causes in each] for sort in each[0].keys() & each[1].keys()]).reshape(-1, 2)
    is_most = (common >= _A_THIRD * np.array(late)).all(axis=1)
    is_alike = common.min(axis=1) >= _HALF * common.max(axis=1)
    return len(common) == _TWO or bool((is_most & is_alike).any())


def _sort_of_call(cause: Cause) -> str:
    """Long calls of one kernel are none of another."""
    return f"{cause.id} {cause.kernels[0]}" if cause.id == "long_call" else _sort(cause)


def cause_of(job: Job, of: OwnTime, straggler: Straggler) -> Cause:
    """Of the largest share of its mean excess."""
    straggler = told_alike(job, straggler)
    parts = straggler.parts
    if parts["computation"] >= parts["idle"] + parts["copy"]:
        return of_kernels(job, straggler, parts["computation"])
    return _of_gaps(job, of, straggler, parts)


def _in_its_steps(straggler: Straggler, second: Cause, n_told: int) -> Cause:
    """With the late steps in which it is half of its mean or more, where these are not all."""
    more = explained(straggler, second, n_told)[straggler.excess_ns > 0]
    its = tuple(step for step, ns in zip(straggler.late_steps, more.tolist(), strict=True) if ns >= _HALF * second.amount_ns)
    return replace(second, steps=its) if not second.steps and 0 < len(its) < len(straggler.late_steps) else second


def explained(straggler: Straggler, cause: Cause, n_told: int = 0) -> Float64Array:
    """How much of its excess in each step is of this cause. `n_told`: so many of the longest gaps are of another."""
    more = straggler.more
    if cause.id in OF_KERNELS:
        return more["computation"]
    if cause.id == "copies":
        return more["copy"]
    gaps = np.maximum(more["idle"] + more["copy"], 0.0)
    for name, cause_id in _EVENTS_SAY.items():
        part: Float64Array = np.clip(more[name], 0.0, gaps)
        if cause.id == cause_id:
            return part
        gaps = gaps - part
    if cause.id in STANDS_STILL and cause.n_gaps > 0:
        return np.minimum(straggler.gaps.without(n_told).explained(cause.n_gaps), gaps)
    longest = more[PAUSES[0]]  # what is all over has no gap that is much longer in one step than in the others
    return gaps - np.clip(longest - np.nanmedian(longest[straggler.excess_ns > 0]), 0.0, gaps)


def _sort_of(job: Job, of: OwnTime, straggler: Straggler) -> str:
    parts = straggler.parts
    is_of_kernels = parts["computation"] >= parts["idle"] + parts["copy"]
    return OF_KERNELS[0] if is_of_kernels else _sort(_of_gaps(job, of, straggler, parts))


def _sort(cause: Cause) -> str:
    """Which causes are one: how kernels are slower, or that launches are, is told of all of their steps."""
    return OF_KERNELS[0] if cause.id in OF_KERNELS else cause.id


def _with_second(job: Job, of: OwnTime, straggler: Straggler, first: Cause) -> Cause:
    """With what else it does more than its peers in these steps, where that counts."""
    straggler = told_alike(job, straggler)
    parts = straggler.parts
    length = float(np.nanmean(median(of.step)[straggler.excess_ns > 0]))
    least, left, n_told = min(_A_FIFTH * straggler.mean_excess_ns, _OF_STEP * length), dict(parts), 0
    if first.id == "copies":
        left["copy"] = 0.0
    elif first.id not in OF_KERNELS:
        n_told = first.n_gaps or (len(PAUSES) if first.id in STANDS_STILL else int(first.id in _EVENTS_SAY.values()))
        left |= {name: 0.0 for name, cause in _EVENTS_SAY.items() if cause == first.id}
        told = sum(left[name] for name in _EVENTS_SAY) if first.id in ("launches", "idle") else 0.0
        left["idle"] -= first.amount_ns - told
    second = _of_gaps(job, of, straggler, left, n_told, has_waits=first.id != "sync")
    if first.id not in OF_KERNELS and parts["computation"] >= max(least, second.amount_ns):
        second = of_kernels(job, straggler, parts["computation"])
    if second.id == "kernels" and second.amount_ns < _A_FIFTH * straggler.mean_excess_ns:
        return first
    is_most = second.id == "idle" and second.amount_ns > max(first.amount_ns, least)
    if not is_most and (second.id in ("idle", first.id) or second.amount_ns < least):
        return first
    second = _in_its_steps(straggler, second, n_told)
    n_late, its = len(straggler.late_steps), second.steps or straggler.late_steps
    in_its = float(straggler.excess_ns[np.isin(of.number, its)].sum())
    if len(its) < _HALF * n_late and second.amount_ns * n_late < _ALSO_LONG * in_its:
        return first
    if second.id == "input" and first.event is not None and is_loader(first.event):
        return second  # the one gap, told by both
    if (first.id, second.id) == ("more_launches", "more_work"):
        return replace(first, amount_ns=first.amount_ns + second.amount_ns)
    amount = first.amount_ns
    if not {first.id, second.id} & set(OF_KERNELS):
        amount = min(amount, parts["idle"] + parts["copy"] - second.amount_ns)
    return replace(first, amount_ns=amount, also=second)


def _of_gaps(
    job: Job, of: OwnTime, straggler: Straggler, parts: dict[str, float], n_told: int = 0, *, has_waits: bool = True
) -> Cause:
    """`n_told`: so many of the longest gaps are told of already; `has_waits`: what follows waits for the device is not. Gaps that
    no event fills are told by the range around them.
    """
    cause = _by_gaps(job, of, straggler, parts, n_told, has_waits=has_waits)
    if cause.id != "idle" and (cause.id != "pause" or cause.event is not None):
        return cause
    within = range_between_operators(job, straggler, cause.amount_ns)
    return cause if within is None else replace(cause, within=within[0], between_ns=within[1])


def _by_gaps(job: Job, of: OwnTime, straggler: Straggler, parts: dict[str, float], n_told: int, *, has_waits: bool) -> Cause:
    gaps = parts["idle"] + parts["copy"]
    if parts["copy"] >= _HALF * gaps > 0:
        return Cause(id="copies", confidence="sure", amount_ns=parts["copy"], event=longest_copies(job, straggler))
    if parts["loader"] >= _HALF * gaps > 0:
        return Cause(id="input", confidence="sure", amount_ns=parts["loader"])
    if parts["collection"] >= _HALF * gaps > 0:
        return Cause(id="collection", confidence="sure", amount_ns=parts["collection"])
    pause = _of_pauses(straggler.gaps.in_the_mean(straggler.excess_ns > 0), n_told)
    filled_by = next((cause for cause in IDLE_IN if parts[cause] >= _HALF * gaps > 0), None)
    if filled_by is not None:
        amount, event = parts[filled_by], event_of(job, straggler, filled_by)
        n_gaps = pause.n_gaps if pause.amount_ns >= _ALIKE * amount else 0
        return Cause(id=filled_by, confidence="sure", amount_ns=amount, n_gaps=n_gaps, event=event)
    waits = more_waits(job, straggler) if has_waits else None
    is_after_waits = waits is not None and waits.idle_ns >= _HALF * gaps > 0
    if pause.n_gaps == 1 and pause.amount_ns >= _HALF * gaps > 0:
        named = _named(job, straggler, pause, n_told)
        if named.confidence == "sure" or not (is_after_waits or _is_in_loader_as_peers(job, straggler, pause, n_told)):
            return named
    if waits is not None and is_after_waits:
        return _after_waits(waits, pause, gaps)
    factor = _launch_factor(of, straggler) or 1.0
    part = _A_FIFTH if factor >= SLOW_LAUNCHES else _A_THIRD
    if factor >= _SLOWER_LAUNCHES and _launching(of, straggler) * (1 - 1 / factor) >= part * gaps:
        return Cause(id="launches", confidence="sure", amount_ns=gaps, factor=factor)
    if n_more := _more_launches(of, straggler, gaps):
        kernels = more_often(job, straggler)
        return Cause(id="more_launches", confidence="likely", amount_ns=gaps, n_more=n_more, kernels=kernels)
    if parts["loader"] >= _A_THIRD * gaps > 0:  # what else there is, is told beside it
        return Cause(id="input", confidence="sure", amount_ns=parts["loader"])
    may_be_more = n_told + pause.n_gaps >= len(PAUSES)  # than are kept
    if pause.amount_ns >= _HALF * gaps > 0:
        return _named(job, straggler, replace(pause, amount_ns=gaps) if may_be_more else pause, n_told)
    if not may_be_more and pause.amount_ns >= _A_FIFTH * gaps > 0:  # what is left is told beside it
        return _named(job, straggler, pause, n_told)
    if waits is not None and (in_all := _with_hidden(waits.idle_ns, gaps, parts)) > 0:
        return _after_waits(waits._replace(idle_ns=in_all), pause, gaps)
    return Cause(id="idle", confidence="maybe", amount_ns=gaps)


def _with_hidden(after_waits: float, gaps: float, parts: dict[str, float]) -> float:
    """What is idle after waits is seen, of `gaps` a part is hidden by communication: of that it has the share that it has of what
    is seen. 0 where that is not most.

        device   computes |item| idle |computes |waits for a gather that its host launched later by that| computes
    """
    seen = gaps - max(parts.get(HIDDEN, 0.0), 0.0)
    is_most = seen > 0 and after_waits >= max(_HALF * seen, _SEEN * gaps)
    return min(after_waits / seen, 1.0) * gaps if is_most else 0.0


def _of_pauses(gaps: LongestGaps, n_told: int) -> Cause:
    """As many of the longest as leave none that exceeds the peers' longest by a quarter of what the first does. Gaps all over are
    no pauses: slow launches, where there are such, explain them better.
    """
    left, n_gaps = gaps.without(n_told), 1
    if len(left.own) == 0:
        return Cause(id="pause", confidence="likely", amount_ns=0.0, n_gaps=n_gaps)
    while n_gaps < len(left.own) and left.without(n_gaps).more[0] >= _ALSO_LONG * left.more[0] > 0:
        n_gaps += 1
    return Cause(id="pause", confidence="likely", amount_ns=float(left.explained(n_gaps)), n_gaps=n_gaps)


def _is_in_loader_as_peers(job: Job, straggler: Straggler, pause: Cause, n_told: int) -> bool:
    """All are in their loader then, and this one no longer: what makes all of its gaps longer explains it better."""
    lasted = in_gaps(job, straggler, straggler.members, slice(n_told, n_told + pause.n_gaps))
    most = max(lasted, key=lasted.__getitem__, default=None)
    return most is not None and is_loader(most) and straggler.parts["loader"] < _HALF * pause.amount_ns


def _after_waits(waits: MoreWaits, pause: Cause, gaps: float) -> Cause:
    amount = min(waits.idle_ns, gaps)
    return Cause(
        id="sync",
        confidence="likely",
        amount_ns=amount,
        calls=((waits.n_own, waits.n_usual),),
        n_gaps=pause.n_gaps if pause.amount_ns >= _ALIKE * amount else 0,
        event=PauseEvent(name=waits.name, told="after"),
    )


def _named(job: Job, straggler: Straggler, pause: Cause, n_told: int) -> Cause:
    """With the event in which it stands still longer than its peers, where that is half of what is longer or more, or events
    that tell the same cause are.
    """
    longer = longer_in(job, straggler, n_told)
    of_kind: dict[str | None, float] = {}
    for which, ns in longer.items():
        of_kind[kind_of(which)] = of_kind.get(kind_of(which), 0.0) + ns
    kind = max(of_kind, key=of_kind.__getitem__, default=None)
    if kind is None or of_kind[kind] < _HALF * sum(of_kind.values()) or of_kind[kind] == 0:
        return pause
    event = max((each for each in longer if each is not None and kind_of(each) == kind), key=longer.__getitem__)
    if event.told == "around":
        return replace(pause, event=event)
    if event.told == "after":  # all wait so, or `more_waits` tells it
        return pause
    return replace(
        pause, id="pause" if event.told == "other" or event.told == "many" else event.told, confidence="sure", event=event
    )


def _launching(of: OwnTime, straggler: Straggler) -> float:
    """Time in calls that launch, of a member in a mean late step."""
    return float(np.nanmean(of.parts["launch"][list(straggler.members)][:, straggler.excess_ns > 0]))


def _more_launches(of: OwnTime, straggler: Straggler, gaps: float) -> float | None:
    """How many a step more than its peers, where these are many, and the calls alone take a good part of the gaps."""
    late = straggler.excess_ns > 0
    more, peers = {}, {}
    for name in ("n_launches", "launch"):
        own, usual = of.parts[name][list(straggler.members)][:, late], median(of.parts[name][list(straggler.peers)][:, late])
        more[name], peers[name] = float(np.nanmean(own - usual)), float(np.nanmean(usual))
    is_many = more["n_launches"] >= _A_FIFTH * peers["n_launches"] and more["launch"] >= _A_FIFTH * gaps
    return more["n_launches"] if is_many and gaps > 0 else None


def _launch_factor(of: OwnTime, straggler: Straggler) -> float | None:
    """How much longer a launch takes than on other ranks, of any stage: it does not depend on what is launched."""
    late = np.isin(of.number, straggler.late_steps)
    others = np.setdiff1d(np.arange(len(of.own)), straggler.members).tolist()
    took, other = (usual_launch(of, ranks, late) for ranks in (straggler.members, others))
    return took / other if took and other else None


def usual_launch(of: OwnTime, ranks: Sequence[int], steps: BoolArray) -> float | None:
    """Of the median of these ranks: another one of them may be slow too."""
    count, took = (np.nansum(of.parts[name][list(ranks)][:, steps], axis=1) for name in ("n_launches", "launch"))
    return float(np.median(took[count > 0] / count[count > 0])) if (count > 0).any() else None
