"""Jobs whose ranks recorded no ProfilerStep: all of them, or some."""

from __future__ import annotations

import dataclasses
import gzip
import json
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.collectives.instances import InstancesParams, instances
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tests.job.recorded import member, real_job
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def told(paths: list[Path]) -> RanksTable:
    return join([member(path) for path in paths], RanksParams())


def without_steps(path: Path, to: Path) -> Path:
    trace = json.loads(gzip.decompress(path.read_bytes()))
    trace["traceEvents"] = [event for event in trace["traceEvents"] if not event.get("name", "").startswith("ProfilerStep")]
    target = to / path.name
    target.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    return target


def test_a_job_without_steps_is_compared_over_the_whole_recording(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    paths = Job(n_ranks=8, ranks_per_node=4, slow={5: 1.25}).write(tmp_path)
    found, whole = told([without_steps(path, tmp_path / "none") for path in paths]), told(paths)
    assert found.sentences[0] == "Steps: not recorded (no ProfilerStep). The whole recording counts as one, step 0."
    assert (
        [(one.name, one.cause) for one in found.blamed]
        == [(one.name, one.cause) for one in whole.blamed]
        == [("rank 5", "slow_kernels")]
    )
    assert [step.number for step in found.steps] == [0]
    for one, other in zip(found.dimensions, whole.dimensions, strict=True):
        assert (one.exposed_wait_ns, one.exposed_transfer_ns) == pytest.approx(
            (3 * (other.exposed_wait_ns or 0), 3 * (other.exposed_transfer_ns or 0)), rel=0.01
        )
    assert found.ranks[5].caused_least_ns == pytest.approx(3 * (whole.ranks[5].caused_least_ns or 0), rel=0.01)
    assert not any("Events of the host" in note for note in found.notes)


def test_without_steps_it_is_said_how_long_the_recording_would_be(tmp_path: Path) -> None:
    """Of a job whose truth is known. What lies between steps is no bubble of its pipeline."""
    folder = real_job("syn8_tp2_pp2_dp2_slow")
    truth = json.loads((folder / "truth.json").read_text())
    found = told([without_steps(path, tmp_path) for path in sorted(folder.glob("rank*.json.gz"))])
    (blame,) = found.blamed
    assert (blame.name, blame.cause, blame.steps) == ("rank 5", "slow_kernels", [0])
    assert blame.step_without_ns == pytest.approx(sum(truth["what_if_step_ns"]["without slow:5:1.25"]), rel=0.02)
    assert (found.pipeline, found.stages) == (None, [])


def test_a_rank_without_steps_is_in_no_figure_of_a_step_and_named(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    whole = told(paths)
    without_steps(paths[2], tmp_path)
    found = told(paths)
    assert found.sentences[1] == (
        "Steps: not recorded of rank 2 (no ProfilerStep): it is in no figure of a step; without its steps the critical path and "
        "what a step would be cannot be told."
    )
    assert not any("ProfilerStep" in note for note in found.notes)
    assert not found.path
    assert "without its steps" not in " ".join(whole.sentences)
    assert (found.ranks[2].step_ns, found.ranks[2].caused_least_ns, found.ranks[2].n_steps) == (None, None, 0)
    assert found.ranks[1].own_ns == whole.ranks[1].own_ns
    assert found.n_matched == whole.n_matched
    assert [step.number for step in found.steps] == [step.number for step in whole.steps]


def test_a_rank_without_steps_takes_the_bubbles_and_it_says_so(tmp_path: Path) -> None:
    paths = sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("rank*.json.gz"))
    found = told([*paths[:2], without_steps(paths[2], tmp_path), *paths[3:]])
    assert found.sentences[1].endswith(
        "; without its steps pipeline bubbles, the critical path and what a step would be cannot be told."
    )
    assert found.pipeline is None
    assert [one.name for one in found.blamed] == ["rank 5"]


def test_where_no_step_is_whole_nobody_is_said_to_be_as_quick_as_others(tmp_path: Path) -> None:
    found = []
    for path in Job(n_ranks=2, slow={1: 1.5}).write(tmp_path):
        one = member(path)
        assert one.answer is not None
        steps = {**unpacked(one.answer.steps), "complete": np.full(3, NONE)}
        found.append(dataclasses.replace(one, answer=msgspec.structs.replace(one.answer, steps=packed(steps))))
    told_of_none = join(found, RanksParams())
    assert not any("needs longer for itself than its peers by" in sentence for sentence in told_of_none.sentences)
    assert told_of_none.ranks[1].caused_least_ns is None


def test_a_rank_cut_off_before_it_ended_a_step_is_told_so_and_has_no_time_of_one(tmp_path: Path) -> None:
    """That no step is recorded of it is not why; its collectives lie in the steps of who has them."""
    paths = Job(n_ranks=4, slow={3: 1.5}).write(tmp_path)
    plain = gzip.decompress(without_steps(paths[3], tmp_path).read_bytes())
    paths[3].write_bytes(gzip.compress(plain[: int(0.8 * len(plain))]))
    assert told(paths).sentences[1].startswith("Steps: not recorded of rank 3 (its file is cut off): it is in no figure")
    all_of_them = [member(path) for path in paths]
    rows = one_rank(all_of_them, OneRankParams(rank=3)).dimensions
    assert any(row.wait_ns for row in rows)
    assert {(row.exposed_wait_ns, row.exposed_transfer_ns, row.exposed_untold_ns) for row in rows} == {(None, None, None)}
    last = [row.step for row in instances(all_of_them, InstancesParams()).rows if row.last_ranks == [3]]
    assert last
    assert None not in last
    without_steps(paths[2], tmp_path)
    both = "Steps: not recorded of rank 2 (no ProfilerStep) and rank 3 (its file is cut off): they are in no figure"
    assert told(paths).sentences[1].startswith(both)


def test_where_all_files_are_cut_off_before_any_step_that_is_why(tmp_path: Path) -> None:
    """Of one that is whole, it is the profiler that had none."""
    paths = Job(n_ranks=4).write(tmp_path)
    for path in paths:
        plain = gzip.decompress(without_steps(path, tmp_path).read_bytes())
        path.write_bytes(gzip.compress(plain[: int(0.8 * len(plain))]))
    said = "Steps: not recorded ({}). The whole recording counts as one, step 0."
    assert told(paths).sentences[0] == said.format("the files are cut off")
    (tmp_path / "whole").mkdir()
    Job(n_ranks=4).write(tmp_path / "whole")
    paths[0] = without_steps(tmp_path / "whole" / paths[0].name, tmp_path)
    assert told(paths).sentences[0] == said.format("no ProfilerStep")


def test_a_rank_without_steps_is_nobodys_peer(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    paths = Job(n_ranks=8, ranks_per_node=4, slow={5: 1.25}).write(tmp_path)
    members = [member(path) for path in [*paths[:7], without_steps(paths[7], tmp_path / "one")]]
    (late,) = (said for said in join(members, RanksParams()).sentences if said.startswith("Rank 5 "))
    assert "more than its peers (ranks 0-4, 6)" in late
    assert one_rank(members, OneRankParams(rank=5)).peers == "0-4, 6"
    assert one_rank(members, OneRankParams(rank=0)).peers == "1-4, 6"


def test_without_steps_no_table_is_of_a_step(tmp_path: Path) -> None:
    paths = Job(n_ranks=2, slow={1: 1.5}).write(tmp_path)
    assert "a rank and step\n" in text(told(paths))
    said = text(told([without_steps(path, tmp_path) for path in paths]))
    assert "a rank, the whole recording\n" in said
    assert "a rank and step" not in said
