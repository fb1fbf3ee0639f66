"""Figures of two public pairs of traces, worked out by another program from the files alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats import reader
from tb_plugin.views.compare import SUMS
from tb_plugin.views.compare.sums.result import ProfileSums, SumsParams
from tests.profiles import real
from tests.views.compare.drawn import check_closes, pair

if TYPE_CHECKING:
    from tb_plugin.views.compare.result import Pair

US = 1_000
# The files of 2021 have microseconds as doubles of Unix time, which the reader rounds to whole ones: each edge of a step is up to
# half a microsecond off.
ROUNDED_US = 0.35
EXACT_US = 0.06


@cache
def of(name: str) -> ProfileSums:
    found = real(name)
    if not found:
        pytest.skip(f"{name} is not beside the checkout")
    return SUMS.answer(reader.read(found[0]), SumsParams())


def parts(a: str, b: str) -> dict[str, tuple[float, float | None]]:
    """Δ in microseconds, and p."""
    return {part.part: (part.delta_ns / US, part.p) for part in pair(of(a), of(b)).parts}


def lone_us(found: Pair, side: str) -> float:
    """Of kernels that one side alone has."""
    return sum(row.delta_ns for row in found.rows if row.matched == side and row.kind == "kernel") / US


def test_workers0_to_workers4() -> None:
    found = pair(of("v100_resnet50_workers0_a"), of("v100_resnet50_workers4_a"))
    step = found.step
    assert (step.a_median_ns / US, step.b_median_ns / US) == pytest.approx((177_442.9, 126_682.0), abs=ROUNDED_US)
    assert (step.a_mean_ns / US, step.b_mean_ns / US, step.delta_ns / US) == pytest.approx(
        (177_592.1, 141_068.0, -36_524.1), abs=ROUNDED_US
    )
    assert (step.shift_ns / US, step.low_ns / US, step.high_ns / US) == pytest.approx(
        (-48_176.5, -57_973.8, -2_522.0), abs=ROUNDED_US
    )
    assert (step.confidence, step.p) == pytest.approx((0.959, 0.0411), abs=1e-4 * 5)
    expected = {
        "kernel": 556.2,
        "copy": 1_244.5,
        "set": 8.7,
        "runtime": 7_656.2,
        "data_loader": -58_076.2,
        "other_host": 8_991.3,
        "idle": 3_095.1,
    }
    told = parts("v100_resnet50_workers0_a", "v100_resnet50_workers4_a")
    assert {name: told[name][0] for name in expected} == pytest.approx(expected, abs=1.0)
    assert [round(told[name][1] or 0, 4) for name in ("kernel", "copy", "runtime", "data_loader")] == [0.0022] * 4
    assert round(told["other_host"][1] or 0, 3) == 0.026
    assert found.rows[1].delta_ns / US == pytest.approx(1_809.4, abs=1)
    assert (found.n_matched, found.n_added, found.n_removed) == (23, 0, 0)
    by_kernel = pair(of("v100_resnet50_workers0_a"), of("v100_resnet50_workers4_a"), by="kernel")
    assert by_kernel.n_matched == 63
    assert by_kernel.n_matched + by_kernel.n_added + by_kernel.n_removed == 70
    lone = {side: lone_us(by_kernel, side) for side in ("added", "removed")}
    assert lone == pytest.approx({"added": 616.2, "removed": -3_257.7}, abs=1)


def test_the_control_of_one_program() -> None:
    found = pair(of("v100_resnet50_workers0_a"), of("v100_resnet50_workers0_b"))
    step = found.step
    assert (step.b_median_ns / US, step.b_mean_ns / US, step.delta_ns / US) == pytest.approx(
        (152_073.0, 154_911.4, -22_680.8), abs=ROUNDED_US
    )
    assert (step.shift_ns / US, step.low_ns / US, step.high_ns / US) == pytest.approx(
        (-25_150.0, -32_639.7, -11_518.0), abs=ROUNDED_US
    )
    assert step.p == pytest.approx(0.0043, abs=5e-5)
    told = parts("v100_resnet50_workers0_a", "v100_resnet50_workers0_b")
    assert {name: told[name][0] for name in ("kernel", "copy", "runtime", "data_loader")} == pytest.approx(
        {"kernel": -54.1, "copy": -181.5, "runtime": 1_146.1, "data_loader": -23_758.1}, abs=1
    )
    p = {name: round(told[name][1] or 0, 4) for name in ("kernel", "copy", "runtime", "data_loader")}
    assert p == {"kernel": 0.5887, "copy": 0.0152, "runtime": 0.3939, "data_loader": 0.0022}
    assert step.verdict == "finding"
    assert {part.part for part in found.parts if part.verdict == "finding"} == {"data_loader"}
    on_device = [row for row in found.rows if row.kind in ("busy", "operator", "shapes", "kernel")]
    assert {row.verdict for row in on_device} == {"noise"}
    assert (found.n_matched, found.n_added, found.n_removed) == (23, 0, 0)


def test_two_vendors() -> None:
    a, b = of("h100_qwen"), of("mi300_qwen")
    found = pair(a, b)
    assert found.step.p is None
    assert found.step.delta_ns / US == pytest.approx(-1_428.0, abs=EXACT_US)
    told = {part.part: (part.a_ns / US, part.b_ns / US) for part in found.parts}
    assert told["kernel"] == pytest.approx((31_760.1, 29_743.2), abs=EXACT_US)
    assert told["runtime"] == pytest.approx((596.7, 502.6), abs=EXACT_US)
    assert told["other_host"] == pytest.approx((1_406.2, 1_813.4), abs=EXACT_US)
    # Figures of then had no part of their own for Python.
    idle = tuple(told["idle"][side] + told["python"][side] for side in (0, 1))
    assert idle == pytest.approx((1_275.0, 1_695.5), abs=EXACT_US)
    assert found.rows[1].delta_ns / US == pytest.approx(-2_161.5, abs=EXACT_US)
    assert (found.n_matched, found.n_added, found.n_removed) == (20, 0, 0)
    rows = {row.name: (row.delta_ns / US, row.b_calls) for row in found.rows if row.kind == "operator"}
    expected = {
        "linear": (2_620.6, 168),
        "mul": (-2_211.6, 220),
        "contiguous": (-1_318.7, 96),
        "scaled_dot_product_attention": (1_293.6, 24),
        "add": (-711.9, 145),
        "cat": (-661.7, 49),
        "to": (-592.6, 101),
        "pow": (-372.7, 49),
    }
    assert {name: rows[name][1] for name in expected} == {name: calls for name, (_, calls) in expected.items()}
    assert {name: rows[name][0] for name in expected} == pytest.approx(
        {name: us for name, (us, _) in expected.items()}, abs=EXACT_US
    )
    by_kernel = pair(a, b, by="kernel")
    assert (by_kernel.n_matched, by_kernel.n_matched + by_kernel.n_added + by_kernel.n_removed) == (12, 45)
    lone = {side: lone_us(by_kernel, side) for side in ("added", "removed")}
    assert lone == pytest.approx({"added": 26_291, "removed": -27_462}, abs=1)


def test_two_vendors_modules_are_the_same() -> None:
    found = pair(of("h100_qwen"), of("mi300_qwen"), by="module")
    assert {row.matched for row in found.rows if row.kind == "module"} == {"module"}
    modules = [{call.module for call in of(name).calls if call.module} for name in ("h100_qwen", "mi300_qwen")]
    assert modules[0] == modules[1]
    check_closes(found)


@pytest.mark.parametrize("by", ["module", "operator", "category", "kernel"])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("v100_resnet50_workers0_a", "v100_resnet50_workers4_a"),
        ("a100_nccl", "h100_qwen"),
        ("mi300_vllm_decode_graph", "mi300_qwen"),
        ("mi210_gpu_only", "mi300_qwen"),
        ("cpu_gloo_rank", "h100_bert_small"),
    ],
)
def test_the_sum_closes_at_every_level(a: str, b: str, by: str) -> None:
    check_closes(pair(of(a), of(b), by=by, fold=0.001))
    check_closes(pair(of(a), of(b), by=by))
