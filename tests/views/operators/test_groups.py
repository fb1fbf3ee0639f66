"""Groups other than names: parts add up to the same wholes, and what is inside one of its own group counts once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.times.operator_times import operator_times, operator_tree
from tb_plugin.trace.work.taxonomy import CATEGORIES, category_by_row
from tb_plugin.views.operators import VIEW
from tb_plugin.views.operators.result import GroupBy, OperatorRow, Operators, OperatorsParams
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

DRAWING = """
    thread 1 | ProfilerStep#1 0-100 | train.py(3): step 1-95 | nn.Module: Net_0 2-90 | net.py(7): forward 3-89
    thread 1 | nn.Module: Linear_0 5-40 | torch/nn/modules/linear.py(9): forward 6-39 | aten::linear 10-38 | aten::addmm 12-36
    thread 1 | aten::relu 50-70 | aten::clamp_min 52-68 | aten::add 75-80 | aten::mul 91-94
    stream 7 | gemm 40-60 <- aten::addmm | clamp 70-75 <- aten::clamp_min | add 80-82 <- aten::add | lost 90-93
"""


def rows_of(text: str, by: GroupBy, **filters: Any) -> dict[str, tuple[str, int, int | None, int | None, int, int]]:
    """Name to (kind, calls, host self, host total, device self, device total) in microseconds."""
    return {
        row.name: _figures(row) for row in VIEW.main.answer(trace_from_text(text), OperatorsParams(group_by=by, **filters)).rows
    }


def _figures(row: OperatorRow) -> tuple[str, int, int | None, int | None, int, int]:
    host_self = None if row.host_self_ns is None else row.host_self_ns // 1000
    host_total = None if row.host_total_ns is None else row.host_total_ns // 1000
    return row.kind, row.count, host_self, host_total, row.device_self_ns // 1000, row.device_total_ns // 1000


def test_by_module_an_operator_inside_another_of_the_module_is_part_of_it() -> None:
    assert rows_of(DRAWING, "module") == {
        "Net_0/Linear_0": ("module", 2, 28, 28, 20, 20),
        "Net_0": ("module", 3, 25, 25, 7, 7),
        "in no module": ("none", 2, 9, 100, 0, 27),
        "not attributed": ("not_attributed", 1, None, None, 3, 3),
    }


def test_by_call_site_torchs_own_frames_are_looked_through() -> None:
    assert rows_of(DRAWING, "call_site") == {
        "net.py(7): forward": ("call_site", 5, 53, 53, 27, 27),
        "train.py(3): step": ("call_site", 1, 3, 3, 0, 0),
        "no Python frame": ("none", 1, 6, 100, 0, 27),
        "not attributed": ("not_attributed", 1, None, None, 3, 3),
    }


def test_by_category_ranges_are_their_own() -> None:
    assert rows_of(DRAWING, "category") == {
        "Matrix multiply": ("category", 2, 28, 28, 20, 20),
        "Elementwise": ("category", 4, 28, 28, 7, 7),
        "Named ranges": ("category", 1, 6, 100, 0, 27),
        "not attributed": ("not_attributed", 1, None, None, 3, 3),
    }


def test_filters_leave_their_part_of_a_group() -> None:
    assert rows_of(DRAWING, "category", module="Net_0/Linear_0") == {"Matrix multiply": ("category", 2, 28, 28, 20, 20)}
    assert rows_of(DRAWING, "module", inside="relu") == {"Net_0": ("module", 2, 20, 20, 5, 5)}


@pytest.mark.parametrize(
    ("by", "option"), [("shapes", "record_shapes=True"), ("call_site", "with_stack=True"), ("module", "with_stack=True")]
)
def test_what_was_not_recorded_is_said_with_the_option(by: GroupBy, option: str) -> None:
    result = VIEW.main.answer(trace_from_text("thread 1 | aten::mm 0-10"), OperatorsParams(group_by=by))
    chosen = next(each for each in result.groupings if each.id == by)
    assert option in (chosen.missing or "")
    assert option in VIEW.main.text(result)
    assert [row.host_self_ns for row in result.rows] == [10_000]


def test_what_was_recorded_is_not_asked_for() -> None:
    for by in ("name", "call_site", "module", "category"):
        groupings = VIEW.main.answer(trace_from_text(DRAWING), OperatorsParams(group_by=by)).groupings
        assert [each.id for each in groupings if each.missing] == ["shapes"]


@over(SAMPLES + real("h100_qwen", "mi300_resnet_ddp_checkpoint", "a100_2ranks_rank0", "mi210_gpu_only"))
def test_every_grouping_adds_up_to_the_same(path: Path) -> None:
    trace = trace_of(path)
    results = [VIEW.main.answer(trace, OperatorsParams(group_by=by)) for by in get_args(GroupBy)]
    assert len({(r.totals.count, r.totals.host_self_ns, r.totals.device_self_ns, r.totals.flops) for r in results}) == 1
    for result in results:
        _check_sums(result)
    _check_categories(trace, results[-1])


def _check_sums(result: Operators) -> None:
    rows, totals = result.rows, result.totals
    lost = sum(row.count for row in rows if row.kind == "not_attributed")
    assert sum(row.count for row in rows) - lost == totals.count
    assert sum(row.host_self_ns or 0 for row in rows) == totals.host_self_ns
    assert sum(row.device_self_ns for row in rows) == totals.device_self_ns
    for row in rows:
        assert 0 <= row.device_self_ns <= row.device_total_ns
        assert row.host_self_ns is None or row.host_self_ns >= 0
        assert row.matrix_core_share is None or 0 <= row.matrix_core_share <= 1
        assert (row.flops_per_s is None) == (row.flops is None)


def _check_categories(trace: Trace, result: Operators) -> None:
    """Device and host totals by walking up from every call: one inside another of its category adds nothing."""
    times, above = operator_times(trace), operator_tree(trace).entry_above.tolist()
    category = category_by_row(trace)
    sums: dict[str, list[int]] = {}
    entries = zip(times.row.tolist(), times.host_total_ns.tolist(), times.device_total_ns.tolist(), strict=True)
    for row, host_ns, device_ns in entries:
        if category[row] == len(CATEGORIES) or trace.events.kind[row] != 1:
            continue
        around = above[row]
        while around != NONE and not (trace.events.kind[around] == 1 and category[around] == category[row]):
            around = above[around]
        found = sums.setdefault(CATEGORIES[category[row]].title, [0, 0])
        if around == NONE:
            found[0] += host_ns
            found[1] += device_ns
    shown = {row.name: [row.host_total_ns, row.device_total_ns] for row in result.rows if row.name in sums}
    # Ranges whose names tell a category ("nccl:all_reduce") are with the operators of it; the walk leaves ranges out.
    of_ranges = {CATEGORIES[c].title for c in np.unique(category[np.flatnonzero(trace.events.kind == 2)]).tolist()} - {"Other"}
    assert {k: v for k, v in shown.items() if k not in of_ranges} == {k: v for k, v in sums.items() if k not in of_ranges}
    assert len(shown) > len(of_ranges & set(shown)) or not sums
