"""Every figure against loops over the events, and what must hold in any profile, on whole files."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.memory.callers import innermost
from tb_plugin.views.memory import VIEW
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams
from tb_plugin.views.memory.result import MemoryParams
from tests.profiles import SAMPLES, over, real, trace_of
from tests.views.memory import naive

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

WITH_TOTALS = SAMPLES + real("h100_bert_small", "h100_qwen", "h100_owlv2", "mi300_qwen")
DEVICE = {"cpu": (0, -1), "cuda:0": (1, 0), "hip:0": (6, 0), "xpu:0": (12, 0), "mtia:0": (19, 0)}


def read(traces: Path, name: str) -> Trace:
    return trace_of(traces / f"{name}.json.gz")


@over(WITH_TOTALS)
def test_figures_equal_those_of_loops_over_the_events(path: Path) -> None:
    trace = trace_of(path)
    listed = VIEW.main.answer(trace, MemoryParams()).devices
    assert sum(device.n_events for device in listed) == np.count_nonzero(trace.memory.bytes)
    for device in listed:
        events = naive.events_of(trace, DEVICE[device.id])
        result = VIEW.main.answer(trace, MemoryParams(device=device.id))
        assert result.allocations.count == sum(event.bytes > 0 for event in events)
        assert result.releases.bytes == -sum(min(event.bytes, 0) for event in events)
        assert device.peak_allocated_bytes == max(event.allocated for event in events)
        at = max(range(len(events)), key=lambda i: events[i].allocated)
        assert result.held.time_ns == events[at].time_ns
        blocks = naive.alive(events, at + 1)
        assert result.held.known is not None
        assert result.held.earlier is not None
        listed_blocks = allocations(trace, AllocationsParams(device=device.id, alive=True, limit=10**6)).rows
        found = Counter(block.row for block in listed_blocks if block.allocated_ns is not None)
        assert found == Counter(event.row for event in blocks.values())
        assert result.held.known.bytes == sum(event.bytes for event in blocks.values())
        lost = naive.earlier(events)
        assert result.held.earlier.count == sum(position > at for position in lost)
        assert result.held.known.bytes + result.held.earlier.bytes + (result.held.rest_bytes or 0) == events[at].allocated
        if device.peak_reserved_bytes is not None:
            assert result.held.fragmentation_bytes == events[at].reserved - events[at].allocated


@over(WITH_TOTALS + real("v100_resnet50_workers0_a"))
def test_operators_add_up_and_every_tenth_event_has_the_right_one(path: Path) -> None:
    trace = trace_of(path)
    for device in VIEW.main.answer(trace, MemoryParams()).devices:
        result = VIEW.main.answer(trace, MemoryParams(device=device.id))
        rows = result.groups
        assert sum(row.allocations for row in rows) == result.allocations.count
        assert sum(row.allocated_bytes for row in rows) == result.allocations.bytes
        assert sum(row.released_bytes for row in rows) == result.releases.bytes
        if result.held.known is not None:
            assert sum(row.alive_bytes or 0 for row in rows) == result.held.known.bytes
        assert min(result.curve.allocated_bytes) >= 0
    sample = trace.memory.row[::10].astype(np.int64)
    assert innermost(trace, sample).tolist() == [naive.innermost(trace, row) for row in sample.tolist()]


# Inference: torch's tree hangs what a backward thread does outside its operators below the step, the view below nothing.
@over(real("h100_qwen", "mi300_qwen"))
def test_operators_are_those_of_torchs_own_tree(path: Path) -> None:
    trace = trace_of(path)
    names = [
        trace.text(int(trace.events.name_id[row])) if row >= 0 else ""
        for row in innermost(trace, trace.memory.row.astype(np.int64))
    ]
    assert names == [_operator_above(trace, row) for row in trace.memory.row.tolist()]


def _operator_above(trace: Trace, row: int) -> str:
    above = int(trace.events.parent[row])
    while above >= 0 and trace.text(int(trace.events.category_id[above])) not in ("cpu_op", "user_annotation"):
        above = int(trace.events.parent[above])
    return trace.text(int(trace.events.name_id[above])) if above >= 0 else ""


def test_amd_memory_is_the_devices_and_not_the_cpus(traces: Path) -> None:
    result = VIEW.main.answer(read(traces, "mi300_qwen"), MemoryParams())
    assert (result.device, result.devices[1].n_events, result.devices[1].capacity_bytes) == ("hip:0", 2588, 205571227648)
    assert (result.devices[1].peak_allocated_bytes, result.devices[1].peak_reserved_bytes) == (2219047936, 2533359616)


def test_a_2021_file_has_a_curve_and_says_that_it_is_a_sum(traces: Path) -> None:
    result = VIEW.main.answer(read(traces, "v100_resnet50_workers0_a"), MemoryParams())
    assert (result.device, result.totals, len(result.notes)) == ("cuda:0", "summed", 2)
    assert max(result.curve.allocated_bytes) == result.held.allocated_bytes
    assert min(result.curve.allocated_bytes) == 0


def test_a_profile_without_memory_events_says_so(traces: Path) -> None:
    assert VIEW.main.missing(read(traces, "a100_nccl")) is not None
