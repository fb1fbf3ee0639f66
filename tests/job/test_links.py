"""What a link's speed is held against."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.job.job import job_of
from tb_plugin.job.links.host_set import HostSet
from tb_plugin.job.links.link_rates import median_of_others, rates_of_like
from tb_plugin.job.links.links import _blamed, against_others, bus_bandwidth, message_bytes, slow_link
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.beside_links import beside_links
from tb_plugin.views.ranks.told.blame import means_of
from tb_plugin.views.ranks.told.slow_links import slow_link as slow_links
from tests.job.recorded import member, recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path


@given(st.lists(st.integers(1, 9), min_size=2, max_size=9))
def test_a_set_is_held_against_the_median_of_the_others(values: list[int]) -> None:
    naive = [float(np.median(values[:place] + values[place + 1 :])) for place in range(len(values))]
    assert median_of_others(np.array(values, np.float64)) == naive


def test_of_two_sets_the_slow_one_is_as_slow_as_it_is() -> None:
    assert median_of_others(np.array([10.0, 40.0])) == [40.0, 10.0]
    assert median_of_others(np.array([10.0])) == [None]


_QUICK = [5.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("rates", "more", "is_slow"),
    [
        (_QUICK, {}, True),
        ([5.0, 5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], {}, True),
        (_QUICK, {"size": [40, 10, 10, 10]}, False),
        (_QUICK, {"n_hosts": [2, 4, 4, 4]}, False),
        (_QUICK, {"spread": (1.0, 1.0)}, False),
        (_QUICK, {"spread": (0.2, 0.2, 1.0, 1.0, 1.0)}, False),
        ([2.0, 1.0, 1.0, 1.0], {}, False),
        ([9.0, 2.0, 2.0, 1.0], {}, False),
        ([5.0, 1.0, 1.0, 1.0, 1.0, 1.0], {}, False),
    ],
    ids=[
        "three",
        "six of eight",
        "of less",
        "of more hosts",
        "few",
        "not most of its messages",
        "shared",
        "unlike",
        "one of six",
    ],
)
def test_most_links_are_slow_to_the_few_that_are_plainly_quicker(rates: list[float], more: dict[str, Any], is_slow: bool) -> None:
    """Else the few are lucky, or something else than the others are."""
    spread, n = more.get("spread", (1.0, 1.0, 1.0)), len(rates)
    sets = np.arange(n * len(spread)).reshape(n, -1).tolist()
    size, none = np.repeat(more.get("size", [10] * n), len(spread)), np.zeros(n * len(spread), np.bool_)
    found = rates_of_like(sets, np.outer(rates, spread).ravel(), size, none, more.get("n_hosts", [1] * n))
    assert found.bandwidth == rates
    middle = found.of_usual[n // 2]
    assert middle == (0.2 if is_slow else pytest.approx(1.0, rel=0.2))


def test_once_a_host_is_known_to_be_slow_the_sets_it_is_in_are_not_what_is_usual() -> None:
    """Of three links between four hosts in a row the last two touch host 2; against each other they are not slow."""
    links = [((0, 1), 20e9), ((1, 2), 5e9), ((2, 3), 5e9)]
    sets = [
        HostSet(dimension="pipeline", kind=1, hosts=hosts, n_ranks=2, instances=(0,), bandwidth=bandwidth, of_usual=0.4)
        for hosts, bandwidth in links
    ]
    assert [one.of_usual for one in against_others(sets, 2)] == [None, 0.25, 0.25]
    assert [one.of_usual for one in against_others(sets[1:], 2)] == [0.4, 0.4]


def test_of_several_slow_hosts_those_are_named_that_no_quick_set_has() -> None:
    """Jobs of four hosts side by side: the last of each is slow, also beside the one before it, which is quick else."""

    def of(dimension: str, hosts: tuple[int, ...], of_usual: float) -> HostSet:
        return HostSet(dimension=dimension, kind=1, hosts=hosts, n_ranks=2, instances=(0,), bandwidth=1e9, of_usual=of_usual)

    slow = [of("pipeline", (first + 1, first + 3), 0.25) for first in (0, 4)]
    slow += [of("data", (first + 2, first + 3), 0.2) for first in (0, 4)]
    quick = [of("pipeline", (first, first + 2), 1.0) for first in (0, 4)] + [
        of("data", (first, first + 1), 1.0) for first in (0, 4)
    ]
    assert _blamed(slow, [*slow, *quick]) == (3, 7)


def test_what_a_collective_moves_is_the_mean_of_its_members(tmp_path: Path) -> None:
    """Of an all-to-all one rank sends three times as much as the other. Who does not say it counts for nothing."""
    job = job_of(recorded(Job(n_ranks=2).write(tmp_path)))
    usual = bus_bandwidth(replace(job, table=replace(job.table, rows=replace(job.rows, size=np.full(len(job.rows), 2 << 20)))))
    size = np.where(job.rows.rank == 0, 3 << 20, 1 << 20)
    uneven = replace(job, table=replace(job.table, rows=replace(job.rows, size=size)))
    assert set(message_bytes(uneven).tolist()) == {2 << 20}
    assert bus_bandwidth(uneven) == pytest.approx(usual, nan_ok=True)
    of_one = replace(job, table=replace(job.table, rows=replace(job.rows, size=np.where(job.rows.rank == 0, 3 << 20, -1))))
    assert set(message_bytes(of_one).tolist()) == {3 << 20}


@pytest.mark.parametrize(
    ("tensor", "slow", "said"),
    [
        (2, {(2, 3): 5.0}, "Links inside host node0 (ranks 2-3) are 5.0 x slower than others (tensor "),
        (4, {(4, 5, 6, 7): 5.0}, "Links inside host node1 (ranks 4-7) are 5.0 x slower than others (tensor "),
        (
            2,
            dict.fromkeys([(0, 1), (2, 3), (4, 5)], 5.0),
            "Links inside hosts node0 and node1 (ranks 0-5) are 5.0 x slower than ",
        ),
        (2, {}, None),
    ],
)
def test_ranks_of_a_host_that_move_data_slower_than_others_of_theirs_are_named(
    tmp_path: Path, tensor: int, slow: dict[tuple[int, ...], float], said: str | None
) -> None:
    """And what a step would be without: what the group took longer in each layer."""
    job = Job(n_ranks=8, ranks_per_node=4, tensor=tensor, slow_groups=slow)
    of = analysed(recorded(job.write(tmp_path)))
    if said is None:
        assert slow_links(of) is None
        return
    assert (slow_links(of) or "").startswith(said)
    assert sorted(one.ranks for one in of.links.sets if one.is_slow) == sorted(slow)
    found = means_of(of.without_slow_link)
    assert found is not None
    assert found.was - found.would_be == pytest.approx(4 * job.transfer_ns * job.n_layers, rel=0.02)


_PAIRS = ((0, 2), (1, 3), (4, 6), (5, 7))
_BOTH_WAYS = (*_PAIRS, *((receiver, sender) for sender, receiver in _PAIRS))


@pytest.mark.parametrize(
    ("slow", "said", "pairs"),
    [
        ([(0, 2)], "The link from rank 0 to rank 2 (node0 to node1) is 5.0 x slower than others (pipeline ", ["0 to 2"]),
        ([(6, 4)], "The link from rank 6 to rank 4 (node3 to node2) is 5.0 x slower than others (pipeline ", ["6 to 4"]),
        (
            [(0, 2), (1, 3)],
            "Links from rank 0 to rank 2, rank 1 to rank 3 (node0 to node1) are 5.0 x slower than others",
            ["0 to 2", "1 to 3"],
        ),
        ([(0, 2), (2, 0)], "The link between ranks 0 and 2 (node0, node1) is 5.0 x slower than others (pipeline ", ["0, 2"]),
        (
            [(0, 2), (2, 0), (7, 5)],
            "Links between ranks 0 and 2, rank 7 to rank 5 (node0, node1, node2) are 5.0 x slower than others",
            ["0, 2", "7 to 5"],
        ),
    ],
    ids=["out", "back", "of two hosts", "both ways", "both ways and one"],
)
def test_a_link_that_is_slow_in_one_direction_is_named_by_it(
    tmp_path: Path, slow: list[tuple[int, int]], said: str, pairs: list[str]
) -> None:
    """Its other direction is as quick as any: half of the pair's messages do not move its median."""
    factors: dict[tuple[int, ...], float] = dict.fromkeys(slow, 5.0)
    job = Job(n_ranks=8, tensor=1, sends=_BOTH_WAYS, slow_groups=factors, transfer_ns=400_000)
    paths = job.write(tmp_path)
    of = analysed(recorded(paths))
    assert (slow_links(of) or "").startswith(said)
    links = join([member(path) for path in paths], RanksParams()).links
    assert sorted(str(row.pair) for row in links if row.is_slow) == pairs
    assert of.links.slow is not None
    assert len(of.links.slow.instances) == len(slow) * job.n_layers * job.n_steps


