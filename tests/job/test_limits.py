"""From where on somebody is late."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.job.limits import limit_of, may_be_late


@pytest.mark.parametrize("seed", range(40))
def test_who_is_not_looked_at_is_not_late(seed: int) -> None:
    """Whatever the noise, for ranks and steps that are alike or not."""
    rng = np.random.default_rng(seed)
    n_late = 0
    for _ in range(100):
        n_ranks, n_steps = int(rng.integers(3, 12)), int(rng.integers(1, 6))
        work, length = rng.gamma(4, 1e6, (n_ranks, n_steps)), rng.gamma(40, 1e6, n_steps)
        excess = rng.normal(rng.uniform(-0.03, 0.06) * length.mean(), rng.uniform(0, 0.03) * length.mean(), n_steps)
        excess[rng.random(n_steps) < 0.1] = np.nan
        spread = rng.choice([0.01, 1.0])
        limit = limit_of(work, spread * (work - np.median(work, axis=0)), length, float(rng.uniform(0, 1e5)), 1)
        is_late = bool(limit.late(excess).any())
        n_late += is_late
        assert not is_late or may_be_late(excess, length)
    assert n_late > 0
