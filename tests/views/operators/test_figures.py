"""FLOPs, bytes and matrix cores of rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Device
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use_by_row
from tb_plugin.views.operators import VIEW
from tb_plugin.views.operators.result import OperatorRow, OperatorsParams
from tests.profiles import GPUS, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def with_inputs(text: str, inputs: dict[str, tuple[str, str]], capability: str | None = None) -> Trace:
    """A drawing whose operators of these names have these "Input Dims" and "Input type", on such a device."""
    trace = trace_from_text(text)
    strings = list(trace.strings)
    shapes, types = trace.events.shapes_id.copy(), trace.events.types_id.copy()
    for name, (dims, kinds) in inputs.items():
        rows = trace.events.name_id == strings.index(name)
        shapes[rows], types[rows] = len(strings), len(strings) + 1
        strings += [dims, kinds]
    events = dataclasses.replace(trace.events, shapes_id=shapes, types_id=types)
    devices = (Device(index=0, name="NVIDIA of this capability", compute_capability=capability),)
    info = msgspec.structs.replace(trace.info, devices=devices)
    return dataclasses.replace(trace, strings=tuple(strings), events=events, info=info)


def row_of(trace: Trace, name: str, steps: str = "") -> OperatorRow:
    return next(row for row in VIEW.main.answer(trace, OperatorsParams(steps=steps)).rows if row.name == name)


HALF = '["c10::Half", "c10::Half"]'
DRAWING = """
    thread 1 | ProfilerStep#1 0-20 | aten::matmul 0-20 | aten::mm 2-12
    thread 1 | ProfilerStep#2 30-50 | aten::matmul 30-50 | aten::mm 32-42
    stream 7 | volta_fp16_s884gemm_fp16_128x64 20-24 <- aten::mm | elementwise_kernel 60-61 <- aten::mm
"""


def test_rates_are_over_device_total() -> None:
    row = row_of(with_inputs(DRAWING, {"aten::mm": ("[[4, 8], [8, 2]]", HALF)}, "7.0"), "aten::mm")
    assert (row.flops, row.input_bytes, row.rates_over) == (2 * 2 * 4 * 8 * 2, 2 * 2 * (32 + 16), "device")
    assert row.flops_per_s == pytest.approx(256 / 5_000 * 1e9)
    assert row.input_bytes_per_s == pytest.approx(192 / 5_000 * 1e9)


def test_a_filter_counts_the_work_that_is_left() -> None:
    trace = with_inputs(DRAWING, {"aten::mm": ("[[4, 8], [8, 2]]", HALF)}, "7.0")
    row = row_of(trace, "aten::mm", steps="1")
    assert (row.count, row.flops, row.input_bytes, row.device_self_ns) == (1, 128, 96, 4_000)
    assert row.matrix_core_share == 1


def test_without_device_work_rates_are_over_host_total() -> None:
    trace = with_inputs("thread 1 | aten::mm 0-10", {"aten::mm": ("[[4, 8], [8, 2]]", HALF)})
    row = row_of(trace, "aten::mm")
    assert row.rates_over == "host"
    assert row.flops_per_s == pytest.approx(128 / 10_000 * 1e9)
    assert (row.matrix_core_share, row.matrix_core_eligible) == (None, None)


def test_bytes_of_some_calls_are_shown_and_give_no_rate() -> None:
    trace = with_inputs("thread 1 | aten::cat 0-10 | aten::cat 20-30", {"aten::cat": ("[[4, 8]]", '["float"]')})
    shapes = trace.events.shapes_id.copy()
    shapes[0] = -1
    row = row_of(dataclasses.replace(trace, events=dataclasses.replace(trace.events, shapes_id=shapes)), "aten::cat")
    assert (row.input_bytes, row.input_bytes_per_s, row.flops, row.flops_per_s) == (128, None, None, None)


@pytest.mark.parametrize(
    ("types", "capability", "expected"),
    [
        (HALF, "7.0", "yes"),
        (HALF, "6.1", "no"),
        ('["float", "float"]', "7.0", "no"),
        ('["float", "float"]', "8.0", "yes"),
        (HALF, None, "unknown"),
        ("[]", "8.0", "unknown"),
    ],
)
def test_eligible_is_a_product_in_a_type_that_the_device_takes(types: str, capability: str | None, expected: str) -> None:
    row = row_of(with_inputs(DRAWING, {"aten::mm": ("[[4, 8], [8, 2]]", types)}, capability), "aten::mm")
    assert row.matrix_core_eligible == expected


def test_the_share_of_matrix_cores_is_of_the_operators_own_kernels() -> None:
    trace = with_inputs(DRAWING, {"aten::mm": ("[[4, 8], [8, 2]]", HALF)}, "7.0")
    assert row_of(trace, "aten::mm").matrix_core_share == pytest.approx(4 / 5)
    assert row_of(trace, "aten::matmul").matrix_core_share is None


@over(GPUS + real("h100_qwen", "v100_resnet50_workers0_a"))
def test_matrix_core_times_add_up_to_those_of_the_kernels(path: Path) -> None:
    trace = trace_of(path)
    events = trace.events
    kernels = np.flatnonzero((events.kind == Kind.KERNEL) & (events.owner != -1))
    duration = (events.end_ns - events.start_ns)[kernels]
    use = matrix_core_use_by_row(trace)[kernels]
    by_operator: dict[int, list[int]] = {}
    for owner, ns, each in zip(events.owner[kernels].tolist(), duration.tolist(), use.tolist(), strict=True):
        sums = by_operator.setdefault(int(events.name_id[owner]), [0, 0])
        sums[0] += ns
        sums[1] += ns if each == Use.YES else 0
    shown = {row.name: row.matrix_core_share for row in VIEW.main.answer(trace, OperatorsParams()).rows if row.kind == "operator"}
    checked = 0
    for name_id, (all_ns, used_ns) in by_operator.items():
        share = shown.get(trace.text(name_id))
        if share is not None and trace.text(name_id).startswith("aten::"):
            assert share == pytest.approx(used_ns / all_ns, abs=1e-9)
            checked += 1
    assert checked > 3
