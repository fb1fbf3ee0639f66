"""A host that is late in each stage of a pipeline by something else: told once, with what a step would be without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, recorded
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable

_HOST = (2, 3, 6, 7)
"""A replica: tensor groups of two, of both stages."""

_NO_FRAMES: tuple[str, ...] = ()


def _told(folder: Path, **fault: Any) -> tuple[RanksTable, float]:
    """And the mean step, ns."""
    nodes = [int(rank in _HOST) for rank in range(8)]
    job = SimulatedJob(tensor=2, data=2, stages=2, n_steps=4, nodes=nodes, **fault)
    table = join(members(recorded(job.write(folder))), RanksParams())
    return table, 1000 * sum(job.step_us) / len(job.step_us)


@pytest.mark.parametrize(
    ("usual", "fault", "cause"),
    [
        ({"n_micro": 2, "gemm_us": 150.0, "head_us": 300.0}, {"host": dict.fromkeys(_HOST, 22.0)}, "launches"),
        ({"n_micro": 4, "gemm_us": 200.0}, {"pause": {(rank, 12, "middle"): (8000.0, _NO_FRAMES) for rank in _HOST}}, "pause"),
    ],
)
def test_a_host_is_told_once_with_what_a_step_would_be_without_it(
    tmp_path: Path, usual: dict[str, Any], fault: dict[str, Any], cause: str
) -> None:
    table, was = _told(tmp_path / "late", **usual, **fault)
    _, would_be = _told(tmp_path / "usual", **usual)
    (one,) = table.blamed
    assert (one.name, one.cause, one.ranks) == ("host node1", cause, list(_HOST))
    assert one.step_was_ns is not None
    assert one.step_without_ns is not None
    assert (one.step_was_ns - one.step_without_ns) * len(one.steps) / 4 == pytest.approx(was - would_be, rel=0.05)
