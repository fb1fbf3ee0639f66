"""What the filters change on the overview, and what they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import astuple

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.views.overview import VIEW
from tb_plugin.views.overview.result import Overview, OverviewParams
from tests.profiles import DEVICES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

THREE_STEPS = """
    thread 1 | ProfilerStep#1 0-100 | aten::a 10-20 | ProfilerStep#2 100-200 | aten::b 110-120 | aten::a 125-130
    thread 1 | ProfilerStep#3 200-330 | aten::b 210-220
    stream 7 | a 15-65 <- aten::a | b 115-145 <- aten::b | b 215-315 <- aten::b
    device 1 stream 8 | ncclDevKernel 130-170 <- aten::a
"""


def compute(**filters: str) -> Overview:
    return VIEW.main.answer(trace_from_text(THREE_STEPS), VIEW.main.params_from(filters))


def test_all_steps_stay_and_the_average_is_over_the_selected() -> None:
    every, some = compute(), compute(steps="2-3")
    assert [(step.number, step.selected) for step in some.steps] == [(1, False), (2, True), (3, True)]
    assert all(step.selected for step in every.steps)
    assert [step.breakdown_ns for step in some.steps] == [step.breakdown_ns for step in every.steps]
    assert some.average is not None
    assert (some.average.start_ns, some.average.duration_ns) == (100_000, 115_000)
    assert some.whole == every.whole
    assert some.step_time is not None
    assert (some.step_time.count, some.step_time.min_ns, some.step_time.max_ns) == (2, 100_000, 130_000)
    assert some.step_time.median_ns == 115_000


def test_short_lists_and_devices_count_the_selected_steps_only() -> None:
    some = compute(steps="2")
    assert [(row.name, row.time_ns) for row in some.top_operators] == [("aten::a", 40_000), ("aten::b", 30_000)]
    assert [(row.name, row.time_ns) for row in some.top_kernels] == [("ncclDevKernel", 40_000), ("b", 30_000)]
    assert {row.category: row.time_ns for row in some.categories}["communication"] == 40_000
    assert some.device_time_ns == sum(row.time_ns for row in some.categories) == 70_000
    first, second = some.devices
    assert (first.busy_ns, first.window_ns) == (30_000, 100_000)
    assert (second.busy_ns, second.window_ns, second.communication_exposed_ns) == (40_000, 100_000, 40_000)
    # 1 and 3: what lies between them is not theirs.
    assert [(row.busy_ns, row.window_ns) for row in compute(steps="1,3").devices] == [(150_000, 230_000), (0, 230_000)]


def test_steps_that_are_not_there_are_said_with_those_that_are() -> None:
    with pytest.raises(NotFoundError, match="steps=7: this profile has steps 1-3"):
        compute(steps="7")
    with pytest.raises(UsageError, match="steps"):
        compute(steps="two")


def test_other_filters_change_devices_and_short_lists_and_the_rest_says_that_it_does_not_follow() -> None:
    every, one = compute(), compute(devices="1")
    assert [row.index for row in one.devices] == [1]
    assert [row.name for row in one.top_kernels] == ["ncclDevKernel"]
    assert one.steps == every.steps
    assert one.average == every.average
    assert one.not_filtered == ["step times", "breakdown", "device time of steps", "memory", "MFU"]
    assert every.not_filtered == compute(steps="2").not_filtered == []
    assert "do not change: step times" in VIEW.main.text(one)


def test_a_device_keeps_its_window_when_only_some_of_its_work_counts() -> None:
    every, inside = compute(), compute(inside="aten::b")
    assert [(row.busy_ns, row.window_ns) for row in inside.devices] == [(130_000, every.devices[0].window_ns)]


@over(DEVICES + real("v100_resnet50_workers0_a", "a100_nccl", "mi300_resnet_ddp_checkpoint", "h100_owlv2"))
def test_steps_share_the_work(path: Path) -> None:
    trace = trace_of(path)
    every = VIEW.main.answer(trace, OverviewParams())
    work = np.flatnonzero(np.isin(trace.events.kind, DEVICE_KINDS))
    duration = (trace.events.end_ns - trace.events.start_ns)[work]
    for place, step in enumerate(every.steps):
        one = VIEW.main.answer(trace, OverviewParams(steps=str(step.number)))
        assert one.average is not None
        assert one.average.breakdown_ns == step.breakdown_ns
        assert one.average.device_use_ns == step.device_use_ns
        assert one.device_time_ns == int(duration[trace.events.step[work] == place].sum())
        (device,) = one.devices
        assert device.window_ns == step.duration_ns
        assert step.device_use_ns is not None
        assert device.busy_ns == step.device_use_ns.busy
        assert step.communication_ns is not None
        assert astuple(step.communication_ns) == (device.communication_exposed_ns, device.communication_overlapped_ns)
