"""A rank with a gap more than its peers, beside a longer one that all have: what is in that is not why it is late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.paused import STEPS, length_of, marked
from tests.job.recorded import member

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
OF_ALL = {(rank, step, 1): 2 * MS for rank in range(8) for step in STEPS}


@pytest.mark.parametrize(("ns", "event"), [(2 * MS, None), (5 * MS, "marker")])
def test_an_event_is_named_only_where_the_rank_stands_still_longer_in_it(tmp_path: Path, ns: int, event: str | None) -> None:
    """All stand still in it; rank 3 longer, or besides, for no longer, without any event."""
    its = {(3, step, 3): MS for step in STEPS} if event is None else {(3, step, 1): ns for step in STEPS}
    (tmp_path / "late").mkdir()
    length_of(tmp_path / "late", stops={**OF_ALL, **its}, stops_in=marked(OF_ALL))
    (one,) = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.event) == ("rank 3", "pause", event)
    said = "stands still in one gap without any event" if event is None else "stands still in `marker`"
    assert f"{said} in all 3 steps" in one.sentence


def test_its_loader_is_not_named_where_it_takes_no_longer(tmp_path: Path) -> None:
    late_input, its = dict.fromkeys(range(8), 2 * MS), {(3, step, 3): MS for step in STEPS}
    (tmp_path / "late").mkdir()
    length_of(tmp_path / "late", late_input=late_input, stops=its)
    (one,) = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.event) == ("rank 3", "pause", None)
