"""Collectives that torch did not number, of ranks whose files lack some: the steps that are whole are matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import changed, member, real_job, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.job import Job as JobOf

PER_STEP = 7  # six layers of a pair, and all


def partners(job: JobOf) -> dict[int, set[tuple[int, int]]]:
    """Of each row of rank 1 that is matched, in its file, rows of others that are the same collective."""
    rows = list(zip(job.rows.rank.tolist(), job.rows.row.tolist(), job.matched.of.tolist(), strict=True))
    return {
        row: others
        for rank, row, of in rows
        if rank == 1 and of >= 0 and (others := {(its, other) for its, other, same in rows if same == of and its != 1})
    }


@pytest.mark.parametrize("gone", [{0}, {3}, {9}, {0, 1, 2, 20}, {PER_STEP - 1}])
@pytest.mark.parametrize("form", ["rccl", "2023"])
def test_steps_of_which_a_cut_file_lacks_none_are_matched_as_they_were(tmp_path: Path, form: str, gone: set[int]) -> None:
    n_ranks = 2 if form == "2023" else 4  # of 2023 all is of one group
    whole = recorded(Job(form=form, n_ranks=n_ranks, n_steps=4).write(tmp_path))
    one = whole[1]
    rows = unpacked(one.summary.collectives)
    keep = ~np.isin(np.arange(len(rows["row"])), list(gone))
    left = packed({name: column[keep] for name, column in rows.items()})
    empty: dict[str, Any] = {
        name: packed({each: column[:0] for each, column in unpacked(getattr(one.summary, name)).items()})
        for name in ("order", "needs")
    }
    cut = changed(one, is_cut_off=True, collectives=left, **empty)
    was, now = analysed(whole).job, analysed([whole[0], cut, *whole[2:]]).job
    lacking = {(rows["step"][at], rows["group"][at]) for at in gone}
    met = {rows["row"][at] for at in np.flatnonzero(keep) if (rows["step"][at], rows["group"][at]) not in lacking}
    assert partners(now) == {row: others for row, others in partners(was).items() if row in met}
    assert len(now.refused) == 0


def test_of_half_a_file_of_gloo_the_steps_before_the_cut_stand(tmp_path: Path) -> None:
    """What its second thread did in step 2 came later in the file than step 3 of the first, and is gone."""
    paths = sorted(real_job("rec_ddp_slow5").glob("*.json.gz"))
    for path in paths:
        data = path.read_bytes()
        (tmp_path / path.name).write_bytes(data[: len(data) // 2] if "rank3" in path.name else data)
    was, now = (join([member(path) for path in each], RanksParams()) for each in (paths, sorted(tmp_path.iterdir())))
    assert now.n_matched == was.n_matched == 8
    assert [one.name for one in now.blamed] == [one.name for one in was.blamed] == ["rank 5"]
    pairs = [(row.wait_ns, before.wait_ns) for row, before in zip(now.ranks, was.ranks, strict=True) if row.rank != 3]
    assert all(wait == waited or (waited == 0 and wait is None) for wait, waited in pairs)  # 0 beside what is not told apart
    assert not any("do not match" in note for note in now.notes)
