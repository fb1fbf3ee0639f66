"""By how much a rank needs more than its peers is one figure: in the sentence, every table, the map and its panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.job.late.peers import from_peers
from tb_plugin.job.own.layout import JobLayout
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.map.matrix import MatrixParams, matrix
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import table, text
from tests.job.recorded import member, real_job
from tests.job_files import GEMM_NS, Job
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.result import Blamed


def check(members: list[Member[RankSummary]]) -> list[Blamed]:
    """Everywhere the same of every rank, and of who is blamed alone what the sentence says."""
    table = join(members, RanksParams())
    by_step = matrix(members, MatrixParams())
    at = {step.number: place for place, step in enumerate(table.steps)}
    for place, row in enumerate(table.ranks):
        panel = one_rank(members, OneRankParams(rank=row.rank)).steps
        shown = [step.excess_ns[place] for step in table.steps]
        assert [one.excess_ns for one in panel] == [shown[at[one.number]] for one in panel]
        assert list(by_step.values[place]) == shown
        assert row.excess_ns == pytest.approx(np.mean([each for each in shown if each is not None]), abs=1)
        for one in panel:
            assert one.excess_ns == pytest.approx((one.work_ns or 0) - (one.peers_work_ns or 0), abs=2)
    for blamed in table.blamed:
        rows = [place for place, row in enumerate(table.ranks) if row.rank in blamed.ranks]
        mean = [np.mean([table.steps[at[number]].excess_ns[row] or 0 for number in blamed.steps]) for row in rows]
        assert min(mean) == pytest.approx(blamed.excess_ns, rel=0.02)
        assert f"{format_ns(blamed.excess_ns)} " in blamed.sentence
    return table.blamed


@pytest.mark.parametrize(
    ("name", "blamed"),
    [
        ("syn8_tp2_pp2_dp2_slow", "rank 5"),
        ("syn8_pp4_dp2_stage", "stage 3"),
        ("syn8_tp2_dp4_host_rccl", "rank 1"),
        ("syn8_ep4_dp8_input", "rank 6"),
    ],
)
def test_a_recorded_job_has_one_excess(name: str, blamed: str) -> None:
    found = check([member(path) for path in sorted(real_job(name).glob("*.trace.json.gz"))])
    assert found[0].name == blamed


def test_of_a_host_each_rank_is_compared_with_the_ranks_outside(tmp_path: Path) -> None:
    job = Job(n_ranks=8, ranks_per_node=4, slow=dict.fromkeys(range(4, 8), 1.3))
    (host,) = check([member(path) for path in job.write(tmp_path)])
    assert (host.level, host.ranks) == ("host", [4, 5, 6, 7])
    assert "more than the ranks outside of it" in host.sentence


def test_a_host_is_held_against_those_outside_who_are_not_late_themselves(tmp_path: Path) -> None:
    late = dict.fromkeys([(rank, 11) for rank in (0, 1, 2, 3, 5, 6)], 8_000_000)
    paths = Job(n_ranks=8, ranks_per_node=4, late_once=late).write(tmp_path)
    found = check([member(path) for path in paths])
    (host,) = [one for one in found if one.level == "host"]
    assert {one.name for one in found} == {host.name, "rank 5", "rank 6"}
    assert [one.excess_ns for one in found] == pytest.approx([8_000_000] * 3, rel=0.02)
    assert "more than ranks 4, 7, outside of it and not late" in host.sentence
    said = join([member(path) for path in paths], RanksParams()).sentences
    assert not [each for each in said if " wait for their data loaders in step 11: " in each]  # it is told of who is late
    assert not [each for each in said if "needs more" in each]  # all need as much


def test_what_a_host_computes_longer_is_held_against_who_is_not_late(tmp_path: Path) -> None:
    slow = dict.fromkeys((0, 1, 2, 3, 4, 5), 1.3)
    found = check([member(path) for path in Job(n_ranks=8, ranks_per_node=4, slow=slow, slow_steps=[11]).write(tmp_path)])
    (host,) = [one for one in found if one.level == "host"]
    assert host.factor == pytest.approx(1.3, abs=0.02)
    assert host.excess_ns == pytest.approx(0.3 * 6 * GEMM_NS, rel=0.03)


def test_a_long_stage_is_no_measure_of_another(tmp_path: Path) -> None:
    """With the head the last stage is longer than the first: the median of all outside would be a long one or near it."""
    job = SimulatedJob(stages=4, data=2, n_micro=6, gemm_us=100.0, n_steps=3, n_layers=(3, 5, 4, 3), head_us=100.0)
    members = [member(path) for path in job.write(tmp_path)]
    found = check(members)
    assert [one.name for one in found] == ["stage 1", "stage 2"]
    assert all("more than ranks 0-1, 6-7, outside of it and not late" in one.sentence for one in found)
    assert [one_rank(members, OneRankParams(rank=rank)).peers for rank in (2, 4)] == ["0-1, 6-7"] * 2


def test_who_is_late_is_no_measure_of_its_peers(tmp_path: Path) -> None:
    """Two slow ones of four are the median of who is left beside a third."""
    paths = Job(n_ranks=4, ranks_per_node=4, slow={1: 1.3, 2: 1.3}).write(tmp_path)
    members = [member(path) for path in paths]
    found = check(members)
    assert {one.name for one in found} == {"rank 1", "rank 2"}
    slow = 0.3 * 6 * GEMM_NS
    assert [row.excess_ns for row in join(members, RanksParams()).ranks] == pytest.approx([0, slow, slow, 0], abs=10_000)
    assert one_rank(members, OneRankParams(rank=1)).peers == "0, 3"
    assert "more than its peers (ranks 0, 3)" in found[0].sentence


def test_whose_files_are_missing_moves_no_excess() -> None:
    """Rank 5's peers are 4, 6 and 7; with ranks 0 and 3 gone collectives lack members, and what is told of 5 stays."""
    paths = sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("*.trace.json.gz"))
    whole = join([member(path) for path in paths], RanksParams())
    part = join([member(path) for place, path in enumerate(paths) if place not in (0, 3)], RanksParams())
    one, again = (next(row for row in table.ranks if row.rank == 5) for table in (whole, part))
    assert again.untold_ns is not None
    assert again.untold_ns > 0
    assert again.excess_ns == one.excess_ns
    assert part.blamed[0].sentence.partition("; ")[0] == whole.blamed[0].sentence.partition("; ")[0]


