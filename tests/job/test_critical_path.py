"""The longest chain of simulated jobs: it touches from end to end, and goes by on what was made slow."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.job.replay.critical_path import critical_paths
from tb_plugin.trace.rank.order import STEP, SYNC
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.rows.path_rows import chain, ends_on_several, path_rows
from tb_plugin.views.ranks.rows.rank_rows import step_rows
from tests.job.paused import changed, marked
from tests.job.recorded import recorded
from tests.job_files import GEMM_NS, LOADER_NS, TRANSFER_NS, Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tb_plugin.job.replay.replay import Replay

MS = 1_000_000
N_LAYERS = 6


def made(folder: Path, **fault: Any) -> Analysed:
    job = Job(n_ranks=8, ranks_per_node=4, offset_ns={1: 37 * MS}, **fault)
    return analysed(recorded(job.write(folder)))


def by_class(of: Analysed, at: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for piece in of.paths[at].pieces:
        found[piece.what] = found.get(piece.what, 0.0) + piece.end - piece.start
    return found


@pytest.mark.parametrize("fault", [{"slow": {5: 1.5}}, {"late_input": {2: 9 * MS}}, {"pause": {(3, 11): 40 * MS}}])
def test_its_pieces_touch_and_reach_from_the_begin_of_the_step_to_its_end(tmp_path: Path, fault: dict[str, Any]) -> None:
    of = made(tmp_path, **fault)
    assert [path.step for path in of.paths] == [10, 11, 12]
    for path in of.paths:
        chain = [*path.ahead, *path.pieces]
        assert all(before.end == after.start for before, after in pairwise(chain))
        assert all(piece.start <= piece.end for piece in chain)
    for before, after in pairwise(of.paths):
        assert after.pieces[0].start == before.pieces[-1].end
    rows, steps = path_rows(of), step_rows(of, [])
    assert sum(row.path_ns for row in rows) == round(sum(step.path_ns or 0 for step in steps) / len(steps))


def test_the_longest_piece_of_a_row_is_found_again_in_its_rank_s_own_profile(tmp_path: Path) -> None:
    """Four hosts' clocks differ by milliseconds; the kernels of the slow rank are where the row says."""
    of = made(tmp_path, slow={2: 2.0})
    places = {rank.number: place for place, rank in enumerate(of.job.of.ranks)}
    (row,) = (row for row in path_rows(of) if row.what == "computing" and row.rank == 2)
    order = of.job.of.ranks[places[2]].order
    at = int(np.argmin(np.abs(order["start"] - (row.piece_at_ns or 0))))
    assert abs(int(order["start"][at]) - (row.piece_at_ns or 0)) < 5_000
    assert row.longest_piece_ns == pytest.approx(int(order["end"][at] - order["start"][at]), abs=5_000)
    assert all((row.longest_piece_ns is None) == (row.rank is None) for row in path_rows(of))


