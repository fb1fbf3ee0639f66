"""A replica that is late as a whole is named as one, not as the hosts that it fills."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.job.job import job_of
from tb_plugin.job.late.stragglers import stragglers
from tb_plugin.job.own.dimensions import dimensions
from tb_plugin.job.own.layout import JobLayout, layout
from tb_plugin.job.own.own_time import ALSO, PARTS, OwnTime
from tests.job.recorded import changed, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.units import Int64Array

NONE_OF_16 = np.full(16, NONE)


def late(ranks: range, replica: Int64Array, host: Int64Array) -> list[tuple[str, int, tuple[int, ...]]]:
    """Who is named where each of these computes 44 ms of a step in which others need 40, give or take 0.1."""
    rng = np.random.default_rng(1)
    work = 40e6 + rng.normal(0, 1e5, (16, 4))
    work[ranks] += 4e6
    parts = {name: np.zeros((16, 4)) for name in (*PARTS, *ALSO)} | {"computation": work}
    step, none = np.full((16, 4), 50e6), np.zeros((16, 4))
    of = OwnTime(number=np.arange(4), step=step, wait=step - work, untold=none, own=work, parts=parts)
    place = JobLayout(stage=NONE_OF_16, replica=replica, tensor=NONE_OF_16, context=NONE_OF_16, node=host, sizes={})
    return [(one.level, one.number, one.members) for one in stragglers(of, place, with_idle=True)]


@pytest.mark.parametrize("n_replicas", [2, 4])
def test_a_replica_of_several_hosts_is_named_once(n_replicas: int) -> None:
    size = 16 // n_replicas
    replica, host = np.arange(16) // size, np.arange(16) // (size // 2)
    members = range(size, 2 * size)
    assert late(members, replica, host) == [("replica", 1, tuple(members))]
    one_host = range(size, size + size // 2)
    assert late(one_host, replica, host) == [("host", 2, tuple(one_host))]


def test_a_host_of_several_replicas_is_named_once() -> None:
    members = range(4, 8)
    assert late(members, np.arange(16) // 2, np.arange(16) // 4) == [("host", 1, tuple(members))]


def test_a_replica_of_sharded_and_replicated_data_is_told_by_the_group_across_replicas(tmp_path: Path) -> None:
    """Shards are the larger groups: rank 1 is shard 1 of replica 0, not replica 1."""
    described = []
    for rank, one in enumerate(recorded(Job(n_ranks=8, ranks_per_node=4).write(tmp_path))):
        low = rank // 4 * 4
        members = {2: (rank % 4, rank % 4 + 4), 8: tuple(range(low, low + 4))}
        names = {2: "dp_replicate", 8: "dp_shard"}
        groups = [
            msgspec.structs.replace(
                group,
                name=f"{names[len(group.ranks)]}{members[len(group.ranks)]}",
                description=names[len(group.ranks)],
                ranks=members[len(group.ranks)],
                size=len(members[len(group.ranks)]),
            )
            for group in one.summary.groups
            if group.ranks is not None
        ]
        described.append(changed(one, groups=groups))
    job = job_of(described)
    found = layout(job, dimensions(job))
    assert found.replica.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert found.sizes == {"data": 8}  # four shards of two replicas
