"""The sentence, the advice and the overview never say otherwise: every figure of the sentence is looked up in the fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.findings import expected
from tb_plugin.formats.reader import read
from tb_plugin.question.question import NoParams
from tb_plugin.trace.times.start_up import last_of_start_up
from tb_plugin.trace.work.taxonomy import CATEGORIES
from tb_plugin.views.advice.compute import compute as advice
from tb_plugin.views.advice.result import Advice, AdviceParams
from tb_plugin.views.overview import VIEW as OVERVIEW
from tb_plugin.views.runs.summary import summary
from tests.profiles import SAMPLES, over, real
from tests.views.advice.asked import advice as drawn

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.findings.verdict import Verdict
    from tb_plugin.views.advice.result import Finding
    from tb_plugin.views.overview.result import Overview, Window

_SHARE = re.compile(r"([\d.]+) %")
_TIME = re.compile(r"([\d.]+) (ns|us|ms|s)\b")
_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
_NAMED = re.compile(r"([a-z][a-z ]+?) ([\d.]+) %")
_USES = {
    "busy": "busy",
    "between kernels": "launch_gap",
    "blocked": "blocked",
    "unknown": "unknown",
    "held up by calls that wait for it": "synchronisation",
    "waiting for a launch": "waiting_for_host",
}


@over(SAMPLES + real())
def test_every_figure_of_the_sentence_is_one_of_the_views(path: Path) -> None:
    trace = read(path)
    shown, told = OVERVIEW.main.answer(trace, OVERVIEW.main.params_from({})), advice(trace, AdviceParams(all=True))
    assert shown.verdict == told.verdict
    _agrees_with_the_list(told)
    assert summary(trace, NoParams()).finding == (told.findings[0].title if told.findings else None)
    if last_of_start_up(trace) == NONE:  # what comes after start-up is no window of the overview
        _agrees_with_the_overview(told, shown)


@over(real("h100_owlv2", "h100_qwen", "mi300_qwen") or SAMPLES)
def test_the_sentence_of_a_large_profile_has_the_estimates_of_its_list(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There the findings are in order before anything is replayed."""
    monkeypatch.setattr(expected, "_AT_ONCE", 0)
    told = advice(read(path), AdviceParams())
    _agrees_with_the_list(told)


def test_what_was_queued_before_the_first_recorded_work_is_no_waiting_of_the_verdict() -> None:
    """The device works 300 of the 400 us that are told of; the 600 us before count nowhere, as `first_work` says."""
    told = drawn("""
        thread 1 | first 0-1 | aten::mm 100-105 | aten::add 790-795
        stream 7 | gemm 700-780 <- aten::mm | add 800-1000 <- aten::add
    """)
    assert _left_out_ns(told) == 600_000
    assert told.window_ns == 400_000
    assert told.verdict.bound != "recording"
    assert "what is told of the recording (400 us)" in told.verdict.sentence
    assert "Left out are 600 us in which work was queued" in told.verdict.sentence


@pytest.mark.parametrize("launched_us", [500, 700])
def test_the_verdict_and_the_finding_leave_the_same_time_out_or_neither_does(launched_us: int) -> None:
    told = drawn(f"""
        thread 1 | first 0-1 | aten::mm {launched_us}-{launched_us + 5}
        stream 7 | gemm 800-1000 <- aten::mm
    """)
    left_out = 800 - launched_us >= 200
    assert _left_out_ns(told) == (300_000 if left_out else 0)
    assert ("Left out are 300 us" in told.verdict.sentence) == left_out
    assert told.window_ns == 1_000_000 - _left_out_ns(told)


def _left_out_ns(told: Advice) -> int:
    """What `first_work` says is no idle time."""
    return sum(int(each.evidence[0].value) for each in told.findings if each.id == "first_work")


def _agrees_with_the_list(told: Advice) -> None:
    """What is named is the head of the list in its order, with its figures and its place."""
    head = told.findings[: len(told.verdict.changes)]
    assert [change.finding for change in told.verdict.changes] == [finding.id for finding in head]
    assert bool(head) == bool(told.findings)
    for change, finding in zip(told.verdict.changes, head, strict=True):
        assert (finding.source or "") in change.sentence
        shares, times = _gains(change.sentence.removeprefix(f"{change.sentence.split(':')[0]}: "), finding)
        assert shares == ([] if finding.gain_share is None else [pytest.approx(100 * _share(finding), abs=0.06)])
        known = [
            ns if per_step is None else per_step
            for ns, per_step in ((finding.estimate_ns, finding.estimate_per_step_ns), (finding.gain_ns, finding.gain_per_step_ns))
            if ns is not None
        ]
        assert times == [pytest.approx(ns, rel=0.006, abs=1) for ns in known]


