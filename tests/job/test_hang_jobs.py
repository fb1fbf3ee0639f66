"""Dumps of several jobs and folders, drawn: each job is told by itself, and what is of none is named."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.runs.dumps import find_dumps, read_dumps, read_folders, sizes_beside
from tb_plugin.trace.collectives.recorder import DumpFolder
from tb_plugin.views.ranks.hang.hang import HangReport, hang_report, hang_reports, hangs_of, hangs_text
from tests.dump_files import drawn, of_gloo, write
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

HANGS = """
    0 | all:1 done, all:2 started
    1 | all:1 done, all:2 started
    2 | all:1 done
    3 | all:1 done, all:2 started
"""


def of_world(text: str, ranks: list[int]) -> dict[int, Any]:
    """Dumps that say what their job's ranks are, as NCCL's."""
    dumps = drawn(text, {"all": ranks})
    for dump in dumps.values():
        dump["pg_config"]["all"]["desc"] = "default_pg"
    return dumps


def reports(folder: Path) -> list[HangReport]:
    return hangs_of(read_folders([folder])).hangs


def test_a_dump_of_another_job_is_named_with_what_tells_it_apart(tmp_path: Path) -> None:
    """Of a job of another size, of gloo, of a job that began later, or named as a rank that its job does not have."""
    right = of_world(HANGS, [0, 1, 2, 3])
    other = of_world("3 | all:1 done, all:2 done", [3, 4])[3]
    later = of_world("3 | all:1 done", [0, 1, 2, 3])[3]
    later["entries"][0]["time_created_ns"] += 3600 * 10**9
    strange = {
        "another size": (other, 3, "of another job: its default_pg has 2 ranks, the others' 4"),
        "gloo": (of_gloo("3 | all:1 done")[3], 3, "of another job: its collectives are gloo's, the others' NCCL's"),
        "later": (later, 3, "of another job: it began after the others had ended"),
        "no member": (of_world("9 | all:1 done", [0, 1, 2, 3])[9], 9, "its default_pg has ranks 0 to 3, and its name says 9"),
    }
    for name, (dump, rank, reason) in strange.items():
        (report,) = reports(write(tmp_path / name, right | {rank: dump}))
        assert (report.verdict or "").startswith("Rank 2 never issued all_reduce 2 of all"), name
        assert [(one.file, one.reason) for one in report.broken] == [(f"nccl_trace_rank_{rank}", reason)]
        assert report.rows[0].at_fault == [2]


def test_two_jobs_that_dumped_into_one_folder_are_two_hangs_whatever_their_names(tmp_path: Path) -> None:
    """Also where both are of one size: then by what stands before the rank in the names."""
    for name, ranks in (("sizes", [0, 1]), ("names", [0, 1, 2, 3])):
        folder = write(tmp_path / name, of_world(HANGS, [0, 1, 2, 3]))
        for rank, dump in of_world("0 | all:1 done, all:5 done, all:6 started\n1 | all:1 done, all:5 done", ranks).items():
            (folder / f"aa_rank_{rank}").write_bytes(pickle.dumps(dump))
        first, second = reports(folder)
        assert (first.rows[0].at_fault, first.rows[0].started, first.broken) == ([2], [0, 1, 3], [])
        assert (second.rows[0].sequence, second.rows[0].missing) == (6, [1])
        assert [one.place for one in (first, second)] == [
            f"{name}, nccl_trace_rank_0 to nccl_trace_rank_3",
            f"{name}, aa_rank_0 to aa_rank_1",
        ]


def test_each_folder_of_dumps_is_a_hang_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "a", of_world("0 | all:1 done\n1 | all:1 done", [0, 1]))
    write(tmp_path / "b", of_world(HANGS, [0, 1, 2, 3]))
    assert [(one.place, one.n_dumps, one.verdict is None) for one in reports(tmp_path)] == [("b", 4, False), ("a", 2, True)]


def test_what_nobody_waits_in_comes_after_what_somebody_waits_in(tmp_path: Path) -> None:
    """Rank 3 sent nothing that the others needed to go on, earlier; who did not come where they wait is the news."""
    text = """
        0 | tp:1 done, all:1 done, all:2 started
        1 | tp:1 done, all:1 done, all:2 started
        2 | tp:1 done, all:1 done
        3 | all:1 done, all:2 started
    """
    report = hang_report(*read_dumps(*find_dumps(write(tmp_path, drawn(text, {"all": [0, 1, 2, 3], "tp": [0, 1, 2, 3]})))))
    assert (report.verdict or "").startswith("Rank 2 never issued all_reduce 2 of all group; ranks 0-1, 3 wait in it.")
    assert "nobody waits in it" in report.rows[1].sentence
    assert [stack.ranks for stack in report.stacks if stack.is_at_fault] == [[2]]


def test_dumps_of_a_job_of_another_size_than_that_of_the_profiles_are_of_another_job(tmp_path: Path) -> None:
    """Of which rank they are, and of how many; gloo's do not say it, but by the highest."""
    folder = write(tmp_path / "fr", of_world(HANGS, [0, 1, 2, 3]))
    hangs = hangs_of(read_folders([folder]), {8, 2})
    (report,) = hangs.hangs
    said = "The dumps in folder fr are of a job of 4 ranks, the profiles beside them of 2 and 8: they tell of another job."
    assert report.other_job == said
    assert hangs_text(hangs).startswith(f"4 dumps read. {said} Rank 2 never issued")
    assert hangs_of(read_folders([folder]), {4, 8}).hangs[0].other_job is None
    assert hangs_of(read_folders([folder])).hangs[0].other_job is None
    gloo = read_folders([write(tmp_path / "gloo", of_gloo("0 | all:1 done\n3 | all:1 done"))])
    assert "of a job of 4 ranks or more, " in (hangs_of(gloo, {2}).hangs[0].other_job or "")
    assert hangs_of(gloo, {8}).hangs[0].other_job is None


