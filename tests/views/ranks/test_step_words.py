"""A step in the sentences of Ranks: whose, how long, of which recording."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.told.sentences import _ends_last
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member, real_job, recorded
from tests.job.step_gone import take_steps_out
from tests.job_files import FIRST_STEP, Job
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def table_of(folder: Path) -> RanksTable:
    return join([member(path) for path in sorted(folder.glob("*.trace.json.gz"))], RanksParams())


def said_of(folder: Path) -> list[str]:
    return table_of(folder).sentences


@pytest.mark.parametrize("name", ["dlrm8_v100_2023", "syn64_tp4_pp4_dp4_link", "syn8_ep4_dp8_input"])
def test_a_step_of_the_job_is_one_length_everywhere(name: str) -> None:
    """Of the sentences, the ideal, edits and the critical path; a rank's own may be longer."""
    folder = real_job(name)
    table = table_of(folder)
    members = [member(path) for path in sorted(folder.glob("*.trace.json*"))]
    edited = what_if(members, RanksWhatIfParams(what_if="ideal")).rows[0]
    lengths = [table.ideal_was_ns, edited.was_ns, sum(row.path_ns for row in table.path)]
    assert lengths == pytest.approx([table.job_step_ns] * 3, abs=2)


def test_an_ideal_that_is_no_shorter_is_nothing_to_gain(tmp_path: Path) -> None:
    folder = tmp_path
    SimulatedJob(jitter=0.0, step_jitter=0.0).write(folder)
    table = table_of(folder)
    assert table.slowdown == 1  # not less: that is what a replay is off by
    assert " · ranks and links slower than most make no step longer (S 1.00)\n" in text(table)
    members = [member(path) for path in sorted(folder.glob("*.trace.json*"))]
    notes = what_if(members, RanksWhatIfParams(what_if="ideal")).notes
    assert notes[0] == "ideal: nothing to gain; no rank or link that is slower than its peers makes a step longer."
    assert not any("nothing to gain" in note for note in what_if(members, RanksWhatIfParams(what_if="rank=3")).notes)


def test_of_a_recording_without_steps_nothing_is_said_of_a_step(tmp_path: Path) -> None:
    for path in Job(n_ranks=4, slow={1: 1.5}).write(tmp_path):
        content = json.loads(gzip.decompress(path.read_bytes()))
        content["traceEvents"] = [one for one in content["traceEvents"] if not one["name"].startswith("ProfilerStep")]
        path.write_bytes(gzip.compress(json.dumps(content).encode()))
    table = table_of(tmp_path)
    none, whole, late, *rest = table.sentences
    assert none == "Steps: not recorded (no ProfilerStep). The whole recording counts as one, step 0."
    assert whole.startswith("The recording takes ")
    assert " in the whole recording: " in late
    assert " Without it the recording would take about " in late
    assert not [sentence for sentence in (whole, late, *rest) if re.search(r"\bstep\b", sentence)]
    assert table.n_steps == 0


def test_who_ends_last_does_so_in_steps_that_it_recorded(tmp_path: Path) -> None:
    paths = Job(n_ranks=2, n_steps=6).write(tmp_path)
    take_steps_out(paths[1], [FIRST_STEP])
    of, table = analysed(recorded(paths)), table_of(tmp_path)
    assert table.parts is not None
    for n_last, said in ((6, "in all 5 steps that it recorded"), (5, "in 4 of 5 steps that it recorded")):
        steps = [replace(row, last_rank=1 if FIRST_STEP < row.number < FIRST_STEP + n_last else None) for row in table.steps]
        assert _ends_last(of, table.parts, steps, [])[0].endswith(f"ank 1 ends last {said}.")


def test_where_steps_are_not_in_all_files_the_job_s_length_says_of_which_it_is(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, n_steps=4, late_once={(2, FIRST_STEP): 5_000_000}).write(tmp_path)
    take_steps_out(paths[1], [FIRST_STEP])
    said = said_of(tmp_path)[0]
    assert f" and the job (steps {FIRST_STEP + 1}-{FIRST_STEP + 3}, which all ranks recorded) " in said


def test_where_ranks_are_missing_others_are_those_that_are_here(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    paths[2].unlink()
    assert " more than its peers (all others that are here); " in table_of(tmp_path).blamed[0].sentence
    paths[0].unlink()
    sentence = table_of(tmp_path).blamed[0].sentence
    assert " more than its peer (rank 3, the only other one here); " in sentence


def test_of_a_whole_stage_the_doubt_names_imbalance_beside_slower_devices() -> None:
    (doubt,) = (said for said in table_of(real_job("syn8_pp4_dp2_stage")).doubts if "The same kernels" in said)
    assert "imbalance (larger shapes of the same kernels) or slower devices" in doubt


def test_nobody_ends_a_step_last_that_a_rank_has_not_recorded_whole(tmp_path: Path) -> None:
    """Who is quick at the end would be last of those whose end is known."""
    still = {(3, step): 4_000_000 for step in range(FIRST_STEP, FIRST_STEP + 3)}
    job = [member(path) for path in Job(n_ranks=4, pause_at_end=still).write(tmp_path)]
    whole = join(job, RanksParams())
    assert {row.last_rank for row in whole.steps} == {3}
    assert "Rank 3 ends last in all 3 steps." in whole.sentences[0]
    here = join([one for one in job if one.worker != "rank0"], RanksParams())
    assert "Of the ranks that are here, rank 3 ends last in all 3 steps." in here.sentences[0]
    content = gzip.decompress((path := next(tmp_path.glob("rank2.*"))).read_bytes())
    path.write_bytes(gzip.compress(content[: len(content) * 3 // 4]))
    cut = join([member(path) if one.worker == "rank2" else one for one in job], RanksParams())
    lacking = [row.last_rank for row in cut.steps]
    assert lacking[-1] is None
    assert "in all 3 steps" not in cut.sentences[0]
