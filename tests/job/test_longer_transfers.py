"""What a step would be with longer transfers: layers whose gathers are there long before today may wait for them then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.what_if.what_if import RanksWhatIf, RanksWhatIfParams, what_if
from tests.job.recorded import member
from tests.sharded_files import ShardedJob
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

_MAY = "a kernel that did not wait for what a longer transfer brings may wait then: a step may be longer."


def _asked(paths: list[Path], factor: float) -> RanksWhatIf:
    return what_if([member(path) for path in paths], RanksWhatIfParams(what_if=f"transfer={factor}"))


@pytest.mark.parametrize("factor", [0.5, 1.0, 4.0])
def test_where_kernels_hide_gathers_longer_ones_may_make_a_step_longer_than_is_said(tmp_path: Path, factor: float) -> None:
    job = ShardedJob(n_layers=4, n_kernels=6, kernel_ns=50_000, gather_ns=100_000)
    notes = _asked(job.write(tmp_path), factor).notes
    assert [note for note in notes if _MAY in note] == ([f"transfer={factor}: {_MAY}"] if factor > 1 else [])


def test_where_every_layer_waits_for_its_gather_it_is_told(tmp_path: Path) -> None:
    job = ShardedJob(n_layers=4, n_kernels=2, kernel_ns=50_000, gather_ns=400_000)
    assert not any(_MAY in note for note in _asked(job.write(tmp_path), 4.0).notes)


def test_gradients_that_are_reduced_beside_kernels_hold_up_none_of_these(tmp_path: Path) -> None:
    assert not any(_MAY in note for note in _asked(SimulatedJob(tensor=2).write(tmp_path), 4.0).notes)
