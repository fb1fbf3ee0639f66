"""The strip above the timeline: how busy devices and operators are, and where events are that take no time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.question.question import NoParams
from tb_plugin.views.timeline import compute
from tb_plugin.views.timeline.result import WindowParams
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


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


KEPT_DRAWING = """
    thread 1 | aten::mm 0-256 | aten::relu 256-512
    stream 7 | gemm_mm 0-256 <- aten::mm | relu_kernel 256-512 <- aten::relu
"""


@pytest.mark.parametrize("only", [{"inside": "aten::mm"}, {"q": "mm", "regex": True}, {"inside": "relu|aten::mm", "q": "mm"}])
def test_under_filters_and_a_search_the_whole_picture_has_the_strip_of_what_they_keep(only: dict[str, Any]) -> None:
    trace = trace_from_text(KEPT_DRAWING)
    host, device = _strip(trace, WindowParams(**only))
    assert (host["name"], device["name"]) == ("host operators", "device 0")
    halves = [(sum(row["busy"][:256]), sum(row["busy"][256:])) for row in (host, device)]
    assert halves == [(256, 0), (256, 0)]


def test_what_is_no_row_of_a_filter_is_an_empty_row_and_without_one_the_strip_is_that_of_all() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-512\n device 1 stream 7 | gemm 0-512 <- aten::mm\n device 0 stream 7 | a 0-9")
    assert [sum(row["busy"]) for row in _strip(trace, WindowParams(devices="1"))] == [512, 0, 512]
    assert "density" not in compute.window(trace, WindowParams()).header
    near = WindowParams(devices="1", t0_ns=trace.info.start_ns, t1_ns=trace.info.end_ns - 1)
    assert "density" not in compute.window(trace, near).header


def _strip(trace: Trace, params: WindowParams) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = compute.window(trace, params).header["density"]
    return found
