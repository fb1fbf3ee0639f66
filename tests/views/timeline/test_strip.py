"""The strip above the timeline: how busy devices and operators are, and where events are that take no time."""

from __future__ import annotations

from tb_plugin.question.question import NoParams
from tb_plugin.views.timeline import compute
from tests.trace_text import trace_from_text


def test_events_of_0_ns_are_points_and_no_time_at_work() -> None:
    trace = trace_from_text("""
        thread 1 | aten::mm 0-1024
        stream 7 | gemm 100-100 <- aten::mm | gemm 101-101 | gemm 900-900
    """)
    host, device = compute.tracks(trace, NoParams()).density
    assert (sum(device.busy), sum(device.points)) == (0, 3)
    assert {part: n for part, n in enumerate(device.points) if n} == {50: 2, 450: 1}
    assert (set(host.busy), host.points) == ({1.0}, [])


def test_what_has_time_and_no_points_has_none() -> None:
    trace = trace_from_text("stream 7 | gemm 0-10 | gemm 20-512")
    (device,) = compute.tracks(trace, NoParams()).density
    assert device.points == []
    assert sum(device.busy) > 500
