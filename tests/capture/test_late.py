"""Files come in time, also where every core is busy; the thread earns its time."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tb_plugin import tensorboard_trace_handler
from tb_plugin.capture import background, pace
from tests.capture.recording import record, small_step

if TYPE_CHECKING:
    from pathlib import Path


LONG_S = 240.0


@pytest.mark.parametrize(("age_s", "earned_s"), [(-1.0, 0.0), (0.0, 0.0), (8.0, 0.24), (14.0, 0.54), (24.0, 1.54)])
def test_the_longer_it_takes_the_more_may_be_worked(age_s: float, earned_s: float) -> None:
    assert pace.earned_s(age_s) == pytest.approx(earned_s)


def test_the_thread_works_no_more_than_it_has_earned_unless_somebody_waits() -> None:
    hurry = threading.Event()
    resting = pace.Pace(hurry)
    started = time.monotonic()

    def work(seconds: float) -> None:
        with resting.slice():
            ends = time.thread_time() + seconds
            while time.thread_time() < ends:
                pass

    work(0.01)
    work(0.01)
    assert pace.earned_s(time.monotonic() - started) >= 0.02
    hurry.set()
    work(0.4)
    assert pace.earned_s(time.monotonic() - started) < 0.4  # else 11 s


@pytest.mark.slow
@pytest.mark.torch
def test_on_busy_cores_both_files_come_while_the_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    import torch

    monkeypatch.setattr(background, "_GENTLY_FOR_S", 1.0)  # not 14: the cores are busy for as long as this test takes
    done = threading.Event()

    def step() -> None:
        for _ in range(500):
            small_step()

    def burn() -> None:
        numbers = torch.ones(200, 200)
        while not done.is_set():
            numbers @ numbers  # without the interpreter's lock

    burners = [threading.Thread(target=burn) for _ in range(os.cpu_count() or 1)]
    for burner in burners:
        burner.start()
    try:
        handler = tensorboard_trace_handler(tmp_path, "w")
        record(handler, step=step, record_shapes=True)
        ended = time.monotonic()
        seen: dict[str, float] = {}
        while len(seen) < 2 and time.monotonic() - ended < LONG_S:
            small_step()
            for path in tmp_path.glob("[!.]*"):
                seen.setdefault(path.suffix, time.monotonic() - ended)
    finally:
        done.set()
        for burner in burners:
            burner.join()
    # How late they come is a figure of `benchmarks/trace_handler.py`; here, that they come where every core is busy.
    assert set(seen) == {".gz", ".pb"}
    assert handler.flush(timeout=240)
