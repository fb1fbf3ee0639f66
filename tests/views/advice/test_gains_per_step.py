"""Gains are of the steps that the filter chooses, and per step."""

from __future__ import annotations

import msgspec
import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.views.advice import VIEW
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import Advice, AdviceParams, Finding
from tests.trace_text import trace_from_text

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"

THREE_LOADS = f"""
    thread 1 | ProfilerStep#5 0-100 | {LOADER} 0-40 | ProfilerStep#6 100-200 | {LOADER} 100-150
    thread 1 | ProfilerStep#7 200-300 | aten::mm 290-300
"""


@pytest.mark.parametrize(("steps", "total", "per_step", "n_steps"), [("", 90, 30, 3), ("5-6", 90, 45, 2), ("6", 50, 50, 1)])
def test_gains_are_of_the_chosen_steps_and_per_step(steps: str, total: int, per_step: int, n_steps: int) -> None:
    result = compute(trace_from_text(THREE_LOADS), AdviceParams(steps=steps))
    finding = _loading(result)
    assert (finding.gain_ns, finding.gain_per_step_ns) == (1000 * total, 1000 * per_step)
    assert finding.gain_share == pytest.approx(per_step / 100)
    assert (result.window_ns, result.n_steps) == (100_000 * n_steps, n_steps)
    shown = f"up to {per_step}.0 us a step ({total}.0 us in {n_steps})" if n_steps > 1 else f"up to {total}.0 us, "
    bound_alone = msgspec.structs.replace(finding, estimate_ns=None)
    assert shown in VIEW.main.text(msgspec.structs.replace(result, findings=[bound_alone]))
    assert (finding.estimate_ns, finding.estimate_per_step_ns) == (1000 * total, 1000 * per_step)
    assert f"about {per_step}.0 us a step, {per_step}.0 %, at most {per_step}.0 us;" in VIEW.main.text(result)


def test_without_steps_gains_are_of_the_recording() -> None:
    finding = _loading(compute(trace_from_text(f"thread 1 | {LOADER} 0-40 | aten::mm 40-100"), AdviceParams()))
    assert (finding.gain_ns, finding.gain_per_step_ns) == (40_000, None)


def test_a_step_that_is_not_there_is_said() -> None:
    with pytest.raises(NotFoundError, match="steps 5-7"):
        compute(trace_from_text(THREE_LOADS), AdviceParams(steps="9"))


def _loading(result: Advice) -> Finding:
    (finding,) = (each for each in result.findings if each.id == "data_loader")
    return finding
