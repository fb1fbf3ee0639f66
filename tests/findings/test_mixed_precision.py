"""Float32 products on a device whose cores take half types alone are told, whether types were recorded or not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.findings.checks import mixed_precision
from tb_plugin.findings.facts import Facts
from tb_plugin.replay.graph import graph_of
from tb_plugin.replay.rates import half_precision
from tb_plugin.trace.model import Device, Trace
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

V100, A100 = ("Tesla V100-SXM2-32GB", "7.0"), ("NVIDIA A100-SXM4-80GB", "8.0")


def run(kernel: str, device: tuple[str, str] = V100, types: str = "") -> Facts:
    """One product of 80 us in a step of 100 us."""
    trace = trace_from_text(f"thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5\nstream 7 | {kernel} 10-90 <- aten::mm")
    name, capability = device
    info = msgspec.structs.replace(trace.info, devices=(Device(index=0, name=name, compute_capability=capability),))
    return Facts(_typed(dataclasses.replace(trace, info=info), types))


def _typed(trace: Trace, types: str) -> Trace:
    if not types:
        return trace
    types_id = trace.events.types_id.copy()
    types_id[trace.events.name_id == trace.strings.index("aten::mm")] = len(trace.strings)
    return dataclasses.replace(
        trace, strings=(*trace.strings, types), events=dataclasses.replace(trace.events, types_id=types_id)
    )


@pytest.mark.parametrize("types", ["", '["float","float"]'])
def test_a_v100_in_float32(types: str) -> None:
    seen = mixed_precision.find(run("volta_sgemm_64x64_nt", types=types))
    assert seen is not None
    assert seen.gain_ns == round(80_000 * (1 - 15.7 / 125))


@pytest.mark.parametrize(
    ("kernel", "device", "types"),
    [
        ("volta_h884gemm_64x64_ldg8_nt", V100, '["c10::Half","c10::Half"]'),  # on the cores
        ("volta_fp16_sgemm_fp16_64x64_nt", V100, ""),  # of half type
        ("volta_dgemm_64x64_nt", V100, '["double","double"]'),
        ("ampere_sgemm_64x64_nn", A100, '["float","float"]'),  # TF32 is the smaller change
        ("void at::native::vectorized_elementwise_kernel<4, float>", V100, '["float","float"]'),  # no product
        ("volta_sgemm_64x64_nt", ("Some device", "7.0"), ""),  # of which nothing is known
    ],
)
def test_silent(kernel: str, device: tuple[str, str], types: str) -> None:
    assert mixed_precision.find(run(kernel, device, types)) is None


@over(real("v100_resnet50_workers0_a", "v100_ns_resolution"))
def test_of_real_trainings_it_is_most_of_the_device_time(path: Path) -> None:
    facts = Facts(trace_of(path))
    seen = mixed_precision.find(facts)
    assert seen is not None
    of_busy = facts.window_part(facts.union_of(seen.rows)) / facts.window_part(facts.busy)
    assert of_busy == pytest.approx({"v100_ns_resolution": 298 / 472}.get(path.name.split(".")[0], 394 / 604), abs=0.02)


@over(real("h100_owlv2", "a100_nccl", "mi300_qwen"))
def test_silent_on_other_devices(path: Path) -> None:
    assert mixed_precision.find(Facts(trace_of(path))) is None


@over(real("v100_resnet50_workers0_a", "v100_ns_resolution"))
def test_its_bound_is_of_products_alone_and_says_so_where_the_edit_has_more(path: Path) -> None:
    """`precision=0` halves what moves memory, too: only its part of products is within the bound."""
    facts = Facts(trace_of(path))
    seen = mixed_precision.find(facts)
    assert seen is not None
    assert seen.gain_ns is not None
    assert "of these kernels alone" in seen.gain_how
    assert "precision=0" in seen.gain_how
    graph = graph_of(facts.trace)
    gain_ns = graph.work.duration_ns * (1 - half_precision(graph))
    is_product = np.isin(graph.work.row, seen.rows)
    assert gain_ns[is_product].sum() <= seen.gain_ns < gain_ns[np.isin(graph.work.row, facts.in_window(facts.busiest))].sum()
