"""Three ranks of few that are late in all steps, for one reason or for several: all are named, and of healthy ones none is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.job.few_files import MS, found_in

N_STEPS = 6


def always_late(n_ranks: int, seed: int, noise: float, kinds: tuple[str, ...], more: float) -> tuple[set[int], set[int]]:
    """(who is late, who is named in half of the steps or more). `more`: ns, of work of 40 ms that differs by `noise`."""
    chance = np.random.default_rng(seed)
    work = 40 * MS * (1 + chance.normal(0, noise, (n_ranks, N_STEPS)))
    idle: dict[str, Any] = {name: chance.uniform(0, 0.1 * MS, (n_ranks, N_STEPS)) for name in ("loader", "collection")}
    late = chance.permutation(n_ranks)[:3].tolist()
    for nth, rank in enumerate(late):
        kind = kinds[nth % len(kinds)]
        (work if kind == "computes" else idle[kind])[rank] += more * (1 + chance.normal(0, 0.03, N_STEPS))
    named = {one.number for one in found_in(work, **idle) if len(one.late_steps) >= N_STEPS / 2}
    return set(late), named


@pytest.mark.parametrize("noise", [0.01, 0.03, 0.1])
@pytest.mark.parametrize("n_ranks", [5, 6, 8])
@pytest.mark.parametrize("kinds", [("computes",), ("loader",), ("computes", "loader", "collection")])
def test_three_that_are_late_in_all_steps_are_all_named(n_ranks: int, noise: float, kinds: tuple[str, ...]) -> None:
    told = [always_late(n_ranks, seed, noise, kinds, (0.4 if noise < 0.1 else 1.0) * 40 * MS) for seed in range(10)]
    assert all(named == late for late, named in told)


@pytest.mark.parametrize("kind", ["loader", "collection"])
def test_of_four_three_are_named_by_their_events(kind: str) -> None:
    told = [always_late(4, seed, 0.1, (kind,), 20 * MS) for seed in range(10)]
    assert all(named >= late for late, named in told)


@pytest.mark.parametrize("noise", [0.0, 0.03, 0.1])
@pytest.mark.parametrize("n_ranks", [5, 8])
def test_of_forty_healthy_jobs_none_is_blamed(n_ranks: int, noise: float) -> None:
    jobs = (np.random.default_rng(seed).normal(0, noise, (n_ranks, N_STEPS)) for seed in range(40))
    assert not any(found_in(40 * MS * (1 + each)) for each in jobs)


def test_what_one_that_is_not_late_does_tells_why_three_of_four_are() -> None:
    """Though it is late itself in a step."""
    idle = np.full((4, N_STEPS), 0.1 * MS)
    idle[1:] = 60 * MS
    work = 40 * MS * np.random.default_rng(1).uniform(0.99, 1.01, (4, N_STEPS))
    work[0, 0] += 33 * MS
    found = {one.number: one for one in found_in(work, loader=idle)}
    assert set(found) >= {1, 2, 3}
    for rank in (1, 2, 3):
        assert found[rank].late_steps == tuple(range(N_STEPS))
        assert found[rank].parts["loader"] == pytest.approx(59.9 * MS, rel=0.2)
