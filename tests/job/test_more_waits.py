"""A rank that waits for its device more often than its peers, as by `.item()` in each layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.job.why.more_waits import _are_more
from tb_plugin.trace.rank.device_waits import DEVICE_WAITS
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import Lead, RanksParams
from tb_plugin.views.ranks.told.lead_places import placed
from tests.job.paused import STEPS, changed, file_of, length_of, marked
from tests.job.recorded import changed as changed_summary
from tests.job.recorded import member, members, recorded

if TYPE_CHECKING:
    from pathlib import Path

N_LAYERS = 10
GAP_NS = 150_000
LONG_NS, AT_ONCE_NS = 4_000_000, 10_000


def written(folder: Path, n_waits: int = N_LAYERS - 1) -> float:
    """Rank 3 waits in so many layers from the second on, the others in the second. Length of a step, ns."""
    folder.mkdir()
    layers = {rank: range(1, 1 + n_waits if rank == 3 else 2) for rank in range(8)}
    stops = {(rank, step, layer): GAP_NS for rank, its in layers.items() for step in STEPS for layer in its}
    length = length_of(folder, n_layers=N_LAYERS, stops=stops, stops_in=marked(stops))
    for rank in range(8):
        changed(folder / file_of(folder, rank), with_an_item_before_markers)
    return length


def with_an_item_before_markers(events: list[dict[str, Any]]) -> None:
    """From 60 us before the gap, with what it calls."""
    for marker in [event for event in events if event["name"] == "marker"]:
        marker.update(name="aten::item", ts=marker["ts"] - 60, dur=65)
        events.append({**marker, "name": "aten::_local_scalar_dense", "ts": marker["ts"] + 1, "dur": 63})
        events.append({**marker, "cat": "cuda_runtime", "name": "cudaStreamSynchronize", "ts": marker["ts"] + 3, "dur": 60})


def test_who_waits_for_its_device_more_often_is_told_by_the_outermost_call_and_how_often(tmp_path: Path) -> None:
    written(tmp_path / "late")
    truth = written(tmp_path / "well", n_waits=1)
    (one,) = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.event, one.confidence) == ("rank 3", "sync", "aten::item", "likely")
    said = (
        "waits for its device in `aten::item`, 9 times a step against 1 on its peers, and stands still after that in all 3 steps"
    )
    assert said in one.sentence
    assert "What helps: no .item()" in one.sentence
    assert one.step_without_ns == pytest.approx(truth, rel=0.002)
    assert one.cause_ns == pytest.approx((N_LAYERS - 2) * GAP_NS, rel=0.1)


def test_where_waits_are_not_known_nothing_says_why(tmp_path: Path) -> None:
    """Of a summary of before version 24."""
    written(tmp_path / "late")
    profiles = recorded(sorted((tmp_path / "late").iterdir()))
    profiles = [changed_summary(one, device_waits=None, wait_names=[]) for one in profiles]
    (one,) = join(members(profiles), RanksParams()).blamed
    assert (one.cause, one.event) == ("idle", None)


@pytest.mark.parametrize("n_cut", [4, 6])
def test_peers_whose_late_step_is_cut_off_do_not_count_as_those_that_wait_less(tmp_path: Path, n_cut: int) -> None:
    """They lack their calls of the last step, which is not whole in their files."""
    written(tmp_path / "late")
    profiles = recorded(sorted((tmp_path / "late").iterdir()))
    for place in [at for at in range(8) if at != 3][:n_cut]:
        tables = [getattr(profiles[place].summary, name) for name in ("steps", "device_waits")]
        steps, waits = (unpacked(table) for table in tables)
        steps["complete"] = np.where(steps["number"] == STEPS[-1], NONE, steps["complete"])
        kept = waits["step"] != STEPS[-1]
        left = packed({name: column[kept] for name, column in waits.items()})
        profiles[place] = changed_summary(profiles[place], is_cut_off=True, steps=packed(steps), device_waits=left)
    (one,) = join(members(profiles), RanksParams()).blamed
    assert (one.name, one.cause, one.event, one.steps) == ("rank 3", "sync", "aten::item", [*STEPS])
    assert "9 times a step against 1 on its peers" in one.sentence


@pytest.mark.parametrize("shared", [2, 5, 8])
def test_what_is_idle_after_a_wait_of_all_is_a_pause_whoever_waits_elsewhere_too(tmp_path: Path, shared: int) -> None:
    """Rank 3 waits in five layers more, and goes on at once."""
    elsewhere = [layer for layer in range(6) if layer != shared]
    stops = {(rank, step, shared): LONG_NS if rank == 3 else AT_ONCE_NS for rank in range(8) for step in STEPS}
    stops |= {(3, step, layer): AT_ONCE_NS for step in STEPS for layer in elsewhere}
    length_of(tmp_path, n_layers=N_LAYERS, stops=stops, stops_in=marked(stops))
    for rank in range(8):
        changed(tmp_path / file_of(tmp_path, rank), with_an_item_before_markers)
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.event) == ("rank 3", "pause", None)
    assert ".item()" not in one.sentence
    assert one.cause_ns == pytest.approx(LONG_NS, rel=0.05)


def test_the_sentence_on_who_waits_more_often_leads_to_the_longest_gap_after_such_a_call(tmp_path: Path) -> None:
    """Though a gap in which all are is longer, and another one after the wait of all."""
    layers = {rank: range(1, N_LAYERS) if rank == 3 else range(1, 2) for rank in range(8)}
    stops = {(rank, step, layer): GAP_NS for rank, its in layers.items() for step in STEPS for layer in its}
    stops |= {(3, 11, 6): 2 * GAP_NS, **{(rank, step, 1): 3 * GAP_NS for rank in range(8) for step in STEPS}}
    length_of(tmp_path, n_layers=N_LAYERS, stops=stops, stops_in=marked(stops))
    for rank in range(8):
        changed(tmp_path / file_of(tmp_path, rank), with_an_item_before_markers)
    profiles = recorded(sorted(tmp_path.iterdir()))
    (place,) = next(lead for lead in join(members(profiles), RanksParams()).leads if lead.ranks == [3]).places
    assert (place.rank, place.step) == (3, 11)
    assert place.called.startswith("step 11\nwaits for its device in `aten::item`, 9 times")
    assert profiles[3].summary.device_waits is not None
    waits = unpacked(profiles[3].summary.device_waits)
    rows = np.flatnonzero((waits["name"] == profiles[3].summary.wait_names.index("aten::item")) & (waits["step"] == 11))
    assert (place.start_ns, place.lasts_ns) == (waits["idle_at"][rows[5]], waits["idle"][rows[5]])
    assert place.lasts_ns == pytest.approx(2 * GAP_NS, rel=0.1)


def test_where_no_call_is_known_the_sentence_leads_to_the_step(tmp_path: Path) -> None:
    """Rank 3 makes no more of them in this step, and the mark does not say that it stands there."""
    written(tmp_path / "late")
    of = analysed(recorded(sorted((tmp_path / "late").iterdir())))
    rank = of.job.of.ranks[3]
    assert rank.device_waits is not None
    rank.device_waits["idle"][rank.device_waits["step"] == 11] = 0
    (place,) = placed(of, Lead(ranks=[3], step=11)).places
    at = int(np.flatnonzero(rank.steps["number"] == 11)[0])
    assert (place.start_ns, place.lasts_ns) == (rank.steps["start"][at], rank.steps["end"][at] - rank.steps["start"][at])
    assert place.called == "step 11"


@pytest.mark.parametrize(
    ("own", "usual", "more"),
    [
        ([0.1, 0.2, 1.0], [1.0], [0, 1]),
        ([0.1, 0.5, 1.0], [0.45], [0, 2]),
        ([1.0, 1.0], [1.0], [0]),  # which of them the peers make nothing tells
        ([0.1, 0.2, 0.3], [0.0, 0.05], [2]),
        ([0.1, 0.2, 0.3], [0.9, 1.0], [0]),
        ([0.1, 0.2], [], [0, 1]),
        ([0.1], [0.1, 0.5], []),
    ],
)
def test_a_call_of_the_peers_is_the_nearest_in_order(own: list[float], usual: list[float], more: list[int]) -> None:
    assert np.flatnonzero(_are_more(own, usual)).tolist() == more


def test_the_time_after_a_wait_is_the_gap_that_began_in_it(tmp_path: Path) -> None:
    written(tmp_path / "late")
    profiles = recorded(sorted((tmp_path / "late").iterdir()))
    for at, calls in ((3, N_LAYERS - 1), (4, 1)):
        summary = profiles[at].summary
        assert summary.device_waits is not None
        waits = unpacked(summary.device_waits)
        assert tuple(waits) == DEVICE_WAITS
        assert set(summary.wait_names) >= {"aten::item", "aten::_local_scalar_dense", "cudaStreamSynchronize"}
        for place, lasts in (("aten::item", 65_000), ("cudaStreamSynchronize", 60_000)):
            rows = np.flatnonzero(waits["name"] == summary.wait_names.index(place))
            assert waits["step"][rows].tolist() == [step for step in STEPS for _ in range(calls)]
            assert waits["lasts"][rows] == pytest.approx(np.full(len(rows), lasts))
            assert waits["idle"][rows] == pytest.approx(np.full(len(rows), GAP_NS), rel=0.2)
            assert (np.diff(waits["idle_at"][rows]) >= GAP_NS).all()
            launched = waits["launched"][rows].reshape(len(STEPS), calls)
            assert (launched == launched[0]).all()
            assert (np.diff(launched[0]) > 0).all()
