"""Kernels with less than one block for each multiprocessor leave a part of the device empty."""

from __future__ import annotations

import dataclasses

import numpy as np

from tb_plugin.findings.checks import few_blocks
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.model import Trace, Work
from tests.trace_text import trace_from_text


def with_blocks(trace: Trace, blocks_per_sm: float) -> Facts:
    """Every kernel with this many blocks per multiprocessor."""
    rows = np.array([row for row in range(len(trace.events)) if trace.text(int(trace.events.name_id[row])) == "gemm"])
    work = Work.from_columns({"row": rows, "blocks_per_sm": np.full(len(rows), blocks_per_sm)})
    return Facts(dataclasses.replace(trace, work=work))


ONE = """
    thread 1 | aten::mm 0-5
    stream 7 | gemm 0-100 <- aten::mm
"""


def test_kernels_with_too_few_blocks_leave_part_of_the_device_empty() -> None:
    seen = few_blocks.find(with_blocks(trace_from_text(ONE), 0.25))
    assert seen is not None
    assert seen.gain_ns == 75_000
    assert few_blocks.find(with_blocks(trace_from_text(ONE), 4.0)) is None


def test_kernels_that_share_the_device_leave_less_of_it_empty() -> None:
    seen = few_blocks.find(with_blocks(trace_from_text(ONE + "stream 8 | gemm 0-100 <- aten::mm"), 0.25))
    assert seen is not None
    assert seen.gain_ns == 75_000  # 50 of wall time for each, not 100
