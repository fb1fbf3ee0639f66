"""Jobs of two, three and four ranks, and chance in those of more: one that comes and goes is named, and what is chance is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.trace.rank.step_work import PAUSES
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.few_files import MS, found_in, found_of
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.units import Float64Array


Named = list[tuple[str, str, list[int]]]


@pytest.mark.parametrize(
    ("n_ranks", "n_steps", "fault", "named"),
    [
        (2, 6, {"late_once": dict.fromkeys([(1, 10), (1, 12), (1, 14)], 2 * MS)}, [("rank 1", "input", [10, 12, 14])]),
        (3, 6, {"late_once": dict.fromkeys([(1, 10), (1, 12), (1, 14)], 2 * MS)}, [("rank 1", "input", [10, 12, 14])]),
        (2, 4, {"late_once": dict.fromkeys([(1, 10), (1, 12)], MS)}, [("rank 1", "input", [10, 12])]),
        (
            2,
            6,
            {"pause": dict.fromkeys([(0, 11), (0, 13), (1, 12), (1, 14)], 4 * MS)},
            [("rank 0", "pause", [11, 13]), ("rank 1", "pause", [12, 14])],
        ),
        (
            3,
            4,
            {"slow": {2: 1.3}, "late_once": dict.fromkeys([(1, 10), (1, 12)], 2 * MS)},
            [("rank 1", "input", [10, 12]), ("rank 2", "slow_kernels", [10, 11, 12, 13])],
        ),
        (3, 2, {"late_once": {(2, 11): 2 * MS}}, [("rank 2", "input", [11])]),
        (2, 2, {"slow": {0: 1.25}, "slow_steps": [11]}, [("rank 0", "slow_kernels", [11])]),
        (2, 4, {"slow": {0: 1.25}, "slow_steps": [12, 13]}, [("rank 0", "slow_kernels", [12, 13])]),
        (
            2,
            3,
            {"pause": dict.fromkeys([(1, 10), (1, 11), (1, 12)], 3 * MS), "late_once": {(0, 10): 5 * MS}},
            [("rank 0", "input", [10]), ("rank 1", "pause", [10, 11, 12])],
        ),
    ],
    ids=[
        "every other step",
        "of three",
        "half of four steps",
        "in turn",
        "beside one that is slow in all",
        "one of two steps",
        "one of four values",
        "two of eight values",
        "both in one step",
    ],
)
def test_a_fault_in_half_of_the_steps_is_named_and_is_none_of_the_ideal(
    tmp_path: Path, n_ranks: int, n_steps: int, fault: dict[str, Any], named: Named
) -> None:
    lengths = {}
    for name, more in (("job", fault), ("healthy", {})):
        (tmp_path / name).mkdir()
        job = Job(n_ranks=n_ranks, n_steps=n_steps, ranks_per_node=4, tensor=n_ranks, **more)
        paths = job.write(tmp_path / name)
        table = join([member(path) for path in paths], RanksParams())
        lengths[name] = table.ideal_was_ns or 0
        assert sorted((one.name, one.cause, one.steps) for one in table.blamed) == (named if more else [])
        if more:
            assert table.ideal_ns is not None
            ideal = table.ideal_ns
    assert ideal == pytest.approx(lengths["healthy"], rel=0.015)


def _on_shared_cores(chance: np.random.Generator, n_ranks: int, n_steps: int) -> dict[str, Float64Array]:
    """The four longest gaps of each rank and step, and what it computes, by chance."""
    gaps = -np.sort(-chance.exponential(6 * MS, (len(PAUSES), n_ranks, n_steps)), axis=0)
    computation = chance.uniform(10 * MS, 60 * MS, n_steps) * chance.uniform(0.8, 1.2, (n_ranks, n_steps))
    return {"computation": computation, **dict(zip(PAUSES, gaps, strict=True))}


@pytest.mark.parametrize("n_sleeps", [1, 4])
@pytest.mark.parametrize(("n_ranks", "n_steps"), [(2, 4), (3, 4), (4, 5)])
def test_who_sleeps_as_long_in_every_step_is_late_in_all_however_much_steps_differ(
    n_ranks: int, n_steps: int, n_sleeps: int
) -> None:
    n_named = 0
    for seed in range(15):
        chance = np.random.default_rng(seed)
        parts = _on_shared_cores(chance, n_ranks, n_steps)
        for gap in PAUSES[:n_sleeps]:
            parts[gap][1] = 60 * MS + chance.exponential(2 * MS, n_steps)
        found = {one.number: one.late_steps for one in found_of(parts)}
        n_named += found.get(1) == tuple(range(n_steps))
    assert n_named >= 14


@pytest.mark.parametrize(("n_ranks", "n_steps"), [(2, 4), (3, 4), (4, 4), (2, 8)])
def test_gaps_of_any_length_blame_nobody(n_ranks: int, n_steps: int) -> None:
    found = [found_of(_on_shared_cores(np.random.default_rng(seed), n_ranks, n_steps)) for seed in range(60)]
    assert sum(len(one.late_steps) == n_steps for each in found for one in each) <= 1


def test_of_four_ranks_two_that_are_late_in_a_step_each_are_both_named() -> None:
    """However little the others differ."""
    work = 4 * MS * np.random.default_rng(3).uniform(0.995, 1.005, (4, 3))
    work[0, 0] += MS
    work[1, 2] += MS
    assert sorted((one.number, one.late_steps) for one in found_in(work)) == [(0, (0,)), (1, (2,))]


def test_who_stands_still_in_all_steps_is_late_in_those_too_in_which_nobody_else_is() -> None:
    """Of five processes that share cores: one asleep in all steps, another for longer in two."""
    for seed in range(10):
        chance = np.random.default_rng(seed)
        work, gaps = chance.uniform(10 * MS, 38 * MS, (5, 6)), chance.uniform(0, 12 * MS, (5, 6))
        gaps[2] = 60 * MS
        gaps[0, [1, 3]] = 150 * MS
        found = {one.number: one.late_steps for one in found_in(work, pause=gaps)}
        assert found[2] == (0, 1, 2, 3, 4, 5)
        assert found[0] == (1, 3)


@pytest.mark.parametrize("n_steps", [2, 3, 4, 6, 12])
@pytest.mark.parametrize(("n_ranks", "noise"), [(2, 0.1), (3, 0.1), (4, 0.1), (2, 0.03), (4, 0.01)])
def test_who_differs_by_chance_is_seldom_blamed(n_ranks: int, n_steps: int, noise: float) -> None:
    """Ranks and steps by themselves, or steps that differ for all ranks as well."""
    n_blamed = 0
    for seed in range(200):
        chance = np.random.default_rng(seed)
        work = 40 * MS * (1 + chance.normal(0, noise, (n_ranks, n_steps))) * (1 + chance.normal(0, (seed % 2) * noise, n_steps))
        n_blamed += bool(found_in(work))
    assert n_blamed <= 5


@pytest.mark.parametrize("cause", ["loader", "collection", "checkpoint"])
@pytest.mark.parametrize("n_ranks", [2, 3, 4])
def test_what_an_event_tells_of_one_rank_alone_is_no_chance_however_much_ranks_differ(n_ranks: int, cause: str) -> None:
    """A sixth apart by chance, and one that waits as long as a step computes in every other step."""
    n_named = 0
    for seed in range(30):
        chance = np.random.default_rng(seed)
        work = 40 * MS * chance.gamma(36, 1 / 36, (n_ranks, 6))
        idle = chance.uniform(0, 0.1 * MS, (n_ranks, 6))
        idle[1, ::2] += 40 * MS
        found = {one.number: one for one in found_in(work, **{cause: idle})}
        n_named += 1 in found and set(found[1].late_steps) >= {0, 2, 4}
    assert n_named >= 29


@pytest.mark.parametrize("n_ranks", [2, 3, 4])
def test_loaders_that_differ_by_chance_blame_nobody_more(n_ranks: int) -> None:
    """As long as it comes, rarely much: an event is no fault where those of others are near to it."""
    n_blamed = n_of_work = 0
    for seed in range(200):
        chance = np.random.default_rng(seed)
        work, idle = 40 * MS * (1 + chance.normal(0, 0.1, (n_ranks, 6))), chance.exponential(4 * MS, (n_ranks, 6))
        n_blamed += bool(found_in(work, loader=idle))
        n_of_work += bool(found_in(work + idle))
    assert n_blamed <= n_of_work + 5


@pytest.mark.parametrize("its", [[11], [10, 11, 12, 13]], ids=["in one step", "in all"])
def test_why_one_of_two_is_late_is_not_looked_for_in_what_the_other_does_in_all_steps(tmp_path: Path, its: list[int]) -> None:
    """Against who stands still for 20 ms a rank idles less than it needs more."""
    stops = {(0, step, 3): 20 * MS for step in range(10, 14)}
    job = Job(n_ranks=2, n_steps=4, late_once=dict.fromkeys([(1, step) for step in its], 8 * MS), stops=stops)
    table = join([member(path) for path in job.write(tmp_path)], RanksParams())
    first, second = table.blamed
    assert (first.name, first.steps, first.also) == ("rank 0", [10, 11, 12, 13], None)
    assert (second.name, second.cause, second.steps, second.also) == ("rank 1", "input", its, None)
    assert [second.excess_ns, second.cause_ns] == pytest.approx([8 * MS, 8 * MS], rel=0.03)
    assert table.together is not None
    healthy = 6 * 460_000 + 60_000 + 50_000  # a step of it: kernels with their transfers, the last transfer, the loader
    assert table.together.step_without_ns == pytest.approx(healthy, rel=0.06)


@pytest.mark.parametrize(("n_ranks", "n_steps", "noise"), [(6, 4, 0.03), (8, 10, 0.01), (16, 10, 0.03)])
def test_of_two_hundred_healthy_jobs_hardly_any_is_blamed(n_ranks: int, n_steps: int, noise: float) -> None:
    """Ranks and steps by themselves, or steps that differ for all ranks as well."""
    n_blamed = 0
    for seed in range(200):
        chance = np.random.default_rng(seed)
        work = 40 * MS * (1 + chance.normal(0, noise, (n_ranks, n_steps))) * (1 + chance.normal(0, (seed % 2) * noise, n_steps))
        n_blamed += bool(found_in(work))
    assert n_blamed <= 2


@pytest.mark.parametrize(("n_ranks", "n_steps", "more"), [(5, 1, 8), (6, 4, 4), (8, 6, 4), (16, 6, 4)])
def test_what_is_more_than_chance_is_told_of_a_step_and_of_all(n_ranks: int, n_steps: int, more: int) -> None:
    n_once = n_always = 0
    for seed in range(20):
        work = 40 * MS * (1 + np.random.default_rng(seed).normal(0, 0.01, (n_ranks, n_steps)))
        once, always = work.copy(), work.copy()
        once[1, 0] += 1.5 * more * MS
        always[1] += more * MS
        n_once += any(one.number == 1 and 0 in one.late_steps for one in found_in(once))
        n_always += any(one.number == 1 and len(one.late_steps) == n_steps for one in found_in(always))
    assert min(n_once, n_always) >= 18


@pytest.mark.parametrize("stage", [[0, 0], [0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]])
@pytest.mark.parametrize("cause", ["loader", "collection", "checkpoint", "pause"])
def test_what_all_peers_have_in_all_steps_blames_nobody_for_how_little_they_differ(stage: list[int], cause: str) -> None:
    """Each of stage 0 waits for more than a quarter of a step; none has 1 % of one more."""
    place = np.array(stage)
    for seed in range(20):
        chance = np.random.default_rng(seed)
        work, idle = (1 + chance.uniform(-0.01, 0.01, (len(place), 5)) for _ in range(2))
        work *= np.where(place == 0, 20 * MS, 39.9 * MS)[:, None]
        idle *= np.where(place == 0, 20 * MS, 0.1 * MS)[:, None]
        assert found_in(work, place, **{cause: idle}) == []


def test_where_who_has_no_event_has_one_too_the_others_are_not_late_for_how_little_they_differ() -> None:
    """Three of four have it in all steps; in one of these the fourth has twice as much."""
    for seed in range(20):
        chance = np.random.default_rng(seed)
        work = 40 * MS * (1 + chance.uniform(-0.005, 0.005, (4, 5)))
        idle = 20 * MS * (1 + chance.uniform(-0.01, 0.01, work.shape))
        idle[3] = 0.1 * MS
        idle[3, 2] = 40 * MS
        found = {one.number: one for one in found_in(work, loader=idle)}
        assert set(found) == {0, 1, 2, 3}
        own = work + idle
        assert all((one.excess_ns[one.excess_ns > 0] > 0.02 * 1.5 * own.mean()).all() for one in found.values())
        assert all(set(found[rank].late_steps) >= {0, 1, 3, 4} for rank in range(3))


@pytest.mark.parametrize("n_late", [1, 2, 3])
def test_where_all_wait_for_their_loaders_those_are_named_that_wait_far_longer(n_late: int) -> None:
    """All for a tenth of a step, and up to three of four for another third."""
    for seed in range(20):
        chance = np.random.default_rng(seed)
        work, idle = (1 + chance.uniform(-0.02, 0.02, (4, 5)) for _ in range(2))
        idle *= 5 * MS
        idle[:n_late] += 15 * MS
        found = {one.number: one for one in found_in(40 * MS * work, loader=idle)}
        assert {rank: one.late_steps for rank, one in found.items()} == dict.fromkeys(range(n_late), (0, 1, 2, 3, 4))
        assert [one.mean_excess_ns for one in found.values()] == pytest.approx([15 * MS] * n_late, rel=0.15)
