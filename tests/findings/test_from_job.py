"""Findings of one rank where its job tells whom it waits for: who comes late brings what the job's replay says, and no more."""

from __future__ import annotations

import msgspec
import pytest

from tb_plugin.findings.checks import ALL
from tb_plugin.findings.found import Findings, found
from tb_plugin.findings.from_job import ABOUT_WAITING, FromJob, LateRank
from tb_plugin.findings.verdict import verdict_text
from tests.trace_text import trace_from_text

US = 1000
STEPS = """
    thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | c10d::allreduce_ 5-8
    thread 1 | ProfilerStep#2 100-200 | aten::mm 100-105 | c10d::allreduce_ 105-108
    stream 7 | gemm 5-50 <- aten::mm | gemm 105-150 <- aten::mm
    stream 9 | ncclDevKernel_AllReduce 50-98 <- c10d::allreduce_ | ncclDevKernel_AllReduce 150-198 <- c10d::allreduce_
"""
"""48 us of each step are exposed."""


def told(gain_us: list[int], wait_us: list[int], *, is_replayed: bool = True) -> FromJob:
    gain = [each * US for each in gain_us]
    late = LateRank(title="Make rank 5 come in time: so", why="Rank 5 is slow.", is_replayed=is_replayed, gain_ns=gain)
    waits, moves = [each * US for each in wait_us], [(48 - each) * US for each in wait_us]
    return FromJob(
        rank=0,
        sentence="Rank 0 waits.",
        communication="Mostly.",
        steps=[1, 2],
        waits_ns=waits,
        moves_ns=moves,
        late=[late],
    )


def seen(gain_us: list[int], wait_us: list[int], steps: str = "", *, is_replayed: bool = True) -> Findings:
    return found(trace_from_text(STEPS), steps, told(gain_us, wait_us, is_replayed=is_replayed))


def test_who_comes_late_stands_with_what_the_replay_gains_and_hiding_with_what_moves_data() -> None:
    first, then = seen([20, 20], [30, 30]).seen
    assert (first.check.id, first.seen.title) == ("late_ranks", "Make rank 5 come in time: so")
    assert (first.seen.estimate_ns, first.gain_ns) == (40 * US, 60 * US)
    assert (then.check.id, then.seen.title) == (
        "exposed_communication",
        "Hide communication: larger buckets, no_sync, compression",
    )
    assert (then.seen.estimate_ns, then.gain_ns) == (None, 2 * (48 - 30) * US)


def test_what_brings_more_stands_first() -> None:
    assert [each.check.id for each in seen([15, 15], [20, 20]).seen] == ["exposed_communication", "late_ranks"]
    said = verdict_text(seen([15, 15], [20, 20]).verdict).replace("\n", " ")
    assert "Change first: hide communication" in said
    assert "Then: make rank 5 come in time: so (about 15.0 us" in said


def test_advice_fits_the_title() -> None:
    for each in seen([20, 20], [30, 30]).seen:
        assert "late rank" not in each.check.unless
        assert each.seen.without == ()
        assert each.seen.less is None
    assert seen([20, 20], [30, 30]).seen[0].check.code == ""


def test_a_finding_stays_what_it_is_where_the_late_rank_is_not_most_of_the_wait() -> None:
    (alone,) = found(trace_from_text(STEPS)).seen
    (each,) = seen([14, 14], [30, 30]).seen
    assert (each.seen.title, each.gain_ns, each.check) == (alone.seen.title, alone.gain_ns, alone.check)
    (also,) = each.also
    assert (also.seen.title, also.seen.estimate_ns) == ("Make rank 5 come in time: so", 28 * US)


@pytest.mark.parametrize("gain_us", [[0, 0], [0, 1]])
def test_who_brings_next_to_nothing_is_not_named(gain_us: list[int]) -> None:
    (each,) = seen(gain_us, [30, 30]).seen
    assert each.also == ()


def test_steps_count_that_the_filter_keeps() -> None:
    assert [each.check.id for each in seen([0, 40], [1, 42], "1").seen] == ["exposed_communication"]
    first, *_ = seen([0, 40], [1, 42], "2").seen
    assert (first.check.id, first.seen.estimate_ns) == ("late_ranks", 40 * US)
    assert {each.check.id: each.seen.estimate_ns for each in seen([0, 40], [1, 42]).seen}["late_ranks"] == 40 * US


def test_without_a_replay_it_is_a_bound() -> None:
    first, *_ = seen([25, 25], [30, 30], is_replayed=False).seen
    assert (first.seen.estimate_ns, first.gain_ns) == (None, 50 * US)


def test_of_several_the_first_stands_that_is_most_of_the_wait() -> None:
    less, most = (told([gain, gain], [40, 40]).late[0] for gain in (18, 22))
    both = msgspec.structs.replace(most, title="Make ranks 5 and 6 come in time: so", gain_ns=[30 * US, 30 * US])
    for late, title in (([less, both], both.title), ([most, both], most.title)):
        first, *_ = found(trace_from_text(STEPS), "", msgspec.structs.replace(told([0, 0], [40, 40]), late=late)).seen
        assert first.seen.title == title


def test_the_answer_says_what_the_job_tells_where_one_rank_cannot() -> None:
    alone, known = found(trace_from_text(STEPS)).verdict, seen([20, 20], [30, 30]).verdict
    assert (alone.of_job, alone.of_ranks) == (None, "One rank's profile cannot tell which.")
    assert known.of_job is not None
    assert (known.of_job.rank, known.of_job.sentence, known.of_ranks) == (0, "Rank 0 waits.", "Mostly.")
    assert "From all ranks: Rank 0 waits. Mostly. Change first: make rank 5" in verdict_text(known).replace("\n", " ")


def test_those_about_waiting_are_checks() -> None:
    assert {check.id for check in ALL} >= ABOUT_WAITING
