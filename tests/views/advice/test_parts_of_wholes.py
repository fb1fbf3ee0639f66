"""In the words of a finding no part is larger than its whole, a share says of what it is, and nothing has two figures."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.profiles import SAMPLES, job, over, real, trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.advice.result import Finding

_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
_TIME = r"([\d.]+) (ns|us|ms|s)\b"
_OF = re.compile(rf"\b[Oo]f (?:the )?{_TIME}")
_SHARE = re.compile(rf"{_TIME} \(([\d.]+) %( of the time)?\)")
_COUNTED = re.compile(r"\b(\d+ [a-z]{4,})\b")
_PART = re.compile(r"The longest|Most of it|For \S+ \S+ of it")
_JOBS = [path for name in ("syn8_ep4_dp8_input", "syn8_tp2_dp4_host_rccl", "rec_ddp_slow5") for path in job(name)[:1]]


@over([*SAMPLES, *real(), *_JOBS])
def test_parts_are_no_larger_than_their_wholes(path: Path) -> None:
    result = compute(trace_of(path), AdviceParams(all=True))
    for finding in result.findings:
        for what in (finding.what, *(each.what for each in finding.also)):
            _adds_up(what, result.window_ns)
        _evidence_adds_up(finding)


def _adds_up(what: str, window_ns: float) -> None:
    sentences = re.split(r"(?<=[.;:]) ", what)
    for before, sentence in zip(["", *sentences], sentences, strict=False):
        whole = [_ns(each) for each in _OF.finditer(sentence)]
        times = [_ns(each) for each in re.finditer(_TIME, sentence)]
        if whole:
            assert max(times) <= whole[0] * 1.006, sentence
        if _PART.match(sentence):
            assert times[0] <= 1.006 * max(_ns(each) for each in re.finditer(_TIME, before)), what
        for part in _SHARE.finditer(sentence):
            of = [window_ns, *whole]
            assert any(float(part[3]) == pytest.approx(100 * _ns(part) / each, rel=0.01, abs=0.06) for each in of), sentence
    assert max(Counter(_COUNTED.findall(what)).values(), default=1) == 1, what


def _ns(found: re.Match[str]) -> float:
    return float(found[1]) * _NS[found[2]]


def _evidence_adds_up(finding: Finding) -> None:
    whole: dict[str, float] = {}
    for each in finding.evidence:
        if each.text.startswith(("of it", "of them")):
            assert each.value <= whole[each.unit], finding.evidence
        else:
            whole[each.unit] = each.value
