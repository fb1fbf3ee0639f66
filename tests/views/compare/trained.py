"""Steps of a small training, and the same with an operator that got slower."""

from __future__ import annotations

TRAINED = [("aten::conv2d", "cudnn_k", 100.0), ("aten::linear", "gemm_k", 50.0), ("aten::relu", "relu_k", 10.0)]


def slower(work: list[tuple[str, str, float]], factor: float, name: str = "aten::linear") -> list[tuple[str, str, float]]:
    return [(operator, kernel, us * factor if operator == name else us) for operator, kernel, us in work]
