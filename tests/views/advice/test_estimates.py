"""What a finding is expected to gain: what What if says of the step without it, and nothing where a replay is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.advice import VIEW
from tb_plugin.views.whatif import VIEW as WHATIF
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.advice.result import Finding, SameTime

LOADING = """
    thread 1 | ProfilerStep#1 0-200 | enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0-100 | forward 110-130
    stream 7 | gemm 130-190 <- forward
"""


def loading(trace: Trace) -> Finding:
    findings = VIEW.main.answer(trace, VIEW.main.params_from({})).findings
    return next(each for each in findings if each.id == "data_loader")


def test_a_finding_is_worth_what_a_replay_without_it_gains() -> None:
    trace = trace_from_text(LOADING)
    found = loading(trace)
    assert (found.estimate_ns, found.gain_ns, found.without) == (100_000, 100_000, ["loader=0"])
    assert found.estimate_how == "a replay with loader=0."
    asked = WHATIF.main.answer(trace, WHATIF.main.params_from({"edit": "\n".join(found.without)}))
    assert asked.change_ns == -100_000


def test_without_a_replay_that_proves_something_there_is_no_estimate() -> None:
    found = loading(trace_from_text(LOADING + "    stream 7 | lost 150-155 | lost 195-290"))
    assert found.gain_ns is not None
    assert (found.estimate_ns, found.estimate_how, found.without) == (None, None, [])


@over(real("v100_resnet50_workers0_a", "a100_nccl", "mi300_qwen"))
def test_what_if_says_the_same_of_the_step_without_a_finding(path: Path) -> None:
    """Also where more is gained than the events take: their launches go with them."""
    trace = trace_of(path)
    found = VIEW.main.answer(trace, VIEW.main.params_from({})).findings
    told: list[Finding | SameTime] = [*found, *(each for finding in found for each in finding.also)]
    told = [each for each in told if each.without]
    assert any(each.gain_ns is not None and (each.estimate_ns or 0) > each.gain_ns for each in told)
    for each in told:
        asked = WHATIF.main.answer(trace, WHATIF.main.params_from({"edit": "\n".join(each.without), "effects": "0"}))
        assert asked.change_ns is not None
        assert each.estimate_ns is not None
        assert abs(each.estimate_ns / asked.n_steps + asked.change_ns) <= 1  # a mean is rounded
