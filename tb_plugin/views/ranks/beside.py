"""Two recordings of one job beside each other, a step of each, by dimension and by rank: `view/ranks/beside`.

The figures are those of `view/ranks` of either run, and no others. Of what is not alike in the two jobs the first lines tell:
who changes how many ranks there are compares other work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.base.units import format_ns
from tb_plugin.question.figure import Figure, columns_of, value_of
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.views.ranks import compute
from tb_plugin.views.ranks.basis.names import counted, waited
from tb_plugin.views.ranks.basis.of_job import OfJob, jobs_of, members_of, runs_in_words
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tb_plugin.question.joint import Member, Over
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.result import RankRow, RanksTable

BesideBy = Literal["dimension", "rank"]

_ALL: Final = "all ranks"
_PARTS: Final = {
    "step": "step_ns",
    "computation": "computation_ns",
    "exposed wait": "wait_ns",
    "exposed transfer": "transfer_ns",
    "not told apart": "untold_ns",
    "exposed communication": "communication_ns",
    "copy": "copy_ns",
    "idle": "idle_ns",
}
_OF_DIMENSION: Final = {
    "exposed wait": "exposed_wait_ns",
    "exposed transfer": "exposed_transfer_ns",
    "not told apart": "exposed_untold_ns",
    "exposed communication": "exposed_ns",
}
_OWN: Final = "own time"
_DATA: Final = "data"
_NOT_IN_IT: Final = "not in it"
_LITTLE: Final = 0.01
_OF_RANK: Final = {"step": "step_ns", _OWN: "own_ns", "exposed wait": "wait_ns", "exposed transfer": "transfer_ns"}
_TOLD_APART: Final = ("exposed wait", "exposed transfer")
_SAID: Final = ("backend", "device", "torch_version")
_MOST: Final = 200


class BesideParams(OfJob, frozen=True, kw_only=True):
    """Which two recordings, and whether by dimension or by rank."""

    beside: Annotated[str, msgspec.Meta(description="the run beside it, or the same, of which another recording is taken")]
    beside_span: Annotated[
        str | None, msgspec.Meta(description="of several recordings there the one that holds this span; by default the latest")
    ] = None
    by: Annotated[BesideBy, msgspec.Meta(description="rows: default dimension")] = "dimension"


class BesideRow(msgspec.Struct, frozen=True, kw_only=True):
    """One time of one step, in both; no row where both are 0. None: not recorded there, or there is no such dimension or rank."""

    of: Annotated[str, Figure("Of", "text")]
    time: Annotated[str, Figure("Time a step", "text")]
    run_ns: Annotated[int | None, Figure("Run", "ns")]
    beside_ns: Annotated[int | None, Figure("Beside", "ns")]
    change_ns: Annotated[int | None, Figure("Beside less run", "ns")]


class RanksBeside(msgspec.Struct, frozen=True, kw_only=True):
    """`differs`: in what the two jobs are not alike. `reason`: why there are no rows. Spans are of the first rank of either."""

    run: str | None
    span: str | None
    beside: str
    beside_span: str | None
    by: BesideBy
    clock_error_ns: int | None  # the larger of the two
    differs: list[str]
    reason: str | None
    rows: list[BesideRow]


def over(params: BesideParams) -> Over:
    """As in other tables; a run beside itself has another recording."""
    return "spans" if params.run == params.beside or params.beside_span is not None else compute.over(params)


def takes(params: BesideParams, run: str, _worker: str, _span: str) -> bool:
    return params.run is None or run in (params.run, params.beside)


def beside(members: Sequence[Member[RankSummary]], params: BesideParams) -> RanksBeside:
    """NotFoundError for a run or recording that is not there, UsageError for one beside itself or where a run has no other,
    FormatError where none of one can be read.
    """
    if params.run is None and {member.run for member in members} == {params.beside}:
        raise UsageError(f"run {params.beside} is the only one here: name it as the run, too, to put another recording beside it")
    others = members if params.run == params.beside else [member for member in members if member.run != params.beside]
    here_is = RanksParams(run=params.run, worker=params.worker, span=params.span)
    run, mine = members_of(others, here_is)
    theirs = [member for member in members if member.run == params.beside]
    for name, found in ((params.beside, theirs), (run, mine)):
        if not found:
            runs = runs_in_words(members) if params.run is None else ""  # else only the two were asked
            raise NotFoundError(f"there is no run {name!r} to put beside the other{f'; there is {runs}' if runs else ''}")
    there_is = RanksParams(run=params.beside, span=params.beside_span)
    if run == params.beside and params.beside_span is None:
        theirs = _others(mine, here_is)
    there, here = (join(theirs, there_is), join(mine, here_is))  # ours last: it is the job that other tables ask for
    if here.ranks and (here.run, _first(here)) == (there.run, _first(there)):
        if all(member.is_final for member in mine):
            raise UsageError(f"span {params.beside_span} of run {run} beside itself: name two recordings")
        here = join([], here_is)  # of the recording that is asked about nothing has answered yet
    missing = next((table.run for table in (here, there) if table.n_ranks == 0), None)
    differs = [] if missing is not None else [*_differs(here, there), *_lacks(here, there), *_said(mine, theirs, here, there)]
    reason = f"No rank of {missing} has answered yet." if missing is not None else None
    if params.by == "rank" and reason is None and not _has_counterparts(here, there):
        reason = "A rank of one job has no counterpart in the other: they are laid out differently. By dimension they compare."
    rows = _ranks(here, there) if params.by == "rank" else _dimensions(here, there)
    return RanksBeside(
        run=run,
        span=_first(here),
        beside=params.beside,
        beside_span=_first(there),
        by=params.by,
        clock_error_ns=max((each.clock_error_ns for each in (here, there) if each.clock_error_ns is not None), default=None),
        differs=differs,
        reason=reason,
        rows=[] if reason is not None else [row for row in rows if row.run_ns or row.beside_ns],
    )


def text(reply: RanksBeside) -> str:
    names = [f"run {reply.run}", reply.beside]
    if reply.run == reply.beside:
        names = [f"run {reply.run}, span {reply.span}", f"span {reply.beside_span}"]
    head = f"{', beside it '.join(names)}: means over ranks and steps, of one step"
    parts = [head, *(["\n".join(f"note: {sentence}" for sentence in reply.differs)] if reply.differs else [])]
    if reply.reason is not None:
        return "\n\n".join([*parts, reply.reason])
    columns = list(columns_of(BesideRow))
    more = f"\n... and {len(reply.rows) - _MOST} more (--format csv has all)" if len(reply.rows) > _MOST else ""
    cells = {"change_ns": lambda row: _change(row, reply.clock_error_ns), **_where_there(reply.rows)}
    return "\n\n".join([*parts, text_table(BesideRow, reply.rows[:_MOST], columns, left=("of", "time"), values=cells) + more])


def _where_there(rows: Sequence[BesideRow]) -> dict[str, Callable[[BesideRow], int | str | None]]:
    """A rank or dimension of which one of the two has nothing is not in it: other than a time that nobody knows."""
    run, there = ({row.of for row in rows if ns(row) is not None} for ns in (_run_ns, _beside_ns))
    return {
        "run_ns": lambda row: row.run_ns if row.of in run else _NOT_IN_IT,
        "beside_ns": lambda row: row.beside_ns if row.of in there else _NOT_IN_IT,
    }


def _run_ns(row: BesideRow) -> int | None:
    return row.run_ns


def _beside_ns(row: BesideRow) -> int | None:
    return row.beside_ns


def _change(row: BesideRow, error_ns: int | None) -> int | str | None:
    """Of what is less than clocks can tell so much is said."""
    change = row.change_ns
    return change if not change or waited(abs(change), error_ns) == format_ns(abs(change)) else waited(abs(change), error_ns)


def table(reply: RanksBeside) -> TextTable:
    columns = columns_of(BesideRow)
    rows = [[value_of(row, column) for column in columns.values()] for row in reply.rows]
    return TextTable(columns=list(columns), rows=rows)


def _others(mine: Sequence[Member[RankSummary]], here: RanksParams) -> list[Member[RankSummary]]:
    """Those of a run that are of no recording asked about."""
    _, _, jobs = jobs_of(mine, here)
    asked = {(one.worker, one.span) for one in (jobs[0] if jobs else [])}
    others = [member for member in mine if (member.worker, member.span) not in asked]
    if all(member.is_final and member.answer is None for member in others):
        raise UsageError(f"run {here.run} holds one recording: name another run to put beside it")
    return others


def _first(table: RanksTable) -> str | None:
    return table.ranks[0].span if table.ranks else None


def _dimensions(here: RanksTable, there: RanksTable) -> Iterator[BesideRow]:
    """The parts of the step add up to it; exposed times of dimensions to its exposed communication."""
    steps = tuple(0 if each.parts is None else each.parts.step_ns for each in (here, there))
    yield from _rows(_ALL, _PARTS, (here.parts, there.parts), steps)
    yield _row(_ALL, _OWN, _mean_own(here), _mean_own(there))
    of_here, of_there = ({row.name: row for row in each.dimensions} for each in (here, there))
    for name in {**of_here, **of_there}:
        yield from _rows(name, _OF_DIMENSION, (of_here.get(name), of_there.get(name)), steps)


def _ranks(here: RanksTable, there: RanksTable) -> Iterator[BesideRow]:
    of_here, of_there = ({row.rank: row for row in each.ranks} for each in (here, there))
    for rank in sorted({**of_here, **of_there}):
        of, both = f"rank {rank}", (of_here.get(rank), of_there.get(rank))
        for row in _rows(of, _OF_RANK, both, [0 if each is None else each.step_ns or 0 for each in both]):
            yield row if row.time != _OWN else _row(of, _OWN, *map(_own, both))


def _rows(of: str, fields: dict[str, str], both: Sequence[msgspec.Struct | None], steps: Sequence[int]) -> Iterator[BesideRow]:
    """`steps`: how long one is here and there."""
    # Of what is not told apart some may be wait, or transfer: what is told of these is no more than a part of it.
    untold = _OF_DIMENSION["not told apart"] if fields is _OF_DIMENSION else _PARTS["not told apart"]
    is_part = any((getattr(each, untold, None) or 0) > _LITTLE * step for each, step in zip(both, steps, strict=True))
    for time, field in fields.items():
        row = _row(of, time, *(getattr(each, field, None) for each in both))
        yield msgspec.structs.replace(row, change_ns=None) if is_part and time in _TOLD_APART else row


def _row(of: str, time: str, here: int | None, there: int | None) -> BesideRow:
    change = None if here is None or there is None else there - here
    return BesideRow(of=of, time=time, run_ns=here, beside_ns=there, change_ns=change)


def _mean_own(of: RanksTable) -> int | None:
    """Over ranks, of the mean of each over its steps; None where that of one is less than it is."""
    rows = [row for row in of.ranks if row.own_ns is not None]
    known = [own for row in rows if (own := _own(row)) is not None]
    return round(sum(known) / len(known)) if known and len(known) == len(rows) else None


def _own(row: RankRow | None) -> int | None:
    """What is not told apart may be its own: where it is more than a hundredth of the step nothing can be held against that."""
    if row is None or (row.untold_ns or 0) > _LITTLE * (row.step_ns or 0):
        return None
    return row.own_ns


def _differs(here: RanksTable, there: RanksTable) -> Iterator[str]:
    if here.world_size != there.world_size:
        sizes = (_known(each.world_size) for each in (here, there))
        yield f"World size: {' and '.join(sizes)}. A rank has another share of the work: times do not compare as they are."
    elif here.n_ranks != there.n_ranks:
        yield f"Ranks recorded: {here.n_ranks} and {there.n_ranks}. Means are over those that are."
    if here.layout != there.layout:
        sizes = (" x ".join(f"{name} {size}" for name, size in each.layout.items()) or "not recorded" for each in (here, there))
        yield f"Layout: {' and '.join(sizes)}."
    for table, other in ((here, there), (there, here)):
        name = _name(table, other)
        alone = sorted({row.rank for row in table.ranks} - {row.rank for row in other.ranks})
        if alone and _has_counterparts(here, there):
            yield f"In {name} alone: {counted('rank', alone)}."
        sorts = {row.name for row in table.dimensions} - {row.name for row in other.dimensions}
        if sorts and other.dimensions:
            yield f"In {name} alone: {', '.join(row.name for row in table.dimensions if row.name in sorts)} collectives."


def _has_counterparts(here: RanksTable, there: RanksTable) -> bool:
    """A rank of one in the other: alike in layout; or split by data alone, where all do the same and a job may lose some."""
    if (here.world_size, here.layout) == (there.world_size, there.layout):
        return True
    return set(here.layout) == set(there.layout) and set(here.layout) <= {_DATA}


def _name(table: RanksTable, other: RanksTable) -> str:
    return f"span {_first(table)}" if table.run == other.run else str(table.run)


def _lacks(here: RanksTable, there: RanksTable) -> Iterator[str]:
    """Whose times are not recorded, and why: what the rows leave out."""
    for table, other in ((here, there), (there, here)):
        name = _name(table, other)
        if table.parts is None:
            yield f"Times of a step of {name}: not recorded; no rank has a whole step."
        elif table.parts.wait_ns is None and table.parts.transfer_ns is None:
            yield f"Wait and transfer of {name}: not told apart; no wait of one rank for another is known."
        elif table.parts.transfer_ns is None:
            yield f"Transfer of {name}: not told apart from wait; of no collective all ranks are known."
        elif _mean_own(table) is None and any(row.own_ns is not None for row in table.ranks):
            yield f"Own time of {name}: not known, as not all waits are told apart, where members of collectives are missing."


def _said(
    mine: Sequence[Member[RankSummary]], theirs: Sequence[Member[RankSummary]], here: RanksTable, there: RanksTable
) -> Iterator[str]:
    """Of the ranks that are in the figures."""
    for name in _SAID:
        found = [_values(members, of, name) for members, of in ((mine, here), (theirs, there))]
        if found[0] != found[1]:
            yield f"{name.partition('_')[0].capitalize()}: {' and '.join(found)}."


def _values(members: Sequence[Member[RankSummary]], of: RanksTable, name: str) -> str:
    shown = {(row.worker, row.span) for row in of.ranks}
    answers = [each.answer for each in members if each.answer is not None and (each.worker, each.span) in shown]
    return ", ".join(sorted({_known(getattr(answer, name)) for answer in answers}))


def _known(value: object) -> str:
    return "not recorded" if value is None else str(value)
