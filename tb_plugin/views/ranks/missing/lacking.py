"""Ranks whose files lack work or whole steps, and what is not told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.trace.rank.order import STEP
from tb_plugin.views.ranks.basis.names import counted, few_reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray
    from tb_plugin.job.job import Job
    from tb_plugin.job.ranks.ranks import Rank
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST_SAID: Final = 5
_OF_STEP: Final = 0.02
_ALSO_OF_STEP: Final = 0.01
_OF_NO_STEP: Final = (NONE,)
_SHORT: Final = 160
"""What is longer, or more than a sentence, stands in a note."""


def cut_off(of: Analysed) -> list[int]:
    return [place for place, rank in enumerate(of.job.of.ranks) if rank.summary.is_cut_off]


def with_holes(of: Analysed) -> list[int]:
    """Places of ranks whose files lack work, not at their end."""
    return [
        place
        for place, rank in enumerate(of.job.of.ranks)
        if rank.summary.damage or (not rank.summary.is_cut_off and (rank.steps["complete"] == NONE).any())
    ]


def on_holes(of: Analysed) -> str | None:
    """What is gone, which steps that leaves untold, and what else it touches; of several reasons `damage` has the rest."""
    holed = with_holes(of)
    if not holed:
        return None
    whose, whom = ("the file", "it") if len(holed) == 1 else ("the files", "them")
    why, untold = damage_in_words(of), lacking(of, holed, whom)
    file = of.job.of.ranks[holed[0]].of.file
    which = named(of, holed) + (f", {file}" if len(holed) == 1 and file else "")
    said = f"Work is missing in {whose} of {which}{f' ({why})' if why else ''}{f': {untold}' if untold else ''}."
    return f"{said} Who is late, why, and the critical path may be others than said here." if of.job.has_waits else said


def on_no_steps(of: Analysed) -> str | None:
    """Ranks without steps where others have them, and what is told of all ranks or of none."""
    ranks = of.job.of.ranks
    places = [place for place, rank in enumerate(ranks) if of.job.of.have_steps and not rank.summary.has_steps]
    if not places:
        return None
    they, whose = ("it is", "its") if len(places) == 1 else ("they are", "their")
    cut = [place for place in places if ranks[place].summary.is_cut_off]
    its_file_is = "its file is" if len(cut) == 1 else "their files are"
    apart = ((_without(places, cut), "no ProfilerStep"), (cut, f"{its_file_is} cut off"))
    which = " and ".join(f"{named(of, some)} ({why})" for some, why in apart if some)
    said = f"Steps: not recorded of {which}: {they} in no figure of a step"
    untold = ["the critical path", "what a step would be"] if of.job.has_waits and not of.paths else []
    if of.pipeline is None and of.layout.sizes.get("pipeline", 1) > 1:
        untold = ["pipeline bubbles", *untold]
    if not untold:
        return f"{said}."
    listed = " and ".join([part for part in (", ".join(untold[:-1]), untold[-1]) if part])
    return f"{said}; without {whose} steps {listed} cannot be told."


def _without(places: list[int], others: list[int]) -> list[int]:
    return [place for place in places if place not in others]


def damage(of: Analysed) -> list[tuple[str, str]]:
    """(rank and file, what is wrong with that)."""
    return [(with_file(rank), _what_is_wrong(rank)) for rank in _damaged(of)]


def with_file(rank: Rank) -> str:
    return f"rank {rank.number}{f', {rank.of.file}' if rank.of.file else ''}"


def damage_in_words(of: Analysed) -> str | None:
    """Within `on_holes`; None where there are too many reasons for it, or it is long."""
    why = few_reasons([(f"rank {rank.number}", _what_is_wrong(rank)) for rank in _damaged(of)], len(with_holes(of)))
    return f"{why[0].lower()}{why[1:]}" if why and len(why) <= _SHORT and ". " not in why else None


def _damaged(of: Analysed) -> list[Rank]:
    return [rank for rank in of.job.of.ranks if rank.summary.damage]


def _what_is_wrong(rank: Rank) -> str:
    return " ".join(rank.summary.damage).removesuffix(".")


def on_cut_off(of: Analysed) -> list[str]:
    """A sentence for all whose files lack the same steps, with how much there is of each."""
    alike: dict[tuple[int, ...], list[int]] = {}
    lack = set(of.job.of.lack_device)
    for place in cut_off(of):
        alike.setdefault(_OF_NO_STEP if place in lack else tuple(lacked(of, [place])), []).append(place)
    said = []
    for places in list(alike.values())[:_MOST_SAID]:
        whose, whom = ("The file of {} is", "it") if len(places) == 1 else ("The files of {} are", "them")
        ranks = [of.job.of.ranks[place] for place in places[:_MOST_SAID]]
        read = ", ".join(f"{rank.of.shown} after {rank.summary.n_events:,} events" for rank in ranks)
        more = f" and {len(places) - len(ranks)} more" if len(places) > len(ranks) else ""
        untold = f"no device work is in {whom}" if lack.issuperset(places) else lacking(of, places, whom)
        untold = untold or "what comes later is not known"
        said.append(f"{whose.format(named(of, places))} cut off ({read}{more}): {untold}.")
    left = len(alike) - len(said)
    return [*said, f"{left} more sets of ranks have files that are cut off."] if left else said


def on_begun_late(of: Analysed) -> list[str]:
    """Files that begin within their first step; one sentence for all of a step."""
    by: dict[int, list[int]] = {}
    for place in of.job.begun_late:
        by.setdefault(int(of.job.of.ranks[place].steps["number"][0]), []).append(place)
    said = []
    for step, places in sorted(by.items()):
        whose, whom = ("The file of {} begins", "it") if len(places) == 1 else ("The files of {} begin", "them")
        most = max(of.job.begun_late[place] for place in places)
        of_what = f"{most} collectives of a group were launched before" if most > 1 else "a collective was launched before"
        untold = lacking(of, places, whom)
        said.append(f"{whose.format(named(of, places))} within step {step} ({of_what}){f': {untold}' if untold else ''}.")
    return said


def lacked(of: Analysed, places: list[int]) -> list[int]:
    """Numbers of the steps that are not told of some of these ranks."""
    lacks: list[int] = of.own.number[np.isnan(of.own.step[places]).any(axis=0)].tolist()
    return lacks


def lacking(of: Analysed, places: list[int], whom: str) -> str | None:
    """Steps that these ranks have not recorded whole, and what that leaves; None where they lack none."""
    lacks = lacked(of, places)
    if not lacks:
        return None
    steps = f"{counted('step', lacks)} {'are' if len(lacks) > 1 else 'is'}"
    whole = _whole(of)
    is_replayed = of.job.has_waits and of.not_replayed is None
    replayed = f". What a step would be is told of {counted('step', whole)} alone" if whole and is_replayed else ""
    late = f"who is late then may have waited for {'that rank' if len(places) == 1 else 'those ranks'}"
    return f"{steps} not whole in {whom}, and {late}{replayed}"


def on_steps(of: Analysed) -> list[str]:
    """Whole steps that some files lack, though nothing else says that work is missing in them; one sentence for ranks alike."""
    gone, numbers = _gone(of), of.own.number.tolist()
    is_rare = 2 * gone.sum(axis=0) > len(gone)
    having: dict[tuple[int, ...], list[int]] = {}
    for at in np.flatnonzero(is_rare).tolist():
        having.setdefault(tuple(np.flatnonzero(np.isfinite(of.own.step[:, at])).tolist()), []).append(numbers[at])
    missing: dict[tuple[tuple[int, ...], str], list[int]] = {}
    for place in np.flatnonzero(gone.any(axis=1)).tolist():
        its: dict[str, list[int]] = {}
        for at in np.flatnonzero(gone[place] & ~is_rare).tolist():
            its.setdefault(_why(of.job.of.ranks[place], numbers[at]), []).append(numbers[at])
        for why, steps in its.items():
            missing.setdefault((tuple(steps), why), []).append(place)
    said = [
        f"{_in_files(of, steps, who)} alone; {'nobody is here to compare with' if len(who) == 1 else 'these are compared'}."
        for who, steps in having.items()
    ]
    said += [f"{_in_files(of, steps, who, 'not ')}{why}; {_compared(steps)}." for (steps, why), who in missing.items()]
    if not said:
        return []
    more = [f"{len(said) - _MOST_SAID} more sets of ranks lack other steps."] if len(said) > _MOST_SAID else []
    if not of.paths:
        return [*said[:_MOST_SAID], *more]
    whole = _whole(of)
    where = f"The critical path and what a step would be are told of {counted('step', whole)}, which all ranks have."
    return [*said[:_MOST_SAID], *more, where if whole else "What a step would be is not told: no step is in all files."]


def why_no_waits(job: Job) -> str:
    """Of a job of which no wait is known."""
    if not job.matched.is_matched.any():
        return "no collective could be matched between ranks"
    return "what was matched contradicts itself" if job.are_clocks_tied else f"{job.untied_clocks} cannot be tied"


def on_tail(of: Analysed) -> list[str]:
    """The steps in which the recording of every rank that has them ended."""
    ended, told = set[int](), set(of.own.number.tolist())
    for rank in of.job.of.ranks:
        ended.update(rank.steps["number"][rank.steps["complete"] == 0].tolist())
    which = sorted(ended - told)
    return [f"The recording ended in {counted('step', which)}: it holds no whole step, and is in no figure."] if which else []


def on_queue(of: Analysed) -> list[str]:
    """What devices still worked at, when the first step began on their host: by 2 % of a step, and beside these by 1 %."""
    lasted: dict[int, list[tuple[int, int]]] = {}
    is_told: dict[int, bool] = {}
    for place, rank in enumerate(of.job.of.ranks):
        edges = rank.order["host"][rank.order["kind"] == STEP]
        if len(edges) == 0 or len(rank.steps["start"]) == 0 or place in of.job.begun_late:
            continue
        queued, step = int(rank.steps["start"][0] - edges[0]), int(rank.steps["number"][0])
        length = float(np.median(rank.steps["end"] - rank.steps["start"]))
        if queued > _ALSO_OF_STEP * length:
            lasted.setdefault(step, []).append((place, queued))
            is_told[step] = is_told.get(step, False) or queued > _OF_STEP * length
    return [
        f"When step {step} began on {'its host' if len(its) == 1 else 'their hosts'}, the device of "
        f"{named(of, [place for place, _ in its])} had up to {format_ns(max(queued for _, queued in its))} left of what was "
        f"launched before: it is in no step, and on no critical path."
        for step, its in sorted(lasted.items())
        if is_told[step]
    ]


def counted_otherwise(of: Analysed) -> list[str]:
    """Ranks whose files number the steps otherwise than those of others do."""
    by: dict[int, list[int]] = {}
    for place, more in sorted(of.job.counted_more.items()):
        by.setdefault(more, []).append(place)
    said = []
    for more, places in sorted(by.items()):
        rank = of.job.of.ranks[places[0]]
        step = int(rank.steps["number"][0])
        said.append(
            f"What is step {step + more} in the file of {named(of, places)} is step {step} of the others, and is so compared."
        )
    return said


def on_shifts(of: Analysed) -> list[str]:
    """Ranks whose files number the collectives otherwise, one sentence for all that do so by as many."""
    by: dict[int, tuple[set[int], set[int]]] = {}
    for one in of.job.shifts:
        ranks, groups = by.setdefault(one.more, (set(), set()))
        ranks.add(one.rank)
        groups.add(one.group)
    said = []
    for more, (ranks, groups) in sorted(by.items()):
        which = f"{len(groups)} groups" if len(groups) > 1 else f"group {of.job.table.groups[next(iter(groups))].name}"
        how = f"{abs(more):,} {'more' if more > 0 else 'less'}"
        said.append(
            f"The numbers (Seq) of the collectives of {named(of, sorted(ranks))} in {which} are {how} than those of others: "
            "matched by their place in a step, as they end together so."
        )
    return said


def short_of(of: Analysed) -> list[int]:
    """Places of ranks of which not all steps are told, but of those without any."""
    short = {*cut_off(of), *with_holes(of), *of.job.begun_late, *np.flatnonzero(_gone(of).any(axis=1)).tolist()}
    return sorted(short.difference(of.job.of.lack_device))


def _gone(of: Analysed) -> BoolArray:
    """[rank, step]: not in its file, which is neither cut off nor has holes, and has other steps."""
    ranks = of.job.of.ranks
    gone = np.isnan(of.own.step)
    gone[[*cut_off(of), *with_holes(of), *(at for at, rank in enumerate(ranks) if len(rank.steps["number"]) == 0)]] = False
    for place in np.flatnonzero(gone.any(axis=1)).tolist():
        gone[place] &= ~np.isin(of.own.number, ranks[place].steps["number"])
    return gone


def _why(rank: Rank, step: int) -> str:
    if step < rank.steps["number"][0]:
        return ", which began to record later"
    return ", which stopped to record earlier" if step > rank.steps["number"][-1] else ""


def _in_files(of: Analysed, steps: Sequence[int], places: Sequence[int], no: str = "") -> str:
    is_are, files = "is" if len(steps) == 1 else "are", "file" if len(places) == 1 else "files"
    said = counted("step", list(steps))
    return f"{said[0].upper()}{said[1:]} {is_are} {no}in the {files} of {named(of, list(places))}"


def _compared(steps: Sequence[int]) -> str:
    return "it is compared on the ranks that have it" if len(steps) == 1 else "they are compared on the ranks that have them"


def _whole(of: Analysed) -> list[int]:
    """Numbers of the steps that every rank recorded whole."""
    found: list[int] = of.own.number[np.isfinite(of.own.step).all(axis=0)].tolist()
    return found


def named(of: Analysed, places: Sequence[int]) -> str:
    return counted("rank", [of.job.of.ranks[place].number for place in places])
