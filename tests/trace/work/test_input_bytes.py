from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.trace.work.input_bytes import ELEMENT_BYTES, input_bytes, input_bytes_by_row
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("shapes", "types", "expected"),
    [
        ([[32, 64], [64, 8]], ["c10::BFloat16", "c10::BFloat16"], 2 * (32 * 64 + 64 * 8)),
        ([[3, 4], [], []], ["float", "Scalar", ""], 48),
        ([[], [5]], ["float", "long int"], 4 + 40),
        ([[0, 7]], ["float"], 0),
        ([[[2, 2], [3]], []], ["TensorList", "Scalar"], None),
        ([[2, 2]], ["a type of tomorrow"], None),
        ([[2, 2]], [], None),
        ([], [], 0),
    ],
)
def test_each_tensor_input_counts_once_and_lists_are_not_known(shapes: list[Any], types: list[str], expected: int | None) -> None:
    assert input_bytes(shapes, types) == expected


@pytest.mark.torch
@pytest.mark.filterwarnings("default")
def test_bytes_are_those_of_the_tensors(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch records the profile")
    kinds = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int8, torch.uint8, torch.int16, torch.int32]
    kinds += [torch.int64, torch.bool, torch.complex64, torch.complex128]
    sizes = {}
    with torch.profiler.profile(record_shapes=True) as profiler:
        for number, kind in enumerate(kinds, start=3):
            given = torch.zeros(2, number, dtype=kind)
            torch.clone(given)
            sizes[number] = given.nbytes
    path = tmp_path / "p.json"
    profiler.export_chrome_trace(str(path))
    trace = trace_of(path)
    n_bytes = input_bytes_by_row(trace)
    found = {}
    for row in range(len(trace.events)):
        if trace.text(int(trace.events.name_id[row])) == "aten::clone":
            number = int(trace.text(int(trace.events.shapes_id[row])).split(",")[1].strip(" ]["))
            found[number] = int(n_bytes[row])
    assert found == sizes
    assert set(ELEMENT_BYTES.values()) == {1, 2, 4, 8, 16}
