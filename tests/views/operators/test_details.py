"""What is behind one row: every list adds up to the row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.views.operators import VIEW
from tb_plugin.views.operators.details import details
from tb_plugin.views.operators.details_result import OperatorDetails, OperatorDetailsParams
from tb_plugin.views.operators.result import GroupBy, OperatorRow, OperatorsParams
from tests.profiles import DEVICES, over, real, sample, trace_of
from tests.trace.numbered import numbered
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

DRAWING = """
    thread 1 | ProfilerStep#1 0-100 | train.py(3): step 1-95 | nn.Module: Net_0 2-90 | net.py(7): forward 3-89
    thread 1 | aten::linear 10-38 | aten::t 11-12 | aten::addmm 12-36 | net.py(9): hook 37-38
    thread 1 | aten::linear 50-70 | aten::addmm 52-68 | aten::addmm 91-94
    stream 7 | gemm 40-60 <- aten::addmm | bias 60-61 <- aten::linear | Memcpy HtoD 70-71 <- aten::linear | lost 90-93
"""


def of(trace: Trace, name: str, by: GroupBy = "name", kind: str = "operator", **filters: str) -> OperatorDetails:
    return details(trace, OperatorDetailsParams(group_by=by, name=name, kind=kind, **filters))  # type: ignore[arg-type]


def test_callers_have_the_times_of_their_calls() -> None:
    found = of(trace_from_text(DRAWING), "aten::addmm")
    assert [(row.name, row.count, row.host_ns, row.device_ns) for row in found.callers] == [
        ("aten::linear", 2, 40_000, 20_000),
        ("ProfilerStep*", 1, 3_000, 0),
    ]
    (top,) = of(trace_from_text("thread 1 | aten::mm 0-5"), "aten::mm").callers
    assert (top.kind, top.name, top.host_ns) == ("top", "", 5_000)


def test_callees_are_operators_launch_calls_and_python() -> None:
    found = of(trace_from_text(DRAWING), "aten::linear")
    assert {(row.name, row.kind): (row.count, row.host_ns, row.device_ns) for row in found.callees} == {
        ("aten::addmm", "operator"): (2, 40_000, 20_000),
        ("aten::t", "operator"): (1, 1_000, 0),
        ("", "python"): (1, 1_000, None),
        ("cudaLaunchKernel", "launch"): (2, 0, None),
    }


def test_kernels_are_told_apart_by_who_launched_them() -> None:
    found = of(trace_from_text(DRAWING), "aten::linear")
    assert [(row.name, row.kind, row.count, row.self_ns, row.total_ns) for row in found.kernels] == [
        ("gemm", "kernel", 1, 0, 20_000),
        ("bias", "kernel", 1, 1_000, 1_000),
        ("Memcpy HtoD", "copy", 1, 1_000, 1_000),
    ]


def test_stacks_are_without_calls_of_modules_which_are_listed_apart() -> None:
    found = of(trace_from_text(DRAWING), "aten::addmm")
    assert [(stack.frames, stack.count, stack.host_ns) for stack in found.stacks] == [
        (["net.py(7): forward", "train.py(3): step"], 2, 40_000),
        (["train.py(3): step"], 1, 3_000),
    ]
    assert [(module.path, module.count, module.device_ns) for module in found.modules] == [("Net_0", 2, 20_000), (None, 1, 0)]
    assert (found.no_stacks, found.has_modules) == (None, True)


def test_of_a_profile_without_stacks_the_option_is_named() -> None:
    found = of(trace_from_text("thread 1 | aten::mm 0-30"), "aten::mm")
    assert found.no_stacks == "No Python stacks were recorded. Record with with_stack=True."


def test_the_longest_calls_come_first_by_device_time_where_there_is_some() -> None:
    trace = trace_from_text("""
        thread 1 | aten::mm 0-30 | aten::mm 40-50 | aten::t 60-61 | aten::t 70-75
        stream 7 | small 30-32 <- aten::mm | large 50-90 <- aten::mm | lost 95-99
    """)
    assert [(call.start_ns, call.duration_ns, call.device_ns) for call in of(trace, "aten::mm").longest] == [
        (40_000, 10_000, 40_000),
        (0, 30_000, 2_000),
    ]
    assert [call.duration_ns for call in of(trace, "aten::t").longest] == [5_000, 1_000]
    assert [call.device_ns for call in of(trace, "not attributed", kind="not_attributed").longest] == [None]


def test_spreads_are_of_calls_and_of_lost_events() -> None:
    trace = trace_from_text(DRAWING)
    found = of(trace, "aten::addmm")
    assert found.host is not None
    assert (found.host.count, found.host.min_ns, found.host.median_ns, found.host.max_ns) == (3, 3_000, 16_000, 24_000)
    lost = of(trace, "not attributed", kind="not_attributed")
    assert lost.device is not None
    assert (lost.count, lost.host, lost.device.total_ns, [row.name for row in lost.kernels]) == (1, None, 3_000, ["lost"])


def test_a_group_of_many_names_lists_them_with_self_times() -> None:
    found = of(trace_from_text(DRAWING), "Net_0", "module", "module")
    assert {row.name: (row.count, row.host_ns, row.device_ns) for row in found.operators} == {
        "aten::addmm": (2, 40_000, 20_000),
        "aten::linear": (2, 6_000, 2_000),
        "aten::t": (1, 1_000, 0),
    }
    assert [(row.name, row.host_ns) for row in found.callers] == [("ProfilerStep*", 48_000)]


def test_a_row_that_the_filters_leave_nothing_of_has_no_calls() -> None:
    found = of(trace_from_text(DRAWING), "aten::t", inside="hook")
    assert (found.count, found.host, found.callers, found.kernels, found.longest) == (0, None, [], [], [])


def test_a_row_that_is_not_there_is_said() -> None:
    with pytest.raises(NotFoundError, match="there is no row 'never called' of kind operator, grouped by name"):
        of(trace_from_text(DRAWING), "never called")


BACKWARD = """
    thread 1 | aten::linear#7 0-20 | aten::addmm#7 5-15 | aten::relu#8 21-25
    thread 2 | evaluate#7 30-50 | AddmmBackward0#7 32-48 | aten::mm#-1 34-40 | aten::mm#-1 41-45
    stream 7 | gemm 20-24 <- aten::addmm#7 | dgrad 50-53 <- aten::mm#-1
