"""What a rank launches begins late where its launches are slow: a call begins it only at its end, or after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.told.all_ranks import of_all_ranks
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member, recorded
from tests.prefetch_files import PrefetchJob

if TYPE_CHECKING:
    from pathlib import Path


def late_and_healthy(folder: Path, times: float, **more: Any) -> tuple[list[Path], float]:
    """Files of a job whose rank 1 launches so many times slower, and the mean step of the same job without that."""
    healthy = PrefetchJob(**more)
    healthy.write(folder)
    paths = PrefetchJob(launch={1: times}, begin={1: times}, **more).write(folder)
    return paths, sum(healthy.step_ns) / len(healthy.step_ns)


@pytest.mark.parametrize(
    ("times", "more"),
    [
        (40, {}),
        (60, {"kernel_ns": 100_000, "n_kernels": 3}),
        (80, {}),
        (80, {"kernel_ns": 500_000}),  # each kernel still runs when the launch of the next has returned
        (6, {"kernel_ns": 15_000, "n_kernels": 60, "gather_ns": 30_000}),  # 1 us after the one before, as those of others
    ],
)
def test_without_slow_launches_what_they_begin_begins_as_soon_as_on_the_others(
    tmp_path: Path, times: float, more: dict[str, Any]
) -> None:
    paths, truth = late_and_healthy(tmp_path, times, **more)
    of = analysed(recorded(paths))
    ((one, why, without),) = of.stragglers
    assert (one.number, why.id) == (1, "launches")
    assert without is not None
    assert of.ideal is not None
    for found in (without, of.ideal):
        for lengths in (found.would_be, found.least):
            assert sum(lengths.values()) / len(lengths) == pytest.approx(truth, rel=0.01)


@pytest.mark.parametrize("edit", ["rank=1", "rank:launches=1", "ideal"])
def test_so_does_each_edit_of_its_launches(tmp_path: Path, edit: str) -> None:
    paths, truth = late_and_healthy(tmp_path, 80, n_ranks=2)
    (row,) = what_if([member(path) for path in paths], RanksWhatIfParams(what_if=edit)).rows
    assert (row.would_be_least_ns, row.would_be_ns) == pytest.approx((truth, truth), rel=0.01)


def test_in_the_ideal_in_which_it_alone_is_as_it_was_they_begin_as_late_as_they_did(tmp_path: Path) -> None:
    paths, truth = late_and_healthy(tmp_path, 80, n_ranks=2)
    members = [member(path) for path in paths]
    (row,) = what_if(members, RanksWhatIfParams(what_if="ideal but rank=1")).rows
    assert row.would_be_ns == pytest.approx(row.was_ns, rel=0.01)
    assert row.was_ns > 2 * truth


def test_what_begins_late_though_its_launches_are_quick_is_held_up_by_something_else(tmp_path: Path) -> None:
    """By 640 us, after calls of 3 us."""
    of = analysed(recorded(PrefetchJob(begin={1: 160.0}).write(tmp_path)))
    assert of.replay is not None
    assert of.replay.held_up.any()


def test_the_gap_in_which_all_are_in_their_loaders_is_not_its_own(tmp_path: Path) -> None:
    """Before its first kernel its device waits longer, by its first launches; no loader takes longer."""
    job = PrefetchJob(n_layers=2, n_kernels=4, loader_ns=1_200_000, has_loader=True, launch={1: 20.0})
    of = analysed(recorded(job.write(tmp_path)))
    ((one, why, _),) = of.stragglers
    assert (one.number, why.id, why.also) == (1, "launches", None)
    assert why.factor == pytest.approx(20, rel=0.1)


@pytest.mark.parametrize(
    ("between_ns", "launch", "told"),
    [
        (40_000, 1.0, [("host", 1)]),
        (40_000, 1.5, [("host", 1), ("rank", 3)]),  # its own are slower still; without the host more would go
        (400_000, 1.0, [("host", 1), ("rank", 3)]),  # more than they cost its host
    ],
)
def test_of_a_host_whose_launches_are_slow_no_rank_is_told_for_idling_more_by_them_in_a_step(
    tmp_path: Path, between_ns: int, launch: float, told: list[tuple[str, int]]
) -> None:
    slow = {2: 50.0, 3: 50.0 * launch}
    job = PrefetchJob(ranks_per_node=2, launch=slow, begin=slow, pause={(3, 1, nth): between_ns for nth in range(42)})
    of = analysed(recorded(job.write(tmp_path)))
    assert [(one.level, one.number) for one, _, _ in of.stragglers] == told


def test_ranks_of_a_slow_host_are_not_told_beside_it_for_what_chance_makes_them_lose_more(tmp_path: Path) -> None:
    """One of them is quicker than it in each step: the least is what all lose."""
    slow = dict.fromkeys(range(4, 8), 50.0)
    later = {4: (0, 25_000, 25_000), 5: (25_000, 25_000, 0), 6: (25_000, 0, 25_000), 7: (12_000, 12_000, 12_000)}
    pause = {(rank, step, nth): ns for rank, steps in later.items() for step, ns in enumerate(steps) for nth in range(42) if ns}
    of = analysed(recorded(PrefetchJob(n_ranks=8, ranks_per_node=4, launch=slow, begin=slow, pause=pause).write(tmp_path)))
    assert [(one.level, one.number, one.late_steps) for one, _, _ in of.stragglers] == [("host", 1, (1, 2, 3))]


def test_what_all_devices_wait_for_their_launches_is_told(tmp_path: Path) -> None:
    slow = dict.fromkeys(range(4), 50.0)
    of = analysed(recorded(PrefetchJob(launch=slow, begin=slow).write(tmp_path)))
    assert len(of.stragglers) == 0
    ((said, _),) = of_all_ranks(of)
    assert said.startswith("On all 4 ranks the device waits for launches in all 3 steps: ")
    assert "(torch.compile, CUDA graphs)" in said
    few = analysed(recorded(PrefetchJob(launch={2: 50.0}, begin={2: 50.0}).write(tmp_path)))
    assert list(of_all_ranks(few)) == []


@pytest.mark.parametrize(
    ("times", "steps", "between_ns", "n_told"),
    [
        (50.0, (1,), 12_000, 0),
        (50.0, (0, 1, 2), 12_000, 1),  # in each step is no chance
        (1.0, (1,), 250_000, 1),  # the others wait for nothing
    ],
)
def test_who_idles_somewhat_more_in_some_steps_where_all_wait_for_launches_is_not_late(
    tmp_path: Path, times: float, steps: tuple[int, ...], between_ns: int, n_told: int
) -> None:
    slow = dict.fromkeys(range(8), times)
    pause = {(2, step, nth): between_ns for step in steps for nth in range(42)}
    of = analysed(recorded(PrefetchJob(n_ranks=8, launch=slow, begin=slow, pause=pause).write(tmp_path)))
    assert [(one.number, cause.id) for one, cause, _ in of.stragglers] == [(2, "idle")] * n_told
