"""The first screen in sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.job.what_if.even_share import is_spread
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.views.ranks.basis.names import a_step, all_steps, counted, waited, whom
from tb_plugin.views.ranks.missing.lacking import on_holes, on_no_steps, why_no_waits
from tb_plugin.views.ranks.missing.missing import are_any_missing, on_missing
from tb_plugin.views.ranks.missing.no_device import on_no_device
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.rows.path_rows import chain, who_may_have_come_last
from tb_plugin.views.ranks.rows.pipeline_rows import bubbles, longest_stage
from tb_plugin.views.ranks.told.all_ranks import of_all_ranks
from tb_plugin.views.ranks.told.beside_links import beside_links
from tb_plugin.views.ranks.told.blame import (
    Means,
    is_range,
    mean_of,
    means_of,
    most_that_would_go,
    when_of,
)
from tb_plugin.views.ranks.told.computes_longer import computes_longer
from tb_plugin.views.ranks.told.costs_nothing import costs_nothing
from tb_plugin.views.ranks.told.evidence import counted_in
from tb_plugin.views.ranks.told.longer_step import why_longer
from tb_plugin.views.ranks.told.most_compute import most_compute_longer
from tb_plugin.views.ranks.told.nobody import Said, most_waited_for, nobody
from tb_plugin.views.ranks.told.replayed import as_long, maybe_shorter, replayed
from tb_plugin.views.ranks.told.slow_links import at_times, lost_in_mean_step, slow_link
from tb_plugin.views.ranks.told.spread_stages import spread_at_once, told_at_once, what_if_even, with_all
from tb_plugin.views.ranks.told.would_go import at_most, beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.job.own.load_balance import LoadBalance
    from tb_plugin.job.what_if.what_if import Without
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import (
        Blamed,
        JobStepRow,
        MovingData,
        PathRow,
        PipelineFigures,
        RankMember,
        RankRow,
        StageRow,
        StepParts,
        Together,
    )

_FIRST: Final = 3
_UNEVEN: Final = 0.05
_MOST_NAMED: Final = 8
_OTHER_LENGTH: Final = 0.01
_MUCH_LONGER: Final = 0.1
_ALL: Final = 0.995
_AS_LATE: Final = ", for a rank that is not recorded here may be as late"
_WAITING: Final = "waiting for other ranks"


def sentences(
    of: Analysed,
    others: list[RankMember],
    parts: StepParts | None,
    blame: list[Blamed],
    joint: Together | None,
    moved: MovingData | None,
    rows: list[RankRow],
    steps: list[JobStepRow],
    uneven: Said | None,
    further: list[Said],
) -> list[Said]:
    """How long a step is, where it goes, what is slow, what that costs, and what more there is; each with where it leads."""
    missing = on_missing(of, others)
    lacks = (missing, on_no_device(of), on_holes(of), on_no_steps(of))
    said = [*_no_steps(of), _step(of, parts, steps, blame), *((sentence, Lead()) for sentence in lacks if sentence)]
    if (of.job.of.world_size or len(of.job.of.ranks)) == 1:
        return [*said, ("There is one rank, and nobody to wait for.", Lead())]
    if not of.job.has_waits:
        said.append((f"Who is waited for cannot be told: {why_no_waits(of.job)}.", Lead()))
        longer = _late(of, blame, joint) if of.job.has_own_work else computes_longer(of)
        return [*said, *longer, *most_compute_longer(of), *of_all_ranks(of)]
    links = [*_slow_links(of)]
    costs = _gain(of, blame[0]) if blame else 0.0
    said += [link for link, lost in links if lost >= costs]
    common = [*([uneven] if uneven else []), *most_compute_longer(of), *of_all_ranks(of)]
    if blame:
        late = [*most_waited_for(of, parts, rows, costs), *_late(of, blame, joint)]
    else:
        apart = [*_computing_beside_lost(of), *(told for told in common if told[1].ranks)]
        common = [told for told in common if not told[1].ranks]
        late = [*nobody(of, parts, rows, others, apart, is_linked=bool(links))]
    if moved is not None:  # before who is late, where it would bring more in the mean
        gain = (moved.step_was_ns or 0) - (moved.step_without_ns or 0)
        first = 0 if blame and _gain(of, blame[0]) < gain else len(late)
        late.insert(first, (moved.sentence + _free(of, moved), Lead(table="collective")))
    less = [link for link, lost in links if lost < costs]
    return [*said, *late, *less, *costs_nothing(of), *common, *further]


def _slow_links(of: Analysed) -> Iterator[tuple[Said, float]]:
    """Those of all steps, then those that are slow at times; each with what a mean step would be shorter by, ns."""
    link = slow_link(of)
    if link is not None:
        steps = of.links.always.steps if of.links.always else ()
        quick = means_of(of.without_slow_link, steps or None)
        it = "such a step" if steps else a_step(of)
        text = link + (replayed(quick, f"With links like the others {it}") if quick else "")
        lost = of.links.always.lost_ns if of.links.always else 0.0
        yield (text, Lead(table="link")), _of_mean_step(of, quick, steps) if quick else lost
    for one, slow in zip(at_times(of), of.links.at_times, strict=False):
        quick = means_of(of.without_slow_link, one.steps)
        text = one.text + (replayed(quick, f"{one.other_links} such a step") if quick else "")
        lost = _of_mean_step(of, quick, one.steps) if quick else lost_in_mean_step(of, slow)
        yield (text, Lead(table="link", step=one.steps[0])), lost


def _computing_beside_lost(of: Analysed) -> Iterator[Said]:
    """Who computes longer, where kernels of collectives are not in the files: idle time is then no rank's own."""
    return iter(()) if of.job.rows.is_there.all() else computes_longer(of)


