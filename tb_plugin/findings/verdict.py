"""The answer in a sentence: what the step is bound by, what to change first, and what there is to doubt.

The largest of these that is from its least on, of the time that gains are shares of (means over devices, as the overview's
charts have them):

    recording      blocked and unknown, 20 %: what the device waited for is not in the file
    communication  exposed communication, 20 %
    host           waiting for the host and synchronisation, 30 %; where half of it is loading batches, `input`
    input          waiting while batches are loaded, 20 %
    device         else busy from 85 % on
    mixed          none of them
    host_only      no device activity was recorded
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import length, subtract
from tb_plugin.findings.busy_with import busy_with, longest_kernels
from tb_plugin.findings.doubts import doubts, reads_counters
from tb_plugin.findings.from_job import from_all_ranks
from tb_plugin.findings.host_only import what_it_did
from tb_plugin.findings.large import SMALL, large
from tb_plugin.findings.source import main_source
from tb_plugin.findings.words import gain_in_words
from tb_plugin.trace.scope.recording import is_cut_off, what_cut_off_means
from tb_plugin.trace.times.idle import USES, Use, device_work
from tb_plugin.trace.times.mean_device import mean_communication, mean_uses
from tb_plugin.trace.times.start_up import last_of_start_up

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.findings.facts import Facts
    from tb_plugin.findings.from_job import FromJob
    from tb_plugin.findings.same_time import Found

Bound = Literal["recording", "communication", "device", "input", "host", "mixed", "host_only"]

_LEAST: Final[dict[Bound, float]] = {"recording": 0.2, "communication": 0.2, "host": 0.3, "input": 0.2}
_BUSY: Final = 0.85
"""The device is the limit: no cause that is named above has then as much as it takes to be one."""

_WIDTH: Final = 110
_WHICH: Final = "One rank's profile cannot tell which."
_LOADER: Final = "data_loader"

_WORTH: Final = f" that could gain {100 * SMALL:.0f} % of it or more"

_WORTH_A_WORD: Final = 0.05
"""Of the time: a second finding from here on is named too."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What to change, `lead: title told.` with a small first letter of the title, and the finding that says more."""

    finding: str
    lead: str
    title: str
    told: str  # what it gains and where, in brackets, or nothing

    @property
    def sentence(self) -> str:
        return f"{self.lead}: {self.title[:1].lower()}{self.title[1:]}{self.told and ' '}{self.told}."


