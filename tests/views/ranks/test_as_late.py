"""What would go without who is late, where a rank whose file is missing may be as late."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams, RanksTable
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

_LATE = {1: 1.25, 3: 1.24}


def _members(folder: Path, missing: int | None = None, tensor: int = 1) -> list[Member[RankSummary]]:
    paths = SimulatedJob(slow=_LATE, tensor=tensor).write(folder / f"without {missing}")
    return [member(path) for rank, path in enumerate(paths) if rank != missing]


def _of_rank(answer: RanksTable, number: int) -> str:
    return next(text for text in answer.sentences if text.startswith(f"Rank {number} "))


@pytest.mark.parametrize("tensor", [1, 2])
def test_without_who_is_late_a_step_may_stay_as_it_was_where_a_missing_rank_is_as_late(tmp_path: Path, tensor: int) -> None:
    without = SimulatedJob(slow={3: _LATE[3]}, tensor=tensor)
    without.write(tmp_path / "truth")
    answer = join(_members(tmp_path, 3, tensor=tensor), RanksParams())
    (one,) = answer.blamed
    truth = 1000 * sum(without.step_us[1:]) / len(without.step_us[1:])
    assert one.ranks == [1]
    if tensor == 1:  # of tensor groups that lack a member too much may be waiting
        assert one.step_without_least_ns is not None
        assert one.step_without_ns == one.step_was_ns
        assert one.step_without_least_ns <= truth <= 1.005 * (one.step_was_ns or 0)
    assert "At most about" in _of_rank(answer, 1)
    assert _of_rank(answer, 1).endswith(", for a rank that is not recorded here may be as late.")


def test_where_all_are_here_another_who_is_as_late_is_named(tmp_path: Path) -> None:
    said = _of_rank(join(_members(tmp_path), RanksParams()), 1)
    assert "not recorded here" not in said
    assert "rank 3" in said


def test_whoever_asks_what_if_is_told_so_too(tmp_path: Path) -> None:
    members = _members(tmp_path, 3)
    asked = RanksWhatIfParams(what_if="rank=1\nrank=all\nideal but rank=1")
    one, every, _, both = what_if(members, asked).rows
    assert one.would_be_ns in (None, one.was_ns)
    assert every.would_be_ns is not None, "what is asked of all is asked of the missing one"
    assert every.would_be_ns < 0.95 * every.was_ns
    assert both.would_be_ns in (None, both.was_ns)
    (note,) = (note for note in what_if(members, asked).notes if note.startswith("rank=1:"))
    assert "may be as late" in note


def test_who_lost_a_kernel_is_here(tmp_path: Path) -> None:
    """What else it does tells that it is not late."""
    paths = SimulatedJob(slow={1: 1.25}).write(tmp_path)
    file = json.loads(gzip.decompress(paths[3].read_bytes()))
    of_all = [each for each in file["traceEvents"] if each.get("cat") == "kernel" and "AllReduce" in each["name"]]
    file["traceEvents"].remove(of_all[len(of_all) // 2])
    paths[3].write_bytes(gzip.compress(json.dumps(file).encode()))
    answer = join([member(path) for path in paths], RanksParams())
    assert "At most" not in _of_rank(answer, 1)
    (one,) = answer.blamed
    assert (one.step_without_ns or 0) < 0.9 * (one.step_was_ns or 0)
