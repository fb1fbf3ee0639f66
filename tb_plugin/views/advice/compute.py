"""What should I change? Each finding with its gain, its events and the place in the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.findings import verdict
from tb_plugin.findings.expected import edits_of, expecting
from tb_plugin.findings.found import found
from tb_plugin.findings.source import heaviest, main_source
from tb_plugin.trace.event_ref import event_ref
from tb_plugin.trace.scope.empty import why_empty
from tb_plugin.trace.work.device_peaks import with_peak
from tb_plugin.views.advice.result import Advice, AdviceParams, Finding, NotChecked, SameTime

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts
    from tb_plugin.findings.from_job import FromJob
    from tb_plugin.findings.same_time import Found
    from tb_plugin.trace.model import Trace

_SHOWN: Final = 8
"""More are not read, and the first of them are what to do."""


def compute(trace: Trace, params: AdviceParams, told: FromJob | None = None) -> Advice:
    """`told`: what its job tells, where it is asked."""
    trace = with_peak(trace, params.peak)
    all_found = found(trace, params.steps, told)
    facts = all_found.facts
    shown = all_found.seen if params.all else all_found.large[:_SHOWN]
    expected = expecting(facts, shown)
    return Advice(
        verdict=verdict.with_gains(all_found.verdict, facts, expected),
        findings=[_finding(facts, each, params.rows) for each in expected],
        n_small=len(all_found.seen) - len(shown),
        nothing_found=all_found.nothing_found,
        not_checked=[
            NotChecked(what=need.what, how=need.how, instead=need.instead(trace), checks=checks)
            for need, checks in all_found.lacking.items()
        ],
        window_ns=facts.window_ns,
        window="steps" if len(trace.steps) else "recording",
        n_steps=len(facts.counted.places),
    )


def missing(trace: Trace) -> str | None:
    return why_empty(trace)


def _finding(facts: Facts, found: Found, n_rows: int) -> Finding:
    seen, check = found.seen, found.check
    rows = heaviest(facts, seen).tolist()
    source = main_source(facts, seen)
    return Finding(
        id=check.id,
        title=seen.title,
        what=seen.what,
        evidence=seen.evidence,
        rows=[event_ref(facts.trace, row) for row in rows[: max(n_rows, 0)]],
        n_rows=len(seen.rows),
        gain_ns=found.gain_ns,
        gain_per_step_ns=_per_step(facts, found.gain_ns),
        gain_how=seen.gain_how,
        gain_share=None if found.gain_ns is None else facts.share(found.gain_ns),
        estimate_ns=seen.estimate_ns,
        estimate_per_step_ns=_per_step(facts, seen.estimate_ns),
        estimate_how=None if seen.estimate_ns is None else seen.estimate_how,
        confidence=seen.confidence,
        source=source.place if source else None,
        function=source.function if source else None,
        code=seen.code or check.code or None,
        unless=check.unless or None,
        link=check.link or None,
        view=check.view or None,
        without=edits_of(found),
        beside=list(seen.beside),
        also=[_same_time(facts, each) for each in found.also],
    )


def _same_time(facts: Facts, found: Found) -> SameTime:
    return SameTime(
        id=found.check.id,
        title=found.seen.title,
        what=found.seen.what,
        gain_ns=found.gain_ns,
        gain_per_step_ns=_per_step(facts, found.gain_ns),
        estimate_ns=found.seen.estimate_ns,
        estimate_per_step_ns=_per_step(facts, found.seen.estimate_ns),
        without=edits_of(found),
    )


def _per_step(facts: Facts, ns: int | None) -> int | None:
    n_steps = len(facts.counted.places)
    return None if ns is None or n_steps == 0 else round(ns / n_steps)
