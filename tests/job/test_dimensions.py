"""What a group is for where nobody described it: torch 2.4 writes "undefined"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.job.job import job_of
from tb_plugin.job.own.dimensions import dimensions
from tb_plugin.trace.collectives.kinds import ALL_REDUCE
from tb_plugin.trace.rank.packed import packed, unpacked
from tests.job.recorded import changed, recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob
from tests.sharded_files import ShardedJob

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def named(paths: Sequence[Path], description: str, world_size: int | None = None, kind: int | None = None) -> dict[str, bool]:
    """Dimension to whether it is inferred, all but the default group so described. `kind`: which all collectives are made."""
    found = []
    for one in recorded(paths):
        groups = [
            group if group.description == "default_pg" else msgspec.structs.replace(group, description=description)
            for group in one.summary.groups
        ]
        columns = unpacked(one.summary.collectives)
        rows = packed({**columns, "kind": np.full(len(columns["kind"]), columns["kind"] if kind is None else kind)})
        found.append(changed(one, groups=groups, world_size=world_size or one.summary.world_size, collectives=rows))
    of = dimensions(job_of(found))
    return {of.names[at]: of.inferred[at] for at in set(of.of_group[:-1].tolist())}


def test_a_group_of_all_ranks_that_only_sends_is_a_pipeline(tmp_path: Path) -> None:
    assert named(PipelineJob(n_stages=3).write(tmp_path), "undefined")["pipeline"]


def test_shards_that_are_gathered_ahead_are_of_data(tmp_path: Path) -> None:
    assert named(ShardedJob(n_layers=6).write(tmp_path), "undefined", world_size=8) == {"data": True}


def test_gradients_that_are_summed_up_beside_the_backward_pass_are_of_data_however_many(tmp_path: Path) -> None:
    """As of replicas of shards: a group of neighbours, an all-reduce for each of many layers."""
    paths = ShardedJob(n_layers=14).write(tmp_path)
    assert named(paths, "undefined", world_size=8, kind=ALL_REDUCE) == {"data": True}


def test_of_neighbours_for_whom_the_next_kernel_waits_the_dimension_is_tensor(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, n_layers=14, ranks_per_node=4).write(tmp_path)
    assert named(paths, "undefined") == {"tensor": True, "world": False}


def test_what_is_described_is_not_inferred(tmp_path: Path) -> None:
    assert named(Job(n_ranks=4, n_layers=14).write(tmp_path), "mesh_dp") == {"data": False, "world": False}
