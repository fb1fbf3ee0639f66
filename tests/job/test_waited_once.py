"""Ranks that wait in two streams at once for the same late rank: time counts once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import union_length_by
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tests.job.recorded import member
from tests.job_files import launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

N_RANKS, LATE, STEP_US = 3, 2, 8000
_ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_ALL_GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"

ARRIVED = {  # us into a step: the all-reduce on one stream, the all-gather on another
    0: (1000, 1500),
    1: (1200, 900),
    LATE: (3000, 3400),
}


def files(folder: Path) -> list[Member[RankSummary]]:
    """Three steps; each collective ends 100 us after the last member came."""
    members = []
    for rank, arrived in ARRIVED.items():
        events: list[dict[str, Any]] = []
        for step in range(3):
            at = 1000 + step * STEP_US
            span = {"ph": "X", "pid": 9, "tid": 9, "ts": at, "dur": STEP_US - 10}
            events.append({**span, "cat": "user_annotation", "name": f"ProfilerStep#{10 + step}"})
            events += launch_rows(10 * step, at + 10, at + 20, at + min(arrived) - 20, "aten::mm", "sgemm_128x64_nn", 7, {})
            kinds = (("allreduce", _ALL_REDUCE, 20, "default_pg"), ("_allgather_base", _ALL_GATHER, 21, "FSDP_GROUP"))
            for nth, (what, kernel, stream, of) in enumerate(kinds):
                end = at + max(each[nth] for each in ARRIVED.values()) + 100
                said = {**said_of(what, range(N_RANKS), of, str(nth)), "Seq": step + 1}
                rows = launch_rows(
                    10 * step + nth + 1, at + 20 + 5 * nth, at + arrived[nth], end, "record_param_comms", kernel, stream, said
                )
                rows[0]["args"].update(said)
                events += rows
        members.append(member(rank_file(folder, rank, N_RANKS, events)))
    return members


def waited_us(rank: int) -> int:
    """Every microsecond of a step in which it waits in one of them or in both."""
    mine = {us for nth in range(2) for us in range(ARRIVED[rank][nth], ARRIVED[LATE][nth])}
    return 3 * len(mine)


def test_time_in_which_a_rank_waits_in_two_collectives_counts_once(tmp_path: Path) -> None:
    members = files(tmp_path)
    (said,) = (each for each in one_rank(members, OneRankParams(rank=LATE)).sentences if " for it in the " in each)
    total = format_ns(1000 * (waited_us(0) + waited_us(1)))
    which = "in the 6 collectives that it comes last to, the time of each of the 2 ranks counted once"
    assert said == f"Others wait {total} for it {which}."
    for rank in (0, 1):
        reply = one_rank(members, OneRankParams(rank=rank))
        (row,) = reply.waits_for
        assert (row.last_ranks, row.n_collectives) == ([LATE], 6)
        assert row.wait_ns == pytest.approx(1000 * waited_us(rank), abs=2000)
        (its,) = (each for each in reply.sentences if f"it waits {format_ns(1000 * waited_us(rank))} (" in each)
        assert "; of several at once the time counts once), 100.0 % of it" in its


spans = st.tuples(st.integers(-50, 50), st.integers(0, 30), st.integers(0, 3))


@given(st.lists(spans, max_size=30))
def test_of_each_the_instants_that_any_of_its_intervals_covers(given_spans: list[tuple[int, int, int]]) -> None:
    start, lasts, of = (np.array([each[at] for each in given_spans], np.int64) for at in range(3))
    naive = [len({at for first, n, whose in given_spans if whose == each for at in range(first, first + n)}) for each in range(4)]
    assert union_length_by(start, start + lasts, of, 4).tolist() == naive
