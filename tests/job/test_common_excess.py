"""What is told of a host: what its ranks commonly have, and not the least of another one in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.job.late.stragglers import stragglers
from tb_plugin.job.own.layout import JobLayout
from tb_plugin.job.own.own_time import ALSO, PARTS, OwnTime
from tb_plugin.views.ranks.told.blame import lost_of, slowdown_of

if TYPE_CHECKING:
    from tb_plugin.job.late.stragglers import Straggler

MS = 1_000_000
MORE = np.array([[3.1, 2.8, 3.6], [2.9, 3.5, 2.6], [3.3, 3.0, 3.3]]) * MS


def found(own_of_4: float = 0.0) -> list[Straggler]:
    """Ranks 3 to 5 idle more; rank 4 waits for its loader as well, in one step."""
    work = np.full((6, 3), 10.0 * MS)
    parts = {name: np.zeros((6, 3)) for name in (*PARTS, *ALSO)}
    parts["idle"][3:] = MORE
    parts["loader"][4, 1] = own_of_4
    parts["idle"][4, 1] += own_of_4
    parts["computation"] = work
    length = work + parts["idle"]
    own = OwnTime(number=np.arange(3), step=length, wait=0 * work, untold=0 * work, own=length, parts=parts)
    nothing, node = np.full(6, -1), np.repeat([0, 1], 3)
    place = JobLayout(stage=nothing, replica=nothing, tensor=nothing, context=nothing, node=node, sizes={})
    return stragglers(own, place, with_idle=True)


@pytest.mark.parametrize("own_of_4", [0.0, 20.0 * MS])
def test_the_median_of_the_members_is_told(own_of_4: float) -> None:
    unit = next(one for one in found(own_of_4) if one.level == "host")
    assert unit.mean_excess_ns == pytest.approx(MORE.min(axis=0).mean())
    assert unit.mean_told_ns == pytest.approx(np.median(MORE, axis=0).mean(), rel=0.06 if own_of_4 else 1e-9)


def test_of_one_rank_its_own_is_told() -> None:
    one = next(one for one in found(20.0 * MS) if one.level == "rank")
    assert one.mean_told_ns == one.mean_excess_ns


def test_a_job_is_never_quicker_than_its_ideal() -> None:
    assert lost_of(99, 100) == 1.0
    assert lost_of(110, 100) == slowdown_of(110, 100) == 1.1
    assert lost_of(110, None) is None
