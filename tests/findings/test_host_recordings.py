"""Small programs recorded by torch on a CPU get the answer that fits them, and one in good order gets none of these.

Their steps take tens of milliseconds: what a busy machine takes from them meanwhile is no large part.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.findings.found import Findings, found
from tb_plugin.formats.reader import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

torch = pytest.importorskip("torch", reason="records what it judges")

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("default")]


def recorded(folder: Path, step: Callable[[], object]) -> Findings:
    step()
    path = folder / "w.pt.trace.json"
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, with_stack=True
    ) as profiler:
        for _ in range(3):
            step()
            profiler.step()
    profiler.export_chrome_trace(str(path))
    return found(read(path))


def training(dtype: Any) -> Callable[[], None]:
    model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 10)).to(dtype)
    optimizer, x = torch.optim.SGD(model.parameters(), lr=0.01), torch.randn(4096, 256, dtype=dtype)

    def train() -> None:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    return train


def test_a_step_that_sleeps_says_so_with_its_line(tmp_path: Path) -> None:
    train = training(torch.float32)

    def nap() -> None:
        train()
        time.sleep(0.3)

    answer = recorded(tmp_path, nap).verdict
    assert "sleeping in nap (" in answer.sentence
    assert [change.finding for change in answer.changes] == ["python_line"]
    assert "nap is sleeping" in answer.changes[0].sentence


def test_training_names_its_function_and_is_not_doubted(tmp_path: Path) -> None:
    told = recorded(tmp_path, training(torch.float32))
    answer = told.verdict
    assert "; under train (" in answer.sentence
    assert "python_line" not in {each.check.id for each in told.seen}
    assert "sleeping" not in answer.sentence
    assert not any("Anomaly" in doubt for doubt in answer.doubts)


def test_a_loop_over_small_operators_is_told(tmp_path: Path) -> None:
    def count() -> Any:
        total = torch.zeros(4)
        for number in range(3000):
            total = total * 1.01 + number
        return total

    told = {each.check.id: each.seen for each in recorded(tmp_path, count).seen}
    assert "count calls them from a loop in Python" in told["python_line"].title


def test_float64_by_accident_is_told_and_float32_is_not(tmp_path: Path) -> None:
    told = recorded(tmp_path, training(torch.float64))
    assert "double_precision" in {each.check.id for each in told.seen}
    assert any("products and convolutions run in float64" in change.sentence for change in told.verdict.changes)
    assert "double_precision" not in {each.check.id for each in recorded(tmp_path, training(torch.float32)).seen}


def test_anomaly_detection_is_doubted(tmp_path: Path) -> None:
    train = training(torch.float32)

    def watched() -> None:
        with torch.autograd.set_detect_anomaly(True):
            train()

    assert any("Anomaly detection was on" in doubt for doubt in recorded(tmp_path, watched).verdict.doubts)
