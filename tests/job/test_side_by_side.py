"""Two who are late beside each other, in stages of two or more, are both named, each for its own reason."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.base.units import NONE
from tb_plugin.job.late.compared_with import excess_of
from tb_plugin.job.late.limits import limit_of, several
from tb_plugin.job.late.longest_gaps import longest_gaps
from tb_plugin.job.late.stragglers import Straggler, stragglers, work_of
from tb_plugin.job.own.layout import JobLayout
from tb_plugin.job.own.own_time import ALSO, PARTS, OwnTime
from tb_plugin.job.why.causes import cause_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.job import Job

MS = 1e6
N_STEPS = 3
LAYOUTS = [(4, 2), (2, 4), (4, 4), (2, 8), (8, 2)]
"""Stages, and ranks of each."""

Late = dict[int, tuple[str, float]]
"""Rank -> what it has more of, ms a step: `computation`, `loader` or `pause`."""


def found_in(
    n_stages: int, size: int, late: Late, *, seed: int = 1, heavier: float = 0.0, lengths: Sequence[float] = (1.0, 1.0, 1.0)
) -> list[Straggler]:
    """40 ms of computing, 0.1 ms apart by chance; the last stage has so many ms more; all of it so many times in each step. What
    is blamed is what pictures show.
    """
    rng = np.random.default_rng(seed)
    n_ranks = n_stages * size
    parts = {name: np.zeros((n_ranks, N_STEPS)) for name in (*PARTS, *ALSO)}
    parts["computation"] = 40 * MS + rng.normal(0, 0.1 * MS, (n_ranks, N_STEPS))
    parts["computation"][-size:] += heavier * MS
    for rank, (part, ms) in late.items():
        parts[part][rank] += ms * MS
        if part != "computation":
            parts["idle"][rank] += ms * MS  # which it is part of
    parts = {name: column * lengths for name, column in parts.items()}
    step, nothing = np.full((n_ranks, N_STEPS), 60 * MS) * lengths, np.zeros((n_ranks, N_STEPS))
    own = parts["computation"] + parts["idle"]
    of = OwnTime(number=np.arange(N_STEPS), step=step, wait=step - own, untold=nothing, own=own, parts=parts)
    none = np.full(n_ranks, NONE)
    stage = np.repeat(np.arange(n_stages), size) if n_stages > 1 else none
    place = JobLayout(stage=stage, replica=none, tensor=none, context=none, node=none, sizes={})
    found = stragglers(of, place, with_idle=True)
    shown = excess_of(work_of(of, with_idle=True), place, found)
    for one in found:
        if one.level == "rank":
            np.testing.assert_allclose(one.excess_ns, shown[one.number])
    return found


def said(found: list[Straggler]) -> set[tuple[str, int]]:
    return {(one.level, one.number) for one in found}


def pairs() -> list[Any]:
    return [
        pytest.param(n_stages, size, first, second, id=f"{n_stages}x{size}-{where}")
        for n_stages, size in LAYOUTS
        for where, (first, second) in (("same stage", (0, size // 2)), ("two stages", (1, size)))
        if where == "two stages" or size > 2
    ]


@pytest.mark.parametrize(("n_stages", "size", "first", "second"), pairs())
@pytest.mark.parametrize("ms", [(6.0, 6.0), (4.0, 12.0)])
def test_both_are_named_with_how_late_they_are(
    n_stages: int, size: int, first: int, second: int, ms: tuple[float, float]
) -> None:
    late: Late = {first: ("computation", ms[0]), second: ("loader", ms[1])}
    found = found_in(n_stages, size, late)
    assert said(found) == {("rank", first), ("rank", second)}
    for one in found:
        part, more = late[one.number]
        assert one.late_steps == (0, 1, 2)
        assert one.mean_excess_ns == pytest.approx(more * MS, abs=0.5 * MS)
        assert one.parts[part] == pytest.approx(more * MS, abs=0.5 * MS)


@pytest.mark.parametrize(("ms", "named"), [(12.0, {("rank", 1), ("rank", 4)}), (2.0, set())])
def test_beside_a_single_pair_both_are_named_where_they_are_very_late(ms: float, named: set[tuple[str, int]]) -> None:
    assert said(found_in(3, 2, {1: ("computation", ms), 4: ("computation", ms)})) == named


@pytest.mark.parametrize("late", list(itertools.combinations(range(8), 3)))
def test_three_of_eight_are_named(late: tuple[int, int, int]) -> None:
    amounts: Late = {rank: ("computation", ms) for rank, ms in zip(late, (3.0, 6.0, 15.0), strict=True)}
    assert said(found_in(1, 8, amounts)) == {("rank", rank) for rank in late}


@pytest.mark.parametrize(("n_stages", "size"), [(4, 4), (2, 8)])
def test_in_a_stage_that_has_more_work_a_rank_is_blamed_for_its_own_reason(n_stages: int, size: int) -> None:
    """And in one that has less: that others compute longer is no reason why it is late."""
    last = n_stages * size - 1
    found = found_in(n_stages, size, {last: ("loader", 4.0), 1: ("loader", 4.0)}, heavier=10.0)
    assert said(found) == {("stage", n_stages - 1), ("rank", last), ("rank", 1)}
    for one in found:
        if one.level == "rank":
            assert cause_of(_without_steps(n_stages * size), _empty(), one).id == "input"
            assert abs(one.parts["computation"]) < 0.5 * MS


def _empty() -> OwnTime:
    """Which the loader's share needs nothing of."""
    none = np.zeros((0, 0))
    return OwnTime(number=np.zeros(0, np.int64), step=none, wait=none, untold=none, own=none, parts={})