class ToldByJob(msgspec.Struct, frozen=True, kw_only=True):
    """What all ranks of its job tell of the profile."""

    rank: int | None
    sentence: str


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Read one after the other: `sentence`, `of_job`, `of_ranks`, `changes`, `doubts`."""

    bound: Bound
    share: float | None  # of the time, 0 to 1: what decided; None where nothing was recorded of the device
    sentence: str
    of_job: ToldByJob | None  # None where its job is not asked, or tells nothing
    of_ranks: str | None  # what one rank's profile cannot tell of the others; what its job tells stands in this place
    changes: list[Change]  # what to change first, and then: the head of the list of findings
    doubts: list[str]  # sentences


def verdict(facts: Facts, found: Sequence[Found], told: FromJob | None = None) -> Verdict:
    """`found`: all findings, in their order, with what its job tells."""
    shares = _shares(facts, found)
    bound: Bound = "recording" if is_cut_off(facts.trace) or reads_counters(facts) else _bound(shares)
    changes = _changes(facts, found, bound)
    is_empty = len(facts.trace.events) == 0
    nothing = "" if changes or is_empty else f" No check found anything to change{_WORTH if found else ''}."
    sentence = _what(facts, found, bound, shares) + _left_out(facts) + nothing
    is_untold = bound == "communication" and facts.may_wait_for_ranks
    return Verdict(
        bound=bound,
        share=shares.get(bound),
        sentence=sentence,
        of_job=ToldByJob(rank=told.rank, sentence=told.sentence) if told is not None and told.sentence is not None else None,
        of_ranks=(_WHICH if told is None or told.communication is None else told.communication) if is_untold else None,
        changes=changes,
        doubts=doubts(facts, bound),
    )


def with_gains(of: Verdict, facts: Facts, found: Sequence[Found]) -> Verdict:
    """The same of findings of which more is known now, as what a replay expects of them."""
    return msgspec.structs.replace(of, changes=_changes(facts, found, of.bound)) if found else of


def _bound(shares: dict[str, float]) -> Bound:
    if not shares:
        return "host_only"
    large: list[Bound] = [each for each, least in _LEAST.items() if shares[each] >= least]
    if not large:
        return "device" if shares["device"] >= _BUSY else "mixed"
    largest = max(large, key=lambda each: shares[each])
    return "input" if largest == "host" and "input" in large and shares["input"] >= shares["host"] / 2 else largest


def verdict_text(result: Verdict) -> str:
    """For a terminal."""
    of_job = from_all_ranks(result.of_job.sentence) if result.of_job is not None else None
    changes = [change.sentence for change in result.changes]
    sentence = " ".join(filter(None, (result.sentence, of_job, result.of_ranks, *changes)))
    return "\n".join(textwrap.fill(words, _WIDTH) for words in (sentence, *result.doubts))


def _shares(facts: Facts, found: Sequence[Found]) -> dict[str, float]:
    """Of the time, by Bound and by Use; empty without device activity."""
    work = device_work(facts.trace)
    t0_ns, t1_ns = facts.window
    uses = mean_uses(facts.trace, work, t0_ns, t1_ns)
    communication = mean_communication(facts.trace, work, facts.is_collective, t0_ns, t1_ns)
    if uses is None or communication is None or facts.window_ns == 0:
        return {}
    of: dict[str, float] = dict(zip(USES, (uses.sum(axis=0) / facts.window_ns).tolist(), strict=True))
    loading = next((each.gain_ns for group in found for each in (group, *group.also) if each.check.id == _LOADER), None)
    return of | {
        "recording": of["blocked"] + of["unknown"],
        "communication": float(communication[:, 0].sum()) / facts.window_ns,
        "device": of["busy"],
        "input": facts.share(loading or 0),
        "host": of["waiting_for_host"] + of["synchronisation"],
    }


def _what(facts: Facts, found: Sequence[Found], bound: Bound, shares: dict[str, float]) -> str:
    share, of = shares.get(bound, 0.0), _of(facts)
    part = f"{percent(share)} of {of}"
    match bound:
        case "recording" if is_cut_off(facts.trace):
            return what_cut_off_means(of)
        case "recording" if reads_counters(facts):
            return f"Look at the recording first: hardware counters were read, and no time of {of} is that of the program."
        case "recording":
            return (
                f"Look at the recording first: for {part} the device waited for something that the file does not tell "
                f"({_listed(shares, 'blocked', 'unknown')})."
            )
        case "communication" if facts.may_wait_for_ranks:
            return (
                f"Communication, or waiting for another rank, is the limit: for {part} the device is in collectives and computes "
                "nothing."
            )
        case "communication":
            return f"Communication is the limit: for {part} the device communicates and computes nothing."
        case "device":
            return f"The device is the limit: it is busy {part}, with {busy_with(facts)}.{_longest(facts, found)}"
        case "input":
            return f"Loading data is the limit: for {part} the device does nothing while batches are loaded."
        case "host":
            why = _listed(shares, "waiting_for_host", "synchronisation")
            return f"The host is the limit: for {part} the device waits for it ({why})."
        case "mixed":
            return f"Nothing alone is the limit: of {of} the device is {_listed(shares, *USES)}."
        case "host_only" if len(facts.trace.events) == 0:
            return "The recording holds no events."
        case "host_only":
            return f"Only the host was recorded: of {of} {what_it_did(facts)}."


def _of(facts: Facts) -> str:
    """With the mean: shares are of all steps together."""
    n_steps, tells_of = len(facts.counted.places), "what is told of " if len(facts.before_work.start) else ""
    mean = f"{format_ns(facts.window_ns / max(n_steps, 1))}{' on average' if n_steps > 1 else ''}"
    return tells_of + (
        f"the step ({mean})"
        if n_steps
        else f"the recording{' after start-up' if last_of_start_up(facts.trace) != NONE else ''} ({mean})"
    )


def _left_out(facts: Facts) -> str:
    """What figures count that this one leaves out."""
    before_ns = length(facts.before_work)
    if before_ns == 0:
        return _start_up(facts)
    return (
        f"{_start_up(facts)} Left out are {format_ns(before_ns)} in which work was queued before the first that is recorded: "
        "what the device did then is not in the file. Charts and tables count them as unknown."
    )


def _start_up(facts: Facts) -> str:
    """Which figures count what this one leaves out, and what the device did there if it is most of what it did."""
    if last_of_start_up(facts.trace) == NONE:
        return ""
    whole = f" Charts and tables are of the whole recording ({format_ns(length(facts.counted.time))}), with start-up"
    busy = facts.union_of(facts.busiest)
    before = subtract(busy, facts.window)
    if 2 * length(before) <= length(busy):
        return f"{whole}."
    ids = facts.trace.events.name_id[facts.busiest]
    ns = {each: length(subtract(facts.union_of(facts.busiest[ids == each]), facts.window)) for each in distinct(ids).tolist()}
    most = max(ns, key=lambda each: ns[each])
    return (
        f"{whole}: {format_ns(length(before))} of the {format_ns(length(busy))} in which the device works lie there, "
        f"{format_ns(ns[most])} of it in {facts.trace.text(most)}."
    )


_WORDS: Final[dict[Use, str]] = {
    "busy": "busy",
    "launch_gap": "between kernels",
    "blocked": "blocked",
    "unknown": "unknown",
    "synchronisation": "held up by calls that wait for it",
    "waiting_for_host": "waiting for a launch",
}


def _longest(facts: Facts, found: Sequence[Found]) -> str:
    """A device that is busy gets its sentence, also where nothing was found to change."""
    kernels = "" if large(facts, found) else longest_kernels(facts)
    return f" Most of it: {kernels}." if kernels else ""


def _listed(shares: dict[str, float], *uses: Use) -> str:
    """`waiting for a launch 40 %, held up by calls that wait for it 3 %`, the largest first."""
    largest = sorted((use for use in uses if shares[use] >= 0.005), key=lambda use: -shares[use])
    return ", ".join(f"{_WORDS[use]} {percent(shares[use])}" for use in largest)


def _changes(facts: Facts, found: Sequence[Found], bound: Bound) -> list[Change]:
    """The head of the list of large findings, in its order; of two the second only where it is worth a word."""
    named = [each for place, each in enumerate(large(facts, found)[:2]) if place == 0 or _is_worth_a_word(facts, each)]
    leads = ("Change" if bound == "recording" else "Change first", "Then")
    return [_named(lead, facts, each) for lead, each in zip(leads, named, strict=False)]


def _is_worth_a_word(facts: Facts, found: Found) -> bool:
    """What does not know its gain stands second only where nothing else is left to say."""
    return found.gain_ns is None or facts.share(max(found.gain_ns, found.worth_ns)) >= _WORTH_A_WORD


def _named(lead: str, facts: Facts, found: Found) -> Change:
    """With the gain of a step and the place."""
    source = main_source(facts, found.seen)
    known = ([] if found.gain_ns is None else [_gain(facts, found, found.gain_ns)]) + ([source.place] if source else [])
    return Change(finding=found.check.id, lead=lead, title=found.seen.title, told=f"({', '.join(known)})" if known else "")


def _gain(facts: Facts, found: Found, gain_ns: int) -> str:
    """Of one step."""
    n_steps, expected_ns = max(len(facts.counted.places), 1), found.seen.estimate_ns
    expected = None if expected_ns is None else expected_ns / n_steps
    return gain_in_words(expected, gain_ns / n_steps, facts.window_ns / n_steps)