def _of_mean_step(of: Analysed, quick: Means, steps: Sequence[int]) -> float:
    """What all steps would be shorter by where these are."""
    return (quick.was - quick.would_be) * (len(steps) or len(of.own.number)) / len(of.own.number)


def _late(of: Analysed, blame: list[Blamed], joint: Together | None) -> Iterator[Said]:
    """The first three who are late, and in short who else is. Stages whose work is spread are one."""
    groups = spread_at_once(of)
    for its in groups[:_FIRST]:
        straggler, cause, _ = of.stragglers[its[0]]
        text, ranks = _late_at_once(of, its, blame, joint)
        step = int(of.own.number[straggler.excess_ns.argmax()])
        yield text, Lead(ranks=sorted(ranks), step=step, counted=counted_in(of, straggler, cause))
    rest = [blame[at] for its in groups[_FIRST:] for at in its]
    if rest:
        names = list(dict.fromkeys(one.name for one in rest))
        listed = ", ".join(_in_short(of, [one for one in rest if one.name == name]) for name in names[:_FIRST])
        others = f" and {len(names) - _FIRST} more" if len(names) > _FIRST else ""
        ranks = list(dict.fromkeys(rank for one in rest for rank in one.ranks))
        yield f"Also late: {listed}{others}.", Lead(ranks=ranks, step=rest[0].steps[0])


def late_in_words(of: Analysed, nth: int, blame: list[Blamed], joint: Together | None) -> str:
    """Who is late and what a step would be without, as the first screen says it; by its place in `blame`."""
    its = next(its for its in spread_at_once(of) if nth in its)
    return _late_at_once(of, its, blame, joint)[0]


def _late_at_once(of: Analysed, its: list[int], blame: list[Blamed], joint: Together | None) -> tuple[str, list[int]]:
    """(a sentence, the ranks it is about). `its`: places in `blame` of one, or of stages whose work is spread."""
    nth = its[0]
    one, (straggler, cause, quick) = blame[nth], of.stragglers[nth]
    alone, most = _were_all_told(quick, one.steps), most_that_would_go(of, straggler, cause)
    spread = is_spread(of.own, of.layout, straggler, cause)
    if alone and quick and quick.may_stay and replayed(alone, ""):
        gain = at_most(of, straggler, min(most, float(alone.was - alone.least)), _it(of, one), _AS_LATE)
    elif alone:
        gain = _alone(of, one, alone, blame, what_if_even(len(its)) if spread else "")
    else:
        gain = at_most(of, straggler, most, _it(of, one), _AS_LATE if are_any_missing(of) else "")
    text = told_at_once(of, its, [each.sentence for each in blame]) + gain
    ranks = [rank for at in its for rank in blame[at].ranks]
    if joint is not None and one is blame[0]:
        means = Means(joint.step_was_ns, joint.step_without_ns, joint.step_without_least_ns)
        if without := with_all(of, [blame[at].name for at in its], joint.names, [each.name for each in blame]):
            text += replayed(means, f"{without} {_it(of, one)}")
            ranks = joint.ranks
    if (both := beside_links(of, blame, nth, joint)) is not None:
        text += replayed(both.means, f"{_without([*both.others, 'slow links'])} {_it(of, one)}")
    return text, ranks


def _without(others: list[str]) -> str:
    *more, last = others
    return f"Without it{''.join(f', {name}' for name in more)} and {last} together"


def _in_short(of: Analysed, its: list[Blamed]) -> str:
    """One of them, for each of its causes."""
    when = (f"{format_ns(one.excess_ns)}{' a step' if len(one.steps) > 1 else ''} {when_of(of, one.steps)}" for one in its)
    return f"{its[0].name} ({' and '.join(when)})"


def _gain(of: Analysed, one: Blamed) -> float:
    """Of a mean step, without the first who is late."""
    alone = _were_all_told(of.stragglers[0][2], one.steps)
    if alone is None:
        return one.excess_ns * len(one.steps) / len(of.own.number)
    return _of_mean_step(of, alone, one.steps)


