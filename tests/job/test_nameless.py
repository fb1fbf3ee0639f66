"""Files of 2023 name no process group: who met whom is told where only one group can be meant, and else not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tests.job.recorded import member, recorded
from tests.job_files import TRANSFER_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.basis.analysed import Analysed

MS = 1_000_000
LATE: list[dict[str, Any]] = [
    {"slow": {3: 1.25}},
    {"late_input": {5: 600_000}},
    {"late_input": {5: 600_000}, "n_layers": 40},  # one in 41 is of all ranks
    {"pause": {(2, 11): 2 * MS}},
    {"stops": {(6, step, 3): MS for step in (10, 11, 12)}},
    {"slow": {3: 1.25}, "ranks_per_node": 4, "offset_ns": {1: 37 * MS}, "drift_ppm": {1: 40.0}},
]


def most_wrong(job: Job, of: Analysed) -> int:
    """By how much a wait that is told is not the one that was."""
    was: dict[int, dict[int, int]] = {rank: {} for rank in range(job.n_ranks)}
    for met in job.met:
        for rank, arrived in met.arrived.items():
            was[rank][arrived] = met.end - TRANSFER_NS - arrived
    waited = {rank: [its[arrived] for arrived in sorted(its)] for rank, its in was.items()}
    told = of.job.waits.is_known
    rows = [of.job.rows_of(place) for place in range(job.n_ranks)]
    return max(
        (
            abs(int(of.job.waits.wait[its][at]) - waited[rank][at])
            for rank, its in enumerate(rows)
            for at in np.flatnonzero(told[its]).tolist()
        ),
        default=0,
    )


@pytest.mark.parametrize("late", LATE, ids=str)
@pytest.mark.parametrize("tensor", [2, 4])
def test_what_several_groups_exchange_is_not_matched_as_of_one(tmp_path: Path, late: dict[str, Any], tensor: int) -> None:
    job = Job(form="2023", **{"n_ranks": 8, "ranks_per_node": 8, "tensor": tensor, **late})
    paths = job.write(tmp_path)
    of = analysed(recorded(paths))
    assert most_wrong(job, of) < 10_000
    n_of_all = int((of.job.matched.n_there == job.n_ranks).sum())
    assert n_of_all <= job.n_steps
    table = join([member(path) for path in paths], RanksParams())
    assert any("process group" in note.lower() for note in table.notes)


@pytest.mark.parametrize("late", LATE, ids=str)
def test_of_one_group_of_all_ranks_every_wait_is_told(tmp_path: Path, late: dict[str, Any]) -> None:
    job = Job(form="2023", **{"n_ranks": 8, "ranks_per_node": 8, "tensor": 8, **late})
    of = analysed(recorded(job.write(tmp_path)))
    (rank,) = {
        key if isinstance(key, int) else key[0] for name in ("slow", "late_input", "pause", "stops") for key in late.get(name, ())
    }
    assert [of.job.of.numbers[one.number] for one, *_ in of.stragglers] == [rank]
    assert of.job.matched.is_complete.all()
    order = np.argsort(of.job.instances.last_arrival)
    for instance, met in zip(order.tolist(), sorted(job.met, key=lambda met: met.end), strict=True):
        for row in np.flatnonzero(of.job.matched.of == instance).tolist():
            waited = met.end - TRANSFER_NS - met.arrived[of.job.of.numbers[of.job.rows.rank[row]]]
            assert of.job.waits.wait[row] == pytest.approx(waited, abs=10_000)


def test_groups_that_keep_in_step_are_wrong_by_no_more_than_that(tmp_path: Path) -> None:
    """Nobody is late, and nothing tells two groups apart: what is told is true of either."""
    job = Job(form="2023", n_ranks=8, ranks_per_node=8)
    of = analysed(recorded(job.write(tmp_path)))
    assert of.stragglers == []
    assert int(of.job.waits.wait[of.job.waits.is_known].max()) < 30_000


@pytest.mark.parametrize(("form", "is_said"), [("2023", True), ("2025", False)])
def test_that_bytes_are_in_no_file_is_said_where_links_are_looked_for(tmp_path: Path, form: str, is_said: bool) -> None:
    paths = Job(form=form, n_ranks=8, tensor=8).write(tmp_path)
    table = join([member(path) for path in paths], RanksParams(by="link"))
    assert table.n_matched > 0
    assert any(note.startswith("Bytes: not recorded of any matched collective") for note in table.notes) == is_said
    assert ("link: none: of no collective both bytes and transfer are known" in text(table)) == is_said