def _without_steps(n_ranks: int) -> Job:
    """In which nothing says what the host was in."""
    summary = SimpleNamespace(is_on_host=False)
    rank = SimpleNamespace(
        steps={"number": np.zeros(0), "complete": np.zeros(0)}, device_waits=None, ranges=None, summary=summary
    )
    return cast("Job", SimpleNamespace(of=SimpleNamespace(ranks=[rank] * n_ranks)))


def test_two_who_fill_a_stage_are_no_slow_stage_where_they_are_late_for_different_reasons() -> None:
    found = found_in(4, 2, {4: ("computation", 8.0), 5: ("loader", 20.0)})
    assert said(found) == {("rank", 4), ("rank", 5)}
    assert {one.number: round(one.mean_excess_ns / MS) for one in found} == {4: 8, 5: 20}
    alike = found_in(4, 2, {4: ("computation", 8.0), 5: ("computation", 8.1)})
    assert said(alike) == {("stage", 2)}


def test_two_who_fill_a_stage_and_idle_for_different_reasons_are_no_slow_stage() -> None:
    found = found_in(4, 2, {4: ("loader", 8.0), 5: ("pause", 9.0)})
    assert said(found) == {("rank", 4), ("rank", 5)}
    assert {cause_of(_without_steps(8), _empty(), one).id for one in found} == {"input", "pause"}
    assert said(found_in(4, 2, {4: ("loader", 8.0), 5: ("loader", 8.1)})) == {("stage", 2)}
    assert said(found_in(4, 2, {4: ("loader", 8.0), 5: ("loader", 30.0)})) == {("stage", 2), ("rank", 5)}


@pytest.mark.parametrize(("n_stages", "size"), [(1, 8), *LAYOUTS])
def test_ranks_that_differ_by_chance_are_not_several(n_stages: int, size: int) -> None:
    """3 ms to 0 in even distances, or as normal as noise is: there is no gap between who is late and who is not."""
    n_ranks = n_stages * size
    length = np.full(N_STEPS, 60 * MS)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for usual in (3 * rng.permutation(n_ranks) / n_ranks, rng.normal(0, 1, n_ranks)):
            work = 40 * MS + usual[:, None] * MS + rng.normal(0, 0.1 * MS, (n_ranks, N_STEPS))
            assert several(work, list(np.arange(n_ranks).reshape(n_stages, size)), length) == {}


