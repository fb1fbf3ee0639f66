"""The table of runs: in which order, and when each was recorded."""

from __future__ import annotations

import dataclasses

import msgspec

from tb_plugin.question.joint import Member
from tb_plugin.question.question import NoParams
from tb_plugin.views.runs.compute import join
from tb_plugin.views.runs.result import RunsParams, RunsTable, SpanSummary
from tb_plugin.views.runs.summary import summary
from tb_plugin.views.runs.text import text
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
        n_ranks=1,
        state="queued" if found is None else "ready",
        progress=0.0,
        reason=None,
        answer=found,
    )


def test_the_newest_run_comes_first_by_the_time_that_is_shown() -> None:
    rows = join([member("old", WRITTEN_NS, answer(BEGAN_NS)), member("new", WRITTEN_NS + 2, None)], RunsParams()).rows
    assert [(row.run, row.recorded_ns) for row in rows] == [("new", WRITTEN_NS + 2), ("old", WRITTEN_NS)]


def test_a_clock_that_is_not_unix_time_says_nothing_of_when() -> None:
    assert answer(5_000_000_000).began_ns is None
    assert answer(BEGAN_NS).began_ns == BEGAN_NS


def test_a_run_of_several_recordings_says_so_beside_its_ranks() -> None:
    both = [msgspec.structs.replace(row, n_ranks=8) for row in join([member("r", WRITTEN_NS, None)], RunsParams()).rows]
    assert "recordings" not in text(RunsTable(each="run", rows=both))
    several = dataclasses.replace(member("r", WRITTEN_NS, None), n_ranks=8, n_recordings=2)
    assert "8, 2 recordings" in text(join([several], RunsParams()))
