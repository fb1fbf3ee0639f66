"""What one step launches and goes on, or waits, beside the next one's work: no step, rank or link is longer or slower for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.collectives.kinds import RECV
from tb_plugin.views.ranks.basis.analysed import analysed
from tests.job.recorded import recorded
from tests.program_files import ProgramJob
from tests.step_edge_files import data, pipeline, sharded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.program_files import Program

JOBS: Final[dict[str, Callable[[int], list[Program]]]] = {
    "gradients beside the next forward pass": lambda seed: data(seed=seed),
    "and a host that never waits": lambda seed: data(syncs=False, seed=seed),
    "receives posted ahead": lambda seed: pipeline(seed=seed),
    "receives posted ahead by a host that never waits": lambda seed: pipeline(syncs=False, seed=seed),
    "a gather for the next step": lambda seed: sharded(seed=seed),
    "and its optimizer in that step": lambda seed: sharded(is_late=True, seed=seed),
    "all of that by a host that never waits": lambda seed: sharded(is_late=True, syncs=False, seed=seed),
}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("made", JOBS.values(), ids=JOBS.keys())
def test_each_step_lasts_as_long_on_all_ranks_and_nobody_is_blamed(
    tmp_path: Path, made: Callable[[int], list[Program]], seed: int
) -> None:
    job = ProgramJob(programs=made(seed), seed=seed)
    of = analysed(recorded(job.write(tmp_path)))
    assert of.stragglers == []
    assert of.links.slow is None
    assert of.replay is not None
    ended = [job.computed_ns[step] for step in sorted(job.computed_ns)]
    true = np.diff(ended)
    assert of.own.step[:, 1:] == pytest.approx(np.broadcast_to(true, of.own.step[:, 1:].shape), rel=0.02)
    assert list(of.replay.as_it_was.values())[1:] == pytest.approx(true, rel=0.02)


def test_without_launches_a_receive_is_of_the_step_in_which_it_began_and_matched(tmp_path: Path) -> None:
    jobs = [ProgramJob(programs=pipeline(syncs=True), has_host=has_host) for has_host in (True, False)]
    launched, alone = (analysed(recorded(job.write(tmp_path / str(job.has_host)))).job for job in jobs)
    assert len(alone.matched) == len(launched.matched)
    assert alone.matched.is_complete.all()
    assert (alone.rows.step[alone.rows.kind == RECV] != NONE).all()
