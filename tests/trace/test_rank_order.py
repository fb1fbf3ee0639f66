"""What a rank's host started, and what each had to wait for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, order_of
from tests.job_files import launch_rows
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("early_us", [0.001, 0.0, -1.5])
def test_a_collective_behind_another_waits_for_it_also_where_clocks_are_rounded(tmp_path: Path, early_us: float) -> None:
    """On streams of their own; the second one begins as the first one ends, by the device's clock 1 ns before."""
    said = {"Collective name": "allreduce", "Group size": 2, "Process Group Ranks": "[0, 1]", "dtype": "Float"}
    kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    events = [
        {"ph": "X", "pid": 9, "tid": 9, "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0.0, "dur": 900.0},
        *launch_rows(1, 20.0, 100.0, 300.0, "aten::mm", "sgemm", 7, {}),
        *launch_rows(2, 30.0, 300.0, 400.0, "record_param_comms", kernel, 20, {**said, "Process Group Name": "1"}),
        *launch_rows(3, 40.0, 400.0 - early_us, 500.0, "record_param_comms", kernel, 21, {**said, "Process Group Name": "2"}),
    ]
    path = tmp_path / "w.pt.trace.json"
    path.write_text(json.dumps({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": events}))
    order = order_of(trace_of(path))
    kinds = order.rows["kind"].tolist()
    assert kinds[1:4] == [CHUNK, COLLECTIVE, COLLECTIVE]
    pairs = list(zip(order.needs["row"].tolist(), order.needs["collective"].tolist(), strict=True))
    assert (3, 2) in pairs
