"""The first screen in sentences, and what is missing or refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.direct import untold_sends
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED
from tb_plugin.views.ranks.blame import Means, is_range, means_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.views.ranks.analysed import Analysed
    from tb_plugin.views.ranks.result import Blamed, RankMember, RankRow, StepParts, Together

_MOST_REASONS: Final = 5
_MOST_NAMES: Final = 10
_UNEVEN: Final = 0.05
_NOTABLE_WAIT: Final = 0.05
_NOTABLE: Final = 0.02
_OTHER_LENGTH: Final = 0.01


def sentences(
    of: Analysed,
    missing: str | None,
    parts: StepParts | None,
    blame: list[Blamed],
    joint: Together | None,
    link: str | None,
    rows: list[RankRow],
    further: list[str | None],
    *,
    n_unread: int,
) -> list[str]:
    """How long a step is and where it goes, what is slow, what it would bring, and what more there is to say."""
    said = [*_no_steps(of), _step(of, parts)]
    if (of.job.of.world_size or len(of.job.of.ranks)) == 1:
        return [*said, "There is one rank, and nobody to wait for."]
    if not of.job.has_waits:
        return [*said, "Who is waited for cannot be told: no collective could be matched between ranks."]
    if missing:
        said.append(
            f"Missing ranks: {missing}. In collectives with them, what follows the last arrival of a rank that is here is "
            "waiting or moving data, not told apart."
        )
    if holed := _with_holes(of):
        whose = f"the file{'s' if len(holed) > 1 else ''} of {_named(of, holed)}"
        when = f" ({_counted('step', lacks)})" if (lacks := _lacked(of, holed)) else ""
        said.append(f"Work is missing in {whose}{when}: who is late, why, and the critical path may be others than said here.")
    if link:
        quick = means_of(of.without_slow_link)
        said.append(link + (_replayed(quick, "With links like the others") if quick else ""))
    for one in blame[:3]:
        alone = _means(one)
        said.append(one.sentence + (_replayed(alone, "Without it") if alone else _at_most(of, one)))
        if joint is not None and one is blame[0]:
            *others, last = joint.names[1:]
            what = f"Without it{''.join(f', {name}' for name in others)} and {last} together"
            said[-1] += _replayed(Means(joint.step_was_ns, joint.step_without_ns, joint.step_without_least_ns), what)
    if not blame:
        said.append(
            _nobody(of, parts, rows, " read so far" if n_unread else " that is here" if missing else "", is_linked=bool(link))
        )
    return said + [sentence for sentence in further if sentence]


def _nobody(of: Analysed, parts: StepParts | None, rows: list[RankRow], who: str, *, is_linked: bool) -> str:
    if parts is None:
        return "Whether somebody needs longer for itself than its peers cannot be told without a complete step."
    short = [*_with_holes(of), *_cut_off(of)]
    but = f"; not told of {_named(of, short)}: {_counted('step', lacks)}" if (lacks := _lacked(of, short)) else ""
    none = f"no rank, stage, replica or host{who} needs longer for itself than its peers by more than 2 % and the noise{but}."
    if is_linked:
        return f"Apart from what slow links cost, {none}"
    return f"N{none[1:]}{_waited_for(of, parts, rows)}"


def _waited_for(of: Analysed, parts: StepParts, rows: list[RankRow]) -> str:
    """Who came last, where ranks wait all the same; nothing where they hardly wait, or for one as for another."""
    most = max(rows, key=lambda row: row.caused_least_ns or 0)
    held_up = most.caused_least_ns or 0
    if (parts.wait_ns or 0) < _NOTABLE_WAIT * parts.step_ns or held_up < _NOTABLE * parts.step_ns:
        return ""
    job = of.job
    its = distinct(job.matched.of[job.rows_of(job.of.numbers.index(most.rank))])
    n = int((job.instances.is_known & (job.instances.n_members > 1))[its[its != NONE]].sum())
    return (
        f" The others wait most for rank {most.rank} to come: it was last in {most.n_last} of its {n} collectives, and held them "
        f"up by {format_ns(held_up)} a step at least."
    )


def _no_steps(of: Analysed) -> list[str]:
    return [] if of.job.of.have_steps else ["Steps: not recorded (no ProfilerStep). The whole recording counts as one, step 0."]


def _means(one: Blamed) -> Means | None:
    if one.step_was_ns is None or one.step_without_ns is None or one.step_without_least_ns is None:
        return None
    return Means(one.step_was_ns, one.step_without_ns, one.step_without_least_ns)


def _replayed(means: Means, what: str) -> str:
    """By replay, as `--what-if` says it: from last rank to last rank, which is longer than a rank's own step. Nothing where
    nothing would change.
    """
    was, would_be, least = means
    if was <= 0:
        return ""
    most, percents = format_ns(would_be), round(100 * (would_be / was - 1))
    if is_range(least, would_be, was):
        change = f"{round(100 * (least / was - 1)):+d} % to {percents:+d} %; how much is waiting for who is not here is not known"
        return f" {what} such a step of the job would take {format_ns(least)} to {most} instead of {format_ns(was)} ({change})."
    change = f"{format_ns(was)} ({percents:+d} %)"
    return f" {what} such a step of the job would take about {most} instead of {change}." if percents else ""


def _at_most(of: Analysed, one: Blamed) -> str:
    """Of the late steps, as `_replayed` is."""
    late = of.own.step[:, np.isin(of.own.number, one.steps)]
    length = float(np.nanmax(late, axis=0).mean())
    share = f"{percent(one.excess_ns / length)} of the slowest rank's {format_ns(round(length))}"
    return f" At most about {format_ns(one.excess_ns)} of such a step ({share}) would go with it."


def _step(of: Analysed, parts: StepParts | None) -> str:
    if parts is None:
        return "How long a step is was not recorded: there is no complete step."
    if parts.wait_ns is None or parts.transfer_ns is None:
        where = f"communication that nothing hides {format_ns(parts.communication_ns)} (wait and transfer cannot be told apart)"
    else:
        where = (
            f"waiting for other ranks {format_ns(parts.wait_ns)}, moving data with nothing to hide it "
            f"{format_ns(parts.transfer_ns)}"
        )
        if parts.untold_ns:
            where += f", one of these two, not told apart, {format_ns(parts.untold_ns)}"
    copies = f", copies {format_ns(parts.copy_ns)}" if parts.copy_ns else ""
    return (
        f"A rank's step is {format_ns(parts.step_ns)} in the mean{_longest(of)}{_of_job(of, parts)}; of the mean: "
        f"computing {format_ns(parts.computation_ns)}, {where}{copies}, idle {format_ns(parts.idle_ns)}."
    )


def _of_job(of: Analysed, parts: StepParts) -> str:
    """What a replay starts from; nothing where that is as long as a rank's own, or not known."""
    lengths = [path.length for path in of.paths]
    length = round(sum(lengths) / max(len(lengths), 1))
    if length <= (1 + _OTHER_LENGTH) * parts.step_ns:
        return ""
    return f" (the job's, from last rank to last rank, {format_ns(length)})"


