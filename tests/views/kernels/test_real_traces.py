"""The kernels view on whole files: sums of a plain loop over the file's events, and figures of ../shared/traces/README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use
from tb_plugin.trace.work.taxonomy import CATEGORIES, Category, category_of_kernel, category_of_operator
from tb_plugin.views.kernels import VIEW
from tb_plugin.views.kernels.details import details
from tb_plugin.views.kernels.result import KernelDetailsParams, KernelsParams
from tests.profiles import DEVICES, over, real, trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

PROFILES = DEVICES + real(
    "h100_qwen", "mi300_resnet_ddp_checkpoint", "a100_nccl", "v100_resnet50_workers0_a", "mi300_vllm_decode_graph"
)


@over(PROFILES)
def test_rows_are_those_of_a_loop(path: Path) -> None:
    trace = trace_of(path)
    events = trace.events
    result = VIEW.main.answer(trace, KernelsParams())
    count: dict[str, int] = {}
    total: dict[str, int] = {}
    delays: dict[str, list[int]] = {}
    seen: set[int] = set()
    kind, launch, name_id = events.kind.tolist(), events.launch.tolist(), events.name_id.tolist()
    start, end = events.start_ns.tolist(), events.end_ns.tolist()
    work = [row for row in range(len(events)) if kind[row] in DEVICE_KINDS]
    for row in sorted(work, key=lambda row: (start[row], row)):
        is_first = launch[row] not in seen
        seen.add(launch[row])
        if kind[row] != Kind.KERNEL:
            continue
        text = trace.text(name_id[row])
        count[text] = count.get(text, 0) + 1
        total[text] = total.get(text, 0) + end[row] - start[row]
        if is_first and launch[row] != NONE:
            delays.setdefault(text, []).append(max(start[row] - start[launch[row]], 0))
    assert {row.name: row.count for row in result.rows} == count
    assert {row.name: row.total_ns for row in result.rows} == total
    medians = {row.name: row.launch_delay_median_ns for row in result.rows if row.launch_delay_median_ns is not None}
    assert medians == {text: float(np.median(found)) for text, found in delays.items()}
    yes = sum(ns for text, ns in total.items() if matrix_core_use(text) == Use.YES)
    assert (result.matrix_ns, result.total_ns) == (yes, sum(total.values()))
    by_category: dict[str, int] = {}
    for row in (row for row in work if kind[row] == Kind.KERNEL):
        told = CATEGORIES[_told(trace, row)].id
        by_category[told] = by_category.get(told, 0) + end[row] - start[row]
    assert {each.category: each.total_ns for each in result.categories} == by_category


def _told(trace: Trace, row: int) -> Category:
    """By the kernel's name, the first operator around its launch that has a category, or what the call says that launched it."""
    events = trace.events
    own = category_of_kernel(trace.text(events.name_id[row]))
    above = events.owner[row] if own in (Category.OTHER, Category.FUSED) else NONE
    launch = events.launch[row]
    if NONE not in (above, launch) and trace.text(events.name_id[launch]).startswith("runFunction - "):
        own = Category.FUSED  # MTIA runs a compiled program
    while above != NONE:
        found = category_of_operator(trace.text(events.name_id[above]))
        if events.kind[above] == Kind.OPERATOR and found != Category.OTHER:
            return found
        above = events.nest_parent[above]
    return own


@over(PROFILES)
def test_all_groupings_add_up_and_nothing_is_negative(path: Path) -> None:
    trace = trace_of(path)
    for group in ("launch", "operator", "module", "stream", "category"):
        adds_up(trace, group)


def adds_up(trace: Trace, group: str) -> None:
    result = VIEW.main.answer(trace, VIEW.main.params_from({"group_by": group, "kind": "all"}))
    on_device = np.isin(trace.events.kind, DEVICE_KINDS)
    duration = trace.events.end_ns - trace.events.start_ns
    assert sum(row.total_ns for row in result.rows) == duration[on_device].sum() == result.total_ns
    assert sum(row.count for row in result.rows) == on_device.sum()
    for row in result.rows:
        assert 0 <= row.matrix_ns + row.matrix_unknown_ns <= row.total_ns
        assert min(row.min_ns, row.launch_delay_median_ns or 0, row.queue_length or 0, row.peak_share or 0) >= 0
    found = details(trace, KernelDetailsParams(group_by=result.group_by, kind="all", row=result.rows[0].example))
    for parts in (found.names, found.operators, found.streams, found.launches, found.modules, found.call_sites):
        assert sum(part.total_ns for part in parts) in (found.total_ns, 0)
    assert found.total_ns == result.rows[0].total_ns


@over(DEVICES + real("v100_resnet50_workers0_a"))
def test_steps_add_up_to_what_has_a_step(path: Path) -> None:
    trace = trace_of(path)
    each = [VIEW.main.answer(trace, KernelsParams(steps=str(number))).total_ns for number in trace.steps.number.tolist()]
    in_step = (trace.events.kind == Kind.KERNEL) & (trace.events.step != NONE)
    assert sum(each) == (trace.events.end_ns - trace.events.start_ns)[in_step].sum()
    assert min(each) > 0


def test_tensor_cores_of_a_half_precision_model_are_seen(traces: Path) -> None:
    """owlv2 on H100: the old plugin said 8.2 % on one page and 46.8 % on another."""
    result = VIEW.main.answer(trace_of(traces / "h100_owlv2.json.gz"), KernelsParams())
    assert result.matrix_ns / result.total_ns == pytest.approx(0.468, abs=0.0005)
    assert result.matrix_unknown_ns == 0
