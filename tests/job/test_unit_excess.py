"""What all of a stage, host or replica have more than the ranks outside of it."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.job.late.unit_excess import MostExcess, unit_excess


@pytest.mark.parametrize("seed", range(20))
def test_a_unit_has_no_more_than_is_told_without_its_median(seed: int) -> None:
    """Of ranks that are alike or not, some of which lack a step; and hardly more is told where a unit is few of many."""
    rng = np.random.default_rng(seed)
    close = []
    for _ in range(50):
        n_ranks, n_steps = int(rng.integers(3, 200)), int(rng.integers(1, 5))
        work = rng.normal(100.0, 1.0, (n_ranks, n_steps))
        work[rng.random(work.shape) < 0.05] = np.nan
        members = rng.choice(n_ranks, int(rng.integers(2, n_ranks)), replace=False)
        work[members] += rng.choice([0.0, 5.0])
        told, most = unit_excess(work, members), MostExcess(work).of(members)
        known = np.isfinite(told)
        assert (most[known] >= told[known]).all()
        if n_ranks > 100 and len(members) < 10:
            close += (most[known] - told[known]).tolist()
    assert max(close, default=0.0) < 0.5
