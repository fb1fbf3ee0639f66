"""Jobs of which a rank lacks whole steps: they are named, compared on who has them, and the rest stands."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.lanes.lanes import LanesParams, lanes
from tb_plugin.views.ranks.map.matrix import MatrixParams, matrix
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tests.job.recorded import member, real_job, recorded
from tests.job.step_gone import take_steps_out
from tests.job_files import FIRST_STEP, Job

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import RanksTable

STEPS = range(FIRST_STEP, FIRST_STEP + 6)
THEY = "they are compared on the ranks that have them."
GONE = [{3: [12]}, {3: [12, 13], 6: [11]}, {0: [10, 11]}, {3: [14, 15]}, {3: [10], 4: [15]}, {2: [11, 13]}, {2: [12], 3: [13]}]


def a_job(folder: Path, gone: dict[int, list[int]], **more: Any) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = Job(**{"n_ranks": 8, "ranks_per_node": 4, "n_steps": len(STEPS), **more}).write(folder)
    for rank, steps in gone.items():
        take_steps_out(paths[rank], steps)
    return paths


def told(paths: list[Path]) -> RanksTable:
    return join([member(path) for path in paths], RanksParams())


def of_step(of: Analysed, gone: dict[int, list[int]]) -> dict[tuple[int, int], np.ndarray]:
    """Waits of each rank's step in the order of its collectives, of what is in all files; those of two ranks by themselves."""
    rows, found = of.job.rows, {}
    for place, number in enumerate(of.job.of.numbers):
        pair = {number, number ^ 1}
        for step in STEPS:
            mine = (rows.rank == place) & (rows.step == step)
            is_pair = np.array([len(group.ranks or ()) == 2 for group in of.job.table.groups])[rows.group]
            if all(step not in steps for steps in gone.values()):
                found[number, step] = of.job.waits.wait[mine]
            elif all(step not in gone.get(rank, ()) for rank in pair):
                found[number, step] = of.job.waits.wait[mine & is_pair]
    return found


@pytest.mark.parametrize("form", ["2025", "rccl"])
@pytest.mark.parametrize("gone", GONE)
def test_what_is_in_all_files_is_as_if_nothing_were_gone(tmp_path: Path, form: str, gone: dict[int, list[int]]) -> None:
    """By torch's number of a collective and by its place alone."""
    fault: Any = {"form": form, "slow": {5: 1.5}}
    whole, part = (analysed(recorded(a_job(tmp_path, each, **fault))) for each in ({}, gone))
    wanted, found = of_step(whole, gone), of_step(part, gone)
    assert len(wanted) > 3 * len(STEPS)
    for key, waits in wanted.items():
        assert found[key].tolist() == pytest.approx(waits.tolist(), abs=3000)
    assert len(part.job.refused) == 0
    ((one, _, quick),) = part.stragglers
    assert (one.level, part.job.of.numbers[one.number]) == ("rank", 5)
    assert quick is not None
    was, other = whole.stragglers[0][2], set().union(*gone.values())
    assert was is not None
    assert set(quick.would_be) == set(STEPS) - other
    for number, length in quick.would_be.items():
        assert length == pytest.approx(was.would_be[number], rel=0.005)
    assert [path.step for path in part.paths] == sorted(set(STEPS) - other)
    for path in part.paths:
        assert path.length == pytest.approx(next(each.length for each in whole.paths if each.step == path.step), rel=0.002)


@pytest.mark.parametrize("gone", GONE)
def test_without_a_fault_nobody_is_named_for_what_is_gone(tmp_path: Path, gone: dict[int, list[int]]) -> None:
    reply = told(a_job(tmp_path, gone))
    assert reply.blamed == []
    assert "; not told of rank" in reply.sentences[1]
    assert max(one.path_share for one in reply.path) < 0.3


def test_a_step_of_whom_is_late_is_not_told_of_it(tmp_path: Path) -> None:
    reply = told(a_job(tmp_path, {5: [12]}, slow={5: 1.5}))
    (one,) = reply.blamed
    assert (one.ranks, one.steps) == ([5], [10, 11, 13, 14, 15])
    assert [row.late for row in reply.steps] == [["rank 5"], ["rank 5"], [], ["rank 5"], ["rank 5"], ["rank 5"]]


