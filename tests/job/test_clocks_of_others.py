"""What a rank needs for itself lies on its own clock: it is told however far the clocks of other hosts are off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tests.job.clock_set import set_once
from tests.job.recorded import recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
STEPS = (10, 11)


def found_in(folder: Path, set_ns: int, *, per_host: int = 2, **more: Any) -> Analysed:
    """Steps of 48 ms of eight ranks on hosts of so many, of which the first one's clock is set so far within the first step."""
    job = Job(n_ranks=8, ranks_per_node=per_host, n_layers=100, n_steps=len(STEPS), offset_ns={1: MS}, **more)
    paths = job.write(folder)
    profiles = recorded(paths)
    for rank in range(per_host if set_ns else 0):
        profiles = set_once(paths, rank, set_ns, step=STEPS[0])
    return analysed(profiles)


def named(found: Analysed) -> list[tuple[tuple[int, ...], str, tuple[int, ...]]]:
    return [(one.members, cause.id, one.late_steps) for one, cause, _ in found.stragglers]


@pytest.mark.parametrize("set_ns", [0, MS // 3, MS])
@pytest.mark.parametrize("rank", [2, 5, 7])
def test_who_is_late_by_its_own_clock_is_named_whatever_that_of_another_host_is_off_by(
    tmp_path: Path, set_ns: int, rank: int
) -> None:
    found = found_in(tmp_path, set_ns, late_input={rank: MS})
    assert (found.clock_error_ns > MS // 4) == (set_ns > 0)
    assert named(found) == [((rank,), "input", STEPS)]
    (one,) = (one for one, *_ in found.stragglers)
    assert one.mean_excess_ns == pytest.approx(MS, rel=0.02)


def test_what_communication_seems_to_hide_by_a_clock_that_is_off_is_nobodys(tmp_path: Path) -> None:
    found = found_in(tmp_path, MS)
    assert found.clock_error_ns > MS / 2
    assert not found.alone.parts["hidden"].any()
    assert named(found) == []


@pytest.mark.parametrize("set_ns", [MS, 3 * MS])
def test_where_no_clocks_are_tied_who_stands_still_in_all_steps_is_told(tmp_path: Path, set_ns: int) -> None:
    """In one step alone it may be the clock."""
    found = found_in(tmp_path, set_ns, per_host=4, pause=dict.fromkeys([(5, step) for step in STEPS], MS + set_ns))
    assert found.job.clock_refused is not None
    assert named(found) == [((5,), "pause", STEPS)]


@pytest.mark.parametrize("seed", range(6))
def test_where_ends_of_collectives_scatter_by_half_a_millisecond_nobody_is_late(tmp_path: Path, seed: int) -> None:
    """And one who is late by a millisecond is named, on one host as on two."""
    for per_host in (4, 8):
        for late in ({}, {5: MS}):
            job = Job(n_ranks=8, ranks_per_node=per_host, n_steps=5, seed=seed, jitter_ns=600_000, late_input=late)
            found = analysed(recorded(job.write(tmp_path)))
            assert named(found) == ([((5,), "input", (10, 11, 12, 13, 14))] if late else [])
            assert np.isfinite(found.own.own).all()
