"""Stages of a pipeline that have more layers than others, several of them, beside a head or a slow rank: told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable

JOB: dict[str, Any] = {"stages": 4, "data": 2, "n_micro": 6, "gemm_us": 100.0, "n_steps": 3}


def joined(folder: Path, job: SimulatedJob) -> RanksTable:
    return join([member(path) for path in job.write(folder)], RanksParams())


@pytest.mark.parametrize("head_us", [0.0, 100.0])
def test_two_long_stages_do_not_hide_each_other(tmp_path: Path, head_us: float) -> None:
    """With the head the last stage is between both sorts, so each of the long ones was lost in what the others are apart by."""
    job = SimulatedJob(**JOB, n_layers=(3, 4, 4, 3), head_us=head_us)
    table = joined(tmp_path, job)
    assert {one.name for one in table.blamed} == {"stage 1", "stage 2"}
    (told,) = [said for said in table.sentences if "more work" in said]
    more = "24 to 36" if head_us else "36"  # 5 a layer and micro-batch, 1 a micro-batch of a stage between two; 2 of a head
    assert told.startswith(f"Each of stages 1-2 (ranks 2-5) has more work: {more} kernels more a step, first ")
    assert "(24 against 18 on its peers)" in told
    assert " than the ranks of the other stages. With their work spread evenly over the stages a step would take about " in told
    assert not any("No rank" in said for said in table.sentences)


def test_counts_are_of_ranks_that_run_so_many(tmp_path: Path) -> None:
    """Peers that are unlike each other have no count in the mean."""
    table = joined(tmp_path, SimulatedJob(**JOB, n_layers=(2, 3, 5, 3)))
    (told,) = [said for said in table.sentences if "more work" in said]
    assert told.startswith("Stage 2 (ranks 4-5) has more work: 60 to 96 kernels more a step, first ")
    assert "(30 against 12 to 18 on its peers)" in told


def test_what_even_stages_bring_is_not_what_a_slow_rank_among_them_costs(tmp_path: Path) -> None:
    """And both at once are what neither leaves."""
    layers, slow = (3, 4, 4, 3), {4: 1.2}
    table = joined(tmp_path / "job", SimulatedJob(**JOB, n_layers=layers, slow=slow))
    shares = {rank: 3.5 / layers[rank // 2] for rank in range(8)}
    even = SimulatedJob(**JOB, n_layers=layers, slow={rank: share * slow.get(rank, 1.0) for rank, share in shares.items()})
    healthy = SimulatedJob(**JOB, n_layers=layers, slow=shares)
    for job in (even, healthy):
        job.write(tmp_path / "true")
    stage = next(one for one in table.blamed if one.name == "stage 1")
    true_ns, healthy_ns = (1000 * sum(job.step_us) / len(job.step_us) for job in (even, healthy))
    assert stage.step_without_ns == pytest.approx(true_ns, rel=0.01)
    assert table.together is not None
    assert table.together.step_without_ns == pytest.approx(healthy_ns, rel=0.01)
    assert any("With that, and without rank 4, a step would take about " in said for said in table.sentences) or (
        "Without it, and with work spread evenly over the stages, a step" in " ".join(table.sentences)
    )


def test_of_three_long_stages_nobody_is_the_exception(tmp_path: Path) -> None:
    table = joined(tmp_path, SimulatedJob(**JOB, n_layers=(2, 4, 4, 4)))
    assert not table.blamed
    (told,) = [said for said in table.sentences if "spread evenly" in said]
    assert told.startswith("Stages 1-3 compute ")
    assert not any("No rank" in said for said in table.sentences)
    assert not any("Pipeline bubbles" in said and "than the mean" in said for said in table.sentences)


@pytest.mark.parametrize(
    ("more", "layers", "times"),
    [
        ({"stages": 4}, (2, 2, 3, 2), 1.1),
        ({"stages": 2, "n_micro": 4}, (3, 4), 1.35),
        ({"stages": 4, "tensor": 2, "n_micro": 4}, (2, 3, 3, 2), 1.2),
    ],
)
def test_a_slow_replica_and_long_stages_are_each_named_with_what_they_cost(
    tmp_path: Path, more: dict[str, Any], layers: tuple[int, ...], times: float
) -> None:
    """What a replica has more is of each stage in its share: it is no rank's own where there is more to do."""
    jobs = {**JOB, "gemm_us": 400.0, "n_layers": layers, **more}
    tensor, mean = jobs.get("tensor", 1), sum(layers) / len(layers)
    ranks = range(2 * tensor * len(layers))
    slow = {rank: times for rank in ranks if rank // tensor % 2 == 1}
    shares = {rank: mean / layers[rank // (2 * tensor)] for rank in ranks}
    job, usual, even = (
        SimulatedJob(**jobs, slow=each)
        for each in (slow, {}, {rank: share * slow.get(rank, 1.0) for rank, share in shares.items()})
    )
    table = joined(tmp_path / "job", job)
    for other in (usual, even):
        other.write(tmp_path / "true")
    long_ones = {f"stage {stage}" for stage, n in enumerate(layers) if n == max(layers)}
    assert {one.name for one in table.blamed} == {"replica 1", *long_ones}
    for one in table.blamed:
        assert one.cause == ("slow_kernels" if one.level == "replica" else "more_work")
        true_ns = 1000 * sum((usual if one.level == "replica" else even).step_us) / job.n_steps
        assert one.step_without_ns == pytest.approx(true_ns, rel=0.015)
    rows = {row.rank: row for row in table.ranks}
    for rank in ranks:  # what a stage has more is none of its replica's, and both are its own
        usual_ns = min(rows[each].computation_ns or 0 for each in ranks if each not in slow)
        computed_ns = rows[rank].computation_ns or 0
        assert rows[rank].excess_ns == pytest.approx(computed_ns - usual_ns, abs=0.04 * computed_ns)