def test_the_median_of_others_is_that_of_each_set_without_the_rank() -> None:
    rng = np.random.default_rng(3)
    for stage in (np.full(9, NONE), np.array([0, 0, 0, 0, 1, 1, 1, 2, 2]), np.array([0] * 8 + [1])):
        work = rng.integers(0, 6, (9, 5)).astype(np.float64)
        work[rng.random(work.shape) < 0.2] = np.nan
        none = np.full(9, NONE)
        place = JobLayout(stage=stage, replica=none, tensor=none, context=none, node=none, sizes={})
        for rank, found in enumerate(from_peers(work, place)):
            peers = [each for each in range(9) if stage[each] == stage[rank] and each != rank]
            others = work[peers or [each for each in range(9) if each != rank]]
            for step in range(5):
                known = others[np.isfinite(others[:, step]), step]
                wanted = work[rank, step] - np.median(known) if len(known) else np.nan
                np.testing.assert_equal(found[step], wanted)


def test_of_many_ranks_the_shell_prints_the_worst_first_and_csv_by_number(tmp_path: Path) -> None:
    reply = join([member(path) for path in Job(n_ranks=12, slow={7: 1.3}).write(tmp_path)], RanksParams())
    lines = text(reply).splitlines()
    (head,) = [at for at, line in enumerate(lines) if line.startswith("worst rank first, by more than peers")]
    shown = [int(line.split()[0]) for line in lines[head + 3 : head + 15]]
    excess = {row.rank: row.excess_ns or 0 for row in reply.ranks}
    assert shown[0] == 7
    assert shown == sorted(excess, key=lambda rank: -excess[rank])
    assert [row[0] for row in table(reply).rows] == list(range(12))
    few = join([member(path) for path in Job(slow={3: 1.3}).write(tmp_path)], RanksParams())
    assert "worst rank first" not in text(few)