def _share(finding: Finding) -> float:
    """Of the time that is named first, as in the list of the overview."""
    assert finding.gain_share is not None
    assert finding.gain_ns is not None
    of_bound = 1.0 if finding.estimate_ns is None or not finding.gain_ns else finding.estimate_ns / finding.gain_ns
    return of_bound * finding.gain_share


def _gains(sentence: str, finding: Finding) -> tuple[list[float], list[float]]:
    """(shares, times in ns) behind the title."""
    behind = sentence[len(finding.title) :]
    return [float(each) for each in _SHARE.findall(behind)], [float(n) * _NS[unit] for n, unit in _TIME.findall(behind)]


def _agrees_with_the_overview(told: Advice, shown: Overview) -> None:
    """The overview counts what was queued before the first recorded work as unknown; the sentence leaves it out."""
    said, window, left_out_ns = told.verdict, shown.average or shown.whole, _left_out_ns(told)
    if left_out_ns:
        assert window.device_use_ns is not None
        rest = msgspec.structs.replace(window.device_use_ns, unknown=window.device_use_ns.unknown - left_out_ns)
        assert rest.unknown >= 0
        window = msgspec.structs.replace(window, device_use_ns=rest, duration_ns=window.duration_ns - left_out_ns)
        assert f"Left out are {format_ns(left_out_ns)} " in said.sentence
    times = [float(n) * _NS[unit] for n, unit in _TIME.findall(said.sentence)]
    assert times[:1] == [pytest.approx(window.duration_ns, rel=0.006)] or said.bound == "recording"
    use = window.device_use_ns
    if use is None:
        assert (said.bound, said.share) in (("host_only", None), ("recording", None))
        parts = {name.replace("_", " "): getattr(window.breakdown_ns, name) for name in window.breakdown_ns.__struct_fields__}
        titles = {str(each.id): each.title.lower() for each in CATEGORIES} | {"other": "operators of no known kind"}
        parts |= {titles[each]: ns for each, ns in window.operators_ns.items()} | {
            "nothing that was recorded": parts["idle"],
            "no operator": parts["idle"],
        }
    else:
        parts = {word: getattr(use, name) for word, name in _USES.items()}
        if said.share is not None:
            _is_its_bound(said, window, shown)
            assert f"{100 * said.share:.1f} %" in said.sentence
    for text, share in _NAMED.findall(said.sentence):
        name = next((each for each in parts if text.endswith(each)), None)
        if name is not None:
            assert float(share) == pytest.approx(100 * parts[name] / window.duration_ns, abs=0.06)
    if said.bound == "device":
        _is_busy_with(said, window, shown)


def _is_its_bound(said: Verdict, window: Window, shown: Overview) -> None:
    use, communication = window.device_use_ns, window.communication_ns
    assert use is not None
    assert communication is not None
    of = {
        "recording": use.blocked + use.unknown,
        "communication": communication.exposed,
        "device": use.busy,
        "host": use.waiting_for_host + use.synchronisation,
    }
    if said.bound in of:
        assert said.share == pytest.approx(of[said.bound] / window.duration_ns, abs=1e-4)


def _is_busy_with(said: Verdict, window: Window, shown: Overview) -> None:
    """Categories are parts of the busy time; of one device copies are those of the chart, where no kernel runs."""
    _, behind = said.sentence.split(", with ", 1)
    shares = {text.removeprefix("and ").strip(): float(share) for text, share in _NAMED.findall(behind.split(".  ")[0])}
    counted = (shown.average or shown.whole).duration_ns / window.duration_ns
    titles = {row.category_title.lower(): row.share * counted for row in shown.categories}
    titles["kernels of no known kind"] = titles.pop("other", 0.0)
    named = {text: share for text, share in shares.items() if text in titles}
    assert named == {text: pytest.approx(100 * titles[text], abs=0.06) for text in named} != {}
    assert said.share is not None
    assert sum(named.values()) <= 100 * said.share + 0.1
    if "copy" in named and len(shown.devices) == 1:
        assert named["copy"] == pytest.approx(100 * window.breakdown_ns.copy / window.duration_ns, abs=0.06)
