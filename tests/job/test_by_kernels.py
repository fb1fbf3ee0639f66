"""Of few ranks two that are late in the same steps, one for its kernels: neither hides the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.told.blame import blamed, together
from tests.job.recorded import recorded
from tests.job_files import GEMM_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile

MS = 1_000_000
STEPS = (10, 11, 12, 13)


def with_tables(profile: RankProfile, **tables: dict[str, Any]) -> RankProfile:
    return replace(
        profile, summary=msgspec.structs.replace(profile.summary, **{name: packed(table) for name, table in tables.items()})
    )


def with_more_kernels(profile: RankProfile, n: int) -> RankProfile:
    """In each step."""
    shapes, work = unpacked(profile.summary.shapes), unpacked(profile.summary.work)
    shapes["count"] += n
    shapes["total"] += n * shapes["median"]
    work["computation"] += n * shapes["median"]
    return with_tables(profile, shapes=shapes, work=work)


def with_other_kernel(profile: RankProfile, longest: int) -> RankProfile:
    """It runs three times in each step, 50 us each, and one call of the second step takes so long."""
    shapes, work = unpacked(profile.summary.shapes), unpacked(profile.summary.work)
    more = np.where(shapes["step"] == STEPS[1], longest - 50_000, 0)
    other = {**shapes, "shape": shapes["shape"] + 1, "count": np.full(len(more), 3), "median": np.full(len(more), 50_000)}
    other |= {"longest": 50_000 + more, "total": 150_000 + more}
    work["computation"] += other["total"]
    return with_tables(profile, shapes={name: np.concatenate((shapes[name], other[name])) for name in shapes}, work=work)


def with_long_call(profile: RankProfile, longest: int) -> RankProfile:
    """Of those that it runs in the second step."""
    shapes, work = unpacked(profile.summary.shapes), unpacked(profile.summary.work)
    more = longest - int(shapes["median"][1])
    shapes["longest"][1] = longest
    shapes["total"][1] += more
    work["computation"][1] += more
    return with_tables(profile, shapes=shapes, work=work)


def as_two_kernels(profile: RankProfile, more: tuple[int, int]) -> RankProfile:
    """Every other call is of another one. `more`: what a call of each takes longer in the second step."""
    shapes = unpacked(profile.summary.shapes)
    both = []
    for nth, ns in enumerate(more):
        took = shapes["median"] + np.where(shapes["step"] == STEPS[1], ns, 0)
        its = {"shape": shapes["shape"] + nth, "count": shapes["count"] // 2, "longest": took}
        both.append({**shapes, **its, "total": 2 * shapes["median"] + took})
    return with_tables(profile, shapes={name: np.concatenate([one[name] for one in both]) for name in shapes})


def named_in(profiles: list[RankProfile]) -> set[tuple[int, str, tuple[int, ...], float]]:
    """Who is late, for what, in which steps, and by how many ms. Of changed tables no replay tells gains."""
    of = analysed(profiles)
    return {
        (one.number, cause.id, one.late_steps, round(one.mean_excess_ns / MS, 1))
        for one, cause, _ in (*of.stragglers, *of.no_gain)
    }


@pytest.mark.parametrize("n_ranks", [2, 3])
@pytest.mark.parametrize("loader_ms", [1.6, 3.2])
@pytest.mark.parametrize("cause", ["more_work", "slow_kernels"])
def test_who_computes_longer_and_who_waits_for_its_loader_are_both_named(
    tmp_path: Path, cause: str, loader_ms: float, n_ranks: int
) -> None:
    """3 of its kernels: about as long as the loader of the other, or much shorter, in each step."""
    slow = {0: 1.5} if cause == "slow_kernels" else {}
    late = dict.fromkeys([(1, step) for step in STEPS], int(loader_ms * MS))
    profiles = recorded(Job(n_ranks=n_ranks, n_steps=4, slow=slow, late_once=late).write(tmp_path))
    if cause == "more_work":
        profiles[0] = with_more_kernels(profiles[0], 3)
    assert named_in(profiles) == {(0, cause, STEPS, 3 * GEMM_NS / MS), (1, "input", STEPS, loader_ms)}


def test_a_long_call_of_each_of_two_ranks_in_a_step_are_both_named(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=2, n_steps=4).write(tmp_path))
    profiles = [with_other_kernel(profiles[0], 50_000), with_other_kernel(profiles[1], 5 * MS)]
    profiles[0] = with_long_call(profiles[0], 8 * MS)
    assert named_in(profiles) == {(0, "long_call", (11,), 7.6), (1, "long_call", (11,), 5.0)}


def test_what_two_ranks_cost_that_have_a_long_call_each_in_a_step_is_told_together(tmp_path: Path) -> None:
    """Of two ranks neither is a measure of the other. What follows the calls waits for them."""
    job = Job(n_ranks=2, n_steps=4, longer={(0, 11, 0): 8 * MS, (1, 11, 4): 6 * MS})
    first, second = recorded(job.write(tmp_path))
    of = analysed([as_two_kernels(first, (8 * MS, 0)), as_two_kernels(second, (0, 6 * MS))])
    assert {(one.number, cause.id, one.late_steps) for one, cause, _ in of.stragglers} == {
        (rank, "long_call", (11,)) for rank in (0, 1)
    }
    usual = analysed(recorded(Job(n_ranks=2, n_steps=4).write(tmp_path))).job_steps[11]
    assert of.without_all is not None
    assert of.without_all.would_be[11] == pytest.approx(usual, rel=0.02)
    joint = together(of, blamed(of))
    assert joint is not None
    assert (joint.ranks, joint.steps) == ([0, 1], [11])


def test_who_computes_while_its_loader_takes_as_long_hides_nobody(tmp_path: Path) -> None:
    """All wait for their loaders; one has more to compute meanwhile, so that only the other's device idles."""
    late = dict.fromkeys([(1, step) for step in STEPS], 2 * MS)
    profiles = recorded(Job(n_ranks=2, n_steps=4, late_once=late).write(tmp_path))
    profiles[0] = with_more_kernels(profiles[0], 5)
    assert {who for who, *_ in named_in(profiles)} == {0, 1}
    hosts = [unpacked(one.summary.order) for one in profiles]
    profiles[0] = with_tables(profiles[0], order={**hosts[0], "host": hosts[1]["host"]})
    assert named_in(profiles) == set()


@pytest.mark.parametrize("longer_ms", [2.2, 2.4, 2.6])
def test_who_is_slower_at_all_kernels_is_late_beside_one_call_that_takes_as_long(tmp_path: Path, longer_ms: float) -> None:
    """Both compute longer by about as much in the second step, and for reasons that are not the same."""
    longer = {(1, 11, 5): int(longer_ms * MS)}
    profiles = recorded(Job(n_ranks=2, n_steps=4, n_layers=20, slow={0: 1.3}, slow_steps=[11], longer=longer).write(tmp_path))
    (slow, slow_ms), (call, call_ms) = sorted((named[:3], named[3]) for named in named_in(profiles))
    assert (slow, call) == ((0, "slow_kernels", (11,)), (1, "long_call", (11,)))
    assert [slow_ms, call_ms] == pytest.approx([2.4, longer_ms], abs=0.15)
