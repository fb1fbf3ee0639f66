"""Of a late host no more is told than a step would be shorter by without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, recorded
from tests.job_files import Job
from tests.prefetch_files import PrefetchJob

if TYPE_CHECKING:
    from pathlib import Path

_HOST = (4, 5, 6, 7)
_APART = {rank: 1 + rank / 10_000 for rank in range(8)}  # ranks that are alike to the ns are one recording under several numbers


@pytest.mark.parametrize("times", [10, 20])
def test_a_host_that_launches_slowly_is_told_with_what_that_costs(tmp_path: Path, times: float) -> None:
    """Its devices idle for more than twice as long: while they gather nobody misses their kernels."""
    slow = dict.fromkeys(_HOST, float(times))
    usual = PrefetchJob(n_ranks=8, slow=_APART)
    job = PrefetchJob(n_ranks=8, ranks_per_node=4, launch=slow, begin=slow, slow=_APART)
    usual.write(tmp_path)
    (one,) = join(members(recorded(job.write(tmp_path))), RanksParams()).blamed
    gained = sum(job.step_ns) / 3 - sum(usual.step_ns) / 3
    assert one.name == "host node1"
    assert one.step_was_ns is not None
    assert one.step_without_ns is not None
    assert one.excess_ns == pytest.approx(one.step_was_ns - one.step_without_ns, abs=2)
    assert one.excess_ns == pytest.approx(gained, rel=0.1)
    assert f"{format_ns(one.excess_ns)} a step more than the ranks outside of it" in one.sentence


def test_where_another_is_late_too_its_amount_stays(tmp_path: Path) -> None:
    """A rank of another host computes as much longer: without the host alone a step is hardly shorter."""
    slow = {**dict.fromkeys(_HOST, 1.5), 9: 1.5}
    blamed = join(members(recorded(Job(n_ranks=16, ranks_per_node=4, slow=slow).write(tmp_path))), RanksParams()).blamed
    (host,) = (one for one in blamed if one.name == "host node1")
    assert len(blamed) == 2
    assert host.excess_ns == pytest.approx(1_200_000, rel=0.02)


def test_without_a_pause_the_launches_after_it_lie_beside_the_work_of_the_device_as_before(tmp_path: Path) -> None:
    """Its host launches 40 kernels of a layer in 0.28 ms: its longest time without a pause, and beside the device."""
    usual, job = (PrefetchJob(n_kernels=40, kernel_ns=20_000, slow=_APART, pause=stops) for stops in ({}, {(2, 1, 0): 8_000_000}))
    usual.write(tmp_path)
    (one,) = join(members(recorded(job.write(tmp_path))), RanksParams()).blamed
    assert (one.name, one.cause, one.steps) == ("rank 2", "pause", [2])
    assert one.step_without_ns == pytest.approx(usual.step_ns[1], rel=0.005)
