"""Error bars of clocks are what they are off by, whatever the ends of collectives scatter like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.clocks import clock

if TYPE_CHECKING:
    from collections.abc import Callable

SPAN_NS, JITTER_NS = 100e6, 300e3
N_JOBS = 60

SCATTER: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "mean of four": lambda random, n: random.uniform(0, JITTER_NS, (n, 4)).mean(axis=1),
    "even": lambda random, n: random.uniform(0, JITTER_NS, n),
    "late": lambda random, n: random.exponential(JITTER_NS / 3, n),
    "few far off": lambda random, n: random.normal(0, 5e4, n) + (random.random(n) < 0.1) * random.exponential(JITTER_NS, n),
}


def off_by_its_error(seed: int, n_instances: int, n_clocks: int, noise: Callable[[np.random.Generator, int], Any]) -> Any:
    """Of each clock but the first: (how far its offset is off, its drift) in units of their errors."""
    random = np.random.default_rng(seed)
    when = np.repeat(np.sort(random.uniform(-SPAN_NS / 2, SPAN_NS / 2, n_instances)), n_clocks)
    offset = np.concatenate(([0.0], random.uniform(-1e5, 1e5, n_clocks - 1)))
    drift = np.concatenate(([0.0], random.uniform(-20e-6, 20e-6, n_clocks - 1)))
    of = np.tile(np.arange(n_clocks), n_instances)
    end = when + offset[of] + drift[of] * when + noise(random, len(when))
    instance, weight, middle = np.repeat(np.arange(n_instances), n_clocks), np.ones(len(end)), np.zeros(n_clocks, np.int64)
    equations = clock.Equations(instance, of, end, weight, n_instances, middle)
    span = float(np.ptp(end))
    found, covariance, _ = clock._least_squares(equations, np.arange(1, n_clocks), np.zeros(n_clocks, np.int64), span)
    return (found - np.concatenate((offset[1:], drift[1:] * span))) / np.sqrt(np.diag(covariance))


@pytest.mark.parametrize(("n_instances", "n_clocks"), [(8, 2), (15, 2), (60, 2), (15, 8)])
@pytest.mark.parametrize("scatter", SCATTER)
def test_clocks_are_off_by_about_their_error(scatter: str, n_instances: int, n_clocks: int) -> None:
    off = np.array([off_by_its_error(seed, n_instances, n_clocks, SCATTER[scatter]) for seed in range(N_JOBS)])
    offsets = off[:, : n_clocks - 1]
    assert 0.6 < np.sqrt((offsets**2).mean()) < 1.3
    assert (np.abs(off) > 3).mean() < 0.02
