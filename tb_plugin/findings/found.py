"""Asks every check of the registry: what was seen, most worth first, what else was looked for, and what could not be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.base import progress
from tb_plugin.findings.checks import ALL
from tb_plugin.findings.checks.counters import CHECK as COUNTERS
from tb_plugin.findings.doubts import reads_counters
from tb_plugin.findings.expected import expecting, is_quick
from tb_plugin.findings.facts import Facts
from tb_plugin.findings.from_job import with_job
from tb_plugin.findings.large import large
from tb_plugin.findings.same_time import Found, grouped
from tb_plugin.findings.verdict import Verdict, verdict
from tb_plugin.trace.kept import once_per_trace

if TYPE_CHECKING:
    from tb_plugin.findings.check import Seen
    from tb_plugin.findings.from_job import FromJob
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.scope.recording import Recording


@dataclass(frozen=True, kw_only=True)
class Findings:
    """`lacking` has, for each thing that was not recorded, what could not be looked for."""

    facts: Facts
    verdict: Verdict
    seen: list[Found]  # in the one order that all who name findings keep (`same_time.Found.order`)
    nothing_found: list[str]
    lacking: dict[Recording, list[str]]

    @property
    def large(self) -> list[Found]:
        """Those that are worth naming first."""
        return large(self.facts, self.seen)


def found(trace: Trace, steps: str = "", told: FromJob | None = None) -> Findings:
    """`steps`: the filter for steps, as `3-5,8`. `told`: what its job tells, where it is asked.

    Raises UsageError and NotFoundError.
    """
    facts = Facts(trace, steps)
    asked = _ask(facts) if steps else _ask_of_all(trace)
    if told is not None:
        seen = with_job(facts, asked.seen, told)
        asked = asked._replace(verdict=verdict(facts, seen, told), seen=seen)
    return Findings(facts=facts, **asked._asdict())


class _Asked(NamedTuple):
    """`Findings` without the facts: these hold much, and are worked out again where somebody needs them."""

    verdict: Verdict
    seen: list[Found]
    nothing_found: list[str]
    lacking: dict[Recording, list[str]]


@once_per_trace
def _ask_of_all(trace: Trace) -> _Asked:
    """Overview, advice and runs ask alike."""
    return _ask(Facts(trace))


def _ask(facts: Facts) -> _Asked:
    trace = facts.trace
    seen: list[Found] = []
    nothing_found: list[str] = []
    lacking: dict[Recording, list[str]] = {}
    not_there = {need for check in ALL for need in check.needs if not need.is_there(trace)}
    for check in ALL:
        absent = [need for need in check.needs if need in not_there]
        for need in absent:
            if need.part_of in absent:
                continue
            lacking.setdefault(need, []).append(check.looks_for)
        if absent:
            continue
        progress.now(f"looking for {check.looks_for}")
        saw = check.find(facts)
        if saw is None:
            nothing_found.append(check.looks_for)
        else:
            seen.append(Found(check, saw, _gain(facts, saw)))
    if reads_counters(facts):  # which times say nothing
        seen = [each for each in seen if each.check is COUNTERS]
    repeated = {check_id for each in seen for check_id in each.seen.says_also}
    seen = [each for each in seen if each.check.id not in repeated]
    seen = grouped(facts, expecting(facts, seen) if is_quick(facts) else seen)
    return _Asked(verdict(facts, seen), seen, nothing_found, lacking)


def _gain(facts: Facts, seen: Seen) -> int | None:
    """The upper bound in ns. One that reaches over the window's edge by rounding stays a share of it."""
    return None if seen.gain_ns is None else min(max(seen.gain_ns, 0), facts.window_ns)