def _longest(of: Analysed) -> str:
    """The longest of all ranks and steps; nothing where there is only one."""
    step = of.own.step
    if np.isfinite(step).sum() < 2:
        return ""
    rank, at = np.unravel_index(np.nanargmax(step), step.shape)
    where = f"step {of.own.number[at]}, rank {of.job.of.ranks[rank].number}"
    return f", {format_ns(round(float(step[rank, at])))} at the longest ({where})"


def uneven_experts(of: Analysed) -> str | None:
    """Nothing where no all-to-all said how it was split, or it was even."""
    found = of.balance
    if found is None or found.worst < _UNEVEN:
        return None
    return (
        f"Experts are uneven: the rank with the most receives {percent(found.imbalance)} more than its group's mean, "
        f"{percent(found.worst)} at the most (rank {of.job.of.ranks[found.worst_rank].number}, step {found.worst_step})."
    )


def missing_ranks(of: Analysed, n_unread: int) -> str | None:
    """`2-127`, as text. Any of the unread profiles may be of one of these: `5 of 2-127` where so many are missing at least."""
    size = of.job.of.world_size
    if size is None:
        return None
    missing = sorted(set(range(size)) - set(of.job.of.numbers))
    if len(missing) <= n_unread:
        return None
    return f"{len(missing) - n_unread} of {ranges(missing)}" if n_unread else ranges(missing)


def unread(others: list[RankMember]) -> int:
    """Of those that are not in the figures: how many have not answered yet."""
    return sum(one.state not in ("failed", "ready") for one in others)


