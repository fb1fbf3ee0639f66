"""What quicker launches of a pipeline would gain is what is told of the wait for them: the bubble hides the rest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.job.why.gaps_by_launch import but_bubble, waits_for_launches
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.told.all_ranks import of_all_ranks
from tests.job.recorded import recorded
from tests.launched_pipeline_files import LaunchedPipeline

if TYPE_CHECKING:
    from pathlib import Path


def gained(folder: Path, **more: Any) -> int:
    """By launches that take a microsecond, ns."""
    quick = LaunchedPipeline(**{**more, "launch_ns": 1000})
    quick.write(folder)
    slow = LaunchedPipeline(**more)
    slow.write(folder)
    return slow.ended_ns - quick.ended_ns


@pytest.mark.parametrize(
    "more",
    [
        {"n_stages": 4, "launch_ns": 60_000},
        {"n_stages": 4, "n_micro": 8, "launch_ns": 60_000},
        {"n_stages": 4, "n_micro": 8, "launch_ns": 60_000, "slow": {1: 1.3}},
        {"n_stages": 4, "n_micro": 8, "launch_ns": 60_000, "schedule": "GPipe"},
        {"n_stages": 2, "n_micro": 8, "launch_ns": 40_000},
    ],
)
def test_as_much_is_told_as_quick_launches_gain(tmp_path: Path, more: dict[str, Any]) -> None:
    truth = gained(tmp_path, **more)
    of = analysed(recorded(LaunchedPipeline(**more).write(tmp_path)))
    (said,) = (text for text, _ in of_all_ranks(of) if "the device waits for launches" in text)
    took = re.search(r"([\d.]+) ms \(", said)
    assert took is not None
    assert float(took[1]) * 1e6 == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("more", [{"n_micro": 4}, {"n_micro": 8, "slow": {1: 1.3}}])
def test_nothing_is_told_of_what_the_bubble_hides(tmp_path: Path, more: dict[str, Any]) -> None:
    more = {"n_stages": 4, "launch_ns": 40_000, **more}
    of = analysed(recorded(LaunchedPipeline(**more).write(tmp_path)))
    waits = waits_for_launches(of.job, of.alone)
    assert waits.min() > 0.1 * of.own.step.max() > gained(tmp_path, **more)
    assert but_bubble(waits, of.own, of.layout, of.pipeline).max() < 0.7 * waits.max()
    assert not any("launches" in text for text, _ in of_all_ranks(of))


def test_without_a_pipeline_it_is_what_it_was(tmp_path: Path) -> None:
    of = analysed(recorded(LaunchedPipeline(launch_ns=60_000).write(tmp_path)))
    waits = waits_for_launches(of.job, of.alone)
    assert but_bubble(waits, of.own, of.layout, None) is waits
