"""Where most ranks are late, and few are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def said_of(job: Job, folder: Path) -> list[str]:
    return join([member(path) for path in job.write(folder)], RanksParams()).sentences


def test_of_who_is_late_for_two_reasons_each_is_taken_off_what_it_is_of(tmp_path: Path) -> None:
    job = Job(late_input=dict.fromkeys(range(4), 3_000_000), late_once={(1, 12): 4_000_000}, stops={(1, 12, 3): 6_000_000})
    said = said_of(job, tmp_path)
    assert [each for each in said if each.startswith("All 4 ranks wait for their data loaders in all 3 steps: 3.0")]
