"""The advice for a terminal, and its findings for CSV."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.view import TextTable
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.result import Advice, Evidence, Finding

_WIDTH = 110
_COLUMNS = ("id", "title", "gain_ns", "gain_share", "confidence", "n_rows", "source", "function", "what", "gain_how")


def text(result: Advice) -> str:
    """Findings one after the other, then what was checked without result, then what could not be checked."""
    of = counted(result.n_steps, "step") if result.window == "steps" else "the recording"
    head = f"{counted(len(result.findings), 'finding')} in {format_ns(result.window_ns)} of {of}"
    if len(result.findings) > 1:
        head += " (gains are upper bounds, may overlap and do not add up)"
    parts = [head, *(_finding(place, finding) for place, finding in enumerate(result.findings, 1))]
    if result.nothing_found:
        parts.append("Checked, nothing found\n" + _wrapped("; ".join(result.nothing_found), 2))
    if result.not_checked:
        lines = [f"  {each.what}: {each.how}\n" + _wrapped("; ".join(each.checks), 6) for each in result.not_checked]
        parts.append("Not checked, because not recorded\n" + "\n".join(lines))
    return "\n\n".join(parts)


def table(result: Advice) -> TextTable:
    return TextTable(columns=_COLUMNS, rows=[[getattr(finding, column) for column in _COLUMNS] for finding in result.findings])


def shown(evidence: Evidence) -> str:
    """The value in its unit."""
    if evidence.unit == "ns":
        return format_ns(evidence.value)
    return percent(evidence.value) if evidence.unit == "share" else f"{evidence.value:,.0f}".replace(",", " ")


def _finding(place: int, finding: Finding) -> str:
    if finding.gain_ns is None or finding.gain_share is None:
        gain = "gain unknown"
    else:
        gain = f"up to {format_ns(finding.gain_ns)}, {percent(finding.gain_share)}"
    lines = [f"{place}. {finding.title}", f"   [{gain}; {finding.confidence}]", _wrapped(finding.what, 3)]
    if finding.source is not None:
        lines.append(f"   in {finding.source} ({finding.function})")
    lines += [f"   - {each.text}: {shown(each)}" for each in finding.evidence]
    lines.append(_wrapped(f"Gain: {finding.gain_how}", 3))
    return "\n".join(lines)


def _wrapped(words: str, indent: int) -> str:
    return textwrap.fill(words, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent)
