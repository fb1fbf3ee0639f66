"""Files that name no process group: groups are told by what ends together, and a wait that is told is the one that was."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.missing.notes import notes
from tests.job.recorded import real_job, recorded
from tests.nameless_files import Nameless, Use
from tests.profiles import real

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.basis.analysed import Analysed

MS = 1_000_000
ALL = (tuple(range(8)),)
PAIRS = ((0, 1), (2, 3), (4, 5), (6, 7))
ACROSS = ((0, 2, 4, 6), (1, 3, 5, 7))
NODES = ((0, 1, 2, 3), (4, 5, 6, 7))
REPLICAS = ((0, 4), (1, 5), (2, 6), (3, 7))
MOST_WRONG_NS = 60_000
"""Ends that are together may lie so far apart."""


def tensor(**more: Any) -> Nameless:
    uses = [
        Use(kind="all_reduce", stream=20, groups=PAIRS, transfer_ns=60_000, n=8),
        Use(kind="all_reduce", stream=24, groups=ACROSS, transfer_ns=900_000, n=3, is_in_layers=False),
    ]
    return Nameless(uses=uses, **more)


def hybrid(**more: Any) -> Nameless:
    """FSDP: shards in a node, replicas across."""
    uses = [
        Use(kind="all_gather", stream=20, groups=NODES, transfer_ns=200_000, n=6),
        Use(kind="reduce_scatter", stream=20, groups=NODES, transfer_ns=250_000, n=6),
        Use(kind="all_reduce", stream=24, groups=REPLICAS, transfer_ns=400_000, n=3, is_in_layers=False),
    ]
    return Nameless(uses=uses, **more)


def replicated(**more: Any) -> Nameless:
    """DDP."""
    return Nameless(uses=[Use(kind="all_reduce", stream=20, groups=ALL, transfer_ns=400_000, n=6)], **more)


def sharded(**more: Any) -> Nameless:
    """FSDP over all."""
    uses = [
        Use(kind="all_gather", stream=20, groups=ALL, transfer_ns=300_000, n=6),
        Use(kind="reduce_scatter", stream=24, groups=ALL, transfer_ns=400_000, n=6),
    ]
    return Nameless(uses=uses, **more)


def made(folder: Path, job: Nameless) -> Analysed:
    return analysed(recorded(job.write(folder)))


def told(job: Nameless, of: Analysed) -> dict[tuple[int, int], int]:
    """By how much each wait that is told is more than it was, by rank and place among its collectives."""
    rows, waits = of.job.rows, of.job.waits
    return {
        (number, at): int(waits.wait[row]) - job.waited[number, at]
        for place, number in enumerate(of.job.of.numbers)
        for at, row in enumerate(of.job.rows_of(place).tolist())
        if waits.is_known[row] and rows.is_there[row]
    }


def most_wrong(job: Nameless, of: Analysed) -> int:
    return max(map(abs, told(job, of).values()), default=0)


def groups_of(of: Analysed) -> set[tuple[int, ...]]:
    """Numbers of the ranks of each group."""
    rows, numbers = of.job.rows, of.job.of.numbers
    places = np.unique(rows.group[rows.group != NONE]).tolist()
    return {tuple(numbers[rank] for rank in np.unique(rows.rank[rows.group == place]).tolist()) for place in places}


CLOCKS: list[dict[str, Any]] = [
    {},
    {"offset_ns": {1: 37 * MS}, "drift_ppm": {1: 25.0}},
    {"offset_ns": {1: 3_600_000 * MS}},
    {"has_hosts": False, "offset_ns": {1: -2 * MS}},
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("clocks", CLOCKS)
@pytest.mark.parametrize(("make", "groups"), [(tensor, PAIRS), (hybrid, NODES)])
def test_groups_are_told_where_each_goes_at_its_own_pace(
    tmp_path: Path, make: Any, groups: tuple[tuple[int, ...], ...], clocks: dict[str, Any], seed: int
) -> None:
    job = make(seed=seed, jitter_ns=300_000, late={(6, 11): 5 * MS}, **clocks)
    of = made(tmp_path, job)
    assert most_wrong(job, of) < MOST_WRONG_NS
    assert len(told(job, of)) >= 0.85 * len(job.waited)
    assert groups_of(of) == {*groups, *ALL}  # what ends the step ends at once in all groups: which is which makes no difference
    assert [(one.level, one.number) for one, *_ in of.stragglers][:1] == [("rank", 6)]
    which = ", ".join(sorted(f"{len(groups)} of {len(group)} ranks" for group in groups[:1]))
    assert f"Process groups: not recorded; told by which ranks' collectives end together: {which}." in notes(of, [], [])


@pytest.mark.parametrize("jitter_ns", [0, 3000, 30_000])
@pytest.mark.parametrize("late", [{}, {(2, 11): 10 * MS}, {(2, step): 10 * MS for step in range(10, 14)}])
@pytest.mark.parametrize("clocks", [CLOCKS[0], CLOCKS[-1]])
@pytest.mark.parametrize("make", [tensor, hybrid])
def test_no_wait_is_told_that_was_not(
    tmp_path: Path, make: Any, clocks: dict[str, Any], late: dict[tuple[int, int], int], jitter_ns: int
) -> None:
    """Where groups keep pace with each other, or one of them is as much later each time, less is told."""
    job = make(jitter_ns=jitter_ns, late=late, **clocks)
    of = made(tmp_path, job)
    assert most_wrong(job, of) < MOST_WRONG_NS
    assert (len(told(job, of)) < len(job.waited)) == (len(of.job.table.ungrouped) > 0)


def test_what_is_not_told_is_said(tmp_path: Path) -> None:
    """One group of pairs is late by as much each time: its clock could be wrong by that, and no file says what is of one host."""
    job = tensor(jitter_ns=0, late={(2, step): 10 * MS for step in range(10, 14)}, has_hosts=False)
    of = made(tmp_path, job)
    assert told(job, of) == {}
    said = notes(of, [], [])
    assert said[0] == (
        "352 collectives on streams 20, 24 of ranks 0-7: the process group is not recorded (torch before 2.4, or a replayed "
        "graph), and by when they end there may be several. Not used."
    )
    assert not any("clock" in note.lower() for note in said)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("clocks", CLOCKS)
@pytest.mark.parametrize("make", [replicated, sharded])
def test_one_group_of_all_is_matched_as_it_was_and_who_is_late_is_named(
    tmp_path: Path, make: Any, clocks: dict[str, Any], seed: int
) -> None:
    late = 1 + 3 * seed
    job = make(seed=seed, late={(late, 12): 8 * MS}, **clocks)
    of = made(tmp_path, job)
    assert len(told(job, of)) == len(job.waited)
    assert most_wrong(job, of) < 10_000
    assert groups_of(of) == set(ALL)
    assert [(one.level, one.number) for one, *_ in of.stragglers] == [("rank", late)]
    assert not any("process group" in note.lower() for note in notes(of, [], []))


@pytest.mark.parametrize("clocks", CLOCKS[:2])
@pytest.mark.parametrize("make", [replicated, sharded])
def test_what_was_launched_before_the_recording_shifts_nothing_of_one_group(
    tmp_path: Path, make: Any, clocks: dict[str, Any]
) -> None:
    """Ranks hold as many of these kernels as their devices had still to do, and run them in a step of the host that is later.
    Who waited for whom in those that another rank does not hold is told for who does: no more than was.
    """
    job = make(over={rank: 1 + rank % 4 for rank in range(8)}, late={(5, 12): 8 * MS}, **clocks)
    of = made(tmp_path, job)
    found = told(job, of)
    assert len(found) == len(job.waited)
    assert max(found.values()) < 10_000
    assert max(abs(wrong) for (_, at), wrong in found.items() if at >= 3) < 10_000
    assert groups_of(of) == set(ALL)
    assert [(one.level, one.number) for one, *_ in of.stragglers] == [("rank", 5)]


def test_of_a_group_whose_member_is_not_there_waits_are_a_lower_bound(tmp_path: Path) -> None:
    job = tensor(jitter_ns=300_000, without=(6,))
    of = made(tmp_path, job)
    assert groups_of(of) == {*PAIRS[:3], (7,), (0, 1, 2, 3, 4, 5, 7)}
    assert max(told(job, of).values()) < MOST_WRONG_NS
    by_size = {n: of.job.matched.is_complete[of.job.matched.n_there == n] for n in (1, 2, 7)}
    assert [bool(is_complete.all()) for is_complete in by_size.values()] == [False, True, False]


def test_a_stream_of_which_some_collectives_are_of_others_tells_nothing_of_them(tmp_path: Path) -> None:
    """Pairs, and all of them once a step, on one stream."""
    job = tensor(jitter_ns=300_000)
    job.uses[1] = Use(kind="all_reduce", stream=20, groups=ALL, transfer_ns=100_000, n=1, is_in_layers=False)
    of = made(tmp_path, job)
    assert most_wrong(job, of) < MOST_WRONG_NS


def test_a_file_that_lists_its_groups_needs_no_proof(tmp_path: Path) -> None:
    """Whatever its ends say."""
    job = replicated(ends_ns=3 * MS)
    paths = job.write(tmp_path)
    assert len(analysed(recorded(paths)).job.table.ungrouped) > 0
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        only = {"pg_name": "0", "pg_desc": "default_pg", "pg_size": 8, "ranks": list(range(8))}
        trace["distributedInfo"]["pg_config"] = [only]
        path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    assert len(analysed(recorded(paths)).job.table.ungrouped) == 0


@pytest.mark.parametrize(("make", "groups"), [(tensor, {*PAIRS, *ALL}), (replicated, set(ALL))])
def test_of_files_that_list_several_groups_the_ends_tell_which(tmp_path: Path, make: Any, groups: set[tuple[int, ...]]) -> None:
    """As of replayed graphs, whose kernels say nothing."""
    job = make(jitter_ns=300_000)
    paths = job.write(tmp_path)
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        listed = [
            {"pg_name": str(n), "pg_desc": "", "pg_size": len(each), "ranks": each} for n, each in enumerate((*ALL, *PAIRS))
        ]
        trace["distributedInfo"]["pg_config"] = listed
        path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    of = analysed(recorded(paths))
    assert all(rank.summary.n_groups_of_rank == 5 for rank in of.job.of.ranks)
    assert groups_of(of) == groups
    assert len(told(job, of)) >= 0.85 * len(job.waited)
    assert most_wrong(job, of) < MOST_WRONG_NS


@pytest.mark.parametrize(
    ("name", "least"), [("syn8_tp2_pp2_dp2_slow", 0.7), ("syn8_ep4_dp8_input", 1.0), ("syn8_tp2_dp4_host_rccl", 0.05)]
)
def test_of_a_job_whose_names_are_taken_away_waits_are_the_same(tmp_path: Path, name: str, least: float) -> None:
    paths = sorted(real_job(name).glob("*.trace.json.gz"))
    named = analysed(recorded(paths))
    kept = ("device", "stream", "correlation", "External id", "context", "grid", "block")
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        trace["distributedInfo"] = {key: trace["distributedInfo"][key] for key in ("backend", "rank", "world_size")}
        for event in trace["traceEvents"]:
            if "Collective name" in event.get("args", {}) or "nccl" in event["name"].lower():
                event["args"] = {key: value for key, value in event["args"].items() if key in kept}
        (tmp_path / path.name).write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    bare = analysed(recorded(sorted(tmp_path.iterdir())))
    was, now = (
        {
            (rank, start): wait
            for rank, start, wait, is_known in zip(
                *(column.tolist() for column in (of.job.rows.rank, of.job.rows.start, of.job.waits.wait, of.job.waits.is_known)),
                strict=True,
            )
            if is_known
        }
        for of in (named, bare)
    )
    assert now.keys() <= was.keys()
    assert len(now) >= least * len(was)
    assert max(abs(now[key] - was[key]) for key in now) < 5000


def test_of_two_ranks_of_128_whose_ends_lie_300_us_apart_nothing_is_told() -> None:
    """On A100s, 2023: all-gathers of 42 and 62 ms, started within 1.3 ms, by the same host."""
    paths = real("a100_2ranks_rank0", "a100_2ranks_rank1")
    if len(paths) != 2:
        pytest.skip("no a100_2ranks beside the checkout")
    of = analysed(recorded(paths))
    assert not of.job.has_waits
    assert len(of.job.table.ungrouped) == 20
