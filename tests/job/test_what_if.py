"""A step without who is late, held against the same job simulated without the fault."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.job.what_if import what_if as what_if_edits
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member, recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob
from tests.prefetch_files import PrefetchJob

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("fault", "cause", "more"),
    [
        ({"launch": {1: 50.0}}, "launches", {}),
        ({"slow": {1: 1.5}}, "slow_kernels", {"n_ranks": 5, "gather_ns": 900_000}),
    ],
    ids=["a gather that a slow host launches after the kernels before ran ahead of them on the others", "a gather long over"],
)
def test_what_a_late_rank_does_not_tell_of_its_gathers_the_others_do(
    tmp_path: Path, fault: dict[str, Any], cause: str, more: dict[str, Any]
) -> None:
    of = analysed(recorded(PrefetchJob(**fault, **more).write(tmp_path)))
    healthy = PrefetchJob(**more)
    healthy.write(tmp_path)
    ((one, why, without),) = of.stragglers
    assert (one.number, why.id) == (1, cause)
    assert without is not None
    assert list(without.would_be.values()) == pytest.approx(healthy.step_ns, rel=0.005)


@pytest.mark.parametrize(
    ("pause", "more"),
    [
        ({(1, 1, 8): 3_000_000}, {}),
        ({(1, 1, 2): 4_000_000, (1, 1, 30): 2_000_000}, {"kernel_ns": 60_000}),
        ({(2, 0, 9): 5_000_000, (2, 2, 2): 2_500_000}, {"kernel_ns": 40_000, "n_layers": 4}),
        ({(0, 2, 8): 8_000_000}, {"kernel_ns": 30_000, "slow": {3: 1.2}}),
    ],
)
def test_layers_that_follow_each_other_once_their_gathers_are_over_wait_each_for_its_own(
    tmp_path: Path, pause: dict[tuple[int, int, int], int], more: dict[str, Any]
) -> None:
    """A host that pauses launches late: kernels of two layers are one chunk then, and its end alone waits for the last gather."""
    of = analysed(recorded(PrefetchJob(pause=pause, **more).write(tmp_path)))
    healthy = PrefetchJob(**more)
    healthy.write(tmp_path)
    without = next(without for _, why, without in of.stragglers if why.id == "pause")
    assert without is not None
    assert set(without.would_be) >= {step + 1 for _, step, _ in pause}
    for number, length in without.would_be.items():
        assert length == pytest.approx(healthy.step_ns[number - 1], rel=0.005)


@pytest.mark.parametrize(
    ("pause", "more"),
    [
        ({(1, 1, 11): 80_000_000}, {"n_layers": 6, "n_kernels": 3, "kernel_ns": 20_000, "gather_ns": 60_000, "ahead": 5}),
        ({(1, 1, 37): 2_000_000}, {"n_layers": 8, "n_kernels": 3, "kernel_ns": 40_000, "gather_ns": 100_000, "ahead": 2}),
    ],
)
def test_a_kernel_that_begins_as_a_gather_ends_does_not_wait_for_it_where_it_ran_before_on_others(
    tmp_path: Path, pause: dict[tuple[int, int, int], int], more: dict[str, Any]
) -> None:
    """Gathered several layers ahead, what was held up behind a long pause begins as the gather of a later layer ends."""
    of = analysed(recorded(PrefetchJob(pause=pause, **more).write(tmp_path)))
    healthy = PrefetchJob(**more)
    healthy.write(tmp_path)
    ((one, why, without),) = of.stragglers
    assert (one.number, why.id) == (1, "pause")
    assert without is not None
    assert without.would_be[2] == pytest.approx(healthy.step_ns[1], rel=0.005)


def test_a_stage_is_not_like_one_that_takes_turns_elsewhere(tmp_path: Path) -> None:
    """Stage 2 begins with two forwards, stage 1 with three: by kind alone their sends and receives are in the same order."""
    more: dict[str, Any] = {"n_stages": 4, "n_micro": 6, "syncs": True}
    slow, healthy = PipelineJob(slow={2: 1.3}, **more), PipelineJob(**more)
    of = analysed(recorded(slow.write(tmp_path)))
    healthy.write(tmp_path)
    ((one, _, without),) = of.stragglers
    assert one.number == 2
    assert without is not None
    assert without.was[7] - without.would_be[7] == pytest.approx(slow.ended_ns - healthy.ended_ns, rel=0.015)


@pytest.mark.parametrize("schedule", ["1F1B", "GPipe"])
@pytest.mark.parametrize(
    ("extra", "rel"),
    [
        ({(1, "F", 3): 1_500_000}, 0.002),
        ({(1, "B", 3): 1_500_000}, 0.002),
        ({(2, "B", 5): 800_000}, 0.002),
        ({(1, "F", 2): 900_000, (1, "B", 6): 900_000}, 0.005),
        ({(0, "F", 0): 1_500_000}, 0.05),  # the only one that begins its step
    ],
)
def test_what_one_micro_batch_has_more_is_its_own(
    tmp_path: Path, schedule: str, extra: dict[tuple[int, str, int], int], rel: float
) -> None:
    """No other rank is of its stage: the measure are the other micro-batches."""
    more: dict[str, Any] = {"n_micro": 8, "syncs": True, "schedule": schedule}
    late, healthy = PipelineJob(extra=extra, **more), PipelineJob(**more)
    of = analysed(recorded(late.write(tmp_path)))
    healthy.write(tmp_path)
    ((one, _, without),) = of.stragglers
    assert one.number == next(iter(extra))[0]
    assert without is not None
    assert without.would_be[7] == pytest.approx(without.was[7] - late.ended_ns + healthy.ended_ns, rel=rel)


def mean_step_ns(folder: Path, **more: Any) -> float:
    """Of a job without the fault, from last rank to last rank."""
    folder.mkdir()
    found = analysed(recorded(Job(**more).write(folder))).replay
    assert found is not None
    lengths = found.step_lengths(found.recorded).values()
    return sum(lengths) / len(lengths)


def test_who_waits_for_somebody_by_no_event_may_wait_less_without_it(tmp_path: Path) -> None:
    """A little: the answer is a range, and the truth is in it."""
    truth = mean_step_ns(tmp_path / "healthy", unseen={3: 1})
    members = [member(path) for path in Job(slow={1: 1.06}, unseen={3: 1}).write(tmp_path)]
    table, reply = join(members, RanksParams()), what_if(members, RanksWhatIfParams(what_if="rank=1"))
    one, (row,) = table.blamed[0], reply.rows
    assert one.name == "rank 1"
    assert row.would_be_least_ns is not None
    assert row.would_be_ns is not None
    assert (one.step_without_least_ns, one.step_without_ns) == pytest.approx((row.would_be_least_ns, row.would_be_ns), rel=0.001)
    assert row.would_be_least_ns == pytest.approx(truth, rel=0.005)
    assert row.would_be_ns > truth + 100_000
    edit, held_up = reply.notes
    assert edit.startswith("rank=1: ")
    assert edit.endswith("; ranks stand still for a reason that no event gives, and nobody knows how much of that would go.")
    assert held_up.startswith("On rank 3 work that was launched long ago begins later than any event explains, by ")
    assert held_up in table.doubts
    assert "how much of that is waiting is not known" in next(said for said in table.sentences if said.startswith("Rank 1 "))


def test_where_such_waiting_decides_nothing_is_told(tmp_path: Path) -> None:
    """Without rank 1, half as quick, a step takes 2.9 ms of 5.3; its own time alone gone, rank 3 would still stand still."""
    members = [member(path) for path in Job(slow={1: 2.0}, unseen={3: 1}).write(tmp_path)]
    table, reply = join(members, RanksParams()), what_if(members, RanksWhatIfParams(what_if="rank=1"))
    (row,) = reply.rows
    assert (row.would_be_least_ns, row.would_be_ns, row.change_ns) == (None, None, None)
    assert ", so it cannot be told; ranks stand still for a reason that no event gives" in reply.notes[0]
    assert [(one.name, one.step_without_ns) for one in table.blamed if one.cause == "slow_kernels"] == [("rank 1", None)]
    assert any(
        note.startswith("On rank 3 work that was launched long ago begins later than any event explains, by ") and "(3" in note
        for note in table.doubts
    )


def test_what_explains_a_late_kernel_is_no_such_waiting(tmp_path: Path) -> None:
    """Launches, the loader, a pause of the host, collectives."""
    faults: dict[str, Any] = {"slow": {1: 1.5}, "late_input": {2: 300_000}, "pause": {(0, 11): 900_000}}
    of = analysed(recorded(Job(**faults).write(tmp_path)))
    assert of.replay is not None
    assert of.held_up is None
    assert not of.replay.held_up.any()


def test_without_who_is_late_for_two_reasons_no_step_is_longer_where_its_peers_need_more_of_one(tmp_path: Path) -> None:
    """Held against a rank that needs more of all of it than the one that is blamed."""
    of = analysed(recorded(Job(n_ranks=8, late_input={5: 3_000_000}, slow={5: 1.5}).write(tmp_path)))
    ((one, cause, _),) = of.stragglers
    assert (one.number, cause.id, cause.also is not None, of.replay is not None) == (5, "input", True, True)
    if of.replay is not None:
        swapped = replace(one, members=(2,), peers=(5,))
        without = what_if_edits.without(of.replay, of.job, of.own, of.layout, [(swapped, cause)])
        assert without is not None
        assert without.would_be == pytest.approx(without.was)