def test_a_direction_is_not_slow_at_times_where_steps_know_more_of_it_or_less(tmp_path: Path) -> None:
    """Of its ten messages a step two are not known, here slow ones and there quick ones: the median of all ten is either."""
    n_layers, n_meets = 5, 4 * 5 + 1  # with rank 2 and back, with rank 3 and back, and all at the end of the step
    lost = {(0, step * n_meets + 4 * at + (step > 1)) for step in range(4) for at in (1, 2)}
    sends = [(0, 2), (2, 0), (0, 3), (3, 0), (1, 3), (3, 1)]
    job = Job(n_steps=4, n_layers=n_layers, tensor=1, sends=sends, slow_groups={(0, 2): 5.0}, lost=lost, transfer_ns=400_000)
    of = analysed(recorded(job.write(tmp_path)))
    assert of.links.at_times == ()
    assert (slow_links(of) or "").startswith("The link from rank 0 to rank 2 (node0 to node1) is 5.0 x slower than others")


@pytest.mark.parametrize(
    ("slow", "said"),
    [
        ([(1, 2)], "The link from rank 1 to rank 2 (node0) is 6.0 x slower"),
        ([(3, 2)], "The link from rank 3 to rank 2 (node0) is 6.0 x slower"),
        ([(1, 2), (2, 1)], "The link between ranks 1 and 2 (node0) is 6.0 x slower"),
        ([(3, 4), (3, 2)], "Links from rank 3 are 6.0 x slower"),
        ([(1, 2), (3, 2)], "Links to rank 2 are 6.0 x slower"),
    ],
)
def test_of_a_pipeline_it_is_said_what_a_step_takes_with_the_slow_direction_like_the_others(
    tmp_path: Path, slow: list[tuple[int, int]], said: str
) -> None:
    whole: dict[str, Any] = {"n_stages": 6, "n_micro": 8, "send_ns": 100_000, "syncs": True}
    healthy, job = PipelineJob(**whole), PipelineJob(**whole, slow_sends=dict.fromkeys(slow, 6.0))
    (tmp_path / "healthy").mkdir()
    assert slow_links(analysed(recorded(healthy.write(tmp_path / "healthy")))) is None
    of = analysed(recorded(job.write(tmp_path)))
    assert (slow_links(of) or "").startswith(said)
    found = means_of(of.without_slow_link)
    assert found is not None
    assert found.was - found.would_be == pytest.approx(job.ended_ns - healthy.ended_ns, rel=0.05)


