"""Which steps count, what is said beside them, and that every view counts the same."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.question.question import NoParams
from tb_plugin.trace.check import check
from tb_plugin.trace.scope.choices import choices
from tb_plugin.trace.scope.counted_steps import counted_steps, step_notes
from tb_plugin.trace.times.start_up import last_of_start_up
from tb_plugin.views.advice import VIEW as ADVICE
from tb_plugin.views.overview import VIEW as OVERVIEW
from tb_plugin.views.runs.summary import summary
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

FOUR = "thread 1 | ProfilerStep#1 0-100 | ProfilerStep#2 100-210 | ProfilerStep#3 210-330 | ProfilerStep#4 330-340"


def test_complete_steps_count_of_those_that_are_chosen() -> None:
    trace = trace_from_text(FOUR)
    cut = dataclasses.replace(trace, steps=dataclasses.replace(trace.steps, complete=np.array([True, True, True, False])))
    assert counted_steps(cut).places.tolist() == [0, 1, 2]
    assert counted_steps(cut).median_ns == 110_000
    assert counted_steps(cut, "2,4").places.tolist() == [1]
    assert counted_steps(cut, "4").places.tolist() == [3]
    assert [column.tolist() for column in counted_steps(cut, "1,3").time] == [[0, 210_000], [100_000, 330_000]]
    with pytest.raises(NotFoundError, match="steps 1-4"):
        counted_steps(cut, "9")


def test_a_number_that_comes_again_on_its_thread_is_a_step_of_its_own_and_on_another_the_same() -> None:
    again = "thread 1 | ProfilerStep#7 0-100 | ProfilerStep#7 100-210 | ProfilerStep#8 210-300 | ProfilerStep#7 300-430"
    trace = trace_from_text(f"{again}\nthread 2 | ProfilerStep#7 0-100 | ProfilerStep#8 210-300")
    check(trace)
    assert trace.steps.number.tolist() == [7, 7, 8, 7]
    assert trace.steps.start_ns.tolist() == [0, 100_000, 210_000, 300_000]
    assert {issue.kind: issue.count for issue in trace.issues} == {"repeated step": 2, "repeated number": 2}
    assert counted_steps(trace, "7").places.tolist() == [0, 1, 3]
    assert [step.number for step in choices(trace).steps] == [7, 8]
    inside = trace_from_text("thread 1 | ProfilerStep#7 0-100 | ProfilerStep#7 10-90")
    assert len(inside.steps) == 1


def test_numbers_of_steps_that_are_too_long_are_said_to_be() -> None:
    trace = trace_from_text("thread 1 | ProfilerStep#1234567890123456789 0-100")
    assert choices(trace).no_steps == (
        "No steps were recorded: the numbers of its ProfilerStep# ranges have more than 18 digits."
    )
    assert "Record with prof.step()" in (choices(trace_from_text("thread 1 | aten::mm 0-100")).no_steps or "")


def test_without_steps_the_recording_counts() -> None:
    counted = counted_steps(trace_from_text("thread 1 | aten::mm 5-25"))
    assert [column.tolist() for column in counted.time] == [[0], [20_000]]
    assert (counted.median_ns, step_notes(counted)) == (None, [])


@pytest.mark.parametrize(
    ("drawn", "said"),
    [
        (FOUR, []),
        ("thread 1 | before 0-5000 | ProfilerStep#1 5000-5100", ["The steps cover only 2 % of the recording"]),
        (
            "thread 1 | ProfilerStep#1 0-100 | aten::mm 1-2\nstream 7 | lost 0-95 | gemm 95-99 <- aten::mm",
            [
                "Step 1 counts from when the device was done with earlier work: 5.00 us of a host range of 100 us.",
                "The steps cover only 5 % of the recording",
            ],
        ),
        (
            "thread 1 | ProfilerStep#1 0-10 | a 1-2 | ProfilerStep#2 10-20 | b 11-12\nstream 7 | a 2-42 <- a | b 42-82 <- b",
            ["The device runs more than a step behind the host: a step is the device's own period, 41.0 us."],
        ),
    ],
)
def test_what_a_step_time_does_not_show_is_said_beside_it(drawn: str, said: list[str]) -> None:
    result = OVERVIEW.main.answer(trace_from_text(drawn), OVERVIEW.main.params_from({}))
    assert len(result.step_notes) == len(said)
    for note, begin in zip(result.step_notes, said, strict=True):
        assert note.startswith(begin)
        assert note in OVERVIEW.main.text(result)


@over(SAMPLES + real())
def test_every_view_counts_the_same_steps(path: Path) -> None:
    trace = trace_of(path)
    overview = OVERVIEW.main.answer(trace, OVERVIEW.main.params_from({}))
    advice = ADVICE.main.answer(trace, ADVICE.main.params_from({}))
    run = summary(trace, NoParams())
    counted = [step.duration_ns for step in overview.steps if step.complete] or [step.duration_ns for step in overview.steps]
    if not counted and last_of_start_up(trace) != NONE:
        assert advice.window_ns < overview.whole.duration_ns  # what starting takes is no time to save in what is repeated
        return
    if not counted and "first_work" in [finding.id for finding in advice.findings]:
        assert overview.whole.device_use_ns is not None
        unknown_ns = overview.whole.device_use_ns.unknown
        assert advice.window_ns == overview.whole.duration_ns - unknown_ns  # what ran then is not in the file
        return
    assert advice.window_ns == (sum(counted) or overview.whole.duration_ns)
    assert advice.n_steps == len(counted)
    for finding in advice.findings:
        if finding.gain_share is not None and overview.average is not None:
            assert finding.gain_per_step_ns == pytest.approx(finding.gain_share * overview.average.duration_ns, abs=2)
    assert run.step_ns == (overview.step_time.median_ns if overview.step_time else None)
    if run.step_ns is not None:
        assert f"median of {len(counted)} step" in OVERVIEW.main.text(overview)
        assert f" {format_ns(run.step_ns)}, 5 %" in OVERVIEW.main.text(overview)
    window = overview.average or overview.whole
    assert window.duration_ns == pytest.approx(advice.window_ns / max(len(counted), 1), abs=1)
    busy = None if window.device_use_ns is None else window.device_use_ns.busy / window.duration_ns
    assert run.busy_share == (None if busy is None else pytest.approx(busy, abs=1e-6))
    assert [device.window_ns for device in overview.devices] == [advice.window_ns] * len(overview.devices)
    if len(overview.devices) == 1:
        assert overview.devices[0].utilization == pytest.approx(busy, abs=1e-6)
