"""The table of runs: in which order, and when each was recorded."""

from __future__ import annotations

import dataclasses

import msgspec

from tb_plugin.question.joint import Member
from tb_plugin.question.question import NoParams
from tb_plugin.views.runs.compute import join
from tb_plugin.views.runs.result import RunsParams, SpanSummary
from tb_plugin.views.runs.summary import summary
from tests.trace_text import trace_from_text

BEGAN_NS = 1_752_000_000_000_000_000
WRITTEN_NS = 1_700_000_000_000_000_000


def answer(base_ns: int) -> SpanSummary:
    trace = trace_from_text("thread 1 | aten::a 0-9")
    return summary(dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, base_ns=base_ns)), NoParams())


def member(run: str, written_ns: int, found: SpanSummary | None) -> Member[SpanSummary]:
    return Member(
        run=run,
        worker="w",
        span="1",
        label="w",
        recorded_ns=written_ns,
        n_workers=1,
        state="queued" if found is None else "ready",
        progress=0.0,
        reason=None,
        answer=found,
    )


def test_a_run_was_recorded_when_the_profile_says_and_until_then_when_its_file_was_written() -> None:
    members = [member("old", WRITTEN_NS + 2, None), member("copied", WRITTEN_NS, answer(BEGAN_NS))]
    rows = join(members, RunsParams()).rows
    assert [(row.run, row.recorded_ns) for row in rows] == [("copied", BEGAN_NS), ("old", WRITTEN_NS + 2)]


def test_a_clock_that_is_not_unix_time_says_nothing_of_when() -> None:
    (row,) = join([member("uptime", WRITTEN_NS, answer(5_000_000_000))], RunsParams()).rows
    assert row.recorded_ns == WRITTEN_NS
