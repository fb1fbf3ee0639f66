"""What lies in this log directory? A row for each run, with the figures of the profile that it opens with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.question.question import NoParams
from tb_plugin.views.runs.result import Each, RunRow, RunsParams, RunsTable, SpanSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.joint import Member, Over

_OVER: Final[dict[Each, Over]] = {"run": "runs", "worker": "workers", "span": "spans"}


def over(params: RunsParams) -> Over:
    return _OVER[params.each]


def asked(_params: RunsParams) -> NoParams:
    return NoParams()


def join(members: Sequence[Member[SpanSummary]], params: RunsParams) -> RunsTable:
    """The run with the newest profile first; in a run as they stand in the catalogue: rank 0 before rank 1."""
    rows = [_row(member) for member in members]
    newest: dict[str, int] = {}
    for row in rows:
        newest[row.run] = max(newest.get(row.run, 0), row.recorded_ns)
    return RunsTable(each=params.each, rows=sorted(rows, key=lambda row: -newest[row.run]))


def _row(member: Member[SpanSummary]) -> RunRow:
    return RunRow(
        run=member.run,
        worker=member.worker,
        span=member.span,
        label=member.label,
        recorded_ns=member.recorded_ns,
        file=member.file,
        size_bytes=member.size_bytes,
        state=member.state,
        progress=round(member.progress, 3),
        reason=member.reason,
        n_ranks=member.n_ranks,
        n_recordings=member.n_recordings,
        n_others=member.n_others,
        summary=member.answer,
    )
