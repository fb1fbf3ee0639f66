"""Forward that runs again inside backward is told; backward alone, and work of no length, is not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import recompute
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

DRAWN = """
    thread 1 | ProfilerStep#1 0-100 | aten::mul 0-9
    thread 2 | autograd::engine::evaluate_function: MulBackward0 20-60 | MulBackward0 21-59 | aten::add 22-30 | aten::sub 40-45
    stream 7 | forward 5-15 <- aten::mul | again 25-45 <- aten::add | backward 50-90 <- aten::sub
"""


BEHIND = """
    thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | ProfilerStep#2 100-200 | aten::mul 100-109
    thread 2 | autograd::engine::evaluate_function: MulBackward0 120-160 | MulBackward0 121-159 | aten::add 122-130
    stream 7 | first 5-300 <- aten::mm | forward 300-310 <- aten::mul | again 310-350 <- aten::add
"""


def run(sequence: dict[str, int], text: str = DRAWN, steps: str = "") -> Facts:
    """The drawing with these numbers of autograd; MulBackward0 belongs to aten::mul."""
    trace = trace_from_text(text)
    events = trace.events
    numbers, thread = events.sequence.astype("int64"), events.forward_thread.astype("int64")
    for name, number in {"MulBackward0": 1, "autograd::engine::evaluate_function: MulBackward0": 1, **sequence}.items():
        numbers[events.name_id == trace.strings.index(name)] = number
        if "Backward" in name:
            thread[events.name_id == trace.strings.index(name)] = 1
    return Facts(dataclasses.replace(trace, events=dataclasses.replace(events, sequence=numbers, forward_thread=thread)), steps)


def test_what_autograd_numbers_inside_backward_is_forward_again() -> None:
    seen = recompute.find(run({"aten::mul": 1, "aten::add": 2}))
    assert seen is not None
    assert (seen.gain_ns, seen.confidence) == (20_000, "likely")


def test_backward_alone_is_no_forward() -> None:
    assert recompute.find(run({"aten::mul": 1})) is None


def test_operators_count_in_the_step_in_which_the_device_runs_their_work() -> None:
    seen = recompute.find(run({"aten::mul": 1, "aten::add": 2}, BEHIND, steps="2"))  # host: 122, the step: from 300 on
    assert seen is not None
    assert (seen.gain_ns, len(seen.rows)) == (40_000, 1)


@over(real("mi300_resnet_ddp_checkpoint"))
def test_of_a_checkpointed_network(path: Path) -> None:
    seen = recompute.find(Facts(trace_of(path)))
    assert seen is not None
    assert seen.confidence == "sure"  # its frames say so
    assert seen.gain_ns == pytest.approx(4.21e6, rel=0.01)  # 1.40 ms a step, though the device is up to two steps behind
    figures = {each.text: each.value for each in seen.evidence}
    assert figures["of them products, convolutions and attention"] == 57  # 19 of each of three steps; 60 ran in forward


@over(real("v100_ns_resolution", "v100_resnet50_workers0_a", "a100_nccl", "a100_rank0_queue"))
def test_silent_where_forward_runs_once(path: Path) -> None:
    assert recompute.find(Facts(trace_of(path))) is None
