"""Kernels in float64 are told with what float32 brings at the device's peaks; those in float32 and few of them are not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import double_on_device
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Device
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text, with_inputs

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.findings.check import Seen
    from tb_plugin.trace.model import Trace

V100 = Device(index=0, name="Tesla V100-SXM2-32GB", compute_capability="7.0")  # 15.7 TFLOP/s in float32, 7.8 in float64
A100 = Device(index=0, name="NVIDIA A100-SXM4-80GB", compute_capability="8.0")  # 19.5 in both
DRAWN = """
thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | aten::add 6-9
stream 7 | {gemm} 10-50 <- aten::mm | {add} 50-{until} <- aten::add
"""
NAMES = {"gemm": "volta_dgemm_64x64_nt", "add": "void add_kernel<double, 4>(int)"}


def seen(element: str, device: Device, until: int = 90, **names: str) -> Seen | None:
    trace = trace_from_text(DRAWN.format(until=until, **(NAMES | names)))
    types = ("[[4, 4], [4, 4]]", f'["{element}", "{element}"]')
    return double_on_device.find(
        Facts(with_inputs(trace, dict.fromkeys(("aten::mm", "aten::add") if element else (), types), device))
    )


@pytest.mark.parametrize("element", ["double", ""])  # by the types, or by the names where no types were recorded
@pytest.mark.parametrize(("device", "gain_us"), [(V100, 40 * (1 - 7.8 / 15.7) + 20), (A100, 20), (Device(index=0), 20 + 20)])
def test_products_gain_by_the_peaks_and_all_else_half(element: str, device: Device, gain_us: float) -> None:
    told = seen(element, device)
    assert told is not None
    assert told.gain_ns == pytest.approx(gain_us * 1000, abs=1)
    assert [evidence.value for evidence in told.evidence] == [2, 80_000]


def test_where_the_types_say_float_or_hardly_any_is_double_nothing_is_told() -> None:
    assert seen("float", V100) is None
    assert seen("", V100, until=54, gemm="volta_sgemm_64x64_nt") is None


@over(real("v100_resnet50_workers0_a", "a100_rank0_queue"))
def test_a_real_recording_is_silent_until_its_operators_take_doubles(path: Path) -> None:
    trace = trace_of(path)
    assert double_on_device.find(Facts(trace)) is None
    facts = Facts(_in_double(trace))
    told = double_on_device.find(facts)
    assert told is not None
    events = facts.trace.events
    wanted = [
        row for row in facts.in_window(facts.busiest).tolist() if events.kind[row] == Kind.KERNEL and _is_double(facts.trace, row)
    ]
    assert told.rows.tolist() == wanted


def _in_double(trace: Trace) -> Trace:
    return dataclasses.replace(trace, strings=tuple(text.replace('"float"', '"double"') for text in trace.strings))


def _is_double(trace: Trace, row: int) -> bool:
    owner = int(trace.events.owner[row])
    if owner < 0 or trace.events.kind[owner] != Kind.OPERATOR or trace.events.types_id[owner] < 0:
        return "<double" in trace.text(int(trace.events.name_id[row]))
    types = trace.text(int(trace.events.types_id[owner])).strip("[]").replace('"', "").replace(" ", "").split(",")
    return next((each for each in types if each in {"double", "c10::Half", "c10::BFloat16"}), "") == "double"
