"""A rank that stands still more than once in a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
STEPS = (10, 11, 12)


def length_of(folder: Path, **more: Any) -> float:
    """Of the second and third step of the job as it truly was."""
    job = Job(n_ranks=8, ranks_per_node=4, **more)
    job.write(folder)
    ends = [max(met.end for met in job.met if met.step == step) for step in STEPS]
    return float(np.diff(ends).mean())


@pytest.mark.parametrize(
    ("layers", "where"),
    [((2,), "one gap"), ((1, 4), "several gaps"), ((0, 2, 5), "several gaps"), ((1, 2, 3, 4), "several gaps")],
)
def test_all_gaps_of_a_step_are_the_pause_and_go_with_it(tmp_path: Path, layers: tuple[int, ...], where: str) -> None:
    stops = {(3, step, layer): 2 * MS for step in STEPS for layer in layers}
    for name in ("late", "well"):
        (tmp_path / name).mkdir()
    was, truth = length_of(tmp_path / "late", stops=stops), length_of(tmp_path / "well")
    table = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams())
    (one,) = table.blamed
    assert (one.name, one.cause, one.steps) == ("rank 3", "pause", [*STEPS])
    assert f"stands still in {where} without any event in all 3 steps" in one.sentence
    assert one.cause_ns == pytest.approx(2 * MS * len(layers), rel=0.05)
    assert one.step_without_ns is not None
    assert one.step_without_ns == pytest.approx(truth, rel=0.02)
    assert (one.step_was_ns or 0) == pytest.approx(was, rel=0.02)
    assert table.ideal_ns == pytest.approx(truth, rel=0.02)


def test_a_host_that_is_slow_all_over_has_no_pauses(tmp_path: Path) -> None:
    """Ten gaps a step, and no launch that takes longer: what it is nobody knows."""
    (tmp_path / "late").mkdir()
    layers = range(10)
    stops = {(3, step, layer): MS // 2 for step in STEPS for layer in layers}
    length_of(tmp_path / "late", stops=stops, n_layers=len(layers))
    table = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams())
    assert [(one.name, one.cause) for one in table.blamed] == [("rank 3", "idle")]