def test_a_job_whose_links_are_as_quick_in_both_directions_has_no_slow_one(tmp_path: Path) -> None:
    """Neither is one of two directions a link, where a pair inside a host has few beside it."""
    of = analysed(recorded(Job(n_ranks=8, tensor=1, sends=_BOTH_WAYS, slow_groups={(0, 2): 1.3}).write(tmp_path)))
    assert of.links.slow is None
    few = Job(n_ranks=4, ranks_per_node=4, tensor=1, sends=[(0, 2), (2, 0), (1, 3), (3, 1)], slow_groups={(0, 2): 5.0})
    assert slow_links(analysed(recorded(few.write(tmp_path)))) is None


def test_a_slow_link_costs_a_rank_no_more_than_it_moves_data_with_nothing_to_hide_it(tmp_path: Path) -> None:
    """A stage sends and receives at once, and each instant counts once."""
    of = analysed(recorded(PipelineJob(send_ns=900_000).write(tmp_path)))
    every = tuple(range(len(of.job.matched)))
    quarter = HostSet(dimension="pipeline", kind=9, hosts=(0, 1), n_ranks=2, instances=every, bandwidth=5e9, of_usual=0.25)
    found = slow_link(of.job, [quarter], (0,), every, [quarter])
    assert found is not None
    assert found.lost_ns == pytest.approx(0.75 * np.nanmax(of.own.parts["transfer"]))
    assert 1.5 * found.lost_ns < 0.75 * np.bincount(of.job.rows.rank, weights=of.exposed.transfer).max()