def _no_steps(of: Analysed) -> list[Said]:
    if of.job.of.have_steps:
        return []
    whose = "its file is" if len(of.job.of.ranks) == 1 else "the files are"
    why = f"{whose} cut off" if all(rank.summary.is_cut_off for rank in of.job.of.ranks) else "no ProfilerStep"
    return [(f"Steps: not recorded ({why}). The whole recording counts as one, step 0.", Lead())]


def _were_all_told(quick: Without | None, steps: Sequence[int]) -> Means | None:
    """Without it, were nobody else as late who is not here."""
    return means_of(quick and quick._replace(may_stay=False), steps)


def _alone(of: Analysed, one: Blamed, alone: Means, blame: list[Blamed], spread: str) -> str:
    """Of the steps in which it was late; also that it would bring nothing, and who else is late in them."""
    if spread:
        what = f"{spread} {_it(of, one)}"
        return replayed(alone, what) or f" {what} would be no shorter."
    others = [each for each in blame if each.name != one.name and not set(one.steps).isdisjoint(each.steps)]
    most = max(others, key=lambda each: each.excess_ns, default=None)
    no_less = as_long(alone, _it(of, one))
    if most is not None:
        no_less = beside(no_less, most.name, most.excess_ns - one.excess_ns, one.excess_ns)
    what = f"Without it {_it(of, one)}"
    if most is None and is_range(alone.least, alone.would_be, alone.was):  # nor is it told that it would bring nothing
        return replayed(alone, what) or maybe_shorter(alone, what)
    return replayed(alone, what) or f" Without it {no_less}."


def _free(of: Analysed, moved: MovingData) -> str:
    if moved.step_was_ns is None or moved.step_without_ns is None or moved.step_without_least_ns is None:
        return ""
    means = Means(moved.step_was_ns, moved.step_without_ns, moved.step_without_least_ns)
    what = "it" if moved.dimension in (None, NOT_RECORDED) else moved.dimension
    return replayed(means, f"With all of {what} hidden or free {a_step(of)}")


def _it(of: Analysed, one: Blamed) -> str:
    return a_step(of) if len(one.steps) == len(of.own.number) else "such a step"


def _step(of: Analysed, parts: StepParts | None, steps: list[JobStepRow], blame: list[Blamed]) -> Said:
    """How long, how much of it is lost to what, and where it ends last."""
    if parts is None:
        return "How long a step is was not recorded: there is no complete step.", Lead()
    if parts.wait_ns is None and parts.transfer_ns is None:
        lost = [(parts.communication_ns, "communication that nothing hides (wait and transfer cannot be told apart)")]
    else:
        one_of = "one of these two" if parts.wait_ns and parts.transfer_ns else "waiting or moving data"
        lost = [
            (parts.wait_ns or 0, _WAITING),
            (parts.transfer_ns or 0, "moving data that nothing hides"),
            (parts.untold_ns, f"{one_of}, not told apart"),
        ]
    lost += [(parts.copy_ns, "copies"), (parts.idle_ns, "idle")]
    took = [waited(ns, of.clock_error_ns) if what == _WAITING else format_ns(ns) for ns, what in lost]
    in_bubble = parts.bubble_wait_ns or 0
    how_much = "all" if in_bubble >= _ALL * (parts.wait_ns or 0) else format_ns(in_bubble)
    more = {_WAITING: f" ({how_much} of that in the pipeline's bubble)"} if in_bubble else {}
    listed = ", ".join(f"{said} {what}{more.get(what, '')}" for said, (ns, what) in zip(took, lost, strict=True) if ns)
    gone = max(parts.step_ns - parts.computation_ns, 0)
    ends, lead = _ends_last(of, parts, steps, blame)
    it = a_step(of)
    said = f"{it[0].upper()}{it[1:]} takes {format_ns(parts.step_ns)}"
    length = mean_of(of.job_steps)
    if length is None or abs(length / parts.step_ns - 1) <= _OTHER_LENGTH:
        share = f"; {format_ns(gone)} ({percent(gone / parts.step_ns)}) of it is lost: {listed}" if gone else ""
    else:  # what a replay starts from
        numbers = list(of.job_steps)
        which = f" ({counted('step', numbers)}, which all ranks recorded)" if len(numbers) < len(steps) else ""
        said = (
            f"{it[0].upper()}{it[1:]} takes a rank {format_ns(parts.step_ns)} in the mean, and the job{which} {format_ns(length)}"
        )
        said += ", from when its last rank begins it to when its last rank ends it"
        share = f". A rank loses {format_ns(gone)} of its {format_ns(parts.step_ns)} ({percent(gone / parts.step_ns)}): {listed}"
    return f"{said}{share if gone else ''}. {ends}".rstrip(), lead


