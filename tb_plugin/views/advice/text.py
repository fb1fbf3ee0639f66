"""The advice for a terminal, and its findings for CSV."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings.verdict import verdict_text
from tb_plugin.findings.words import counted, gain_in_words
from tb_plugin.question.outline import TextTable

if TYPE_CHECKING:
    from tb_plugin.findings.check import Evidence
    from tb_plugin.views.advice.result import Advice, Finding, SameTime

_WIDTH = 110
_COLUMNS = (
    *("id", "title", "gain_ns", "gain_per_step_ns", "gain_share", "confidence", "n_rows", "source", "function"),
    *("estimate_ns", "estimate_per_step_ns", "what", "gain_how", "estimate_how", "unless", "link"),
)


def text(result: Advice) -> str:
    """Findings one after the other, then what was checked without result, then what could not be checked."""
    of = counted(result.n_steps, "step") if result.window == "steps" else "the recording"
    head = f"{counted(len(result.findings), 'finding')} in {format_ns(result.window_ns)} of {of}"
    if result.n_small:
        head += f", {result.n_small} more with --all"
    if len(result.findings) > 1:
        head += " (gains are upper bounds, may overlap and do not add up)"
    parts = [
        verdict_text(result.verdict),
        head,
        *(_finding(place, finding, result.n_steps) for place, finding in enumerate(result.findings, 1)),
    ]
    if result.nothing_found:
        parts.append("Checked, nothing found\n" + _wrapped("; ".join(result.nothing_found), 2))
    if result.not_checked:
        lines = [
            f"  {each.what}: {each.instead or each.how}\n" + _wrapped("; ".join(each.checks), 6) for each in result.not_checked
        ]
        parts.append("Not checked, because not in the file\n" + "\n".join(lines))
    return "\n\n".join(parts)


def table(result: Advice) -> TextTable:
    return TextTable(columns=_COLUMNS, rows=[[getattr(finding, column) for column in _COLUMNS] for finding in result.findings])


def shown(evidence: Evidence) -> str:
    """The value in its unit."""
    if evidence.unit == "ns":
        return format_ns(evidence.value)
    return percent(evidence.value) if evidence.unit == "share" else f"{evidence.value:,.0f}".replace(",", " ")


def _gain(finding: Finding, n_steps: int) -> str:
    """Per step, the total in brackets."""
    if finding.gain_ns is None or finding.gain_share is None:
        return "gain unknown"
    if finding.estimate_ns is not None:
        ns, of = (finding.estimate_ns, "") if finding.estimate_per_step_ns is None else (finding.estimate_per_step_ns, " a step")
        bound_ns = finding.gain_ns if finding.gain_per_step_ns is None else finding.gain_per_step_ns
        return gain_in_words(ns, bound_ns, bound_ns / finding.gain_share if finding.gain_share else 0, of)
    total = f"up to {format_ns(finding.gain_ns)}"
    if finding.gain_per_step_ns is not None and n_steps > 1:
        total = f"up to {format_ns(finding.gain_per_step_ns)} a step ({format_ns(finding.gain_ns)} in {n_steps})"
    return f"{total}, {percent(finding.gain_share)}"


def _finding(place: int, finding: Finding, n_steps: int) -> str:
    gain = _gain(finding, n_steps)
    lines = [f"{place}. {finding.title}", f"   [{gain}; {finding.confidence}]", _wrapped(finding.what, 3)]
    if finding.source is not None:
        lines.append(f"   in {finding.source} ({finding.function})")
    lines += [f"   - {each.text}: {shown(each)}" for each in finding.evidence]
    lines.append(_wrapped(f"Gain: {finding.gain_how}", 3))
    if finding.estimate_how is not None:
        lines.append(_wrapped(f"Estimate: {finding.estimate_how}", 3))
    lines += [_wrapped(f"Wants the same time{_more(finding, each)}: {each.title}. {each.what}", 3) for each in finding.also]
    if finding.code is not None:
        lines += ["   Try:", textwrap.indent(finding.code, "     ")]
    if finding.unless is not None:
        lines.append(_wrapped(f"Unless: {finding.unless}", 3))
    if finding.link is not None:
        lines.append(f"   More: {finding.link}")
    if finding.view is not None:
        lines.append(f"   Ask: tb-plugin {finding.view} LOGDIR")
    return "\n".join(lines)


def _more(finding: Finding, other: SameTime) -> str:
    """` and more, about 619 ms in all`: the surer one stands, also where more is expected of the other."""
    first = finding.gain_ns if finding.estimate_ns is None else finding.estimate_ns
    is_more = other.estimate_ns is not None and other.estimate_ns > (first or 0)
    return f" and more, about {format_ns(other.estimate_ns or 0)} in all" if is_more else ""


def _wrapped(words: str, indent: int) -> str:
    return textwrap.fill(words, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)
