"""Calls that wait for the device, of a rank whose layers are gathered ahead: half of what it idles for them is hidden."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.sharded_files import ShardedJob

if TYPE_CHECKING:
    from pathlib import Path

JOB: dict[str, Any] = {"n_layers": 6, "kernel_ns": 50_000, "scatter_ns": 60_000}


@pytest.mark.parametrize(
    ("job", "items"),
    [
        ({"n_kernels": 4, "gather_ns": 200_000}, range(6, 42, 2)),
        ({"n_kernels": 6, "gather_ns": 300_000}, range(6, 42, 2)),
        ({"n_kernels": 6, "gather_ns": 200_000}, range(4, 42, 5)),
        ({"n_kernels": 6, "gather_ns": 250_000}, range(3, 30)),
    ],
)
def test_who_waits_for_its_device_more_often_is_told_though_communication_hides_half(
    tmp_path: Path, job: dict[str, Any], items: range
) -> None:
    late = ShardedJob(**JOB, **job, items={1: tuple(items)})
    (one,) = join([member(path) for path in late.write(tmp_path)], RanksParams()).blamed
    healthy = replace(late, items={}, step_ns=[])
    healthy.write(tmp_path)
    assert (one.name, one.cause, one.event, one.also) == ("rank 1", "sync", "aten::item", None)
    assert f"`aten::item`, {len(items)} times a step against 0 on its peers" in one.sentence
    assert "nothing recorded says why" not in one.sentence
    assert one.step_without_ns == pytest.approx(np.mean(healthy.step_ns[1:]), rel=0.01)


def test_of_a_host_that_is_slow_at_all_launches_a_few_such_calls_are_not_the_cause(tmp_path: Path) -> None:
    """What is seen follows the calls, and far more is hidden."""
    job = ShardedJob(**JOB, n_kernels=6, gather_ns=300_000, items={1: (5, 15, 25, 35)})
    slow = {(1, step, nth): 40_000 for step in range(job.n_steps) for nth in range(1, len(job.order()))}
    (one,) = join([member(path) for path in replace(job, pause=slow).write(tmp_path)], RanksParams()).blamed
    assert (one.name, one.cause, one.event) == ("rank 1", "idle", None)
