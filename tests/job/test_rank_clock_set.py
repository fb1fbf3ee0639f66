"""A clock that is set while it records, of one rank or a host by little: it is named once, and no drift is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.matching.own_clocks import ClockPlaces, MayDiffer
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.clock_set import set_once
from tests.job.recorded import members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile

MS = 1_000_000


def made(folder: Path, **more: Any) -> list[Path]:
    return Job(**{"n_ranks": 8, "ranks_per_node": 4, "slow": {5: 1.25}, **more}).write(folder)


@pytest.mark.parametrize("per_host", [4, 8])
@pytest.mark.parametrize("rank", [0, 3, 6])
@pytest.mark.parametrize("by_ns", [3 * MS, -2 * MS, 20 * MS])
def test_it_is_named_once_and_blamed_for_nothing(tmp_path: Path, per_host: int, rank: int, by_ns: int) -> None:
    paths = made(tmp_path, ranks_per_node=per_host, n_steps=4)
    profiles = set_once(paths, rank, by_ns)
    found = analysed(profiles)
    assert found.job.places.off == (rank,)
    assert list(found.job.unfit) == [int(found.job.places.of_rank[rank])]
    assert found.job.refused.tolist() == []
    assert [one.members for one, *_ in found.stragglers] == [(5,)]
    reply = join(members(profiles), RanksParams())
    said = [note for note in {*reply.notes, *reply.clock_notes, *reply.doubts} if "clock" in note or "match" in note]
    (note,) = (note for note in said if note.startswith("Clocks: "))
    assert note.startswith(f"Clocks: what rank {rank} does with others ends ")
    assert f"No wait is given of rank {rank} with others; the others wait" in note
    assert not any("do not match" in note for note in said)


def test_a_file_of_another_run_has_a_clock_that_fits_none(tmp_path: Path) -> None:
    """Steps of that run are longer, so what it does ends later and later than on the others, and never earlier."""
    profiles = recorded(made(tmp_path, n_steps=6))
    profiles[3] = recorded(made(tmp_path, n_steps=6, slow=dict.fromkeys(range(8), 1.3)))[3]
    reply = join(members(profiles), RanksParams())
    (note,) = (note for note in reply.clock_notes if note.startswith("Clocks: "))
    assert note.startswith("Clocks: what rank 3 does with others ends apart from them by an amount that changes, by ")


def test_whether_it_is_on_its_hosts_clock_is_no_question_any_more() -> None:
    of_it, of_others = MayDiffer((0, 1, 2), (3,), 12 * MS), MayDiffer((4,), (5,), MS)
    places = ClockPlaces(of_rank=np.array([0, 0, 0, 0, 1, 1]), n=2, off=(), may_differ=(of_it, of_others))
    assert places.with_own(3).may_differ == (of_others,)
    assert places.with_own(3).of_rank.tolist() == [0, 0, 0, 2, 1, 1]


def test_where_two_alone_meet_it_may_be_either(tmp_path: Path) -> None:
    found = analysed(set_once(made(tmp_path, n_ranks=2, ranks_per_node=2, slow={}), 1, 3 * MS)).job
    assert (found.unfit, found.places.off) == ({}, ())
    assert len(found.refused) > 0


def test_a_group_without_numbers_may_be_out_of_order(tmp_path: Path) -> None:
    found = analysed(set_once(made(tmp_path, form="rccl", tensor=8, ranks_per_node=8), 3, 3 * MS)).job
    assert found.unfit == {}


def hosts_with(folder: Path, odd: int, *, set_ns: int = 0, n_hosts: int = 4, **more: Any) -> list[RankProfile]:
    paths = made(
        folder,
        n_ranks=2 * n_hosts,
        ranks_per_node=2,
        tensor=2 * n_hosts,
        n_layers=100,
        n_steps=2,
        offset_ns={1: MS, 2: -MS},
        **more,
    )
    if set_ns == 0:
        return recorded(paths)
    set_once(paths, 2 * odd, set_ns, step=10)
    return set_once(paths, 2 * odd + 1, set_ns, step=10)


@pytest.mark.parametrize("odd", [0, 1, 3])
@pytest.mark.parametrize("set_ns", [300_000, 1 * MS])
def test_a_host_that_is_set_by_little_does_not_drift(tmp_path: Path, odd: int, set_ns: int) -> None:
    found = analysed(hosts_with(tmp_path, odd, set_ns=set_ns))
    assert (list(found.job.unfit), found.job.clock_refused, found.job.refused.tolist()) == ([odd], None, [])
    assert np.abs(found.job.clocks.drift).max() < 50e-6
    assert [one.members for one, *_ in found.stragglers] == [(5,)]


def test_no_clock_drifts_as_much(tmp_path: Path) -> None:
    found = analysed(hosts_with(tmp_path, 1, drift_ppm={1: 4000.0})).job
    assert (list(found.unfit), found.clock_refused) == ([1], None)


def test_of_two_hosts_nobody_knows_whose_does(tmp_path: Path) -> None:
    found = analysed(hosts_with(tmp_path, 1, n_hosts=2, slow={}, drift_ppm={1: 4000.0})).job
    assert found.unfit == {}
    assert found.clock_refused is not None
    assert " us a second, between hosts: their clocks cannot be tied" in found.clock_refused


def test_a_clock_that_a_system_slews_is_tied(tmp_path: Path) -> None:
    found = analysed(hosts_with(tmp_path, 1, drift_ppm={1: 400.0})).job
    assert (found.unfit, found.clock_refused) == ({}, None)