def notes(of: Analysed, missing: str | None, others: list[RankMember], noted: list[tuple[str, str]]) -> list[str]:
    """In the order in which they matter. `noted`: labels of members, and what is to be said of each."""
    job, said = of.job, _on_cut_off(of) + _on_damage(of)
    if missing:
        said.append(
            f"{len(job.of.ranks) - len(job.of.beyond)} of {job.of.world_size} ranks are here; missing: {missing}. Where one of "
            "them came last, waits are lower bounds."
        )
    if job.of.beyond:
        whose, is_one = ("Rank", "is none") if len(job.of.beyond) == 1 else ("Ranks", "are none")
        said.append(
            f"{whose} {ranges(job.of.beyond)} {is_one} of a job of {job.of.world_size}: the number is wrong, or the size."
        )
    said += _by_reason(_reasons(one for one in others if one.state == "failed"), "{who}: {why}.")
    if waiting := unread(others):
        said.append(f"{waiting} profile{' has' if waiting == 1 else 's have'} not answered yet.")
    said += _by_reason(_reasons(one for one in others if one.state == "ready" and one.reason), "Apart: {who}: {why}.")
    said += _by_reason(noted, "{who}: {why}.")
    said += _on_matching(of) + _on_clocks(of) + _on_links(of) + _on_ranks(of)
    said += on_sends(of) if of.paths else []
    return said


def on_sends(of: Analysed) -> list[str]:
    """Beside what a step would be."""
    n = untold_sends(of.job)
    if not n:
        return []
    who = "one send" if n == 1 else f"{n} sends"
    path = "the critical path goes past them, and what a step would be keeps the waiting for them as it was"
    return [f"Whether kernels wait for {who} cannot be told from these files: {path}."]


def _on_cut_off(of: Analysed) -> list[str]:
    cut = _cut_off(of)
    if not cut:
        return []
    whose, whom = ("The file of {} is", "it") if len(cut) == 1 else ("The files of {} are", "them")
    return [f"{whose.format(_named(of, cut))} cut off: {_lacking(of, cut, whom) or 'what comes later is not known'}."]


def _on_damage(of: Analysed) -> list[str]:
    """And which steps a rank lost work in; of files that are cut off `_on_cut_off` says it."""
    ranks = of.job.of.ranks
    said = _by_reason(
        [(f"rank {rank.number}", " ".join(rank.summary.damage)) for rank in ranks if rank.summary.damage], "{who}: {why}"
    )
    holed = _with_holes(of)
    lacking = _lacking(of, holed, _named(of, holed))
    return [*said, f"{lacking[0].upper()}{lacking[1:]}."] if lacking else said


def _lacking(of: Analysed, places: list[int], whom: str) -> str | None:
    """Steps that these ranks have not recorded whole, and what that leaves; None where they lack none."""
    lacks = _lacked(of, places)
    if not lacks:
        return None
    steps = f"{_counted('step', lacks)} {'are' if len(lacks) > 1 else 'is'}"
    whole = np.setdiff1d(of.own.number, lacks).tolist()
    replayed = f"; what a step would be is told of {_counted('step', whole)}" if whole else ""
    return f"{steps} not told of {whom}, nor who waited for {whom} then{replayed}"


def _cut_off(of: Analysed) -> list[int]:
    return [place for place, rank in enumerate(of.job.of.ranks) if rank.summary.is_cut_off]


def _with_holes(of: Analysed) -> list[int]:
    """Places of ranks whose files lack work, not at their end."""
    return [
        place
        for place, rank in enumerate(of.job.of.ranks)
        if rank.summary.damage or (not rank.summary.is_cut_off and (rank.steps["complete"] == NONE).any())
    ]


def _lacked(of: Analysed, places: list[int]) -> list[int]:
    """Numbers of the steps that are not told of some of these ranks."""
    lacks: list[int] = of.own.number[np.isnan(of.own.step[places]).any(axis=0)].tolist()
    return lacks


def _named(of: Analysed, places: list[int]) -> str:
    return _counted("rank", [of.job.of.ranks[place].number for place in places])


def _counted(what: str, numbers: list[int]) -> str:
    """`steps 3-5`."""
    return f"{what}{'s' if len(numbers) > 1 else ''} {ranges(sorted(numbers))}"


def _reasons(members: Iterable[RankMember]) -> list[tuple[str, str]]:
    return [(one.label, one.reason or "not known") for one in members]


def _by_reason(said: list[tuple[str, str]], form: str) -> list[str]:
    """A sentence for each reason of (label, reason); of more than five reasons the rest is counted."""
    reasons: dict[str, list[str]] = {}
    for label, reason in said:
        reasons.setdefault(reason, []).append(label)
    listed = [form.format(who=names_of(labels), why=why) for why, labels in list(reasons.items())[:_MOST_REASONS]]
    left = [label for labels in list(reasons.values())[_MOST_REASONS:] for label in labels]
    return [*listed, f"{len(left)} more for other reasons: {names_of(left)}."] if left else listed


