"""What waits for what, told over all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.job.job import job_of
from tb_plugin.job.replay.direct import direct
from tb_plugin.job.replay.orders import orders_of
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.trace.rank.packed import packed, unpacked
from tests.job.recorded import changed, recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.ranks.ranks import RankProfile


def test_a_receive_that_a_slow_host_posts_late_waits_for_no_kernel(tmp_path: Path) -> None:
    """The others of its kind are posted while the kernel before still runs."""
    first, *others = recorded(PipelineJob(n_micro=8).write(tmp_path))
    orders = [with_early_receives(one) for one in (first, *others)]
    is_chunk = orders[0]["kind"] == CHUNK
    last = np.maximum.accumulate(np.where(is_chunk, np.arange(len(is_chunk)), NONE))
    row = int(receives(first)[-1])
    orders[0]["after"][row] = last[row]
    orders[0]["start"][row] = orders[0]["end"][last[row]] + 50_000
    orders[0]["host"][row] = orders[0]["start"][row] - 2_000
    job = job_of([changed(one, order=packed(order)) for one, order in zip((first, *others), orders, strict=True)])
    found = direct(job).produced(orders_of(job, np.array([0])))
    assert len(found) > 0
    assert row not in found


def with_early_receives(one: RankProfile) -> dict[str, Int64Array]:
    """Its order, where no receive waits for a kernel."""
    order = {name: column.copy() for name, column in unpacked(one.summary.order).items()}
    order["after"][receives(one)] = NONE
    return order


def receives(one: RankProfile) -> Int64Array:
    """Rows of its order, those behind a kernel."""
    order, kind = unpacked(one.summary.order), unpacked(one.summary.collectives)["kind"]
    rows = np.flatnonzero((order["kind"] == COLLECTIVE) & (np.cumsum(order["kind"] == CHUNK) > 0))
    found: Int64Array = rows[kind[order["what"][rows]] == kinds.RECV]
    return found


@pytest.mark.parametrize(("n_beside", "n_waiting"), [(0, 3), (1, 2), (2, 0)])
def test_a_collective_that_begins_as_another_ends_waits_for_none_where_most_of_both_sorts_run_beside_each_other(
    tmp_path: Path, n_beside: int, n_waiting: int
) -> None:
    """In three steps the one of all ranks begins as that of the tensor group ends; in the first of them it is put before that."""
    profiles = []
    for one in recorded(Job(form="2023", n_steps=3).write(tmp_path)):
        order, needs = unpacked(one.summary.order), unpacked(one.summary.needs)
        collective = np.flatnonzero(order["kind"] == COLLECTIVE)
        before = collective[np.flatnonzero(np.diff(order["stream"][collective]) != 0)][::2]  # there and back again
        beside = collective[np.searchsorted(collective, before) + 1][:n_beside]
        order["start"][beside] = order["end"][before[:n_beside]] - 10_000
        kept = ~np.isin(needs["row"], beside)
        needs = {name: column[kept] for name, column in needs.items()}
        profiles.append(changed(one, order=packed(order), needs=packed(needs)))
    job = job_of(profiles)
    for place, rank in enumerate(job.of.ranks):
        waits = direct(job).waits(job, orders_of(job, np.array([place])))
        assert (rank.order["kind"][waits[:, 1]] == COLLECTIVE).sum() == n_waiting
