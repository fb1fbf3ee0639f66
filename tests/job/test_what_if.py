"""A step without who is late, held against the same job simulated without the fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.analysed import analysed
from tests.job.recorded import recorded
from tests.pipeline_files import PipelineJob
from tests.prefetch_files import PrefetchJob

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("fault", "cause", "more"),
    [
        ({"launch": {1: 50.0}}, "launches", {}),
        ({"slow": {1: 1.5}}, "slow_kernels", {"n_ranks": 5, "gather_ns": 900_000}),
    ],
    ids=["a gather that a slow host launches after the kernels before ran ahead of them on the others", "a gather long over"],
)
def test_what_a_late_rank_does_not_tell_of_its_gathers_the_others_do(
    tmp_path: Path, fault: dict[str, Any], cause: str, more: dict[str, Any]
) -> None:
    of = analysed(recorded(PrefetchJob(**fault, **more).write(tmp_path)))
    healthy = PrefetchJob(**more)
    healthy.write(tmp_path)
    ((one, why, without),) = of.stragglers
    assert (one.number, why.id) == (1, cause)
    assert without is not None
    assert list(without.would_be.values()) == pytest.approx(healthy.step_ns, rel=0.005)


def test_a_stage_is_not_like_one_that_takes_turns_elsewhere(tmp_path: Path) -> None:
    """Stage 2 begins with two forwards, stage 1 with three: by kind alone their sends and receives are in the same order."""
    more: dict[str, Any] = {"n_stages": 4, "n_micro": 6, "syncs": True}
    slow, healthy = PipelineJob(slow={2: 1.3}, **more), PipelineJob(**more)
    of = analysed(recorded(slow.write(tmp_path)))
    healthy.write(tmp_path)
    ((one, _, without),) = of.stragglers
    assert one.number == 2
    assert without is not None
    assert without.was[7] - without.would_be[7] == pytest.approx(slow.ended_ns - healthy.ended_ns, rel=0.015)
