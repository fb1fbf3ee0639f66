"""Bytes of expanded tensors count once, and what torch wrote of its own kernels goes before rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.formats import reader
from tb_plugin.trace.work.input_bytes import expanded_bytes
from tb_plugin.trace.work.kernel_work import kernel_work

if TYPE_CHECKING:
    from pathlib import Path

KERNEL = "triton_poi_fused_add_0"


def work_of(folder: Path, operator: str, kernel: str, said: dict[str, Any], of_kernel: dict[str, Any]) -> tuple[int, int]:
    """(FLOPs, bytes) of one kernel that one operator launched."""
    common = {"ph": "X", "pid": 1, "tid": 1}
    events = [
        common | {"name": operator, "cat": "cpu_op", "ts": 0, "dur": 20, "args": {"External id": 1, **said}},
        common | {"name": "cudaLaunchKernel", "cat": "cuda_runtime", "ts": 5, "dur": 5, "args": {"correlation": 9}},
        {"ph": "X", "pid": 0, "tid": 7, "name": kernel, "cat": "kernel", "ts": 12, "dur": 50}
        | {"args": {"correlation": 9, "External id": 1, "device": 0, "stream": 7, **of_kernel}},
    ]
    path = folder / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    work = kernel_work(reader.read(path))
    return int(work.flops[0]), int(work.bytes[0])


ADD = {"Input Dims": [[64, 32], [64, 32], []], "Input type": ["float", "float", "Scalar"], "Concrete Inputs": ["", "", "1"]}


@pytest.mark.parametrize(("strides", "tensors"), [([[32, 1], [32, 1], []], 3), ([[32, 1], [0, 1], []], 2 + 1 / 64)])
def test_an_expanded_input_counts_once(tmp_path: Path, strides: list[list[int]], tensors: float) -> None:
    said = ADD | {"Input Strides": strides}
    assert work_of(tmp_path, "aten::add", "elementwise_kernel", said, {}) == (64 * 32, 64 * 32 * 4 * tensors)


def test_what_torch_wrote_of_its_kernels_goes_before_rules(tmp_path: Path) -> None:
    said = {"Input Dims": [[64, 32], [64, 32]], "Input type": ["float", "float"]}
    by_rule = work_of(tmp_path, KERNEL, KERNEL, said, {})
    assert by_rule[1] == 2 * 64 * 32 * 4
    assert work_of(tmp_path, KERNEL, KERNEL, said, {"kernel_num_gb": 1e-6, "kernel_flop": 12345}) == (12345, 1000)
    assert work_of(tmp_path, KERNEL, KERNEL, said, {"kernel_num_gb": "much"}) == by_rule


def test_only_strides_of_zero_are_no_elements() -> None:
    assert expanded_bytes([[8, 4], [8, 4]], ["float", "float"], [[4, 1], [0, 1]]) == 28 * 4
    assert expanded_bytes([[8, 4]], ["float"], [[1, 8]]) == 0
    assert expanded_bytes([[0, 4], []], ["float", "Scalar"], [[0, 1], []]) == 0
    assert expanded_bytes([[8, 4]], ["what"], [[0, 1]]) == 0
