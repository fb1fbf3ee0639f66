"""Sends and receives of which several are one kernel, as torch's pipelines issue them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.matching.batches import batches, part_ends, uneven
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.batch_files import FORWARD_NS, SEND_NS, BatchJob, Doing
from tests.job.recorded import member, recorded
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path


def made(folder: Path, **more: Any) -> tuple[BatchJob, Any]:
    folder.mkdir(exist_ok=True)
    job = BatchJob(**more)
    return job, analysed(recorded(job.write(folder)))


def test_a_kernel_that_sends_and_receives_is_a_row_for_each_with_peer_and_bytes(tmp_path: Path) -> None:
    job = BatchJob(n_steps=1)
    path = job.write(tmp_path)[1]
    found = collectives(trace_of(path))
    expected = [part for doing in job.does(1) if isinstance(doing, tuple) for part in doing]
    assert [(kinds.KINDS[kind], peer) for kind, peer in zip(found.kind.tolist(), found.peer.tolist(), strict=True)] == expected
    assert set(found.message_bytes.tolist()) == {2 << 20}
    assert len(set(found.row.tolist())) == sum(isinstance(doing, tuple) for doing in job.does(1))


@pytest.mark.parametrize("slow", [{}, {1: 1.5}])
def test_each_message_is_matched_and_a_kernel_waits_for_the_last_of_its_other_sides(
    tmp_path: Path, slow: dict[int, float]
) -> None:
    _, of = made(tmp_path, slow=slow)
    rows, waits = of.job.rows, of.job.waits
    assert of.job.matched.is_complete.all()
    assert (waits.wait + waits.transfer == rows.duration).all()
    assert waits.transfer == pytest.approx(np.full(len(rows), SEND_NS), abs=1)
    kernels = batches(rows)
    assert kernels is not None
    assert len(kernels) < len(rows)


def test_the_schedule_is_told_and_the_step_without_the_slow_stage_is_that_of_the_job_without_it(tmp_path: Path) -> None:
    job, of = made(tmp_path / "slow", slow={1: 1.5})
    quick, _ = made(tmp_path / "quick")
    assert of.pipeline is not None
    assert (of.pipeline.schedule.name, of.pipeline.schedule.n_micro_batches) == ("1F1B", job.n_micro)
    assert of.replay is not None
    was = list(of.replay.as_it_was.values())
    lag = of.replay.lag.copy()
    chunks = np.flatnonzero(of.replay.is_chunk & (of.replay.rank == 1))
    lag[of.replay.length_edge[chunks]] /= 1.5
    would_be = list(of.replay.steps(lag, of.replay.own).values())
    assert np.subtract(was, would_be) == pytest.approx(np.full(len(was), job.step_ns - quick.step_ns), rel=0.02)


class Ring(BatchJob):
    """Each rank computes longer than the one before it; sends to the next, receives from the one before (ring attention)."""

    def does(self, stage: int) -> list[Doing]:
        after, before = (stage + 1) % self.n_stages, (stage - 1) % self.n_stages
        return [FORWARD_NS * (1 + stage), (("send", after), ("recv", before)), 50_000]


def test_in_a_ring_each_waits_for_both_neighbours_and_ends_do_not_tie_clocks(tmp_path: Path) -> None:
    ring = Ring(n_stages=4, n_steps=2)
    of = analysed(recorded(ring.write(tmp_path)))
    rows, waits = of.job.rows, of.job.waits
    begun = [each[1] for each in ring.begun]
    last = [max(begun[(at + by) % 4] for by in (-1, 0, 1)) for at in range(4)]
    expected = [last[rank] - begun[rank] for rank in rows.rank.tolist()]
    assert waits.wait.tolist() == pytest.approx(expected, abs=1)
    assert uneven(rows, of.job.matched).all()


class WholeRing(BatchJob):
    """A ring in which all compute as long, and all meet at the end of a step."""

    def does(self, stage: int) -> list[Doing]:
        after, before = (stage + 1) % self.n_stages, (stage - 1) % self.n_stages
        round_: list[Doing] = [FORWARD_NS, (("send", after), ("recv", before)), 50_000]
        return [*4 * round_, ()]


@pytest.mark.parametrize("varies", [0.0, 0.2])
@pytest.mark.parametrize("slower", [2.0, 10.0])
@pytest.mark.parametrize(
    ("n_stages", "per_host", "slow", "named"),
    [
        (4, 1, (1, 2), "The link between hosts node1 and node2"),
        (4, 4, (1, 2), "The link between ranks 1 and 2 (node0)"),
        (8, 4, (3, 4), "The link between ranks 3 and 4 (node0, node1)"),
        (8, 4, (5, 6), "The link between ranks 5 and 6 (node1)"),
    ],
)
def test_of_a_ring_the_slow_link_alone_is_slow_by_as_much_as_it_is(
    tmp_path: Path, n_stages: int, per_host: int, slow: tuple[int, int], named: str, slower: float, varies: float
) -> None:
    """Its kernels wait for the other link of both of its ranks, too."""
    of_ring: dict[str, Any] = {"n_stages": n_stages, "per_host": per_host, "varies": varies}
    for name in ("slow", "well"):
        (tmp_path / name).mkdir()
    job, well = WholeRing(**of_ring, slow_links={slow: slower}), WholeRing(**of_ring)
    paths = job.write(tmp_path / "slow")
    well.write(tmp_path / "well")
    table = join([member(path) for path in paths], RanksParams())
    assert (table.slow_link or "").startswith(f"{named} is at least ")
    (row,) = (row for row in table.links if row.is_slow)
    assert 1 / (row.of_usual_share or 1) == pytest.approx(slower, rel=max(varies, 0.001))
    assert row.rate_is == "median"
    assert not any(doubt.startswith("Whether kernels wait") for doubt in table.doubts)
    gain = (table.slow_link_was_ns or 0) - (table.slow_link_without_ns or 0)
    assert gain == pytest.approx(job.step_ns - well.step_ns, rel=max(varies, 0.01))
    assert table.ideal_ns == pytest.approx(table.slow_link_without_ns, rel=0.02)


@pytest.mark.parametrize("faults", [{}, {"varies": 0.6}, {"varies": 0.3, "slow": {2: 1.5}}, {"slow": {1: 1.3, 2: 1.3}}])
@pytest.mark.parametrize("per_host", [1, 2, 4])
def test_of_a_ring_without_a_slow_link_none_is_named(tmp_path: Path, per_host: int, faults: dict[str, Any]) -> None:
    table = join([member(path) for path in WholeRing(n_stages=4, per_host=per_host, **faults).write(tmp_path)], RanksParams())
    assert table.slow_link is None
    assert "at least" in {row.rate_is for row in table.links}


def test_a_sender_that_leaves_early_is_no_measure_of_the_receive(tmp_path: Path) -> None:
    """Kernel 0 sends and is done; of the other kernel only the receive explains the end."""
    job = WholeRing(n_stages=3, n_steps=1)
    rows = analysed(recorded(job.write(tmp_path))).job
    end = rows.rows.end.copy()
    pair = np.flatnonzero((rows.rows.rank == 1) & rows.rows.is_between_two)[:2]
    end[pair] += 500_000
    found = part_ends(rows.rows, rows.matched, rows.instances.is_known, end, np.full(len(end), 5_000))
    assert found is not None
    is_receive = rows.rows.kind[pair] == kinds.RECV
    assert (found.end[pair] == np.where(is_receive, end[pair], end[pair] - 500_000)).all()
    assert (found.is_told[pair] == is_receive).all()


def test_where_clocks_cannot_be_tied_that_is_the_reason_that_is_given(tmp_path: Path) -> None:
    """Each on a host of its own, and a ring's ends tie none."""
    ring = Ring(n_stages=4, n_steps=2, per_host=1)
    table = join([member(path) for path in ring.write(tmp_path)], RanksParams())
    assert "Who is waited for cannot be told: the clocks of the ranks' hosts cannot be tied." in table.sentences
