"""Why was it late? What a straggler does more than its peers, split by what can be told apart.

    slow_kernels    computation is most of it, and the same kernels (name, grid, block; on CPUs operators by name and
                    inputs) take longer by one factor
    some_kernels    only some of them do
    more_work       the same kernels take as long, and there are more of them or others
    kernels         computation is most of it, and neither of these three explains it
    input           the data loader
    pause           a long gap in which nothing ran, or a few; `collection` where Python's collector was recorded in it
    checkpoint, compile, allocator, sync     a pause that events of such names fill; of any other name it stays a pause. All but
                    a sync in however many gaps
    launches        gaps all over, and each launch takes longer
    idle            gaps that nothing explains

Causes are told by step: steps of which the cause of the mean over all late ones is less than half, where the rest is 2 % of the
step, have their own. Beside it stands a second one in the same steps, where that is a fifth of the excess or 2 % of the step.

What would separate two causes and is in no trace (clocks and temperature of the device) makes the cause likely at most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, get_args

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by
from tb_plugin.job.limits import median
from tb_plugin.trace.kinds import DATA_LOADER_NAME
from tb_plugin.trace.rank.pause_events import IDLE_IN, FilledBy
from tb_plugin.trace.rank.step_work import IN_PAUSES, PAUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.longest_gaps import LongestGaps
    from tb_plugin.job.own_time import OwnTime
    from tb_plugin.job.stragglers import Straggler
    from tb_plugin.trace.rank.pause_events import PauseEvent

CauseId = Literal[
    "slow_kernels", "some_kernels", "more_work", "kernels", "input", "collection", "pause", FilledBy, "launches", "idle"
]
Confidence = Literal["sure", "likely", "maybe"]

OF_KERNELS: Final[tuple[CauseId, ...]] = ("slow_kernels", "some_kernels", "more_work", "kernels")

STANDS_STILL: Final[tuple[CauseId, ...]] = ("pause", "collection", *get_args(FilledBy))
"""While nothing runs on its device the host does something else, or nothing."""

_MOST_OF: Final = 0.6
_HALF: Final = 0.5
_SLOWER: Final = 1.03
_ALIKE: Final = 0.8
"""Share of the time in shapes that are slower by about the same factor, for it to be one factor; of what fills gaps in a few."""

_SLOW_LAUNCHES: Final = 1.5
_ALSO_LONG: Final = 0.25
_A_FIFTH: Final = 0.2
_OF_STEP: Final = 0.02
_EVENTS_SAY: Final[dict[str, CauseId]] = {"loader": "input", "collection": "collection", **{cause: cause for cause in IDLE_IN}}
"""Parts of idle time."""


@dataclass(frozen=True, kw_only=True)
class Cause:
    """`amount_ns` of the mean excess is this. `factor`: of kernels or launches. `kernels`: those that took most longer. `n_gaps`:
    how many of a step's longest are a pause, 0: it is in more than these; `event`: what the host is in then. `also`: the
    second in the same steps.
    """

    id: CauseId
    confidence: Confidence
    amount_ns: float
    factor: float | None = None
    kernels: tuple[str, ...] = ()
    n_gaps: int = 0
    event: PauseEvent | None = None
    also: Cause | None = None


def by_cause(job: Job, of: OwnTime, straggler: Straggler) -> list[tuple[Straggler, Cause]]:
    """The straggler in the steps of each of its causes, the largest total excess first."""
    first, excess = cause_of(job, of, straggler), straggler.excess_ns
    rest = excess - _explained(straggler, first)
    is_other = (rest > _HALF * excess) & (rest > _OF_STEP * median(of.step))
    places = np.arange(len(excess))
    groups: dict[str, list[int]] = {}
    for at in places[excess > 0].tolist():
        alone = straggler.in_steps(of, places == at) if is_other[at] else None
        groups.setdefault(_sort(first) if alone is None else _sort_of(job, of, alone), []).append(at)
    if len(groups) == 1:
        return [(straggler, _with_second(job, of, straggler, first))]
    some = [straggler.in_steps(of, np.isin(places, steps)) for steps in groups.values()]
    some.sort(key=lambda one: -float(one.excess_ns.sum()))
    return [(one, _with_second(job, of, one, cause_of(job, of, one))) for one in some]


def cause_of(job: Job, of: OwnTime, straggler: Straggler) -> Cause:
    """Of the largest share of its mean excess."""
    parts = straggler.parts
    if parts["computation"] >= parts["idle"] + parts["copy"]:
        return _of_kernels(job, straggler, parts["computation"])
    return _of_gaps(job, of, straggler, parts)


def _explained(straggler: Straggler, cause: Cause) -> Float64Array:
    """How much of its excess in each step is of this cause."""
    more = straggler.more
    if cause.id in OF_KERNELS:
        return more["computation"]
    gaps = np.maximum(more["idle"] + more["copy"], 0.0)
    for name, cause_id in _EVENTS_SAY.items():
        part: Float64Array = np.clip(more[name], 0.0, gaps)
        if cause.id == cause_id:
            return part
        gaps = gaps - part
    if cause.id in STANDS_STILL:
        return np.minimum(straggler.gaps.explained(cause.n_gaps), gaps)
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
    parts = straggler.parts
    length = float(np.nanmean(median(of.step)[straggler.excess_ns > 0]))
    least, left, n_told = min(_A_FIFTH * straggler.mean_excess_ns, _OF_STEP * length), dict(parts), 0
    if first.id not in OF_KERNELS:
        n_told = first.n_gaps or (len(PAUSES) if first.id in IDLE_IN else int(first.id in _EVENTS_SAY.values()))
        left |= {name: 0.0 for name, cause in _EVENTS_SAY.items() if cause == first.id}
        told = sum(left[name] for name in _EVENTS_SAY) if first.id in ("launches", "idle") else 0.0
        left["idle"] -= first.amount_ns - told
    second = _of_gaps(job, of, straggler, left, n_told)
    if first.id not in OF_KERNELS and parts["computation"] >= max(least, second.amount_ns):
        second = _of_kernels(job, straggler, parts["computation"])
    is_most = second.id == "idle" and second.amount_ns > max(first.amount_ns, least)
    if not is_most and (second.id in ("idle", first.id) or second.amount_ns < least):
        return first
    if second.id == "input" and first.event is not None and DATA_LOADER_NAME.match(first.event.name):
        return second  # the one gap, told by both
    amount = first.amount_ns
    if not {first.id, second.id} & set(OF_KERNELS):
        amount = min(amount, parts["idle"] + parts["copy"] - second.amount_ns)
    return replace(first, amount_ns=amount, also=second)


def _of_gaps(job: Job, of: OwnTime, straggler: Straggler, parts: dict[str, float], n_told: int = 0) -> Cause:
    """`n_told`: so many of the longest gaps are told of already."""
    gaps = parts["idle"] + parts["copy"]
    if parts["loader"] >= _HALF * gaps > 0:
        return Cause(id="input", confidence="sure", amount_ns=parts["loader"])
    if parts["collection"] >= _HALF * gaps > 0:
        return Cause(id="collection", confidence="sure", amount_ns=parts["collection"])
    pause = _of_pauses(straggler.gaps.in_the_mean(straggler.excess_ns > 0), n_told)
    filled_by = next((cause for cause in IDLE_IN if parts[cause] >= _HALF * gaps > 0), None)
    if filled_by is not None:
        amount, event = parts[filled_by], _event_of(job, straggler, filled_by)
        n_gaps = pause.n_gaps if pause.amount_ns >= _ALIKE * amount else 0
        return Cause(id=filled_by, confidence="sure", amount_ns=amount, n_gaps=n_gaps, event=event)
    if pause.n_gaps == 1 and pause.amount_ns >= _HALF * gaps > 0:
        return _named(job, straggler, pause, n_told)
    factor = _launch_factor(of, straggler)
    if factor is not None and factor >= _SLOW_LAUNCHES:
        return Cause(id="launches", confidence="sure", amount_ns=gaps, factor=factor)
    may_be_more = n_told + pause.n_gaps >= len(PAUSES)  # than are kept
    if pause.amount_ns >= _HALF * gaps > 0:
        return _named(job, straggler, replace(pause, amount_ns=gaps) if may_be_more else pause, n_told)
    if not may_be_more and pause.amount_ns >= _A_FIFTH * gaps > 0:  # what is left is told beside it
        return _named(job, straggler, pause, n_told)
    return Cause(id="idle", confidence="maybe", amount_ns=gaps)


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


def _named(job: Job, straggler: Straggler, pause: Cause, n_told: int) -> Cause:
    """With what fills half of these gaps or more, where one event does, or events that tell the same cause."""
    lasted = _in_gaps(job, straggler, slice(n_told, n_told + pause.n_gaps))
    of_kind: dict[str | None, int] = {}
    for which, ns in lasted.items():
        of_kind[_kind(which)] = of_kind.get(_kind(which), 0) + ns
    kind = max(of_kind, key=of_kind.__getitem__, default=None)
    if kind is None or of_kind[kind] < _HALF * sum(of_kind.values()):
        return pause
    event = max((each for each in lasted if each is not None and _kind(each) == kind), key=lasted.__getitem__)
    if event.told == "around":
        return replace(pause, event=event)
    return replace(pause, id="pause" if event.told == "other" else event.told, confidence="sure", event=event)


def _event_of(job: Job, straggler: Straggler, cause: FilledBy) -> PauseEvent | None:
    """The one of this cause that is in most of the longest gaps."""
    lasted = _in_gaps(job, straggler, slice(None))
    return max((each for each in lasted if each is not None and each.told == cause), key=lasted.__getitem__, default=None)


def _in_gaps(job: Job, straggler: Straggler, gaps: slice) -> dict[PauseEvent | None, int]:
    """How long these of the longest gaps of the late steps are, by what is in them."""
    lasted: dict[PauseEvent | None, int] = {}
    for rank in (job.of.ranks[place] for place in straggler.members):
        for at in np.flatnonzero(np.isin(rank.steps["number"], straggler.late_steps)).tolist():
            for length, within in zip(PAUSES[gaps], IN_PAUSES[gaps], strict=True):
                place = int(rank.work[within][at])
                which = None if place == NONE else rank.summary.pause_events[place]
                lasted[which] = lasted.get(which, 0) + int(rank.work[length][at])
    return lasted


def _kind(event: PauseEvent | None) -> str | None:
    """By which gaps add up: a cause, or a name that tells none."""
    return None if event is None else f"{event.told} {event.name}" if event.told in ("other", "around") else event.told


def _launch_factor(of: OwnTime, straggler: Straggler) -> float | None:
    """How much longer a launch takes than on other ranks, of any stage: it does not depend on what is launched."""
    late = np.isin(of.number, straggler.late_steps)
    others = np.setdiff1d(np.arange(len(of.own)), straggler.members).tolist()
    took, other = (_usual_launch(of, ranks, late) for ranks in (straggler.members, others))
    return took / other if took and other else None


def _usual_launch(of: OwnTime, ranks: Sequence[int], steps: BoolArray) -> float | None:
    """Of the median of these ranks: another one of them may be slow too."""
    count, took = (np.nansum(of.parts[name][list(ranks)][:, steps], axis=1) for name in ("n_launches", "launch"))
    return float(np.median(took[count > 0] / count[count > 0])) if (count > 0).any() else None


def _of_kernels(job: Job, straggler: Straggler, amount: float) -> Cause:
    """Median of each shape against the median over its peers that ran it. Without a device these are operators."""
    columns: dict[str, list[Int64Array]] = {name: [] for name in ("rank", "shape", "count", "median", "name")}
    for place, each in enumerate(job.of.ranks):
        late = np.isin(each.shapes["step"], straggler.late_steps)
        columns["rank"].append(np.full(int(late.sum()), place))
        for column in ("shape", "count", "median", "name"):
            columns[column].append(each.shapes[column][late])
    rank, shape, count, median, name = (np.concatenate(parts) for parts in columns.values())
    groups = group_by(shape)
    is_own, is_peers = np.isin(rank, straggler.members), np.isin(rank, straggler.peers)
    if not is_own.any() or not is_peers.any():
        return Cause(id="kernels", confidence="maybe", amount_ns=amount)
    n_steps = len(straggler.late_steps)
    factors, weights, names, more = [], [], [], 0.0
    for group in range(len(groups)):
        mine, theirs = is_own & (groups.of == group), is_peers & (groups.of == group)
        if not mine.any():
            continue
        is_shared = bool(theirs.any())
        usual = float(np.median(median[theirs if is_shared else mine]))
        n_usual = float(count[theirs].sum()) / len(np.unique(rank[theirs])) if is_shared else 0.0
        more += (float(count[mine].sum()) / len(straggler.members) - n_usual) * usual / n_steps
        if is_shared:
            factors.append(float(np.median(median[mine])) / max(usual, 1.0))
            weights.append(float((median[mine] * count[mine]).sum()) / len(straggler.members) / n_steps)
            at = int(np.flatnonzero(mine)[0])
            names.append(job.of.ranks[int(rank[at])].summary.names[int(name[at])])
    if not factors:
        return Cause(id="more_work", confidence="maybe", amount_ns=amount)
    return _told(np.array(factors), np.array(weights), names, amount, more)


def _told(factor: Float64Array, weight: Float64Array, names: list[str], amount: float, more: float) -> Cause:
    """`weight`: of each shape, ns in a step of a member. `more`: ns in a step of kernels that others have fewer of. Where a
    straggler is hardly late, a factor counts from half of what would explain it; where more work explains most of it, no factor
    that explains less does.
    """
    total = float(weight.sum())
    slower, longer = factor > _SLOWER, weight * (1 - 1 / np.maximum(factor, 1e-9))
    if more >= max(_MOST_OF * amount, float(longer[slower].sum())):
        return Cause(id="more_work", confidence="likely", amount_ns=amount)
    if float(weight[slower].sum()) < (1 - _MOST_OF) / 4 * total:
        if more >= _HALF * amount:
            return Cause(id="more_work", confidence="likely", amount_ns=amount)
        slower = factor > min(_SLOWER, 1 + _HALF * amount / max(total, 1.0))
    if float(longer[slower].sum()) < _HALF * _HALF * amount:
        return Cause(id="kernels", confidence="maybe", amount_ns=amount)
    common = float(np.average(factor[slower], weights=weight[slower]))
    like = np.abs(factor - common) <= max(0.25 * (common - 1), 0.02)
    worst = tuple(names[place] for place in np.argsort(-longer)[:3].tolist() if slower[place])
    if float(weight[like].sum()) >= _ALIKE * float(weight.sum()):
        return Cause(id="slow_kernels", confidence="likely", amount_ns=amount, factor=common, kernels=worst)
    return Cause(id="some_kernels", confidence="sure", amount_ns=amount, factor=common, kernels=worst)
