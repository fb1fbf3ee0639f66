"""Who is waited for, and why, in a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.base.cut import cut_middle
from tb_plugin.base.units import format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.what_if.gains import may_be_chance
from tb_plugin.job.what_if.what_if import hosts_apart
from tb_plugin.trace.rank.kernel_shapes import is_of_any_input
from tb_plugin.trace.work.copy_names import FROM_PAGEABLE
from tb_plugin.views.ranks.basis.names import all_steps, counted, in_code
from tb_plugin.views.ranks.missing.missing import are_any_missing
from tb_plugin.views.ranks.result import Blamed, Together
from tb_plugin.views.ranks.told.evidence import waits_for_it
from tb_plugin.views.ranks.told.more_work import LONGEST_NAME, ONLY_HERE, Ran, has_more_work, times

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.ranks.ranks import Rank
    from tb_plugin.job.what_if.what_if import Without
    from tb_plugin.job.why.cause import Cause, CauseId
    from tb_plugin.views.ranks.basis.analysed import Analysed

_WHOLE_PERCENT: Final = 5
_SO_MANY_TIMES: Final = 10
_NO_RATIO: Final = 1000
"""From here on the usual call is so short that how many times as long it takes says nothing."""

_OF_ALL: Final = "takes {:.1f} x as long for all that its host does (as on a slower processor, or a core that others use too)"
_CHANCE: Final = " It is so in 1 of {} steps, which may be chance."
_WORTH_A_WORD: Final = 0.01
_HOST: Final = "waits for its host, which takes longer between launches, and nothing recorded says why"
_NO_ONE_EVENT: Final[dict[CauseId, str]] = {
    "allocator": "calls for memory",
    "compile": "compiling",
    "checkpoint": "a checkpoint",
}
_TO_DO: Final[dict[CauseId, str]] = {
    "allocator": "reserve what the largest batch needs before the loop, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, no "
    "torch.cuda.empty_cache() in the loop",
    "sync": "no .item(), nonzero() or synchronize() there, or only every so many steps",
    "compile": "mark_dynamic for sizes that change, and a warm-up before the profile",
    "checkpoint": "save asynchronously (torch.distributed.checkpoint.async_save), or outside of the steps profiled",
}
_PIN: Final = "copy from pinned memory: DataLoader(pin_memory=True) and .to(device, non_blocking=True)"
_MOST_OF: Final = 0.8
_HALF: Final = 0.5
_NOTED: Final = 0.05
_OF_NAMES: Final = "operators of the same names"
_NOT_TOLD: Final = " (whether they got more rows or are slower is not recorded: record_shapes=True tells)"
_STANDS_STILL: Final[tuple[CauseId, ...]] = ("pause", "collection", "input")
_NEARLY: Final = 0.9
_TELLS_NOTHING: Final[tuple[CauseId, ...]] = ("idle", "kernels")


class Means(NamedTuple):
    """Of steps, ns: as they were, otherwise, and the least that could then be."""

    was: int
    would_be: int
    least: int


def blamed(of: Analysed) -> list[Blamed]:
    """The largest excess first."""
    return [_blamed(of, one, cause, quick) for one, cause, quick in of.stragglers]


def _blamed(of: Analysed, one: Straggler, cause: Cause, quick: Without | None) -> Blamed:
    name, means = _name(of, one), means_of(quick, one.late_steps)
    numbers = [of.job.of.ranks[place].number for place in one.members]
    return Blamed(
        level=one.level,
        name=name,
        ranks=numbers,
        steps=list(one.late_steps),
        is_persistent=one.is_persistent,
        excess_ns=round(one.mean_told_ns),
        cause=cause.id,
        cause_ns=round(min(cause.amount_ns * _of_told(one), one.mean_told_ns)),
        confidence=cause.confidence,
        factor=None if cause.factor is None else round(cause.factor, 4),
        kernels=list(cause.kernels),
        n_more=None if cause.n_more is None else round(cause.n_more, 2),
        event=None if cause.event is None else cause.event.name,
        also=cause.also.id if cause.also else None,
        also_ns=round(cause.also.amount_ns * _of_told(one)) if cause.also else None,
        sentence=sentence_of(of, one, cause),
        step_was_ns=means.was if means else None,
        step_without_ns=means.would_be if means else None,
        step_without_least_ns=means.least if means else None,
    )


def together(of: Analysed, blame: list[Blamed]) -> Together | None:
    """All that a replay tells of, where a step without them at once is 1 % shorter than without any of them alone."""
    told = [one for one in blame if one.step_without_ns is not None]
    if of.without_all is None or of.without_all.may_stay or told[0] is not blame[0]:
        return None
    steps = blame[0].steps  # the others may be late in other steps
    told = [one for one in told if not set(steps).isdisjoint(one.steps)]
    means = means_of(of.without_all, steps)
    alone = [one.would_be for *_, quick in of.stragglers if (one := means_of(quick, steps)) is not None]
    if means is None or min(alone) - means.would_be < _WORTH_A_WORD * means.was:
        return None
    return Together(
        names=list(dict.fromkeys(one.name for one in told)),
        ranks=sorted({rank for one in told for rank in one.ranks}),
        steps=steps,
        step_was_ns=means.was,
        step_without_ns=means.would_be,
        step_without_least_ns=means.least,
    )


def means_of(quick: Without | None, numbers: Container[int] | None = None) -> Means | None:
    """Of these steps, or all; None where a replay tells nothing of them. As they were where they may stay so."""
    if quick is None:
        return None
    was, would_be, least = (mean_of(lengths, numbers) for lengths in quick[:3])
    if was is None or would_be is None or least is None:
        return None
    return Means(was, max(was, would_be) if quick.may_stay else would_be, least)


def mean_of(steps: dict[int, float], numbers: Container[int] | None = None) -> int | None:
    """Of these steps, or all."""
    lengths = [length for number, length in steps.items() if numbers is None or number in numbers]
    return round(sum(lengths) / len(lengths)) if lengths else None


def slowdown_of(step_ns: int, ideal_ns: int | None) -> float | None:
    """How many times as long as the ideal a step is; None where that is not told."""
    return round(step_ns / ideal_ns, 4) if ideal_ns else None


def lost_of(step_ns: int, ideal_ns: int | None) -> float | None:
    """S of a job as it was: what a replay makes longer than that is its own error, and nothing to gain."""
    return slowdown_of(max(step_ns, ideal_ns or 0), ideal_ns)


def is_range(least: int, would_be: int, was: int) -> bool:
    """Whether what is not told apart is worth a word: 1 % of the step."""
    return would_be - least > _WORTH_A_WORD * was


def _host(name: str) -> str:
    """One without a name is called `host 1` as it is."""
    return name if name.startswith("host ") else f"host {name}"


def _name(of: Analysed, one: Straggler) -> str:
    if one.level == "rank":
        return f"rank {of.job.of.ranks[one.number].number}"
    if one.level == "host":
        return _host(of.job.of.hosts[one.number])
    stages = _stages(of, one)
    return f"each of {counted('stage', stages)}" if stages[1:] else f"{one.level} {one.number}"


def _stages(of: Analysed, one: Straggler) -> list[int]:
    """Of several that are told at once (`spread_stages.py`)."""
    return distinct(of.layout.stage[list(one.members)]).tolist() if one.level == "stage" else []


def sentence_of(of: Analysed, one: Straggler, cause: Cause) -> str:
    """Who, why, when, how much, and what shows it."""
    name, numbers = _name(of, one), [of.job.of.ranks[place].number for place in one.members]
    when = when_of(of, one.late_steps)
    who = name[:1].upper() + name[1:]
    ran = what_ran(of, numbers)
    if one.level == "rank" and of.job.of.are_hosts_known:
        who += f" ({of.job.of.hosts[of.job.of.ranks[one.number].host]})"
    elif one.level != "rank":
        who += f" ({counted('rank', numbers)})"
    a_step = " a step" if len(one.late_steps) > 1 else ""
    more = f"{format_ns(one.mean_told_ns)}{a_step} more {f'{when} ' if cause.steps else ''}than {_peers(of, one)}"
    shown = waits_for_it(of, one, cause) if of.job.has_waits and not _stages(of, one)[1:] else None
    causes = cause.with_second
    longer = _host_takes_longer(of, one, causes)
    is_of_host = longer is not None
    said = [_HOST if each.id == "idle" and is_of_host else _why(each, ran) for each in causes]
    if cause.also is not None:
        said = [f"{text} ({format_ns(_in_its_steps(each, one))} more)" for text, each in zip(said, causes, strict=True)]
    its = [f" in {counted('step', [*each.steps])}" if each.steps else f" {when}" for each in causes]
    if len(its) > 1 and its[0] == its[1]:
        its[0] = ""
    why = " and ".join(_and_when(text, steps) for text, steps in zip(said, its, strict=True))
    if longer is not None and longer < _MOST_OF * one.mean_told_ns:
        more += f", but its host takes only {format_ns(longer)} longer: theirs are late too, while they wait for it"
    else:
        part = _part_of_it(one, causes)
        more += "" if part is None else f", {format_ns(part)} of that for this"
        more += _less_meanwhile(one, causes)
    chance = _CHANCE.format(len(of.own.number)) if may_be_chance(one, cause, len(of.own.number)) else ""
    return f"{who} {why}: {more}{f'; {shown}' if shown else ''}.{chance}{_helps(cause)}"


def _and_when(why: str, when: str) -> str:
    """A clause about a range ends before what is said of its rank."""
    return f"{why},{when}" if when and why.endswith(ONLY_HERE) else why + when


def _of_told(one: Straggler) -> float:
    """How many times as much is told as even the least of its members has."""
    return one.mean_told_ns / one.mean_excess_ns if one.mean_excess_ns > 0 else 1.0


def _part_of_it(one: Straggler, causes: Sequence[Cause]) -> float | None:
    """Who stands still may be late for other reasons, too, none of which is worth a word. ns a step; None of all of it."""
    amount = _in_its_steps(causes[0], one)
    is_part = len(causes) == 1 and causes[0].id in _STANDS_STILL and amount < _NEARLY * one.mean_told_ns
    return amount if is_part else None


def _less_meanwhile(one: Straggler, causes: Sequence[Cause]) -> str:
    """Why it is less late than its causes add up to."""
    less = -one.parts["computation"]
    too_much = sum(each.amount_ns for each in causes) - one.mean_excess_ns
    is_it = len(causes) > 1 and min(less, too_much) >= _NOTED * one.mean_excess_ns
    return f", for it computes {format_ns(less)} less" if is_it else ""


def _in_its_steps(cause: Cause, one: Straggler) -> float:
    """In the mean of the late steps that it is in, ns."""
    return cause.amount_ns * _of_told(one) * len(one.late_steps) / len(cause.steps or one.late_steps)


def why_late(of: Analysed, place: int, step: int) -> str | None:
    """Of a rank by its place, the first of its causes in the step; None where it is not late in it."""
    for one, cause, _ in of.stragglers:
        if place in one.members and step in one.late_steps and cause.is_in(step):
            is_of_host = cause.id == "idle" and _host_takes_longer(of, one, [cause]) is not None
            return _HOST if is_of_host else _why(cause, what_ran(of, [of.job.of.numbers[place]]))
    return None


def _host_takes_longer(of: Analysed, one: Straggler, causes: Sequence[Cause]) -> float | None:
    """By how much, ns a step, where its device idles and that is what a host takes longer between launches; else None."""
    if not any(each.id == "idle" for each in causes) or of.replay is None:
        return None
    hosts = hosts_apart(of.replay, of.own, one)
    return hosts.more if hosts.is_longer else None


def most_that_would_go(of: Analysed, one: Straggler, cause: Cause) -> float:
    """Without it, ns of a late step, where no replay tells: no more than it needs more, or its host alone where that is why."""
    parts = (_host_takes_longer(of, one, [cause]), _part_of_it(one, cause.with_second))
    return min([one.mean_told_ns, *(part for part in parts if part is not None)])


def not_told_from_chance(of: Analysed, rank: int, more_ns: float) -> str:
    """Of one that needs more and is not blamed, by its place: most of that, where events or kernels tell it."""
    cause, because = of.cause_if_late(rank), ""
    tells = cause is not None and cause.id not in _TELLS_NOTHING and (cause.id != "pause" or cause.event is not None)
    if cause is not None and tells and cause.amount_ns >= _HALF * more_ns:
        is_most = cause.amount_ns >= _MOST_OF * more_ns
        why = _why(cause, what_ran(of, [of.job.of.numbers[rank]]))
        because = f", {'most' if is_most else 'half'} of it because it {why}"
    return f"{because}; ranks or steps differ too much to tell that from chance"


def _peers(of: Analysed, one: Straggler) -> str:
    """Whom the excess is over, all of them or by number."""
    if one.level != "rank":
        are_most = len(one.peers) >= _MOST_OF * (len(of.own.own) - len(one.members))
        which = counted("rank", [of.job.of.numbers[each] for each in one.peers])
        outside, but = ("of", "the other stages") if _stages(of, one)[1:] else ("outside of", "it")
        return f"the ranks {outside} {but}" if are_most else f"{which}, {outside} {but} and not late"
    peers = of.compared_with(one.number).peers.tolist()
    who = counted("rank", [of.job.of.numbers[each] for each in peers])
    if len(peers) == len(of.own.own) - 1 > 1:
        who = f"all others{' that are here' if are_any_missing(of) else ''}"
    elif len(peers) == 1 and are_any_missing(of) and len(of.own.own) == 2:
        who += ", the only other one here"
    return f"its peers ({who})" if len(peers) > 1 else f"its peer ({who})"


def on_host(of: Analysed, numbers: Container[int]) -> bool:
    """Whether these ranks compute in operators: no device of theirs works."""
    return all(rank.is_on_host for rank in of.job.of.ranks if rank.number in numbers)


def what_ran(of: Analysed, numbers: Container[int]) -> Ran:
    """Of these ranks."""
    if not on_host(of, numbers):
        return "kernels"
    return "operators" if any(_has_inputs(rank) for rank in of.job.of.ranks if rank.number in numbers) else "names"


def _has_inputs(rank: Rank) -> bool:
    names = rank.summary.names
    columns = (rank.shapes[column].tolist() for column in ("name", "shape"))
    return not all(is_of_any_input(names[name], shape) for name, shape in zip(*columns, strict=True))


def _helps(cause: Cause) -> str:
    is_pageable = cause.event is not None and FROM_PAGEABLE.match(cause.event.name) is not None
    to_do = _PIN if is_pageable else _TO_DO.get(cause.id)
    return f" What helps: {to_do}." if to_do else ""


def _why(cause: Cause, what: Ran) -> str:
    """`what` it computes in."""
    if (cause.id == "pause" and cause.between_ns is None) or cause.id in _TO_DO:
        return _stands_still(cause)
    if cause.id == "more_work":
        return has_more_work(cause, what)
    if cause.between_ns is not None:
        its = f"`{cut_middle(cause.within or '', LONGEST_NAME)}`"
        return f"is {format_ns(cause.between_ns)} longer in {its} without an operator (Python, or what is not recorded)"
    if cause.is_of_all:
        return _OF_ALL.format(cause.factor or 1.0)
    ran = "kernels" if what == "kernels" else "operators"
    same, of_names = (_OF_NAMES, _NOT_TOLD) if what == "names" else (f"the same {ran}", "")
    more = 100 * ((cause.factor or 1.0) - 1)
    longer = f"computes {more:.0f} % longer" if more >= _WHOLE_PERCENT else f"computes {more:.1f} % longer"
    if (cause.factor or 1.0) >= _SO_MANY_TIMES:
        longer = f"computes {cause.factor:,.0f} x as long"
    most = cut_middle(cause.kernels[0], LONGEST_NAME) if cause.kernels else "others"
    return {
        "slow_kernels": f"{longer} at {same}{of_names}",
        "some_kernels": _longer_at_some(cause, longer, ran, most) + of_names,
        "long_call": _has_a_long_call(cause, most),
        "kernels": "computes longer, and what is recorded does not tell why",
        "input": "waits for its data loader",
        "collection": "stands still while Python collects garbage",
        "launches": f"launches {cause.factor or 1.0:.1f} x slower, and its device waits for it",
        "more_launches": f"makes {cause.n_more or 0:,.0f} launches more a step, first of {most}, and its device waits for them",
        "copies": f"copies for longer, most in {f'`{cause.event.name}`' if cause.event else 'copies without a name'}",
        "idle": f"idles between its {ran}, and nothing recorded says why",
    }[cause.id]


def _longer_at_some(cause: Cause, longer: str, ran: str, name: str) -> str:
    if cause.may_be_input:
        larger = "which may have had more input; record_shapes=True would tell"
        return f"{longer} in kernels of the same grid, first {name} ({larger})"
    if cause.took_ns is None:
        return f"{longer} at some {ran}, first {name}"
    own, usual = (format_ns(took) for took in cause.took_ns)
    return f"computes longer at few {ran}, first {name} ({own} a step against {usual} on its peers)"


def _has_a_long_call(cause: Cause, name: str) -> str:
    took, factor = cause.call_ns or 0, cause.factor or 1.0
    usual = f"against {format_ns(took / factor)} as usual" if factor >= _NO_RATIO else f"{factor:.0f} times as long as usual"
    takes = f"takes {format_ns(took)}, {usual}"
    which = f"{cause.n_calls} calls a step, the longest of {name}: it"
    if cause.n_calls == 1:
        which = f"one call of {name}, which" if len(cause.kernels) == 1 else f"one call a step, the longest of {name}: it"
    return f"computes longer in {which} {takes}"


def _stands_still(cause: Cause) -> str:
    gaps = "one gap" if cause.n_gaps == 1 else "several gaps"
    if cause.event is None and cause.id != "pause":
        return f"stands still in {_NO_ONE_EVENT[cause.id]}"
    if cause.event is None:
        return f"stands still in {gaps} without any event"
    if cause.event.told == "after":
        (own, usual), *_ = cause.calls
        how_often = f"{'once' if own == 1 else f'{times(own)} times'} a step against {times(usual)} on its peers"
        return f"waits for its device in `{cause.event.name}`, {how_often}, and stands still after that"
    if cause.event.told == "many":
        return f"stands still in {gaps} in which its host runs many short operators, most of them `{cause.event.name}`"
    where = in_code(cause.event)
    return f"stands still in {f'{gaps} without any event but {where} around it' if cause.event.told == 'around' else where}"


def when_of(of: Analysed, numbers: Sequence[int]) -> str:
    """`in all 3 steps`."""
    if not of.job.of.have_steps:
        return "in the whole recording"
    is_all = len(numbers) == len(of.own.number) > 1
    return f"in {all_steps(len(numbers)) if is_all else counted('step', [*numbers])}"
