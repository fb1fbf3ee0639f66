"""A rank whose file is cut off within its only step: what is told of all together is told as without its file."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def joined(paths: Sequence[Path]) -> RanksTable:
    return join([member(path) for path in paths], RanksParams())


def cut(path: Path, share: float) -> None:
    whole = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(whole[: int(share * len(whole))]))


@pytest.mark.parametrize("share", [0.6, 0.8, 0.95])
def test_the_critical_path_and_what_if_are_as_without_its_file(tmp_path: Path, share: float) -> None:
    paths = Job(n_ranks=4, slow={1: 1.5}, n_steps=1).write(tmp_path)
    plain = joined(paths[:3])
    cut(paths[3], share)
    table = joined(paths)
    (one,), (other,) = table.blamed, plain.blamed
    assert (one.name, other.name) == ("rank 1", "rank 1")
    assert one.step_without_ns == pytest.approx(other.step_without_ns, rel=0.001)
    assert table.job_step_ns == plain.job_step_ns
    first, its = plain.path[0], table.path[0]
    assert (its.what, its.rank) == (first.what, first.rank)
    assert its.path_ns == pytest.approx(first.path_ns, rel=0.001)
    said = "The critical path and what a step would be are told as if rank 3 were missing: no whole step is in its file."
    assert said in table.notes
    with pytest.raises(UsageError, match="since no whole step is in the file of rank 3"):
        what_if([member(path) for path in paths], RanksWhatIfParams(what_if="rank=3"))


def test_with_a_whole_step_it_is_no_more_left_out_than_before(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, slow={1: 1.5}, n_steps=3).write(tmp_path)
    cut(paths[3], 0.8)
    table = joined(paths)
    assert table.job_step_ns is not None
    assert not any("as if rank 3" in said for said in table.notes)


def test_where_one_rank_alone_has_a_whole_step_nothing_is_told_of_all(tmp_path: Path) -> None:
    paths = Job(n_ranks=2, slow={1: 1.5}, n_steps=1).write(tmp_path)
    cut(paths[1], 0.8)
    assert joined(paths).job_step_ns is None
