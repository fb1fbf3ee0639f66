"""A host that stands still while its device waits for another stage: what its device idles is what it is late by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

STILL = ("train.py(20): log", "<built-in function sleep>")
PIPELINE: dict[str, Any] = {"stages": 4, "n_micro": 6, "gemm_us": 150.0, "n_layers": 2, "n_steps": 3}


@pytest.mark.parametrize("data", [1, 2])
def test_what_a_device_waits_for_its_neighbours_meanwhile_is_none_of_it(tmp_path: Path, data: int) -> None:
    """24.5 ms were told of it, of which 3 are no idle time but waiting for a receive."""
    rank = 3 * data
    late, usual = (SimulatedJob(**PIPELINE, data=data, pause=pause) for pause in ({(rank, 11, "middle"): (25_000.0, STILL)}, {}))
    usual.write(tmp_path / "usual")
    found = join([member(path) for path in late.write(tmp_path / "late")], RanksParams())
    (one,) = found.blamed
    gain = 1000 * (late.step_us[1] - usual.step_us[1])
    assert (one.name, one.cause, one.steps) == (f"rank {rank}", "pause", [11])
    assert one.excess_ns == pytest.approx(gain, rel=0.03)
    assert one.step_was_ns is not None
    assert one.step_without_ns is not None
    assert one.step_was_ns - one.step_without_ns == pytest.approx(gain, rel=0.02)
