"""A job of which no collective can be matched: what cannot be told is left out of tables, and said."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.formats.reader import read
from tb_plugin.trace.collectives.least_rate import least_bus_rate
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tests.job.on_host import operator
from tests.job.recorded import member
from tests.job_files import Job, rank_file

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = (range(6), range(3), range(3, 6))
WHOSE = " This is of what it does outside of collectives, which needs no matching; whether others wait for it cannot be told."


def test_columns_without_a_value_are_left_out_and_it_is_said_why(tmp_path: Path) -> None:
    members = [member(path) for path in Job().write(tmp_path)][:1]
    reply = join(members, RanksParams(by="rank"))
    assert reply.n_matched == 0
    said = text(reply)
    (head,) = (line for line in said.splitlines() if line.startswith("rank  "))
    assert "more than peers" not in head
    assert "computation" in head
    (why,) = (line for line in said.splitlines() if line.startswith("No column, since no collective could be matched: "))
    assert "more than peers" in why


def test_with_matched_collectives_nothing_is_said_of_columns(tmp_path: Path) -> None:
    said = text(join([member(path) for path in Job().write(tmp_path)], RanksParams(by="rank")))
    assert "more than peers" in said
    assert "No column" not in said


@pytest.mark.parametrize("form", ["2025", "rccl", "2023"])
def test_of_a_rank_alone_collectives_have_the_least_bus_rate(tmp_path: Path, form: str) -> None:
    """The same as its kernels; in 2023 nobody says bytes or groups."""
    path = Job(form=form).write(tmp_path)[0]
    reply = join([member(path)], RanksParams(by="collective"))
    rates = least_bus_rate(read(path))
    most = [row.least_bus_bytes_per_s for row in reply.collectives]
    assert [row.bus_bytes_per_s for row in reply.collectives] == [None] * len(most)
    if form == "2023":
        assert set(most) == {None}
    else:
        assert max(each or 0 for each in most) == pytest.approx(rates.max())
        assert "bus rate at least" in text(reply)


def test_where_transfers_are_known_no_bound_stands_beside_them(tmp_path: Path) -> None:
    reply = join([member(path) for path in Job().write(tmp_path)], RanksParams(by="collective"))
    assert {row.least_bus_bytes_per_s for row in reply.collectives} == {None}
    assert "at least" not in text(reply)


def in_two_groups(folder: Path, seed: int, *, stops_ms: float = 0.0, more: int = 0, lacking: int | None = None) -> list[Path]:
    """Six ranks on CPUs in two groups, of which no row says which. Rank 3 stands still in each step, and runs `more` products.
    They compute 10 to 20 ms and idle 3 to 8 by chance, and all wait in gloo for who comes last, of which rank `lacking` has none.
    """
    rng, begun = np.random.default_rng(seed), 1000.0
    ran: dict[int, list[dict[str, Any]]] = {rank: [] for rank in range(6)}
    for step in range(10, 16):
        end = {}
        for rank, mine in ran.items():
            now = begun + float(rng.uniform(3000, 8000)) + (1000 * stops_ms if rank == 3 else 0)
            for took in [*rng.uniform(2000, 4000, 5).tolist(), *[4000.0] * (more if rank == 3 else 0)]:
                mine.append(operator("aten::mm", now, took, [[64, 64], [64, 64]]))
                now += took + 5
            end[rank] = now
        last = max(end.values()) + 800
        for rank, mine in ran.items():
            row = {**operator("gloo:all_reduce", end[rank], last - end[rank], []), "cat": "user_annotation", "tid": 10}
            mine += [] if rank == lacking else [row]
            mine.append({**operator(f"ProfilerStep#{step}", begun, last + 30 - begun, []), "cat": "user_annotation"})
        begun = last + 40
    paths = [rank_file(folder, rank, 6, mine) for rank, mine in ran.items()]
    groups = [(its, {"pg_name": str(at), "ranks": [*its], "pg_size": len(its)}) for at, its in enumerate(GROUPS)]
    for rank, path in enumerate(paths):
        data = json.loads(gzip.decompress(path.read_bytes()))
        data["distributedInfo"]["pg_config"] = [each for its, each in groups if rank in its]
        path.write_bytes(gzip.compress(json.dumps(data).encode(), 1))
    return paths


def idle_ns(path: Path) -> np.ndarray[Any, Any]:
    """Of each step, outside of all operators and rows of gloo, which do not lie in each other."""
    events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    steps = sorted((one["ts"], one["ts"] + one["dur"]) for one in events if one["name"].startswith("ProfilerStep"))
    ran = [(one["ts"], one["dur"]) for one in events if one["name"] in ("aten::mm", "gloo:all_reduce")]
    return np.array([end - begin - sum(took for at, took in ran if begin <= at < end) for begin, end in steps]) * 1e3


def sentences_of(paths: list[Path]) -> list[str]:
    table = join([member(path) for path in paths], RanksParams())
    assert (table.n_matched, table.blamed) == (0, [])
    return table.sentences


@pytest.mark.parametrize("stops_ms", [40.0, 80.0])
def test_who_stands_still_outside_of_collectives_is_told_where_none_is_matched(tmp_path: Path, stops_ms: float) -> None:
    paths = in_two_groups(tmp_path, 1, stops_ms=stops_ms)
    (said,) = sentences_of(paths)[2:]
    assert said.startswith("Rank 3 (node0) stands still in one gap without any event in all 6 steps: ")
    assert said.endswith(f" a step more than its peers (all others).{WHOSE}")
    idle = np.array([idle_ns(path) for path in paths])
    assert (idle[3] > stops_ms * 1e6).all()
    assert np.delete(idle, 3, axis=0).max() < 9e6


@pytest.mark.parametrize("seed", range(8))
def test_of_ranks_that_differ_by_chance_nobody_stands_still(tmp_path: Path, seed: int) -> None:
    assert len(sentences_of(in_two_groups(tmp_path, seed))) == 2


def test_who_lacks_its_rows_of_gloo_is_not_said_to_stand_still(tmp_path: Path) -> None:
    """It waits for rank 3 in rows that its file does not have."""
    (said,) = sentences_of(in_two_groups(tmp_path, 1, stops_ms=80.0, lacking=1))[2:]
    assert said.startswith("Rank 3 (node0) stands still in one gap without any event in all 6 steps: ")
