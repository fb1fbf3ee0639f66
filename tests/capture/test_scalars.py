"""Figures of each profile beside the loss: in the job's own writer, at its step, and never in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.trace.span.figures import scalars
from tb_plugin.trace.span.summary import summary
from tests.capture.recording import record, warned

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytestmark = pytest.mark.torch


class Writer:
    def __init__(self) -> None:
        self.added: list[tuple[str, float, int | None]] = []
        self.flushed = 0

    def add_scalar(self, tag: str, scalar_value: float, global_step: int | None = None, /) -> None:
        self.added.append((tag, scalar_value, global_step))

    def flush(self) -> None:
        self.flushed += 1


def test_each_profile_adds_its_figures_at_its_last_step(tmp_path: Path) -> None:
    writer = Writer()
    handler = tensorboard_trace_handler(tmp_path, "worker", scalars=writer)
    record(handler, cycles=2)
    assert handler.flush(timeout=240)
    paths = sorted(tmp_path.glob("*.pt.profile.pb"))
    figures = [summary(tb_plugin.load(path).trace) for path in paths]
    assert writer.added == [(tag, value, of.last_step) for of in figures for tag, value in scalars(of).items()]
    assert [step for tag, _, step in writer.added if tag == "profile/step_time_ms"] == [2, 5]
    assert writer.flushed == 2


def test_what_is_no_writer_is_refused_before_the_training(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="must be a SummaryWriter, which has add_scalar, not str"):
        tensorboard_trace_handler(tmp_path, scalars="runs/x")  # type: ignore[arg-type]


def test_a_writer_that_fails_is_said_once_and_loses_no_profile(tmp_path: Path) -> None:
    class Broken(Writer):
        def add_scalar(self, *_: Any) -> None:
            raise RuntimeError("closed")

    with warned() as said:
        handler = tensorboard_trace_handler(tmp_path, "worker", scalars=Broken(), on_error="raise")
        record(handler, cycles=2)
        assert handler.flush(timeout=240)
    assert [text for text in said if "scalars" in text] == [
        "figures of a profile could not be added as scalars: RuntimeError: closed"
    ]
    assert len(list(tmp_path.glob("*.pt.profile.pb"))) == 2


@pytest.mark.parametrize("is_own", [True, False], ids=["the job's writer", "a sub-run"])
def test_tensorboard_shows_them_beside_the_loss_that_goes_on(tmp_path: Path, is_own: bool) -> None:
    """Read as with `--load_fast=false`, which goes on to the newest file of a directory."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(tmp_path)) if is_own else SummaryWriter(str(tmp_path / "torch_profile"))
    loss = writer if is_own else SummaryWriter(str(tmp_path))
    handler = tensorboard_trace_handler(tmp_path, "worker", scalars=writer)
    for step in range(5):
        loss.add_scalar("loss", 1.0, step)
    record(handler)
    assert handler.flush(timeout=240)
    for step in range(5, 10):
        loss.add_scalar("loss", 0.5, step)
    writer.close()
    loss.close()
    of_loss = EventAccumulator(str(tmp_path)).Reload()
    assert [event.step for event in of_loss.Scalars("loss")] == list(range(10))
    of_profile = of_loss if is_own else EventAccumulator(str(tmp_path / "torch_profile")).Reload()
    (point,) = of_profile.Scalars("profile/step_time_ms")
    assert point.step == 2
    assert point.value > 0
