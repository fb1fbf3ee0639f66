"""A step without who is late, held against the same job simulated without the fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.analysed import analysed
from tests.job.recorded import recorded
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