def naive(replay: Replay, number: int) -> tuple[list[tuple[int, float, float]], float]:
    """([rank, from, to] of one step from the end back, clipped to it; what lies before it), node by node."""
    into: dict[int, list[int]] = {}
    for source, target in zip(replay.source.tolist(), replay.target.tolist(), strict=True):
        into.setdefault(target, []).append(source)
    time, ranks, n = replay.recorded.tolist(), replay.rank.tolist(), 3 * len(replay.rank)
    begins: list[float] = []
    ends: dict[int, float] = {}
    before: dict[int, float] = {}
    for row, (kind, what) in enumerate(zip(replay.kind.tolist(), replay.what.tolist(), strict=True)):
        if kind == STEP:
            if what == number:
                begins.append(before[ranks[row]])
                ends[3 * row + 2] = time[3 * row + 2]
            before[ranks[row]] = time[3 * row + 2]  # when the device is done with it
    node = max(ends, key=ends.__getitem__)
    now, pieces, ahead = time[node], [], 0.0
    while now > min(begins) and node in into:
        source = max(into[node], key=time.__getitem__)
        since = min(time[source], now)
        if node < n and since < now:
            if now > max(begins):
                pieces.append((ranks[node // 3], max(since, max(begins)), now))
            ahead += max(min(now, max(begins)) - since, 0.0)
        node, now = source, since
    return pieces[::-1], ahead


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_naive_walk_cut_at_the_step_however_far_ranks_run_apart(tmp_path: Path, seed: int) -> None:
    of = made(tmp_path, slow={5: 1.5})
    replay = of.replay
    assert replay is not None
    drawn = np.random.default_rng(seed)
    n = 3 * len(replay.rank)
    early = drawn.integers(0, 6 * MS, len(of.job.of.ranks)) * (drawn.integers(0, 3) > 0)
    off = replay.recorded.copy()
    off[:n] -= np.repeat(early[replay.rank], 3) - drawn.integers(0, 50, n)
    steps = 3 * np.flatnonzero(replay.kind == STEP)
    off[steps + 2] = off[steps]  # of a step the host's end is its end here
    off[n:] = -np.inf  # an instance is where its last member begins
    into = replay.target >= n
    np.maximum.at(off, replay.target[into], off[replay.source[into]])
    apart = replace(replay, recorded=off)
    lengths = apart.step_lengths(off)
    paths = critical_paths(apart, of.job.waits.untold, of.own.number)
    assert [path.step for path in paths] == [10, 11, 12]
    for path in paths:
        wanted, ahead_ns = naive(apart, path.step)
        assert sum(piece.end - piece.start for piece in path.pieces) == lengths[path.step]
        assert (path.length, path.ahead_ns) == (lengths[path.step], ahead_ns)
        assert merged((piece.rank, piece.start, piece.end) for piece in path.pieces) == merged(wanted)
    assert [a.pieces[-1].end == b.pieces[0].start for a, b in pairwise(paths)] == [True, True]


def merged(pieces: Iterable[tuple[int, float, float]]) -> list[tuple[int, float, float]]:
    """What a rank does without a break is one: pieces of a host fall into two classes."""
    found: list[tuple[int, float, float]] = []
    for rank, start, end in pieces:
        if found and (found[-1][0], found[-1][2]) == (rank, start):
            found[-1] = (rank, found[-1][1], end)
        elif start < end:
            found.append((rank, start, end))
    return found


def test_a_step_whose_chain_leads_to_where_a_recording_begins_has_none(tmp_path: Path) -> None:
    of = made(tmp_path, slow={5: 1.5})
    replay = of.replay
    assert replay is not None
    into_ten = np.flatnonzero((replay.rank == 5) & (replay.step == 10))
    cut = ~np.isin(replay.target, 3 * into_ten)  # of the slow rank nothing says what its first launches waited for
    kept = replace(replay, source=replay.source[cut], target=replay.target[cut], lag=replay.lag[cut])
    assert [path.step for path in critical_paths(kept, of.job.waits.untold, of.own.number)] == [11, 12]


@pytest.mark.parametrize("seed", range(4))
def test_no_piece_is_negative_where_times_are_off_by_microseconds(tmp_path: Path, seed: int) -> None:
    of = made(tmp_path, slow={5: 1.5})
    replay = of.replay
    assert replay is not None
    n = 3 * len(replay.rank)
    off = replay.recorded.copy()
    off[:n] += np.random.default_rng(seed).integers(-9000, 9000, n)
    steps = 3 * np.flatnonzero(replay.kind == STEP)
    off[steps + 2] = off[steps]  # of a step the host's end is its end here
    off[n:] = -np.inf  # an instance is where its last member begins
    into = replay.target >= n
    np.maximum.at(off, replay.target[into], off[replay.source[into]])
    for path in critical_paths(replace(replay, recorded=off), of.job.waits.untold, of.own.number):
        assert min(piece.end - piece.start for piece in path.pieces) >= 0
        assert all(before.end == after.start for before, after in pairwise(path.pieces))
        assert sum(piece.end - piece.start for piece in path.pieces) == pytest.approx(path.length, abs=1)


def test_a_slow_rank_has_all_of_its_kernels_on_it(tmp_path: Path) -> None:
    of = made(tmp_path, slow={5: 1.5})
    for at in range(3):
        found = by_class(of, at)
        assert found["compute"] == pytest.approx(N_LAYERS * GEMM_NS * 1.5, rel=0.01)
        assert found["transfer"] == pytest.approx((N_LAYERS + 1) * TRANSFER_NS, rel=0.05)
        assert {piece.rank for piece in of.paths[at].pieces if piece.what == "compute"} == {5}
    rows = path_rows(of)
    assert (rows[0].what, rows[0].rank) == ("computing", 5)
    assert {row.what for row in rows} >= {"moving data: tensor", "moving data: world"}
    assert sum(row.path_share for row in rows) == pytest.approx(1)
    said = chain(rows, None, "")
    assert said is not None
    assert said.startswith(f"The critical path of a step, {format_ns(sum(row.path_ns for row in rows))}, is computing 8")
    # An all-reduce ends on all its members within a microsecond: none of them is where the path goes on.
    assert {row.rank for row in rows if row.what.startswith("moving data")} == {None}
    assert " on rank 5, " in said
    assert said.endswith(" on several ranks at once.")
    ahead = chain(rows, 10 * MS, "")
    begun = "It starts from what ranks that were ahead began 10.0 ms before the last rank began the step"
    assert ahead == f"{said} {begun}; that time is not in it."
    assert chain(rows, 1000, "") == said


def test_what_ends_on_one_member_alone_is_that_members(tmp_path: Path) -> None:
    of = made(tmp_path, slow={5: 1.5})
    rows = {piece.row for path in of.paths for piece in path.pieces if piece.what == "transfer"}
    assert ends_on_several(of) == rows
    later = of.job.waits.end.copy()
    later[list(rows)] += MS
    apart = replace(of, job=replace(of.job, waits=replace(of.job.waits, end=later)))
    assert ends_on_several(apart) == set()


@pytest.mark.parametrize(
    ("fault", "what", "rank", "ns"),
    [
        ({"late_input": {2: 9 * MS}}, "input", 2, 9 * MS + LOADER_NS),
        ({"pause": {(3, 11): 40 * MS}}, "pause", 3, 40 * MS),
    ],
)
def test_what_held_a_rank_up_is_on_it(tmp_path: Path, fault: dict[str, Any], what: str, rank: int, ns: int) -> None:
    of = made(tmp_path, **fault)
    held = [piece for piece in of.paths[1].pieces if piece.what == what]
    assert {piece.rank for piece in held} == {rank}
    assert sum(piece.end - piece.start for piece in held) == pytest.approx(ns, rel=0.02)


@pytest.mark.parametrize(
    ("event", "what"),
    [
        (None, "pause"),
        (("cpu_op", "aten::nonzero"), "host"),
        (("cuda_runtime", "cudaMalloc"), "host"),
        (("user_annotation", "compile_attempt_0 (dynamo_timed)"), "host"),
        (("user_annotation", "Python GC"), "pause"),
    ],
)
def test_only_what_no_event_of_the_host_is_in_is_a_pause(tmp_path: Path, event: tuple[str, str] | None, what: str) -> None:
    stop = (3, 11, 2)
    of = made(tmp_path, stops={stop: 8 * MS}, stops_in={stop: [event]} if event else {})
    found = by_class(of, 1)
    assert 8 * MS < found[what] < 9 * MS  # with what its host else does until the launch after it
    assert max((ns for each, ns in found.items() if each in ("pause", "host") and each != what), default=0.0) < MS


def test_a_range_in_which_work_is_launched_is_around_a_pause(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, stops={(3, 11, 2): 8 * MS}).write(tmp_path)
    changed(paths[3], with_a_range_in_each_step)
    assert by_class(analysed(recorded(paths)), 1)["pause"] > 8 * MS


def with_a_range_in_each_step(events: list[dict[str, Any]]) -> None:
    steps = [event for event in events if event["name"].startswith("ProfilerStep")]
    events.extend({**event, "name": "train", "ts": event["ts"] + 1, "dur": event["dur"] - 2} for event in steps)


def test_a_copy_that_its_call_waits_for_is_on_it(tmp_path: Path) -> None:
    """Of pageable memory: the host stands in `cudaMemcpyAsync` until it is over."""
    stop = (3, 11, 2)
    paths = Job(n_ranks=8, ranks_per_node=4, stops={stop: 8 * MS}, stops_in=marked({stop: 8 * MS})).write(tmp_path)
    changed(paths[3], with_a_copy_waited_for)
    of = analysed(recorded(paths))
    found = by_class(of, 1)
    assert found["copy"] == pytest.approx(8 * MS, rel=0.05)
    assert "pause" not in found
    assert {piece.rank for piece in of.paths[1].pieces if piece.what == "copy"} == {3}
    assert any(row.what == "copying" and row.rank == 3 for row in path_rows(of))


def with_a_copy_waited_for(events: list[dict[str, Any]]) -> None:
    (marker,) = (event for event in events if event["name"] == "marker")
    copy = {"cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7}
    args = {"device": 0, "stream": 7, "correlation": 90_000}
    events.append({**marker, **copy, "ts": marker["ts"] + 5, "dur": marker["dur"] - 10, "args": args})
    marker.update(cat="cuda_runtime", name="cudaMemcpyAsync", args={"correlation": 90_000})


def test_without_the_order_of_launches_there_is_none(tmp_path: Path) -> None:
    of = analysed(recorded(PipelineJob().write(tmp_path)[:1]))
    assert (of.paths, path_rows(of), chain([], None, "")) == ([], [], None)


def test_a_rank_that_began_to_record_a_step_later_has_no_say_in_where_the_first_begins(tmp_path: Path) -> None:
    replay = made(tmp_path, slow={5: 1.5}).replay
    assert replay is not None
    begin, end, *_ = np.flatnonzero((replay.kind == STEP) & (replay.rank == 2))
    kind, what = replay.kind.copy(), replay.what.copy()
    kind[begin], what[end] = SYNC, NONE
    bounds, all_of_it = (each.step_bounds(replay.recorded) for each in (replace(replay, kind=kind, what=what), replay))
    assert list(bounds) == [10, 11, 12]
    assert bounds[10] == pytest.approx(all_of_it[10], abs=50_000)  # the other ranks'
    assert bounds[10][0] < replay.recorded[3 * end] - MS
    assert (bounds[11], bounds[12]) == (all_of_it[11], all_of_it[12])
