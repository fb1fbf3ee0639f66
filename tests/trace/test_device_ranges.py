"""The host's ranges as they are drawn on a device's streams."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.trace import links
from tb_plugin.trace.kinds import Kind
from tests.profiles import over, real, trace_of

if TYPE_CHECKING:
    from pathlib import Path


def _event(cat: str, name: str, start: float, end: float, external_id: int) -> dict[str, object]:
    on_device = cat.startswith("gpu")
    place = {"pid": 0, "tid": 7} if on_device else {"pid": 1, "tid": 1}
    return {"ph": "X", "cat": cat, "name": name, "ts": start, "dur": end - start, **place, "args": {"External id": external_id}}


def test_a_range_on_a_device_is_in_the_step_of_the_hosts_range(tmp_path: Path) -> None:
    """The device is a step behind: both `forward` begin while the host is in the step after their own, or has left the last."""
    host, device = "user_annotation", "gpu_user_annotation"
    events = [
        *(_event(host, f"ProfilerStep#{n}", 100 * n, 100 * n + 100, n) for n in (1, 2)),
        *(_event(host, "forward", 100 * n + 10, 100 * n + 40, 10 + n) for n in (1, 2)),
        _event(host, "after", 310, 320, 19),
        *(_event(device, f"ProfilerStep#{n}", 100 * n + 110, 100 * n + 190, n) for n in (1, 2)),
        *(_event(device, "forward", 100 * n + 110, 100 * n + 140, 10 + n) for n in (1, 2)),
        _event(device, "after", 290, 295, 19),
        _event(device, "of nobody", 250, 260, 99),
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    trace = reader.read(path)
    rows = np.flatnonzero(trace.events.kind == Kind.DEVICE_ANNOTATION)
    number = [*trace.steps.number.tolist(), None]
    found = [(trace.strings[trace.events.name_id[row]], number[trace.events.step[row]]) for row in rows]
    assert sorted(found, key=str) == [
        ("ProfilerStep#1", 1),
        ("ProfilerStep#2", 2),
        ("after", None),
        ("forward", 1),
        ("forward", 2),
        ("of nobody", 2),
    ]


def test_an_id_that_comes_again_is_of_the_last_range_that_began_before() -> None:
    kind = np.array([Kind.ANNOTATION] * 4 + [Kind.DEVICE_ANNOTATION] * 4, np.uint8)
    name = np.array([1, 1, 2, 3, 1, 1, 1, 3], np.int32)
    external = np.array([5, 5, 5, 0, 5, 5, 5, 0], np.int64)
    start = np.array([10, 50, 20, 0, 9, 30, 60, 1], np.int64)
    rows, host = links.host_ranges(kind, name, external, start)
    assert dict(zip(rows.tolist(), host.tolist(), strict=True)) == {4: 0, 5: 0, 6: 1}


@over(real("mi300_resnet_ddp_checkpoint", "v100_ns_resolution", "a100_nccl"))
def test_ranges_and_the_work_below_them_are_in_one_step(path: Path) -> None:
    trace = trace_of(path)
    events = trace.events
    work = np.flatnonzero((events.kind == Kind.KERNEL) & (events.step != NONE))
    ranges = np.flatnonzero(events.kind == Kind.DEVICE_ANNOTATION)
    assert len(ranges)
    for row in ranges:
        is_below = (events.start_ns[work] >= events.start_ns[row]) & (events.end_ns[work] <= events.end_ns[row])
        below = events.step[work[is_below & (events.track[work] == events.track[row])]]
        assert set(below.tolist()) <= {int(events.step[row])}, trace.strings[events.name_id[row]]