"""


@pytest.mark.parametrize(
    ("name", "forward", "backward", "counts", "times"),
    [
        ("aten::addmm#7", "aten::addmm#7", "evaluate#7", (1, 1), (10_000, 4_000, 20_000, 3_000)),
        ("aten::linear#7", "aten::linear#7", "evaluate#7", (1, 1), (20_000, 4_000, 20_000, 3_000)),
        ("AddmmBackward0#7", "aten::addmm#7", "AddmmBackward0#7", (1, 1), (10_000, 4_000, 16_000, 3_000)),
        ("aten::mm#-1", "aten::addmm#7", "aten::mm#-1", (1, 2), (10_000, 4_000, 10_000, 3_000)),
    ],
)
def test_forward_and_backward_stand_side_by_side(
    name: str, forward: str, backward: str, counts: tuple[int, int], times: tuple[int, int, int, int]
) -> None:
    trace = numbered(BACKWARD, {"evaluate": 1, "AddmmBackward0": 1})
    (pair,) = of(trace, name).pairs
    assert (pair.forward, pair.backward, (pair.forward_count, pair.backward_count)) == (forward, backward, counts)
    assert (pair.forward_host_ns, pair.forward_device_ns, pair.backward_host_ns, pair.backward_device_ns) == times
    assert of(trace, "aten::relu#8").pairs == []


def test_a_row_that_holds_both_sides_has_each_pair_once() -> None:
    trace = numbered(BACKWARD, {"evaluate": 1, "AddmmBackward0": 1})
    (pair,) = of(trace, "no Python frame", "call_site", "none").pairs
    assert (pair.forward, pair.backward) == ("aten::linear#7", "evaluate#7")


# Without the samples of DDP: its ranges and Python frames cut across each other, and both count.
@over((*DEVICES, sample("cnn"), sample("transformer"), *real("h100_qwen", "mi300_resnet_ddp_checkpoint", "a100_2ranks_rank0")))
@pytest.mark.parametrize("filters", [{}, {"inside": "aten::"}], ids=["all", "inside"])
def test_every_list_adds_up_to_its_row(path: Path, filters: dict[str, Any]) -> None:
    trace = trace_of(path)
    for by in get_args(GroupBy):
        for row in VIEW.main.answer(trace, OperatorsParams(group_by=by, **filters)).rows[:8]:
            params = OperatorDetailsParams(group_by=by, name=row.name, kind=row.kind, input_shapes=row.input_shapes, **filters)
            _check(details(trace, params), row, is_name=by in ("name", "shapes"))


def _check(found: OperatorDetails, row: OperatorRow, *, is_name: bool) -> None:
    assert found.count == row.count
    assert sum(kernel.self_ns for kernel in found.kernels) == row.device_self_ns
    if row.host_self_ns is None or row.host_total_ns is None:
        return
    for rows in (found.callers, found.stacks, found.modules):
        assert sum(each.host_ns for each in rows) == row.host_total_ns
        assert sum(each.device_ns or 0 for each in rows) == row.device_total_ns
    assert (found.host.total_ns if found.host else 0) == row.host_total_ns
    assert (found.device.total_ns if found.device else 0) == row.device_total_ns
    if is_name:
        assert sum(each.host_ns for each in found.callees) + row.host_self_ns == row.host_total_ns
        assert sum(each.device_ns or 0 for each in found.callees) + row.device_self_ns == row.device_total_ns
    else:
        assert sum(each.host_ns for each in found.operators) == row.host_self_ns
        assert sum(each.device_ns or 0 for each in found.operators) == row.device_self_ns
        assert sum(each.count for each in found.operators) == row.count
