"""All ranks stand still in one gap where it is one: at the same place of the step, and not each at another by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import LOADER_NS, Job

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MS = 1_000_000


def still(folder: Path, layers: dict[int, int], event: str | None = None, stop_ns: int = 4 * MS) -> list[str]:
    """What is said of ranks that stand still in step 12, each before this layer."""
    stops = {(rank, 12, layer): stop_ns for rank, layer in layers.items()}
    stops_in: dict[tuple[int, int, int], Sequence[tuple[str, str]]] = {}
    if event is not None:
        stops_in = {stop: [("cpu_op", event)] for stop in stops}
    job = Job(n_ranks=len(layers), ranks_per_node=len(layers), tensor=len(layers), stops=stops, stops_in=stops_in)
    said = join([member(path) for path in job.write(folder)], RanksParams()).sentences
    return [each for each in said if "stand still in one gap" in each]


@pytest.mark.parametrize("event", [None, "marker"])
@pytest.mark.parametrize(
    ("layers", "who"),
    [
        ([2, 2, 2, 2], "All 4 ranks"),
        ([0, 5, 2, 3], None),
        ([0, 0, 3, 3], None),
        ([4, 4, 1, 4], "All 4 ranks but rank 2"),
        ([5, 5, 5, 5, 0], "All 5 ranks but rank 4"),
        ([5, 5, 0, 5, 1, 2], None),
    ],
)
def test_that_most_stand_still_in_one_gap_is_said_where_it_is_at_one_place(
    tmp_path: Path, layers: list[int], who: str | None, event: str | None
) -> None:
    most = max(layers.count(each) for each in layers)
    assert (who is not None) == (most > len(layers) / 2)
    said = still(tmp_path, dict(enumerate(layers)), event)
    assert len(said) == (who is not None), said
    if who is not None:
        filled = "" if event is None else f", in `{event}`,"
        assert said[0].startswith(f"{who} stand still in one gap{filled} in step 12: 4."), said


def test_a_gap_beside_the_loaders_longer_one_is_told_by_the_loader_alone(tmp_path: Path) -> None:
    """Of another than a step's longest gap nothing tells where it lies."""
    assert LOADER_NS < 4 * MS
    job = Job(late_input=dict.fromkeys(range(4), 3 * MS), stops={(rank, 12, rank): 2 * MS for rank in range(4)})
    said = join([member(path) for path in job.write(tmp_path)], RanksParams()).sentences
    assert any("wait for their data loaders" in each for each in said)
    assert not any("in one gap" in each for each in said)
