"""Model FLOPs utilisation: what counts, against which peak, and when it is not known."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from tb_plugin.trace.model import Device, Issue
from tb_plugin.views.overview import VIEW
from tb_plugin.views.overview.result import Overview, OverviewParams
from tests.profiles import trace_of
from tests.trace.work.products import H100, MM_FLOPS, with_inputs
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

BF16 = "c10::BFloat16"
PEAK = 989.4e12
TWO_STEPS = """
    thread 1 | ProfilerStep#1 0-100 | aten::mm 1-15
    thread 1 | ProfilerStep#2 100-300 | aten::mm 101-115 | aten::mm 121-135
    stream 7 | nvjet_a 5-15 <- aten::mm | nvjet_a 105-115 <- aten::mm | nvjet_b 125-135 <- aten::mm
"""


def ask(text: str, *devices: Device, operator: str = "aten::mm", steps: str = "") -> Overview:
    shapes, types = "[[512,256],[256,128]]", f'["{BF16}","{BF16}"]'
    trace = with_inputs(trace_from_text(text), operator, shapes, types, *devices)
    return VIEW.main.answer(trace, OverviewParams(steps=steps))


def test_products_of_nothing_have_no_use() -> None:
    trace = with_inputs(trace_from_text(TWO_STEPS), "aten::mm", "[[0,256],[256,128]]", f'["{BF16}","{BF16}"]', H100)
    use = VIEW.main.answer(trace, OverviewParams()).model_flops
    assert (use.mfu, use.reason) == (None, "what multiplied matrices multiplied nothing: their sizes are 0")


def test_it_is_the_work_of_a_step_over_what_the_device_could_do_in_it() -> None:
    result = ask(TWO_STEPS, H100)
    first, second = result.steps
    assert first.mfu == pytest.approx(MM_FLOPS / (100e-6 * PEAK))
    assert second.mfu == pytest.approx(2 * MM_FLOPS / (200e-6 * PEAK))
    assert result.model_flops.mfu == pytest.approx(3 * MM_FLOPS / (300e-6 * PEAK))
    assert result.model_flops.hfu == result.model_flops.mfu
    assert result.model_flops.mix == {"bf16": 3 * MM_FLOPS}
    chosen = ask(TWO_STEPS, H100, steps="2")
    assert [step.mfu for step in chosen.steps] == [None, second.mfu]
    assert chosen.model_flops.mfu == second.mfu
    assert "MFU" in VIEW.main.text(result)


def test_more_than_the_peak_is_said() -> None:
    trace = with_inputs(trace_from_text(TWO_STEPS), "aten::mm", "[[512,256],[256,128]]", f'["{BF16}","{BF16}"]', H100)
    small, large = (VIEW.main.answer(trace, OverviewParams(peak=f"bf16={tflops}")) for tflops in ("0.1", "989"))
    assert (small.model_flops.mfu or 0) > 1
    assert small.model_flops.note == "More than the peak: the peak is too small or of another type."
    assert small.model_flops.note in VIEW.main.text(small)
    assert large.model_flops.note is None


def test_of_several_devices_all_peaks_count() -> None:
    text = f"{TWO_STEPS}\n    device 1 stream 7 | elementwise_kernel 20-30"
    other = Device(index=1, name="NVIDIA H100 80GB HBM3")
    one, two = ask(TWO_STEPS, H100), ask(text, H100, other)
    assert two.model_flops.mfu == pytest.approx((one.model_flops.mfu or 0) / 2)


def test_what_runs_again_in_backward_is_no_model_flop() -> None:
    text = """
        thread 1 | ProfilerStep#1 0-100 | aten::linear 0-15 | aten::mm 1-14
        thread 1 | autograd::engine::evaluate_function: AddBackward 30-90 | aten::linear 31-50 | aten::mm 32-48 | aten::mm 60-80
        stream 7 | nvjet_a 5-15 <- aten::mm | nvjet_a 40-50 <- aten::mm | nvjet_b 65-75 <- aten::mm
    """
    use = ask(text, H100).model_flops
    assert use.hfu == pytest.approx(3 * MM_FLOPS / (100e-6 * PEAK))
    assert use.mfu == pytest.approx(2 * MM_FLOPS / (100e-6 * PEAK))


@pytest.mark.parametrize(
    ("text", "devices", "reason"),
    [
        ("thread 1 | aten::mm 1-15\nstream 7 | nvjet_a 5-15 <- aten::mm", (H100,), "no steps"),
        ("thread 1 | ProfilerStep#1 0-100\nstream 7 | elementwise_kernel 5-15", (H100,), "nothing multiplied"),
        (TWO_STEPS, (Device(index=0, name="Unheard of"),), "peaks are not known"),
        (f"{TWO_STEPS.rstrip()} | nvjet_c 140-150", (H100,), "75.0 %"),
        (
            TWO_STEPS,
            (Device(index=0, multiprocessors=132, memory_bytes=80 * 2**30, properties={"warpSize": 32}),),
            "peaks are not known",  # a guess is no peak to be measured by
        ),
    ],
)
def test_where_it_is_not_known_the_reason_is_said(text: str, devices: tuple[Device, ...], reason: str) -> None:
    result = ask(text, *devices)
    assert result.model_flops.mfu is None
    assert reason in (result.model_flops.reason or "")
    assert all(step.mfu is None for step in result.steps)


def test_checkpointing_runs_the_forward_pass_twice(traces: Path) -> None:
    """Forward 1, backward 2, forward again 1: HFU is at most 4 / 3 of MFU."""
    use = VIEW.main.answer(trace_of(traces / "mi300_resnet_ddp_checkpoint.json.gz"), OverviewParams()).model_flops
    assert 1.2 < (use.hfu or 0) / (use.mfu or 1) < 1.4


def test_of_a_cut_file_it_is_not_known() -> None:
    """The work of a step may be missing while its time is there: it would look badly used."""
    shapes, types = "[[512,256],[256,128]]", f'["{BF16}","{BF16}"]'
    whole = with_inputs(trace_from_text(TWO_STEPS), "aten::mm", shapes, types, H100)
    cut = dataclasses.replace(whole, issues=(Issue(kind="truncated", text="the file ends early"),))
    result = VIEW.main.answer(cut, OverviewParams())
    assert VIEW.main.answer(whole, OverviewParams()).model_flops.mfu is not None
    assert (result.model_flops.mfu, [step.mfu for step in result.steps]) == (None, [None, None])
    assert "MFU not known: the file is cut off" in VIEW.main.text(result)