@pytest.mark.parametrize(
    ("gone", "notes"),
    [
        ({3: [12]}, ["Step 12 is not in the file of rank 3; it is compared on the ranks that have it."]),
        (
            {3: [12, 13], 6: [12, 13], 1: [11]},
            [
                "Step 11 is not in the file of rank 1; it is compared on the ranks that have it.",
                f"Steps 12-13 are not in the files of ranks 3, 6; {THEY}",
            ],
        ),
        (
            {0: [10, 11], 7: [14, 15]},
            [
                f"Steps 10-11 are not in the file of rank 0, which began to record later; {THEY}",
                f"Steps 14-15 are not in the file of rank 7, which stopped to record earlier; {THEY}",
            ],
        ),
        (
            {rank: [14, 15] for rank in range(1, 8)},
            ["Steps 14-15 are in the file of rank 0 alone; nobody is here to compare with."],
        ),
        ({rank: [10] for rank in range(2, 8)}, ["Step 10 is in the files of ranks 0-1 alone; these are compared."]),
    ],
)
def test_who_lacks_which_steps_is_said_in_one_sentence_each(tmp_path: Path, gone: dict[int, list[int]], notes: list[str]) -> None:
    reply = told(a_job(tmp_path, gone))
    assert reply.notes[: len(notes)] == notes
    left = sorted(set(STEPS) - set().union(*gone.values()))
    assert reply.notes[len(notes)].startswith("The critical path and what a step would be are told of steps ")
    assert [row.path_ns for row in reply.steps].count(None) == len(STEPS) - len(left)
    assert f"note: {notes[0]}" in " ".join(text(reply).split())
    assert not any("not in the file" in note for note in told(a_job(tmp_path, {})).notes)


def test_each_other_screen_stands(tmp_path: Path) -> None:
    paths = a_job(tmp_path, {3: [12]}, slow={5: 1.5})
    members = [member(path) for path in paths]
    cells = matrix(members, MatrixParams(measure="own"))
    assert len(cells.ranks) == 8
    assert {row.number for row in one_rank(members, OneRankParams(rank=3)).steps} >= set(STEPS) - {12}
    assert lanes(members, LanesParams(step=12)).lanes


def test_messages_of_a_pipeline_are_matched_by_their_place(tmp_path: Path) -> None:
    paths = [Path(shutil.copy(path, tmp_path)) for path in sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("*.trace.json.gz"))]
    was = analysed(recorded(paths)).job
    take_steps_out(paths[3], [11])
    now = analysed(recorded(paths)).job
    assert len(now.refused) == 0
    keeps, kept = (each.rows.is_between_two & (each.rows.step != 11) for each in (was, now))
    assert keeps.any()
    assert now.waits.wait[kept].tolist() == pytest.approx(was.waits.wait[keeps].tolist(), abs=3000)


@pytest.mark.parametrize(
    ("name", "rank", "step"),
    [
        ("syn8_tp2_pp2_dp2_slow", 3, 11),
        ("syn8_tp2_dp4_host_rccl", 3, 11),
        ("syn8_fsdp8_gc_2023", 4, 12),
        ("syn8_ep4_dp8_input", 2, 11),
        ("rec_ddp_slow5", 2, 3),
        ("rec_fsdp2_2nodes", 2, 3),
    ],
)
def test_of_a_recorded_job_the_same_is_blamed(tmp_path: Path, name: str, rank: int, step: int) -> None:
    paths = [Path(shutil.copy(path, tmp_path)) for path in sorted(real_job(name).glob("*.trace.json.gz"))]
    whole = told(paths)
    (place,) = (place for place, one in enumerate(recorded(paths)) if one.summary.rank == rank)
    take_steps_out(paths[place], [step])
    part = told(paths)
    assert not any("not in the file" in note for note in whole.notes)
    assert part.notes[0].startswith(f"Step {step} is not in the file of rank {rank}")
    assert not any("do not match" in note for note in part.notes)
    assert [one.name for one in part.blamed] == [one.name for one in whole.blamed]
    assert part.blamed[0].excess_ns == pytest.approx(whole.blamed[0].excess_ns, rel=0.1)