def test_groups_that_are_slow_by_factors_of_their_own_are_told_so_and_replayed_each_by_its_own(tmp_path: Path) -> None:
    job = Job(n_ranks=16, ranks_per_node=8, tensor=2, slow_groups={(2, 3): 5.0, (8, 9): 2.5})
    of = analysed(recorded(job.write(tmp_path)))
    assert (slow_links(of) or "").startswith(
        "Links inside hosts node0 and node1 (ranks 2-3, 8-9) are 2.5 to 5.0 x slower than others"
    )
    found = means_of(of.without_slow_link)
    assert found is not None
    assert found.was - found.would_be == pytest.approx(4 * job.transfer_ns * job.n_layers, rel=0.02)
    left = of.links.slow
    assert left is not None
    assert sorted({round(factor, 1) for factor in left.factors.tolist()}) == [1.0, 2.5, 5.0]


@pytest.mark.parametrize("slow", [{2: 1.15}, {2: 1.15, 6: 1.15}])
def test_what_who_is_late_and_a_slow_link_cost_together_is_said(tmp_path: Path, slow: dict[int, float]) -> None:
    """While group (4, 5) moves data, rank 2 and who else is late hold up nobody; each alone brings little."""
    more: dict[str, Any] = {"n_ranks": 8, "ranks_per_node": 8}
    table = join([member(path) for path in Job(slow=slow, slow_groups={(4, 5): 2.0}, **more).write(tmp_path)], RanksParams())
    healthy = analysed(recorded(Job(**more).write(tmp_path))).replay
    assert healthy is not None
    truth = sum(healthy.as_it_was.values()) / len(healthy.as_it_was)
    first = next(text for text in table.sentences if text.startswith("Rank "))
    others = ", rank 6" if len(slow) > 1 else ""
    said = re.search(f"Without it{others} and slow links together a step would take about ([0-9.]+) ms", first)
    assert said is not None, first
    assert float(said[1]) * 1e6 == pytest.approx(truth, rel=0.01)


def test_nothing_is_said_of_both_where_one_alone_brings_as_much(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, ranks_per_node=8, slow={5: 1.3}, slow_groups={(0, 1): 1.6}).write(tmp_path)
    of, blame = analysed(recorded(paths)), join([member(path) for path in paths], RanksParams()).blamed
    assert beside_links(of, blame, 0, None) is not None
    ((_, _, alone),) = of.stragglers
    for no_more in (alone, of.without_slow_link):
        assert beside_links(replace(of, without_link_and=[no_more]), blame, 0, None) is None
    assert beside_links(replace(of, without_slow_link=None, without_link_and=[]), blame, 0, None) is None
