"""What most ranks bring together, where nobody is late beside others: held against the same job without their fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.paused import STEPS
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

LATE = (0, 2, 3, 5, 6)


def said_of(folder: Path, **fault: Any) -> list[str]:
    paths = Job(n_ranks=8, ranks_per_node=8, n_steps=6, jitter_ns=1, **fault).write(folder)
    return join([member(path) for path in paths], RanksParams()).sentences


def step_of(folder: Path, **fault: Any) -> float:
    """As it truly is, from the end of one to that of the next."""
    job = Job(n_ranks=8, ranks_per_node=8, n_steps=6, jitter_ns=1, **fault)
    job.write(folder)
    first, second = (max(met.end for met in job.met if met.step == step) for step in STEPS[:2])
    return float(second - first)


@pytest.mark.parametrize(
    ("fault", "begins"),
    [
        ({"slow": dict.fromkeys(LATE, 1.3)}, "All other ranks compute "),
        ({"slow": {0: 1.3, 2: 1.4, 3: 1.5, 5: 1.35, 6: 1.45}}, "All other ranks compute "),
        ({"late_input": dict.fromkeys(LATE, 2_000_000), "tensor": 8}, "5 of 8 ranks (0, 2-3, 5-6) wait for their data loaders "),
    ],
)
def test_five_of_eight_are_told_with_what_a_step_would_be_without_all_of_them(
    tmp_path: Path, fault: dict[str, Any], begins: str
) -> None:
    said = said_of(tmp_path, **fault)
    (one,) = [each for each in said if each.startswith(begins)]
    was = step_of(tmp_path, **fault)
    would_be = step_of(tmp_path, tensor=fault.get("tensor", 2))
    head, _, told = one.partition(" With all of these like ranks 1, 4, 7 a step would take about ")
    assert head.endswith((").", "in the median."))
    shorter = float(told.partition(" ms")[0]) * 1e6
    assert shorter == pytest.approx(would_be, rel=0.01)
    assert int(told.partition("(")[2].removesuffix(" %).")) == pytest.approx(100 * (would_be / was - 1), abs=1)
    assert format_ns(was)[:3] in told
    assert not any("Most needs" in each for each in said)  # who is late is said


def test_of_a_job_all_of_whose_ranks_do_it_there_is_nobody_to_be_like(tmp_path: Path) -> None:
    said = said_of(tmp_path, late_input=dict.fromkeys(range(8), 2_000_000))
    (one,) = [each for each in said if each.startswith("All 8 ranks wait for their data loaders ")]
    assert "With all of these" not in one
    assert not any("With all of these" in each for each in said_of(tmp_path))
