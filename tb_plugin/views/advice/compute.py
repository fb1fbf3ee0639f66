"""What should I change? Every check of the registry is asked; what it saw becomes a finding, largest gain first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.empty import why_empty
from tb_plugin.views.advice.checks import ALL
from tb_plugin.views.advice.facts import Facts
from tb_plugin.views.advice.result import Advice, AdviceParams, EventLink, Finding, NotChecked
from tb_plugin.views.advice.source import usual_source

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.advice.check import Check, Need, Seen

_LOOKED_AT: Final = 50
"""So many events decide about the place in the source; more would say the same."""


def compute(trace: Trace, params: AdviceParams) -> Advice:
    facts = Facts(trace)
    seen: list[tuple[Check, Seen]] = []
    nothing_found: list[str] = []
    lacking: dict[Need, list[str]] = {}
    for check in ALL:
        absent = [need for need in check.needs if not need.is_there(facts)]
        for need in absent:
            if need.part_of in absent:
                continue
            lacking.setdefault(need, []).append(check.looks_for)
        if absent:
            continue
        found = check.find(facts)
        if found is None:
            nothing_found.append(check.looks_for)
        else:
            seen.append((check, found))
    repeated = {check_id for _, found in seen for check_id in found.says_also}
    findings = [_finding(facts, check.id, found, params.rows) for check, found in seen if check.id not in repeated]
    return Advice(
        findings=sorted(findings, key=lambda finding: -1 if finding.gain_ns is None else finding.gain_ns, reverse=True),
        nothing_found=nothing_found,
        not_checked=[NotChecked(what=need.what, how=need.how, checks=checks) for need, checks in lacking.items()],
        window_ns=facts.window_ns,
        window="steps" if len(trace.steps) else "recording",
        n_steps=len(trace.steps),
    )


def missing(trace: Trace) -> str | None:
    return why_empty(trace)


def _finding(facts: Facts, check_id: str, seen: Seen, n_rows: int) -> Finding:
    # A bound that reaches over the window's edge by rounding stays a share of it.
    gain_ns = None if seen.gain_ns is None else min(max(seen.gain_ns, 0), facts.window_ns)
    weight = facts.duration(seen.rows) if seen.weight is None else seen.weight
    heaviest = seen.rows[np.argsort(-weight, kind="stable")]
    source = usual_source(facts.trace, heaviest[:_LOOKED_AT].tolist())
    return Finding(
        id=check_id,
        title=seen.title,
        what=seen.what,
        evidence=seen.evidence,
        rows=[_link(facts, row) for row in heaviest[: max(n_rows, 0)].tolist()],
        n_rows=len(seen.rows),
        gain_ns=gain_ns,
        gain_how=seen.gain_how,
        gain_share=None if gain_ns is None else facts.share(gain_ns),
        confidence=seen.confidence,
        source=source.place if source else None,
        function=source.function if source else None,
    )


def _link(facts: Facts, row: int) -> EventLink:
    events = facts.trace.events
    start = int(events.start_ns[row])
    return EventLink(row=row, name=facts.name(row), start_ns=start, duration_ns=int(events.end_ns[row]) - start)
