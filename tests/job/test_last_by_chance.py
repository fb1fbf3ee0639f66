"""Who is waited for where nobody is blamed: a name where that is no chance, and of files without a host who stands still."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.job.late.last_by_chance import is_last_by_chance
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

ALWAYS = [[0.1, 0.0, 0.1, 0.0], [2.0, 2.1, 1.9, 2.0], [0.0, 0.1, 0.0, 0.1]]
BY_TURNS = [[0.1, 1.3, 0.0, 0.2], [1.1, 0.0, 0.9, 1.4], [0.0, 0.9, 0.0, 0.0]]
ONCE = [[0.1, 2.0, 0.0, 0.1], [0.1, 8.9, 0.2, 0.0], [0.1, 0.0, 0.1, 0.2]]
"""ms; in the last rank 0 waited for rank 1, and is waited for in turn."""


@pytest.mark.parametrize(("caused", "is_chance"), [(ALWAYS, False), (BY_TURNS, True), (ONCE, False)])
def test_a_rank_is_named_where_it_is_last_by_no_chance(caused: list[list[float]], is_chance: bool) -> None:
    assert is_last_by_chance(1e6 * np.array(caused), np.full(4, 40e6), 1) is is_chance


@pytest.mark.parametrize("column", [slice(0, 1), slice(0, 2)])
def test_one_or_two_steps_tell_no_chance(column: slice) -> None:
    assert is_last_by_chance(1e6 * np.array(ALWAYS)[:, column], np.full(4, 40e6)[column], 1)


@pytest.mark.parametrize(("pause_us", "stages"), [(9000.0, 1), (9000.0, 2), (0.0, 1)])
def test_without_a_host_who_stands_still_while_others_wait_is_named(tmp_path: Path, pause_us: float, stages: int) -> None:
    """It is not held against its rank: nobody knows what for it does."""
    job = SimulatedJob(data=4, stages=stages, n_micro=2, pause={(2, 11, "middle"): (pause_us, ())} if pause_us else {})
    paths = job.write(tmp_path)
    for path in paths:
        file = json.loads(gzip.decompress(path.read_bytes()))
        kept = [one for one in file["traceEvents"] if one.get("cat") == "kernel" or one["name"].startswith("ProfilerStep")]
        path.write_bytes(gzip.compress(json.dumps({**file, "traceEvents": kept}).encode()))
    table = join([member(path) for path in paths], RanksParams())
    assert not table.blamed
    (nobody,) = [said for said in table.sentences if said.startswith("No rank")]
    assert ("In step 11 the device of rank 2 stands still " in nobody) is (pause_us > 0)
    assert "wait most" not in nobody
