"""What a recording cannot be believed for is said."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.findings.doubts import doubts
from tb_plugin.findings.facts import Facts
from tb_plugin.findings.found import found
from tb_plugin.formats.reader import read
from tb_plugin.trace.kinds import Kind
from tests.profiles import over, real
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

DRAWN = """
    thread 1 | ProfilerStep#1 0-500 | ProfilerStep#2 500-1000 | aten::mm 0-5 | aten::add 500-505
    stream 7 | gemm 10-110 <- aten::mm | add 600-700 <- aten::add
"""


def said(trace: Trace) -> str:
    return " ".join(doubts(Facts(trace), "host"))


def test_a_recording_in_good_order_is_not_doubted() -> None:
    assert said(trace_from_text(DRAWN)) == ""


def test_work_that_begins_before_its_launch_tells_that_clocks_differ() -> None:
    trace = trace_from_text(DRAWN)
    is_kernel = trace.events.kind == Kind.KERNEL
    for early_ns, is_told in ((20_000, False), (50_000, True)):
        moved = {
            column: np.where(is_kernel, getattr(trace.events, column) - early_ns - 10_000, getattr(trace.events, column))
            for column in ("start_ns", "end_ns")
        }
        shifted = dataclasses.replace(trace, events=dataclasses.replace(trace.events, **moved))
        assert ("clocks differ" in said(shifted)) == is_told


def test_work_that_overlaps_on_one_stream_is_told() -> None:
    assert "20.0 % of the device's work overlaps" in said(trace_from_text(DRAWN + "stream 7 | copy 60-110 <- aten::mm"))
    assert said(trace_from_text(DRAWN + "stream 8 | copy 60-110 <- aten::mm")) == ""


@over(real("a100_cupti_counters"))
def test_where_counters_were_read_nothing_is_advised_for_its_time(path: Path) -> None:
    all_found = found(read(path))
    answer = all_found.verdict
    assert "Hardware counters were read" in answer.doubts[0]
    assert answer.bound == "recording"
    assert [change.finding for change in answer.changes] == ["counters"]
    assert [each.check.id for each in all_found.seen] == ["counters"]


def test_operators_that_note_their_stack_tell_of_anomaly_detection_and_others_do_not() -> None:
    noted = "thread 1 | ProfilerStep#1 0-100 | train.py(3): step 0-100 | aten::mm 10-60 | {} 20-50"
    for frame in ("torch/fx/traceback.py(497): format_stack", "traceback.py(193): format_stack"):
        assert "Anomaly detection was on" in said(trace_from_text(noted.format(frame)))
    for frames in ("mine.py(4): why 15-55 | traceback.py(193): format_stack", "traceback.py(313): line"):
        assert "Anomaly" not in said(trace_from_text(noted.format(frames)))
    assert "Anomaly" not in said(trace_from_text("thread 1 | train.py(3): step 0-100 | traceback.py(193): format_stack 2-9"))
