"""Who is late is told in the order of what a step would be shorter without it, and chance last and as chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable

STILL = ("train.py(20): log", "<built-in function sleep>")


def _table(folder: Path, **more: Any) -> RanksTable:
    job = SimulatedJob(**{"gemm_us": 200.0, "n_steps": 6, **more})
    return join([member(path) for path in job.write(folder)], RanksParams())


def test_a_delay_in_one_step_is_behind_who_stands_still_in_all_and_said_as_chance(tmp_path: Path) -> None:
    often = {(1, step, "middle"): (2500.0, STILL) for step in range(10, 16)}
    table = _table(tmp_path, pause={**often, (3, 12, "middle"): (9000.0, ())})
    first, chance = table.blamed
    assert (first.name, first.cause, first.steps) == ("rank 1", "pause", [*range(10, 16)])
    assert (chance.name, chance.cause, chance.steps) == ("rank 3", "pause", [12])
    assert chance.sentence.endswith(" It is so in 1 of 6 steps, which may be chance.")
    assert "chance" not in first.sentence


def test_a_pause_in_some_steps_in_the_same_line_is_no_chance(tmp_path: Path) -> None:
    still = {(1, step, "middle"): (4000.0, STILL) for step in (13, 15)}
    (one,) = _table(tmp_path, n_steps=8, step_jitter=0.02, pause=still).blamed
    assert "stands still in `train.py(20): log` (`<built-in function sleep>`)" in one.sentence
    assert "in steps 13, 15" in one.sentence
    assert "chance" not in one.sentence


def test_whom_a_step_gains_most_without_is_first(tmp_path: Path) -> None:
    """Of the host half is waited for no longer, as its devices still compute when it pauses."""
    hidden = {(2, step, "norm"): (6000.0, STILL) for step in (11, 12, 13)}
    table = _table(tmp_path, data=8, slow={5: 1.08}, pause=hidden)
    gains = [(one.step_was_ns or 0) - (one.step_without_ns or 0) for one in table.blamed]
    per_step = [gain * len(one.steps) for gain, one in zip(gains, table.blamed, strict=True)]
    assert per_step == sorted(per_step, reverse=True)