@given(
    st.sampled_from([(1, 2), (1, 3), (1, 4), (2, 2), (4, 1), (1, 8), (2, 4)]),
    st.lists(st.floats(0.4, 2.5), min_size=N_STEPS, max_size=N_STEPS),
    st.integers(0, 99),
    st.sampled_from([0.0, 10.0]),
)
def test_how_long_the_steps_are_of_all_ranks_changes_nobodys_blame(
    shape: tuple[int, int], lengths: list[float], seed: int, ms: float
) -> None:
    late: Late = {1: ("computation", ms)} if ms else {}
    found = found_in(*shape, late, seed=seed, lengths=lengths)
    alike = found_in(*shape, late, seed=seed)
    assert [(said([one]), one.late_steps) for one in found] == [(said([one]), one.late_steps) for one in alike]
    if shape != (1, 2):  # three differences alone may be small by chance
        assert said(found) == ({("rank", 1)} if ms else set())


@pytest.mark.parametrize("n_ranks", [3, 4])
def test_the_same_time_more_in_steps_of_any_length_is_seen_in_a_small_job(n_ranks: int) -> None:
    """A loader takes what it takes, however long the step is."""
    lengths = np.array([1.0, 2.0, 0.7])
    work = 40 * MS * lengths + np.random.default_rng(1).normal(0, 0.1 * MS, (n_ranks, N_STEPS))
    work[1] += 8 * MS
    away = work - np.median(np.delete(work, 1, axis=0), axis=0)
    assert limit_of(work, away, 60 * MS * lengths, 1).late(away[1]).all()


@pytest.mark.parametrize(("n_ranks", "lengths"), [(2, (1, 1, 1)), (4, (1, 1, 1)), (2, (1, 2, 0.7)), (4, (1, 2, 0.7))])
def test_few_ranks_that_differ_by_chance_are_seldom_blamed(n_ranks: int, lengths: tuple[float, ...]) -> None:
    """2.5 % apart by chance in each step: of 100 jobs with steps of one length 26 and 47 were blamed."""
    none, n_blamed = np.full(n_ranks, NONE), 0
    for seed in range(100):
        work = 40 * MS * (1 + np.random.default_rng(seed).normal(0, 0.025, (n_ranks, N_STEPS))) * lengths
        nothing = np.zeros_like(work)
        parts = {name: work if name == "computation" else nothing for name in (*PARTS, *ALSO)}
        of = OwnTime(number=np.arange(N_STEPS), step=1.5 * work, wait=work / 2, untold=nothing, own=work, parts=parts)
        place = JobLayout(stage=none, replica=none, tensor=none, context=none, node=none, sizes={})
        n_blamed += bool(stragglers(of, place, with_idle=True))
    assert n_blamed <= 5


def test_a_rank_whose_only_peer_launches_as_slowly_launches_slowly() -> None:
    """A launch takes what it takes in any stage: ranks 2 and 3 are one stage."""
    parts = {name: np.zeros((4, N_STEPS)) for name in (*PARTS, *ALSO)}
    parts["n_launches"][:] = 100.0
    parts["launch"][:] = 100 * 5000.0
    parts["launch"][2:] *= 10
    own = np.full((4, N_STEPS), 40 * MS)
    of = OwnTime(number=np.arange(N_STEPS), step=own, wait=0 * own, untold=0 * own, own=own, parts=parts)
    late = Straggler(
        level="rank",
        number=3,
        members=(3,),
        peers=(2,),
        late_steps=(0, 1, 2),
        is_persistent=True,
        excess_ns=np.full(N_STEPS, 2 * MS),
        told_ns=np.full(N_STEPS, 2 * MS),
        explained_ns=np.full((1, N_STEPS), 2 * MS),
        more=dict.fromkeys(parts, np.zeros(N_STEPS)) | {"idle": np.full(N_STEPS, 2 * MS)},
        gaps=longest_gaps(of.parts, of.parts, np.array([3]), np.array([2])),
    )
    why = cause_of(_without_steps(4), of, late)
    assert why.id == "launches"
    assert why.factor == pytest.approx(10.0)