def names_of(labels: list[str]) -> str:
    """`rank0-3, other`; with their number where there are several."""
    numbers: dict[str, list[int]] = {}
    for label in labels:
        start = len(label.rstrip("0123456789"))
        numbers.setdefault(label[:start], []).append(int(label[start:] or -1))
    parts = [
        before + (ranges(sorted({n for n in those if n >= 0})) if max(those) >= 0 else "") for before, those in numbers.items()
    ]
    listed = ", ".join(parts[:_MOST_NAMES]) + (f" and {len(parts) - _MOST_NAMES} more" if len(parts) > _MOST_NAMES else "")
    return f"{len(labels)} profiles ({listed})" if len(labels) > 1 else labels[0]


def _on_matching(of: Analysed) -> list[str]:
    job, said = of.job, []
    if job.table.unnamed_ranks:
        said.append(
            "Wait: not recorded. The collectives do not say which process group they are of (gloo, or torch before 2.4), "
            "and the ranks are in several."
        )
    for place in job.refused.tolist():
        group = job.table.groups[place]
        what = f"of group {group.name} ({group.description or 'no description'})" if group.name else "of this recording"
        said.append(
            f"The collectives {what} do not match between ranks: some would end before the last rank has come. "
            f"{_unlike(of, place)}Not used."
        )
    mismatches = int(job.matched.is_mismatch.sum())
    if mismatches:
        who = "One collective differs" if mismatches == 1 else f"{mismatches} collectives differ"
        said.append(f"{who} between ranks in kind, type or size: this is a bug in the job.")
    lost = int((~job.rows.is_there).sum())
    if lost:
        who, whose = ("One collective was", "its kernel is") if lost == 1 else (f"{lost} collectives were", "their kernels are")
        said.append(f"{who} issued and {whose} not in the files: incomplete.")
    if NOT_RECORDED in {of.dimensions.names[at] for at in of.dimensions.of_group[:-1].tolist()}:
        said.append("Dimension: not recorded (torch before 2.4, or gloo); collectives are told by their kind.")
    return said


def _unlike(of: Analysed, group: int) -> str:
    """Whose file holds fewer collectives of this group than most of its ranks' do."""
    rows = of.job.rows
    n_of_rank = np.bincount(rows.rank[(rows.group == group) & rows.is_there], minlength=len(of.job.of.ranks))
    counts, n_ranks = np.unique(n_of_rank[n_of_rank > 0], return_counts=True)
    most = int(counts[n_ranks == n_ranks.max()].max())
    fewer = np.flatnonzero((n_of_rank > 0) & (n_of_rank < most)).tolist()
    return f"Fewer than the {most} of most are in the file of {_named(of, fewer)}. " if fewer else ""


def _on_clocks(of: Analysed) -> list[str]:
    job = of.job
    if job.clock_refused:
        return [f"Clocks: {job.clock_refused}. No wait is given across hosts."]
    components = len(set(job.clocks.component.tolist()))
    if components > 1:
        return [f"Clocks: the hosts fall into {components} parts that no collective ties; no wait is given across them."]
    if not job.of.are_hosts_known and len(job.of.ranks) > 1:
        return ["Hosts: not recorded; each rank's clock is solved for itself."]
    return []


def _on_links(of: Analysed) -> list[str]:
    between = [one for one in of.links.sets if len(one.hosts) > 1]
    if between and all(one.of_usual is None for one in between):
        return ["Links between hosts: each dimension has one set of hosts; there is nothing to compare their speed with."]
    return []


def _on_ranks(of: Analysed) -> list[str]:
    job, said = of.job, []
    if not job.of.are_numbers_known:
        said.append("Rank: not recorded; ranks are numbered in the order of their names.")
    if lacking := [rank.number for rank in job.of.ranks if job.of.have_steps and not rank.summary.has_steps]:
        whose, they = ("rank", "it is") if len(lacking) == 1 else ("ranks", "they are")
        said.append(f"Steps: not recorded of {whose} {ranges(lacking)} (no ProfilerStep): {they} in no figure of a step.")
    if not of.has_host:
        said.append("Events of the host: not recorded; idle time of a device is not held against its rank.")
    if any(rank.summary.is_on_host and not (rank.summary.is_cut_off or rank.summary.damage) for rank in job.of.ranks):
        said.append("Device busy: not recorded (CPU job); computation is operators outside of collectives.")
    return said


def ranges(numbers: list[int]) -> str:
    """`0-3, 8`; the first ten of them."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    listed = ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts[:10])
    return listed + (f" and {len(parts) - 10} more ranges" if len(parts) > 10 else "")
