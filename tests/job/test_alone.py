"""Where hosts launch more slowly than devices compute: who waits for another idles less, and tells nothing of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.job.why.gaps_by_launch import waits_for_launches
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tests.job.recorded import member, recorded
from tests.prefetch_files import PrefetchJob

if TYPE_CHECKING:
    from pathlib import Path

_ALL = dict.fromkeys(range(4), 50.0)


def mean_step(folder: Path, launch: dict[int, float], loader_ns: int = 50_000) -> tuple[list[Path], float]:
    job = PrefetchJob(launch=launch, begin=launch, loader_ns=loader_ns, has_loader=True)
    return job.write(folder), sum(job.step_ns) / len(job.step_ns)


@pytest.mark.parametrize("times", [1.2, 1.5, 2.0])
def test_a_rank_is_late_by_what_its_host_takes_longer_and_for_its_launches(tmp_path: Path, times: float) -> None:
    _, usual = mean_step(tmp_path, _ALL)
    paths, was = mean_step(tmp_path, {**_ALL, 1: 50.0 * times})
    of = analysed(recorded(paths))
    ((one, why, without),) = of.stragglers
    assert (one.number, why.id) == (1, "launches")
    assert why.factor == pytest.approx(times, rel=0.05)
    assert one.mean_excess_ns == pytest.approx(was - usual, rel=0.15)
    assert without is not None
    assert np.mean(list(without.would_be.values())) == pytest.approx(usual, rel=0.02)


def test_what_waiting_hides_is_a_part_of_its_own(tmp_path: Path) -> None:
    paths, _ = mean_step(tmp_path, {**_ALL, 1: 100.0})
    shown = one_rank([member(path) for path in paths], OneRankParams(rank=0))
    hidden = next(row for row in shown.parts if row.part == "idle that communication hides")
    parts = {row.part: row.mine_ns or 0 for row in shown.parts}
    assert hidden.mine_ns
    work = np.mean([row.work_ns or 0 for row in shown.steps])
    assert work == pytest.approx(sum(parts[name] for name in ("computation", "copies", "idle", hidden.part)), abs=5)


def test_of_the_gap_in_which_a_host_is_in_its_loader_only_the_rest_is_no_launch(tmp_path: Path) -> None:
    """Launches begin the first kernel late as they do all others: that gap is longer than its loader."""
    paths, _ = mean_step(tmp_path, _ALL, loader_ns=900_000)
    of = analysed(recorded(paths))
    parts = of.alone.parts
    waited = waits_for_launches(of.job, of.alone)
    assert waited == pytest.approx(parts["idle"] - parts["hidden"] + parts["hidden_by_waits"] - parts["loader"], rel=0.1)
