"""What others wait for who is late, and each of its causes, is no more than it is late by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_nothing_told_of_it_is_longer(tmp_path: Path, seed: int) -> None:
    """It computes less as it pauses, and who waits longest for it had come earlier than the others."""
    pause = {(1, 11, "middle"): (1500.0, ("train.py(20): log",))}
    job = SimulatedJob(data=8, n_layers=2, gemm_us=150.0, step_jitter=0.03, pause=pause, seed=seed)
    (one,) = join([member(path) for path in job.write(tmp_path)], RanksParams()).blamed
    assert 0 < one.cause_ns + (one.also_ns or 0) <= one.excess_ns
    shown = re.search(r"up to ([\d.]+) us", one.sentence)
    assert shown is not None
    assert float(shown[1]) * 1e3 <= 1.03 * one.excess_ns
