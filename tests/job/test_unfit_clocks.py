"""A host whose clock fits no other is left out and named, and all that is done without it stays as it is."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.job.clocks.unfit_clocks import Pairs, unfit_of
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.lanes.lanes import LanesParams, lanes
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import changed, members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile

MS = 1_000_000
AHEAD = {0: 0, 1: 3 * MS, 2: -2 * MS, 3: MS // 2}


def made(folder: Path, n_hosts: int = 4, n_steps: int = 3) -> list[RankProfile]:
    """Two ranks a host; each sends to the next host, and all meet at a step's end."""
    n_ranks = 2 * n_hosts
    pairs = [(rank, rank + 2) for rank in range(n_ranks - 2)]
    job = Job(n_ranks=n_ranks, n_steps=n_steps, sends=pairs, slow={5 % n_ranks: 1.25}, offset_ns=AHEAD)
    return recorded(job.write(folder))


def jittering(profiles: list[RankProfile], hosts: Sequence[int], by_ns: int = 8 * MS) -> list[RankProfile]:
    """The same on all ranks of a host: its clock steps back and forth, from one collective to the next."""
    found = []
    for place, one in enumerate(profiles):
        rows = unpacked(one.summary.collectives)
        chance = random.Random(place // 2)
        off = np.array([chance.randrange(-by_ns, by_ns) for _ in range(len(rows["start"]))])
        rows["start"], rows["end"] = rows["start"] + off, rows["end"] + off
        found.append(changed(one, collectives=packed(rows)) if place // 2 in hosts else one)
    return found


def set_once(profiles: list[RankProfile], host: int, by_ns: int, share: float) -> list[RankProfile]:
    """From so much of the recording on its clock is ahead by that, as when it is set by another's."""
    found = []
    for place, one in enumerate(profiles):
        rows, steps = unpacked(one.summary.collectives), unpacked(one.summary.steps)
        begin, end = min(steps["start"]), max(steps["end"])
        off = np.where(rows["start"] > begin + share * (end - begin), by_ns, 0)
        rows["start"], rows["end"] = rows["start"] + off, rows["end"] + off
        found.append(changed(one, collectives=packed(rows)) if place // 2 == host else one)
    return found


@pytest.mark.parametrize(("odd", "by_ns", "share"), [(0, 8 * MS, 0.33), (1, MS, 0.33), (1, 30 * MS, 0.5), (2, -5 * MS, 0.66)])
def test_of_three_hosts_the_one_whose_clock_is_set_is_left_out(tmp_path: Path, odd: int, by_ns: int, share: float) -> None:
    right = made(tmp_path, 3, n_steps=6)
    now = analysed(set_once(right, odd, by_ns, share)).job
    assert (list(now.unfit), now.clock_refused) == ([odd], None)
    alone = analysed([one for place, one in enumerate(right) if place // 2 != odd]).job
    hosts = [host for host in range(3) if host != odd]
    assert now.clocks.offset_ns[hosts].tolist() == alone.clocks.offset_ns.tolist()
    assert now.clocks.error_ns[hosts].tolist() == alone.clocks.error_ns.tolist()


def test_clocks_that_drift_apart_all_along_are_tied(tmp_path: Path) -> None:
    drift = {0: 0.0, 1: 90.0, 2: -90.0}
    profiles = recorded(Job(n_ranks=6, n_steps=40, drift_ppm=drift, offset_ns=AHEAD).write(tmp_path))
    found = analysed(profiles).job
    assert (found.unfit, found.clock_refused) == ({}, None)


@pytest.mark.parametrize("odd", [0, 1, 2, 3])
def test_the_others_stay_tied_as_without_it(tmp_path: Path, odd: int) -> None:
    right = made(tmp_path)
    now = analysed(jittering(right, [odd])).job
    assert (list(now.unfit), now.clock_refused) == ([odd], None)
    others = [one for place, one in enumerate(right) if place // 2 != odd]
    alone = analysed(others).job
    hosts = [host for host in range(4) if host != odd]
    assert now.clocks.offset_ns[hosts].tolist() == alone.clocks.offset_ns.tolist()
    assert now.clocks.error_ns[hosts].tolist() == alone.clocks.error_ns.tolist()
    is_other = now.clock_of_row != odd
    for mine, its in ((now.waits.wait, alone.waits.wait), (now.waits.untold, alone.waits.untold)):
        assert mine[is_other].tolist() == its.tolist()
    assert now.waits.wait[is_other].max() > MS / 10
    crossing = np.bincount(now.matched.of[~is_other & (now.matched.of != NONE)], minlength=len(now.matched)) > 0
    assert np.isin(now.rows.rank[np.isin(now.matched.of, np.flatnonzero(crossing))] // 2, odd).all()


def test_it_is_named_with_why_and_what_stays(tmp_path: Path) -> None:
    reply = join(members(jittering(made(tmp_path), [2])), RanksParams())
    said = next(note for note in reply.clock_notes if note.startswith("Clocks: "))
    assert said.startswith("Clocks: what node2 does with others ends apart from them by an amount that changes, by ")
    assert " ms and more: its clock cannot be tied to theirs. " in said
    assert said.endswith(
        "No wait is given of its ranks with others; these wait in what they do with it at least as long as told."
    )
    left_out = "Pipeline bubbles are told as if ranks 4-5 were missing: the clock of node2 cannot be tied."
    assert left_out in reply.clock_notes
    assert left_out in reply.notes
    assert [row.host for row in reply.hosts if row.offset_ns is None] == ["node2"]
    assert ", node2 not tied" in text(reply).splitlines()[0]


def test_the_rest_is_told_as_if_its_ranks_were_missing(tmp_path: Path) -> None:
    profiles = recorded(Job(n_ranks=8, n_steps=4, slow={3: 1.25, 5: 1.5}, offset_ns=AHEAD).write(tmp_path))
    now = analysed(jittering(profiles, [2]))
    rest = [one for place, one in enumerate(profiles) if place // 2 != 2]
    alone = analysed(rest)
    assert (now.job.left_out, now.not_replayed) == ([4, 5], None)
    assert [path.length for path in now.paths] == [path.length for path in alone.paths]
    assert (now.job_steps, now.ideal) == (alone.job_steps, alone.ideal)
    gains = {now.job.of.numbers[one.number]: without for one, _, without in now.stragglers}
    assert gains == {3: alone.stragglers[0][2], 5: None}
    reply = what_if(members(jittering(profiles, [2])), RanksWhatIfParams(what_if="rank=3\nideal"))
    its = what_if(
        members([one for place, one in enumerate(profiles) if place // 2 != 2]), RanksWhatIfParams(what_if="rank=3\nideal")
    )
    assert reply.rows == its.rows
    with pytest.raises(UsageError, match="cannot be told, since the clock of node2 cannot be tied"):
        what_if(members(jittering(profiles, [2])), RanksWhatIfParams(what_if="host=node2"))


def test_bubbles_of_the_rest_are_told_unless_a_stage_is_missing_there(tmp_path: Path) -> None:
    profiles = made(tmp_path)
    bubble = analysed([one for place, one in enumerate(profiles) if place // 2 != 2]).pipeline
    of = analysed(jittering(profiles, [2]))
    assert bubble is not None
    assert of.pipeline is not None
    assert of.pipeline.bubble[of.job.tied].tolist() == bubble.bubble.tolist()
    assert np.isnan(of.pipeline.bubble[[4, 5]]).all()
    first = analysed(jittering(profiles, [0]))
    assert first.pipeline is None
    said = "Pipeline bubbles cannot be told: no rank of stage 0 is here whose clock can be tied."
    assert said in join(members(jittering(profiles, [0])), RanksParams()).notes


def test_its_ranks_are_hatched_for_that_reason_alone(tmp_path: Path) -> None:
    found = lanes(members(jittering(made(tmp_path), [2])), LanesParams(ranks="0,4"))
    assert [lane.is_tied for lane in found.lanes] == [True, False]
    (said,) = (note for note in found.notes if note.startswith("Hatched: "))
    assert said.startswith("Hatched: what node2 does with others ends ")


@pytest.mark.parametrize(("n_hosts", "odd"), [(2, [1]), (3, [0, 1, 2]), (4, [0, 1, 2]), (4, [0, 1, 2, 3])])
def test_where_nobody_stands_out_none_is_tied(tmp_path: Path, n_hosts: int, odd: list[int]) -> None:
    found = analysed(jittering(made(tmp_path, n_hosts), odd)).job
    assert not found.unfit
    assert found.clock_refused is not None
    assert found.clocks.component.tolist() == list(range(n_hosts))


def test_of_four_hosts_two_are_left_out(tmp_path: Path) -> None:
    found = analysed(jittering(made(tmp_path), [0, 3])).job
    assert (list(found.unfit), found.clocks.component.tolist()) == ([0, 3], [0, 1, 1, 3])


def test_of_many_who_stand_out_are_found_by_those_beside_them() -> None:
    """As many pairs as clocks in a chain; who is met only by one that stands out is not called so."""
    low = np.arange(99)
    spread = np.where((low == 49) | (low == 50), 3.0 * MS, 20_000.0)
    pairs = Pairs(low, low + 1, spread, np.zeros(99, np.bool_))
    assert list(unfit_of(pairs, 100, np.full(99, 200_000.0))) == [50]
