"""A peer whose file is cut off in a step ran more there than its file has: nobody has more work than it."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def cut(path: Path, share: float) -> None:
    """As torch writes a file: the device comes last, and of its rows this share is there."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    events = sorted(trace["traceEvents"], key=lambda event: event.get("cat") == "kernel")
    n = sum(event.get("cat") == "kernel" for event in events)
    whole = json.dumps({**trace, "traceEvents": events[: len(events) - n + int(n * share) + 1]})
    path.write_bytes(gzip.compress(whole[: whole.rindex(", {") + 20].encode(), 1))


def joined(paths: list[Path]) -> RanksTable:
    return join([member(path) for path in paths], RanksParams())


@pytest.mark.parametrize("cut_rank", [0, 2, 3])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9])
def test_slow_kernels_stay_slow_kernels(tmp_path: Path, cut_rank: int, share: float) -> None:
    paths = Job(slow={1: 1.25}, n_steps=4).write(tmp_path)
    cut(paths[cut_rank], share)
    (one,) = joined(paths).blamed
    assert (one.name, one.cause, one.steps) == ("rank 1", "slow_kernels", [10, 11, 12, 13])
    assert " computes 25 % longer at the same kernels in all 4 steps" in one.sentence
    (row,) = one_rank([member(path) for path in paths], OneRankParams(rank=1)).kernels
    assert (row.why, row.n_calls, row.peers_calls) == ("longer calls", 24, 24)


def test_of_two_ranks_the_one_that_is_cut_is_compared_in_what_it_has(tmp_path: Path) -> None:
    paths = Job(n_ranks=2, slow={0: 1.25}, n_steps=4).write(tmp_path)
    cut(paths[1], 0.6)
    table = joined(paths)
    assert [(one.name, one.cause) for one in table.blamed] == [("rank 0", "slow_kernels")]
