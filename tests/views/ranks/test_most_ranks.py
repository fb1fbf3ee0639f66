"""Where most ranks are late, and few are not."""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def said_of(job: Job, folder: Path) -> list[str]:
    return join([member(path) for path in job.write(folder)], RanksParams()).sentences


def test_of_who_is_late_for_two_reasons_each_is_taken_off_what_it_is_of(tmp_path: Path) -> None:
    job = Job(late_input=dict.fromkeys(range(4), 3_000_000), late_once={(1, 12): 4_000_000}, stops={(1, 12, 3): 6_000_000})
    said = said_of(job, tmp_path)
    assert [each for each in said if each.startswith("All 4 ranks wait for their data loaders in all 3 steps: 3.0")]


@pytest.mark.parametrize(
    ("n_ranks", "slow", "steps", "said"),
    [
        (
            4,
            {0: 1.25, 1: 1.25, 3: 1.25},
            None,
            "All other ranks compute 24.9 % longer than rank 2 at the same kernels in all 3 steps: ",
        ),
        (
            8,
            dict.fromkeys(range(6), 1.3),
            None,
            "All other ranks compute 30.0 % longer than ranks 6-7 at the same kernels in all 3",
        ),
        (4, {0: 1.25, 1: 1.25}, None, None),
        (4, {0: 0.6}, None, "All other ranks compute"),
        (4, {0: 1.25, 1: 1.25, 3: 1.25}, [11], None),
    ],
    ids=["three of four", "six of eight", "half", "one is quick", "one step"],
)
def test_where_most_compute_longer_than_a_few_that_is_told(
    tmp_path: Path, n_ranks: int, slow: dict[int, float], steps: list[int] | None, said: str | None
) -> None:
    found = said_of(Job(n_ranks=n_ranks, ranks_per_node=n_ranks, slow=slow, slow_steps=steps), tmp_path)
    longer = [each for each in found if " other ranks compute " in each]
    assert len(longer) == (said is not None)
    assert said is None or longer[0].startswith(said)


def test_what_few_stand_still_in_for_long_is_not_told_of_the_others(tmp_path: Path) -> None:
    stops = {(rank, 12, 3): 20_000_000 if rank < 3 else 4_000_000 for rank in range(10)}
    stops_in: dict[tuple[int, int, int], Sequence[tuple[str, str]]] = {
        (rank, 12, 3): [("user_annotation", "evaluate")] for rank in range(3)
    }
    said = said_of(Job(n_ranks=10, ranks_per_node=10, stops=stops, stops_in=stops_in), tmp_path)
    assert [each for each in said if each.startswith("All 10 ranks stand still in one gap in step 12: ")]


@pytest.mark.parametrize("seed", range(6))
def test_of_ranks_that_differ_by_chance_nobody_is_told_to_be_quick(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    slow = {rank: rng.gauss(1.2, 0.06) for rank in range(4)}
    assert not [each for each in said_of(Job(ranks_per_node=4, slow=slow), tmp_path) if " other ranks compute " in each]


def test_that_no_rank_needs_longer_is_not_said_where_most_do(tmp_path: Path) -> None:
    job = Job(n_ranks=8, late_input=dict.fromkeys(range(5), 3_000_000))
    table = join([member(path) for path in job.write(tmp_path)], RanksParams())
    assert table.blamed == []
    assert not any("o rank, stage, replica or host" in each for each in table.sentences)
    assert table.sentences[1].startswith("5 of 8 ranks (0-4) wait for their data loaders in all 3 steps: ")
    assert table.leads[1].ranks == [0, 1, 2, 3, 4]


def test_who_computes_longer_where_collectives_are_lost_is_not_cleared(tmp_path: Path) -> None:
    """Its device idles less for it, as kernels are missing in the gaps."""
    paths = Job(n_ranks=8, ranks_per_node=4, tensor=4, slow=dict.fromkeys(range(4, 8), 1.2)).write(tmp_path)
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        trace["traceEvents"] = [
            event
            for event in trace["traceEvents"]
            if event.get("cat") != "kernel" or event["args"].get("Process Group Description") != "default_pg"
        ]
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    said = join([member(path) for path in paths], RanksParams()).sentences
    assert said[1].startswith("Host node1 (ranks 4-7) computes 20 % longer at the same kernels in all 3 steps")
    assert not any("o rank, stage, replica or host" in each for each in said)


def test_all_of_a_stage_that_stand_still_are_told_where_the_others_wait_for_it(tmp_path: Path) -> None:
    for replica in range(2):
        PipelineJob(n_ranks=6, first_rank=3 * replica, n_micro=16, idle={(0, "F", 1): 3_000_000}).write(tmp_path)
    said = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).sentences
    assert [each for each in said if each.startswith("Stage 0 (ranks 0, 3) stands still in one gap without any event in step 7")]
    assert not [each for each in said if "waits for launches" in each]
