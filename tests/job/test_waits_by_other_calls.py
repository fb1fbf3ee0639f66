"""Loops that wait for their device at the end of each step by a call that is named for something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("waits_by", ["cudaMemcpyAsync", "cudaFree"])
def test_a_slow_rank_costs_as_much_however_its_host_waits(tmp_path: Path, waits_by: str) -> None:
    """Held against the same job with a call by a wait's name, and the job without the slow rank."""
    tables = []
    for name in ("cudaDeviceSynchronize", waits_by):
        paths = SimulatedJob(slow={2: 1.25}, waits_by=name).write(tmp_path / name)
        tables.append(join([member(path) for path in paths], RanksParams()))
    (usual,), (other,) = (table.blamed for table in tables)
    assert (other.name, other.cause, other.steps) == (usual.name, usual.cause, usual.steps)
    assert other.step_without_ns is not None
    assert usual.step_without_ns is not None
    assert other.step_without_ns == pytest.approx(usual.step_without_ns, rel=0.005)
    healthy = SimulatedJob()
    healthy.write(tmp_path / "healthy")
    assert other.step_without_ns == pytest.approx(1e3 * sum(healthy.step_us) / len(healthy.step_us), rel=0.02)
    shares = [{row.what: row.path_share for row in table.path if row.rank is None or row.what == "computing"} for table in tables]
    assert shares[1]["computing"] == pytest.approx(shares[0]["computing"], abs=0.01)
