"""What peers compute between two collectives, where none of them has all of these in the step."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.replay.replay import Between
from tb_plugin.job.what_if.kernels_share import kernels_share

if TYPE_CHECKING:
    from collections.abc import Sequence


def between(kinds: Sequence[int], time: Sequence[float]) -> Between:
    return Between(np.arange(len(time)), np.arange(len(time)), np.array(time), np.array(kinds))


def test_a_peer_that_lost_a_record_is_asked_for_another_step() -> None:
    """Rank 1 takes twice as long at first, as long as its peers then; of those each has lost a collective of step 11."""
    steps: dict[tuple[int, int], Between] = {
        (1, 10): between([3, 3, 5], [40.0, 40.0, 10.0, 10.0]),
        (1, 11): between([3, 3, 5], [80.0, 80.0, 20.0, 20.0]),
        (0, 10): between([3, 3, 5], [20.0, 20.0, 10.0, 10.0]),
        (0, 11): between([3, 5], [80.0, 20.0, 20.0]),
        (2, 10): between([3, 3, 5], [20.0, 20.0, 10.0, 10.0]),
        (2, 11): between([3, 3], [40.0, 40.0, 40.0]),
    }
    own: Any = SimpleNamespace(
        number=np.array([10, 11]), parts={"computation": np.array([[60.0, 120.0], [100.0, 200.0], [60.0, 120.0]])}
    )
    of: Any = SimpleNamespace(between=lambda rank, number: steps[rank, number])
    share = kernels_share(of, own, np.array([0, 2]), 1, 1)
    assert share == pytest.approx([0.5, 0.5, 1.0, 1.0])
