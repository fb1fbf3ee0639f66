"""What kernels of torch.compile compute and move, by the tensors that they are given."""

from __future__ import annotations

from typing import Any

import pytest

from tb_plugin.trace.work.triton_work import is_triton, n_fused, triton_work


@pytest.mark.parametrize(
    ("name", "shapes", "types", "expected"),
    [
        ("triton_poi_fused_add_gelu_3", [[4, 8], [8], [4, 8], []], ["float", "float", "float", "Int"], (64, 4 * 72, True)),
        ("triton_red_fused__softmax_0", [[4, 8], [4, 1], []], ["c10::Half", "float", "Int"], (32, 64 + 16, True)),
        ("triton_per_fused_native_layer_norm_0", [[4, 8], [4]], ["float", "float"], (32, 4 * 36, True)),
        ("triton_tem_fused_mm_1", [[4, 8], [8, 2], [4, 2]], ["float"] * 3, (2 * 4 * 8 * 2, 4 * 56, False)),
        ("triton_tem_fused_bmm_1", [[3, 4, 8], [3, 8, 2], [3, 4, 2]], ["float"] * 3, (2 * 3 * 4 * 8 * 2, 4 * 168, False)),
        ("triton_tem_fused_mm_1", [[4, 8], [8, 2], [4, 3]], ["float"] * 3, (None, 4 * 60, False)),
        ("triton_poi_fused_add_3", [[]], ["a type of tomorrow"], (None, None, False)),
    ],
)
def test_each_tensor_moves_once(name: str, shapes: list[Any], types: list[str], expected: tuple[object, ...]) -> None:
    assert is_triton(name)
    assert triton_work(name, shapes, types) == expected


@pytest.mark.parametrize(
    ("text", "n"),
    [("add_gelu", 2), ("_to_copy_add_native_layer_norm", 2), ("native_layer_norm_backward", 1), ("nobody_knows", 1), ("", 1)],
)
def test_fused_operators_are_told_by_their_names(text: str, n: int) -> None:
    """`_to_copy` computes nothing."""
    assert n_fused(text) == n


def test_other_names_are_not_made_by_torch_compile() -> None:
    assert not is_triton("triton_attention")
    assert not is_triton("aten::add")
