"""A rank whose file lacks collectives stands still in these for all that is known: nobody blames it for that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable

LACKS = {(2, "DATA_PARALLEL_GROUP"), (2, "default_pg")}
STILL = ("train.py(20): log", "<built-in function sleep>")


def _table(folder: Path, **more: Any) -> RanksTable:
    job = SimulatedJob(**{"gemm_us": 200.0, "n_steps": 6, "lost": LACKS, **more})
    return join([member(path) for path in job.write(folder)], RanksParams())


def test_of_a_healthy_job_nobody_is_blamed(tmp_path: Path) -> None:
    table = _table(tmp_path)
    assert not table.blamed
    assert not any("rank 2" in each.lower() and "more" in each for each in table.sentences[1:])


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ({"slow": {1: 1.15}}, "slow_kernels"),
        ({"pause": {(1, step, "middle"): (5000.0, STILL) for step in (11, 12, 13)}}, "pause"),
    ],
)
def test_who_is_late_is_blamed_beside_it_and_alone(tmp_path: Path, fault: dict[str, Any], cause: str) -> None:
    (one,) = _table(tmp_path, **fault).blamed
    assert (one.name, one.cause) == ("rank 1", cause)


def test_who_lacks_them_is_blamed_for_what_its_kernels_tell(tmp_path: Path) -> None:
    (one,) = _table(tmp_path, slow={2: 1.2}).blamed
    assert (one.name, one.cause, one.also) == ("rank 2", "slow_kernels", None)
    assert one.excess_ns == pytest.approx(one.cause_ns, rel=0.03)


def test_what_begins_late_after_them_is_not_said_to_have_no_event(tmp_path: Path) -> None:
    doubts = _table(tmp_path, gemm_us=100.0, n_steps=4, slow={1: 1.2}).doubts
    (said,) = (each for each in doubts if "begins later" in each)
    assert said.startswith(
        "On rank 2 work that was launched long ago begins later than what is in its file explains, as after a "
    )
