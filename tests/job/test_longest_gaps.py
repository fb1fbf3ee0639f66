"""The longest times in which nothing ran."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.job.late.longest_gaps import off_the_longest


@pytest.mark.parametrize(
    ("off", "left"),
    [
        (0.0, [9.0, 4.0, 1.0]),
        (5.0, [4.0, 4.0, 1.0]),
        (11.0, [0.0, 2.0, 1.0]),
        (13.5, [0.0, 0.0, 0.5]),
        (20.0, [0.0, 0.0, 0.0]),
    ],
)
def test_what_is_told_already_goes_off_the_longest_gap_and_then_off_the_next(off: float, left: list[float]) -> None:
    gaps = np.array([9.0, 4.0, 1.0])[:, None, None].repeat(2, axis=1).repeat(3, axis=2)
    found = off_the_longest(gaps, np.array([[off, 0.0, 20.0], [np.nan, off, off]]))
    assert found[:, 0, 0].tolist() == left == found[:, 1, 1].tolist()
    assert found[:, 0, 1].tolist() == [9.0, 4.0, 1.0]
    assert found[:, 0, 2].tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(found[:, 1, 0]).all()