def test_the_hang_of_the_profiles_own_job_comes_first(tmp_path: Path) -> None:
    write(tmp_path / "a", of_world(HANGS, [0, 1, 2, 3]))
    write(tmp_path / "b", of_world("0 | all:1 started\n1 |", [0, 1]))
    hangs = hangs_of(read_folders([tmp_path]), {2}).hangs
    assert [(one.place, one.other_job is None) for one in hangs] == [("b", True), ("a", False)]


def test_of_how_many_ranks_the_profiles_beside_dumps_are(tmp_path: Path) -> None:
    assert sizes_beside(tmp_path) == set()
    Job(n_ranks=12).write(tmp_path)
    assert sizes_beside(tmp_path) == {12}


def test_a_dump_of_a_job_of_one_rank_is_of_a_job_of_1_rank(tmp_path: Path) -> None:
    folder = write(tmp_path / "fr", of_world("0 | all:1 started", [0]))
    (report,) = hangs_of(read_folders([folder]), {8}).hangs
    assert (report.other_job or "").startswith("The dumps in folder fr are of a job of 1 rank, ")


@pytest.mark.parametrize("lists", [{}, {"tp": {"name": "tp", "desc": "tp group", "ranks": "[2, 3]"}}])
def test_a_dump_that_does_not_list_its_groups_is_of_those_that_others_list(tmp_path: Path, lists: dict[str, Any]) -> None:
    """Rank 1's were groups of their own, in which nobody else had issued anything: it was blamed, and all others with it."""
    text = """
        0 | all:7 done, all:8 started
        1 | all:7 done, all:8 started
        2 | all:7 done, tp:3 done
        3 | all:7 done, tp:3 done, all:8 started
    """
    dumps = drawn(text, {"all": [0, 1, 2, 3], "tp": [2, 3]})
    dumps[1]["pg_config"] = lists
    report = hang_report(*read_dumps(*find_dumps(write(tmp_path, dumps))))
    (row,) = report.rows
    assert (row.group, row.sequence, row.at_fault, row.started, row.missing) == ("all group", 8, [2], [0, 1, 3], [2])


def test_a_number_in_a_name_that_no_job_has_is_no_rank(tmp_path: Path) -> None:
    """All below it would be told to have left no dump: of 9999999 that took 1.3 GB."""
    dumps = of_gloo("0 | all:1 started\n1 | all:1 started")
    folder = write(tmp_path, {**dumps, 9_999_998: dumps[1]})
    (folder / "nccl_trace_rank_9999999").touch()
    (report,) = hang_reports(DumpFolder("", *read_dumps(*find_dumps(folder))))
    assert sorted((one.file, one.rank) for one in report.broken) == [
        ("nccl_trace_rank_9999998", None),
        ("nccl_trace_rank_9999999", None),
    ]
    assert [row.no_dump for row in report.rows] == [[]]
