"""Files that begin within their first step: what they hold is matched as of the same file whole, which is the truth here, and
that step is in no figure of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.missing.lacking import on_begun_late
from tests.job.recorded import changed, recorded
from tests.job_files import Job
from tests.queued_files import QueuedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.job import Job as JobOf
    from tb_plugin.job.ranks.ranks import RankProfile

FORMS = {"2025": 4, "rccl": 4, "2023": 2}  # of 2023 all is of one group
LATE = 1


def without(one: RankProfile, gone: set[int]) -> RankProfile:
    """These of its collectives are not in its file."""
    rows = unpacked(one.summary.collectives)
    keep = ~np.isin(np.arange(len(rows["row"])), list(gone))
    empty: dict[str, Any] = {
        name: packed({each: column[:0] for each, column in unpacked(getattr(one.summary, name)).items()})
        for name in ("order", "needs")
    }
    return changed(one, collectives=packed({name: column[keep] for name, column in rows.items()}), **empty)


def met(job: JobOf) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of (rank, row of its file) that are one collective."""
    rows = list(zip(job.rows.rank.tolist(), job.rows.row.tolist(), job.matched.of.tolist(), strict=True))
    return {((rank, row), (its, other)) for rank, row, of in rows for its, other, same in rows if of == same >= 0 and rank < its}


@pytest.mark.parametrize("n_gone", [1, 2, 5])
@pytest.mark.parametrize("form", FORMS)
def test_what_a_file_that_begins_late_holds_is_matched_as_of_a_whole_one(tmp_path: Path, form: str, n_gone: int) -> None:
    sends = ((0, 1), (1, 0)) if form != "2023" else ()
    whole = recorded(Job(form=form, n_ranks=FORMS[form], sends=sends).write(tmp_path))
    row = unpacked(whole[LATE].summary.collectives)["row"].tolist()
    gone = {(LATE, row[at]) for at in range(n_gone)}
    was = analysed(whole)
    now = analysed([without(one, set(range(n_gone))) if place == LATE else one for place, one in enumerate(whole)])
    assert met(now.job) == {(one, other) for one, other in met(was.job) if one not in gone and other not in gone}
    assert set(now.job.begun_late) == {LATE}
    assert was.job.begun_late == {}
    assert np.argwhere(np.isnan(now.own.step)).tolist() == [[LATE, 0]]
    (said,) = on_begun_late(now)
    assert "The file of rank 1 begins within step" in said
    assert not [one for one, *_ in now.stragglers if LATE in one.members]


def test_a_file_that_lacks_one_later_or_of_one_step_alone_begins_with_the_others(tmp_path: Path) -> None:
    """Of one step nobody knows whether the first is gone, or the last."""
    for n_steps, at in ((3, 10), (1, 0)):
        whole = recorded(Job(form="rccl", n_steps=n_steps).write(tmp_path))
        one = [without(each, {at}) if place == LATE else each for place, each in enumerate(whole)]
        assert analysed(one).job.begun_late == {}


def test_what_a_device_still_has_to_do_is_of_no_step_of_its_host(tmp_path: Path) -> None:
    """Of a rank that is late each step its device has less in its queue as the recording begins: it did not begin late."""
    for ahead in (1, 3):
        job = QueuedJob(ahead=ahead, late_input={1: 12_000_000})
        assert analysed(recorded(job.write(tmp_path))).job.begun_late == {}
