"""An area under filters has what they keep and nothing else: in its sums, its call tree and what its devices did."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.trace.scope.selection import Selection, selected
from tb_plugin.views.timeline.compute import area, calls
from tb_plugin.views.timeline.own import NO_WORK
from tb_plugin.views.timeline.result import AreaParams, CallsParams
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

# The device is behind: the gemm of step 3 runs while the host is in step 4.
BEHIND = trace_from_text(
    """
    thread 1 | ProfilerStep#3 0-50 | aten::mm 10-20 | ProfilerStep#4 50-100 | aten::mm 60-70 | aten::relu 75-80
    stream 7 | gemm 40-65 <- aten::mm | gemm 70-90 <- aten::mm | relu_kernel 90-95 <- aten::relu
    stream 9 | other 40-45
    """
)


def test_a_step_has_its_own_kernels_and_not_those_of_the_step_before() -> None:
    start, end = BEHIND.info.start_ns, BEHIND.info.end_ns
    found = area(BEHIND, AreaParams(t0_ns=start + 50_000, t1_ns=end, steps="4"))
    kernels = {row.name: (row.count, row.self_ns) for row in found.rows if row.on_device and row.self_ns}
    assert kernels == {"gemm": (1, 20_000), "relu_kernel": (1, 5_000)}
    (device,) = found.devices
    assert (device.busy_ns, device.gaps_ns, device.n_streams) == (25_000, None, 1)
    assert [each.idle_ns for each in found.tracks] == [None, None]
    whole = area(BEHIND, AreaParams(t0_ns=start + 50_000, t1_ns=end))
    assert [(each.busy_ns, each.gaps_ns) for each in whole.devices] == [(40_000, 10_000)]


def test_a_call_in_one_that_is_left_out_counts() -> None:
    nested = trace_from_text(
        """
        thread 1 | aten::to 0-100 | train 10-90 | aten::to 20-40 | aten::to 25-30
        """
    )
    found = area(nested, AreaParams(t0_ns=0, t1_ns=100_000, inside="train"))
    assert {row.name: row.time_ns for row in found.rows} == {"train": 80_000, "aten::to": 20_000}


def _naive(trace: Trace, t0: int, t1: int, kept: np.ndarray) -> tuple[dict[str, int], dict[tuple[bool, str], int]]:
    """(events by name, own time by side and name): of all events, what began last has the time; what is kept is summed."""
    events = trace.events
    counts: dict[str, int] = defaultdict(int)
    sums: dict[tuple[bool, str], int] = defaultdict(int)
    for track in np.unique(events.track).tolist():
        rows = [
            row
            for row in np.flatnonzero(events.track == track).tolist()
            if events.start_ns[row] < t1
            and (events.end_ns[row] > t0 or int(events.start_ns[row]) == int(events.end_ns[row]) == t0)
        ]
        for row in rows:
            counts[trace.text(int(events.name_id[row]))] += bool(kept[row])
        rows = [row for row in rows if events.kind[row] not in NO_WORK and events.end_ns[row] > t0]
        changes = sorted(
            {t0, t1, *(min(max(int(time[row]), t0), t1) for row in rows for time in (events.start_ns, events.end_ns))}
        )
        is_open: list[int] = []
        waiting = rows[::-1]
        for now, then in pairwise(changes):
            while waiting and events.start_ns[waiting[-1]] <= now:
                is_open.append(waiting.pop())
            is_open = [row for row in is_open if events.end_ns[row] > now]
            if is_open and kept[is_open[-1]]:
                is_device = int(events.kind[is_open[-1]]) in DEVICE_KINDS
                sums[is_device, trace.text(int(events.name_id[is_open[-1]]))] += then - now
    return {name: n for name, n in counts.items() if n}, {key: ns for key, ns in sums.items() if ns}


@pytest.mark.parametrize("only", [{"inside": "aten::.*mm|conv"}, {"steps": "FIRST"}, {"inside": "backward"}])
@over(SAMPLES + real("h100_bert_small", "mi300_resnet_ddp_checkpoint"))
def test_sums_are_those_of_a_walk_over_what_filters_keep(path: Path, only: dict[str, str]) -> None:
    trace = trace_of(path)
    if "steps" in only:
        if not len(trace.steps.number):
            pytest.skip("no steps")
        only = {"steps": str(int(trace.steps.number[0]))}
    kept = selected(trace, Selection(**only))
    middle = (trace.info.start_ns + trace.info.end_ns) // 2
    t0, t1 = middle - 3_000_000, middle + 3_000_000
    filters: dict[str, Any] = {"t0_ns": t0, "t1_ns": t1, **only}
    found = area(trace, AreaParams(top=20_000, **filters))
    counts: dict[str, int] = defaultdict(int)
    own: dict[tuple[bool, str], int] = defaultdict(int)
    for row in found.rows:
        counts[row.name or ""] += row.count
        own[row.on_device, row.name or ""] += row.self_ns or 0
    assert (dict(counts), {key: ns for key, ns in own.items() if ns}) == _naive(trace, t0, t1, kept)
    tree = calls(trace, CallsParams(side="device", **filters))
    assert tree.time_ns == found.device_self_ns
    assert calls(trace, CallsParams(**filters)).other_side_ns == found.device_self_ns
