"""An estimate of 0 % is believed only where few warps run."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.trace.model import Work
from tb_plugin.trace.times.occupancy import occupancy_percent

nan = float("nan")


@pytest.mark.parametrize(
    ("blocks", "warps", "told", "expected"),
    [
        (2.5, 20.0, 31.0, 31.0),
        (0.95, 10.9, 0.0, nan),  # a matrix product with 226 KiB of shared memory, H100
        (18.96, 75.8, 0.0, nan),
        (0.01, 0.08, 0.0, 0.0),  # one small block on a hundred multiprocessors
        (nan, nan, 0.0, 0.0),
        (2.5, 20.0, nan, nan),
    ],
)
def test_nothing_is_no_occupancy_of_warps_that_run(blocks: float, warps: float, told: float, expected: float) -> None:
    columns = {"blocks_per_sm": blocks, "warps_per_sm": warps, "occupancy_percent": told}
    work = Work.from_columns({"row": np.array([3])} | {name: np.array([value]) for name, value in columns.items()})
    np.testing.assert_equal(occupancy_percent(work), [expected])
