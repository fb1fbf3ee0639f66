"""What a rank's host started, and what each had to wait for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, LaunchOrder, order_of
from tb_plugin.trace.rank.sends import SAID as CERTAIN
from tests.job_files import launch_rows
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path

SAID = {"Collective name": "allreduce", "Group size": 2, "Process Group Ranks": "[0, 1]", "dtype": "Float"}
REDUCES = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


@pytest.mark.parametrize("early_us", [0.001, 0.0, -1.5])
def test_a_collective_behind_another_waits_for_it_also_where_clocks_are_rounded(tmp_path: Path, early_us: float) -> None:
    """On streams of their own; the second one begins as the first one ends, by the device's clock 1 ns before."""
    order = _order(
        tmp_path,
        *launch_rows(1, 20.0, 100.0, 300.0, "aten::mm", "sgemm", 7, {}),
        *launch_rows(2, 30.0, 300.0, 400.0, "record_param_comms", REDUCES, 20, {**SAID, "Process Group Name": "1"}),
        *launch_rows(3, 40.0, 400.0 - early_us, 500.0, "record_param_comms", REDUCES, 21, {**SAID, "Process Group Name": "2"}),
    )
    assert order.rows["kind"].tolist()[1:4] == [CHUNK, COLLECTIVE, COLLECTIVE]
    assert (3, 2) in _pairs(order)


@pytest.mark.parametrize("late_us", [2.0, 8.0, 17.0])
def test_what_copies_a_bucket_waits_for_its_all_reduce_though_a_device_takes_a_while_to_begin(
    tmp_path: Path, late_us: float
) -> None:
    """DistributedDataParallel: two buckets on one stream; the copy of the first runs while the second is reduced."""
    order = _order(
        tmp_path,
        *launch_rows(1, 20.0, 100.0, 300.0, "aten::mm", "sgemm", 7, {}),
        *launch_rows(2, 30.0, 300.0, 400.0, "record_param_comms", REDUCES, 20, {**SAID, "Process Group Name": "1"}),
        *launch_rows(3, 40.0, 402.0, 500.0, "record_param_comms", REDUCES, 20, {**SAID, "Process Group Name": "1"}),
        *launch_rows(4, 50.0, 400.0 + late_us, 425.0, "aten::copy_", "copy", 7, {}),
        *launch_rows(5, 60.0, 500.0 + late_us, 525.0, "aten::copy_", "copy", 7, {}),
    )
    assert order.rows["kind"].tolist()[1:6] == [CHUNK, COLLECTIVE, COLLECTIVE, CHUNK, CHUNK]
    assert {(4, 2), (5, 3)} <= set(_pairs(order))


def test_what_its_launch_or_its_stream_held_up_waits_for_nothing_that_ended_a_while_before(tmp_path: Path) -> None:
    """The third kernel was launched 9 us before it began, the fourth follows the third."""
    order = _order(
        tmp_path,
        *launch_rows(1, 20.0, 100.0, 300.0, "aten::mm", "sgemm", 7, {}),
        *launch_rows(2, 30.0, 300.0, 400.0, "record_param_comms", REDUCES, 20, {**SAID, "Process Group Name": "1"}),
        *launch_rows(3, 396.0, 408.0, 412.0, "aten::copy_", "copy", 7, {}),
        *launch_rows(4, 300.0, 416.0, 425.0, "aten::copy_", "copy", 7, {}),
    )
    assert not {row for row, collective in _pairs(order) if collective == 2} - {_following(order, 2)}


def test_a_kernel_waits_for_one_in_the_middle_of_what_another_stream_runs_without_a_gap(tmp_path: Path) -> None:
    """FSDP: what is copied in for the next all-gather waits for what was copied out of this one, not for what follows that."""
    order = _order(
        tmp_path,
        *launch_rows(1, 20.0, 300.0, 310.0, "aten::split", "copy_out", 7, {}),
        *launch_rows(2, 30.0, 310.0, 700.0, "aten::mm", "sgemm", 7, {}),
        *launch_rows(3, 40.0, 340.0, 350.0, "aten::cat", "copy_in", 29, {}),
    )
    kind, behind = order.rows["kind"].tolist(), order.rows["behind"].tolist()
    assert kind[1:4] == [CHUNK, CHUNK, CHUNK]
    assert order.rows["end"].tolist()[1:4] == [310_000, 700_000, 350_000]
    assert behind[3] == 1


def test_a_kernel_that_stood_still_until_a_send_was_over_waits_for_it_though_others_ran_beside(tmp_path: Path) -> None:
    """A pipeline that waits for the send of one micro-batch before it computes the next but one."""
    said = {**SAID, "Collective name": "send", "Dst Rank": 1, "Process Group Name": "1"}
    sends = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
    order = _order(
        tmp_path,
        *launch_rows(1, 20.0, 100.0, 300.0, "aten::mm", "sgemm", 7, {}),
        *launch_rows(2, 30.0, 304.0, 800.0, "record_param_comms", sends, 20, said),
        *launch_rows(3, 40.0, 302.0, 400.0, "aten::mm", "sgemm", 7, {}),
        *launch_rows(4, 50.0, 806.0, 890.0, "aten::mm", "sgemm", 7, {}),
    )
    found = zip(*(order.needs[name].tolist() for name in ("row", "collective", "is_sure")), strict=True)
    assert order.rows["kind"].tolist()[1:5] == [CHUNK, COLLECTIVE, CHUNK, CHUNK]
    assert [each for each in found if each[1] == 2] == [(4, 2, CERTAIN)]


def _order(tmp_path: Path, *events: dict[str, object]) -> LaunchOrder:
    step = {"ph": "X", "pid": 9, "tid": 9, "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0.0, "dur": 900.0}
    path = tmp_path / "w.pt.trace.json"
    path.write_text(json.dumps({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [step, *events]}))
    return order_of(trace_of(path))


def _pairs(order: LaunchOrder) -> list[tuple[int, int]]:
    """(row, collective that it waits for)."""
    return list(zip(order.needs["row"].tolist(), order.needs["collective"].tolist(), strict=True))


def _following(order: LaunchOrder, row: int) -> int:
    return next(at for at, kind in enumerate(order.rows["kind"].tolist()) if at > row and kind == CHUNK)
