"""The longest chain of simulated jobs: it touches from end to end, and goes by on what was made slow."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.critical_path import critical_paths
from tb_plugin.views.ranks.analysed import Analysed, analysed
from tb_plugin.views.ranks.path_rows import chain, ends_on_several, path_rows
from tests.job.recorded import recorded
from tests.job_files import GEMM_NS, LOADER_NS, TRANSFER_NS, Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

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
        assert all(before.end == after.start for before, after in pairwise(path.pieces))
        assert all(piece.start <= piece.end for piece in path.pieces)
        assert sum(piece.end - piece.start for piece in path.pieces) == pytest.approx(path.length, abs=1)
    for before, after in pairwise(of.paths):
        assert after.pieces[0].start <= before.pieces[-1].end


@pytest.mark.parametrize("seed", range(4))
def test_no_piece_is_negative_where_times_are_off_by_microseconds(tmp_path: Path, seed: int) -> None:
    of = made(tmp_path, slow={5: 1.5})
    replay = of.replay
    assert replay is not None
    n = 3 * len(replay.rank)
    off = replay.recorded.copy()
    off[:n] += np.random.default_rng(seed).integers(-9000, 9000, n)
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
    said = chain(rows)
    assert said is not None
    assert said.startswith("The critical path of a step is computing 8")
    # An all-reduce ends on all its members within a microsecond: none of them is where the path goes on.
    assert {row.rank for row in rows if row.what.startswith("moving data")} == {None}
    assert " on rank 5, " in said
    assert said.endswith(" on several ranks at once.")


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


def test_without_the_order_of_launches_there_is_none(tmp_path: Path) -> None:
    of = analysed(recorded(PipelineJob().write(tmp_path)[:1]))
    assert (of.paths, path_rows(of), chain([])) == ([], [], None)
