"""Few warps are told only of kernels that do not move memory as fast as it goes anyhow."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tb_plugin.findings.checks import low_occupancy
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.model import Device, Work
from tests.trace_text import trace_from_text, with_inputs

H100 = Device(index=0, name="NVIDIA H100 80GB HBM3", compute_capability="9.0")
MOVED_US = 3 * 4 * 32 * 1024**2 / 3350e3  # two tensors of 128 MiB read, one written, at the data sheet's bandwidth


@pytest.mark.parametrize(("at_bandwidth", "fires"), [(0.3, True), (0.7, False)])
def test_a_kernel_at_the_bandwidth_needs_no_more_warps(at_bandwidth: float, fires: bool) -> None:
    trace = trace_from_text(f"""
        thread 1 | aten::mul 0-5
        stream 7 | elementwise_kernel 10-{10 + round(MOVED_US / at_bandwidth)} <- aten::mul
    """)
    trace = with_inputs(trace, {"aten::mul": ("[[32,1048576],[32,1048576]]", '["float","float"]')}, H100)
    row = np.array([len(trace.events) - 1])
    work = Work.from_columns({"row": row, "blocks_per_sm": np.array([4.0]), "occupancy_percent": np.array([10.0])})
    assert (low_occupancy.find(Facts(dataclasses.replace(trace, work=work))) is not None) == fires
