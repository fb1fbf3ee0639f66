"""Who came last to a collective, against a reading row by row: alone, or together with whoever is as near as clocks can tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.job.clocks.came_last import TIED_NS
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tests.job.recorded import recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.job import Job as Joined


def joined(made: Job, folder: Path) -> Joined:
    return analysed(recorded(made.write(folder))).job


@pytest.mark.parametrize("jitter_ns", [1_000, 60_000])
def test_who_is_within_three_errors_of_two_clocks_or_20_us_on_one_came_last_too(tmp_path: Path, jitter_ns: int) -> None:
    made = Job(n_ranks=8, ranks_per_node=2, tensor=4, slow={5: 1.2}, offset_ns={1: 4_000_000}, jitter_ns=jitter_ns, n_steps=4)
    job = joined(made, tmp_path)
    known = np.flatnonzero(job.instances.is_known)
    clock = [int(job.places.of_rank[place]) for place in range(8)]
    beyond_20_us = 0
    for instance, found in zip(known.tolist(), last_ranks(job, known), strict=True):
        rows = np.flatnonzero(job.matched.of == instance).tolist()
        latest = max(rows, key=lambda row: int(job.waits.start[row]))
        wanted = []
        for row in rows:
            here, there = clock[job.rows.rank[row]], clock[job.rows.rank[latest]]
            errors = [
                float(job.clocks.error_at(np.array([on]), job.rows.start[[at]])[0]) for on, at in ((here, row), (there, latest))
            ]
            bar = max(TIED_NS, 3 * math.hypot(*errors)) if here != there else TIED_NS
            apart = int(job.waits.start[latest] - job.waits.start[row])
            if apart <= bar:
                wanted.append(int(job.rows.rank[row]))
                beyond_20_us += apart > TIED_NS
        assert found == sorted(wanted)
        assert int(job.instances.n_last[instance]) == len(found)
        assert bool(job.instances.has_last[instance]) == (len(found) == 1)
    assert (beyond_20_us > 0) == (jitter_ns > TIED_NS)


def test_a_group_that_comes_from_one_collective_comes_last_together_to_the_next(tmp_path: Path) -> None:
    """By a hair one of the two would be the last, and by chance."""
    made = Job(n_ranks=4, ranks_per_node=2, slow={1: 1.5})
    job = joined(made, tmp_path)
    of_all = np.flatnonzero(job.instances.is_known & (job.instances.n_members == 4))
    assert last_ranks(job, of_all) == [[0, 1]] * made.n_steps
    assert not job.instances.has_last[of_all].any()