def _ends_last(of: Analysed, parts: StepParts, steps: list[JobStepRow], blame: list[Blamed]) -> Said:
    """On which rank it ends last, in most steps; else, and where a step is much longer than the mean, on which in the longest.

    Where somebody is late nobody else is named: who ends last waits for it.
    """
    step, lead = of.own.step, Lead(table="collective")
    if np.isfinite(step).any(axis=1).sum() < 2:
        return "", lead
    longest, said = _longest(of, parts)
    late = {one for each in blame for one in each.ranks}
    last = {row.number: row.last_rank for row in steps if row.last_rank is not None and (not late or row.last_rank in late)}
    most, n = Counter(last.values()).most_common(1)[0] if last else (None, 0)
    if most is None or n <= len(steps) / 2:
        ranks = [last[longest]] if said and longest in last else []
        who = f"; rank {ranks[0]} ends it last" if ranks else ""
        return f"{said}{who}." if said else "", Lead(ranks=ranks, step=longest, table="collective")
    where = longest if said else next(number for number, rank in last.items() if rank == most)
    n_own = int(np.isfinite(step[of.job.of.numbers.index(most)]).sum())
    recorded = " that it recorded" if n_own < len(steps) else ""
    often = f" in {all_steps(n) if n == n_own else f'{n} of {n_own} steps'}{recorded}" if len(steps) > 1 else ""
    who = f"of the ranks that are here, rank {most}" if are_any_missing(of) else f"rank {most}"
    text = f"{said}; {who} ends last{often}." if said else f"{who[0].upper()}{who[1:]} ends last{often}."
    return text, Lead(ranks=[most], step=where, table="collective")


def _longest(of: Analysed, parts: StepParts) -> tuple[int, str]:
    """(number, what is said of it where it is much longer than the mean): as long as the job takes, where that is told of all."""
    lengths = of.job_steps
    if len(lengths) == len(of.own.number):
        longest = max(lengths, key=lengths.__getitem__)
        usual = sum(lengths.values()) / len(lengths)
        said = f"Step {longest} is the longest: {format_ns(lengths[longest])}"
        return longest, _longer(of, longest, said, lengths[longest], usual)
    rank, at = np.unravel_index(np.nanargmax(of.own.step), of.own.step.shape)
    longest, length = int(of.own.number[at]), float(of.own.step[rank, at])
    alone = f"On its slowest rank it takes {format_ns(length)}"
    said = f"Step {longest} is the longest: {format_ns(length)} on its slowest rank" if len(of.own.number) > 1 else alone
    return longest, _longer(of, longest, said, length, parts.step_ns)


def _longer(of: Analysed, longest: int, said: str, length_ns: float, usual_ns: float) -> str:
    """With what all ranks do longer in it; nothing where it is little longer than usual."""
    if length_ns <= (1 + _MUCH_LONGER) * usual_ns:
        return ""
    why = why_longer(of, longest, length_ns - usual_ns)
    return f"{said} ({why})" if why else said


def further(
    of: Analysed,
    pipeline: PipelineFigures | None,
    stages: list[StageRow],
    path: list[PathRow],
    ahead_ns: int | None,
    blame: list[Blamed],
    *,
    is_uneven_told: bool,
) -> list[Said]:
    """Of pipelines, experts and the critical path, where there is something to say."""
    balance = of.balance
    worst = Lead() if balance is None else Lead(ranks=_worst(of, balance), step=balance.worst_step)
    said = (
        (bubbles(pipeline, None if is_uneven_told else longest_stage(of, stages, blame)), Lead(table="stage")),
        (uneven_experts(of), worst),
        (chain(path, ahead_ns, who_may_have_come_last(of), a_step(of)), Lead(table="path")),
    )
    return [(sentence, lead) for sentence, lead in said if sentence is not None]


def uneven_experts(of: Analysed) -> str | None:
    """Nothing where no all-to-all said how it was split, or it was even."""
    found = of.balance
    if found is None or found.worst < _UNEVEN:
        return None
    numbers, in_step = _worst(of, found), f" in step {found.worst_step}" if of.job.of.have_steps else ""
    who = whom(numbers) if len(numbers) <= _MOST_NAMED else f"{len(numbers)} ranks (the first: {numbers[0]})"
    does, its = ("receives", "its") if len(numbers) == 1 else ("each receive", "their")
    return (
        f"Experts are uneven: {who} {does} {percent(found.worst)} more than {its} group's mean{in_step}, which is the most; "
        f"the rank with the most receives {percent(found.imbalance)} more in the mean over groups and steps."
    )


def _worst(of: Analysed, found: LoadBalance) -> list[int]:
    """Their numbers."""
    return sorted(of.job.of.numbers[place] for place in found.worst_ranks)
