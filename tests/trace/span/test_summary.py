"""A profile as a point: its figures are those of the overview, and it stays small whatever is in the file."""

from __future__ import annotations

import dataclasses
import gzip
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.span.summary import MOST_STEPS, summary
from tb_plugin.views.overview.compute import compute as overview
from tb_plugin.views.overview.result import OverviewParams
from tests.profiles import SAMPLES, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("path", SAMPLES + real("h100_qwen", "v100_resnet50_workers0_a"), ids=lambda path: path.parent.name)
def test_its_figures_are_those_of_the_overview(path: Path) -> None:
    trace = trace_of(path)
    found, seen = summary(trace), overview(trace, OverviewParams())
    assert found.step_ns == (seen.step_time.median_ns if seen.step_time else None)
    assert (found.p5_ns, found.p95_ns) == ((seen.step_time.p5_ns, seen.step_time.p95_ns) if seen.step_time else (None, None))
    assert found.mfu == seen.model_flops.mfu
    window = seen.average
    assert window is not None
    assert found.mean_ns == window.duration_ns == sum(found.parts_ns)
    assert found.parts_ns == list(msgspec.structs.astuple(window.breakdown_ns))
    if window.device_use_ns is None:
        assert (found.busy_share, found.waiting_for_host_ns, found.kernels) == (None, None, None)
    else:
        assert found.busy_share == pytest.approx(window.device_use_ns.busy / window.duration_ns, abs=1e-6)
        assert found.waiting_for_host_ns == window.device_use_ns.waiting_for_host
    if window.communication_ns is not None:
        assert found.exposed_communication_ns == window.communication_ns.exposed
    accelerators = [peak for peak in seen.memory if peak.id != "cpu"] or seen.memory
    most = max(accelerators, key=lambda peak: peak.peak_allocated_bytes, default=None)
    assert found.peak_bytes == (None if most is None else most.peak_allocated_bytes)
    assert len(msgspec.json.encode(found)) <= 4096


def test_kernels_and_launches_are_those_that_begin_in_the_steps() -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#4 0-100 | aten::a 0-10 | cudaLaunchKernel 2-3 | aten::b 60-70
        thread 1 | ProfilerStep#5 100-200 | aten::c 120-130
        stream 7 | k1 10-20 <- cudaLaunchKernel | k2 65-75 <- aten::b | k3 130-140 <- aten::c
    """)
    found = summary(trace)
    start = trace.events.start_ns
    naive = sum(0 <= start[row] < 200_000 for row in np.flatnonzero(trace.events.kind == Kind.KERNEL)) / 2
    assert (found.kernels, found.launches, found.last_step, found.n_steps) == (naive, 1.5, 5, 2) == (1.5, 1.5, 5, 2)


def test_without_steps_nothing_is_per_step() -> None:
    found = summary(trace_from_text("thread 1 | aten::a 0-10 \n stream 7 | k 20-30 <- aten::a"))
    assert (found.n_steps, found.step_ns, found.kernels, found.mean_ns, found.parts_ns) == (0, None, None, None, [])
    assert found.busy_share == pytest.approx(1 / 3)


def test_it_is_small_whatever_the_file_says() -> None:
    steps = " | ".join(f"ProfilerStep#{n} {n * 10_000_000}-{(n + 1) * 10_000_000}" for n in range(500))
    trace = trace_from_text(f"thread 1 | {steps} | aten::a 5-6")
    long = "x" * 30_000
    trace = dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, source=long, torch_version=long))
    found = summary(trace)
    assert len(found.steps_ns) == MOST_STEPS
    assert set(found.steps_ns) == {10_000_000_000}
    encoded = msgspec.json.encode(found)
    assert len(encoded) <= 4096
    assert len(gzip.compress(encoded)) <= 1500
