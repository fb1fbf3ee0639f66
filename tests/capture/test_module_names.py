"""With `model=` the stored profile knows modules by their names in the model."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.trace.model import MODULE_NAMES
from tb_plugin.trace.modules.paths import module_paths
from tests.capture.recording import record, warned

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def qualified(folder: Path) -> dict[str, str]:
    paths = module_paths(tb_plugin.load(next(folder.glob("*.pb"))).trace)
    return dict(zip(paths.texts, paths.qualified, strict=True))


def model_of_blocks() -> Any:
    from torch import nn

    return nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.ReLU()), nn.Sequential(nn.Linear(4, 4), nn.ReLU()))


def test_modules_have_the_names_of_the_model(tmp_path: Path) -> None:
    import torch

    model = model_of_blocks()
    stranger = torch.nn.Linear(4, 4)
    handler = tensorboard_trace_handler(tmp_path, "w", model=model)
    record(handler, step=lambda: stranger(model(torch.ones(2, 4))), with_stack=True)
    assert handler.flush(timeout=240)
    assert qualified(tmp_path) == {
        "Sequential_0": "",
        "Sequential_0/Sequential_1": "0",
        "Sequential_0/Sequential_1/Linear_0": "0.0",
        "Sequential_0/Sequential_1/ReLU_0": "0.1",
        "Sequential_0/Sequential_2": "1",
        "Sequential_0/Sequential_2/Linear_1": "1.0",
        "Sequential_0/Sequential_2/ReLU_1": "1.1",
        "Linear_2": "",
    }


def test_two_classes_of_one_name_share_numbers_and_get_no_name(tmp_path: Path) -> None:
    import torch
    from torch import nn

    def another(scale: float) -> Any:
        class Scale(nn.Module):  # type: ignore[name-defined, misc, unused-ignore]
            def forward(self, x: Any) -> Any:
                return x * scale

        return Scale()

    model = nn.Sequential(another(2.0), another(3.0), nn.ReLU())
    handler = tensorboard_trace_handler(tmp_path, "w", model=model)
    record(handler, step=lambda: model(torch.ones(2)), with_stack=True)
    assert handler.flush(timeout=240)
    assert qualified(tmp_path) == {"Sequential_0": "", "Sequential_0/Scale_0": "", "Sequential_0/ReLU_0": "2"}


def test_a_model_that_died_or_that_cannot_be_asked_costs_no_profile(tmp_path: Path) -> None:
    import torch

    class Odd:
        def named_modules(self) -> Any:
            raise RuntimeError("not now")

    model, odd = model_of_blocks(), Odd()
    handler = tensorboard_trace_handler(tmp_path / "died", "w", model=model)
    del model
    gc.collect()
    runs = model_of_blocks()
    record(handler, step=lambda: runs(torch.ones(2, 4)), with_stack=True)
    assert handler.flush(timeout=240)
    assert set(qualified(tmp_path / "died").values()) == {""}
    with warned() as texts:
        handler = tensorboard_trace_handler(tmp_path / "odd", "w", model=odd)
        record(handler, step=lambda: runs(torch.ones(2, 4)), with_stack=True)
        assert handler.flush(timeout=240)
    assert any("not now" in text for text in texts)
    assert MODULE_NAMES not in tb_plugin.load(next((tmp_path / "odd").glob("*.pb"))).trace.info.metadata
