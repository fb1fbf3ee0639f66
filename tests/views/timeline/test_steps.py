"""Steps as the timeline has them."""

from __future__ import annotations

from tb_plugin.question.question import NoParams
from tb_plugin.trace.times.step_windows import step_windows
from tb_plugin.views.timeline import compute
from tests.trace_text import trace_from_text


def test_a_step_has_its_own_range_and_that_in_which_it_is_timed() -> None:
    """The device does each step after the host has left it."""
    trace = trace_from_text("""
        thread 1 | ProfilerStep#5 0-10 | aten::mm 1-2 | ProfilerStep#6 10-20 | aten::relu 11-12
        stream 7 | gemm 30-50 <- aten::mm | relu 50-70 <- aten::relu
    """)
    steps = compute.tracks(trace, NoParams()).steps
    assert [(step.start_ns, step.end_ns) for step in steps] == [(0, 10_000), (10_000, 20_000)]
    timed = step_windows(trace)
    assert [step.timed_start_ns for step in steps] == timed.start_ns.tolist()
    assert [step.timed_end_ns for step in steps] == timed.end_ns.tolist() == [50_000, 70_000]
