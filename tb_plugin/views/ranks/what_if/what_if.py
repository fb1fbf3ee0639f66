"""What a step would be if a rank, stage, host, replica or link were otherwise: `view/ranks/what_if`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import format_ns
from tb_plugin.job.what_if.what_if import DECIDES
from tb_plugin.job.what_if.what_if_asked import Edited, is_ideal, may_stay, steps_if
from tb_plugin.question.figure import Figure, columns_of, value_of
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.question.question import Lines
from tb_plugin.views.ranks.basis.names import slowdown_in_words, waited
from tb_plugin.views.ranks.basis.of_job import OfJob, analysed_of
from tb_plugin.views.ranks.missing.not_replayed import why_no_path
from tb_plugin.views.ranks.told.blame import is_range, lost_of, mean_of, means_of, slowdown_of
from tb_plugin.views.ranks.told.doubts import on_held_up, on_sends
from tb_plugin.views.ranks.told.told_ideal import ideal_of, ideal_steps, is_least
from tb_plugin.views.ranks.what_if.what_if_forms import forms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.analysed import Analysed

_ALL: Final = "all of these"
_MOST: Final = 16
_CANNOT_TELL: Final = 4
_WHY_UNTOLD: Final = (
    "of collectives with a member that is not here, or that were not matched, nobody knows how much is waiting",
    "ranks stand still for a reason that no event gives, and nobody knows how much of that would go",
    "a rank that is not recorded here may be as late, and a step as long as it was",
)
_MAY_BE_LONGER: Final = "a kernel that did not wait for what a longer transfer brings may wait then: a step may be longer"
_EDITS = msgspec.Meta(
    description="what is otherwise, one a line: rank=5, rank=4-7,12, rank:loader=5, rank=all, stage=3, host=NAME, "
    "replica=1 (like its peers), stages=even, transfer=0.5, transfer:data=0, links=usual, ideal, ideal but rank=5"
)


class RanksWhatIfParams(OfJob, frozen=True, kw_only=True):
    """Of which run, and what is otherwise."""

    what_if: Annotated[Lines, _EDITS] = ""


class ReplayedRow(msgspec.Struct, frozen=True, kw_only=True):
    """One edit, replayed alone; the last row all of them at once. None: `notes` says why it cannot be told.

    `would_be_least_ns`: were what is not told apart all waiting; `would_be_ns` and `change_ns`: were none of it,
    and were a rank that is not recorded here as late.
    """

    edit: Annotated[str, Figure("What if", "text")]
    was_ns: Annotated[int, Figure("Step", "ns")]
    would_be_least_ns: Annotated[int | None, Figure("Would be, least", "ns", absent="cannot be told")]
    would_be_ns: Annotated[int | None, Figure("Would be", "ns", absent="cannot be told")]
    change_ns: Annotated[int | None, Figure("Change", "ns", absent="cannot be told")]
    slowdown: Annotated[float | None, Figure("Times the ideal", "number", absent="cannot be told")]


class RanksWhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """Means over steps of the job. `reason`: why nothing can be told. `notes`: why not for a row.

    `forms`: edits of what this job has; without an edit that is all.
    """

    run: str | None
    reason: str | None
    notes: list[str]
    clock_error_ns: int | None
    ideal_ns: int | None  # None: it cannot be told
    slowdown: float | None  # the step as it was, of the ideal
    is_slowdown_least: bool  # S is at least that
    ideal_steps: str | None  # which steps it is of, where these are not all
    rows: list[ReplayedRow]
    forms: list[str]


def what_if(members: Sequence[Member[RankSummary]], params: RanksWhatIfParams) -> RanksWhatIf:
    """UsageError for an edit that is not understood, or of what is not there."""
    edits = [edit.strip() for edit in params.what_if.split("\n") if edit.strip()]
    if len(edits) > _MOST:
        raise UsageError(f"what_if: up to {_MOST} edits, and these are {len(edits)}")
    run, of = analysed_of(members, params)
    if of is None or of.not_replayed is not None:
        return _nothing(run, why_not(of))
    forms = forms_of(of)
    if not edits:
        return _nothing(run, None, forms)
    if of.replay is None:
        return _nothing(run, why_not(of))
    edited = Edited(of.replay, of.job_in_replay, of.own, of.layout, of.dimensions, of.links, of.faults)
    was = mean_of(steps_if(edited, [])[0])
    if was is None:
        return _nothing(run, why_not(of))
    together = [edit for edit in edits if not is_ideal(edit)]
    every = [(edit, [edit]) for edit in edits] + ([(_ALL, together)] if len(together) > 1 else [])
    ideal = means_of(of.ideal)
    ideal_ns = ideal.would_be if ideal is not None else None
    rows, notes = [], []
    for name, chosen in every:
        replayed = steps_if(edited, chosen)
        would_be, least, least_held_up = (mean_of(steps) or 0 for steps in replayed[:3])
        if chosen == ["ideal"] and ideal is not None:  # no longer than with one of what is told repaired
            would_be, least = ideal.would_be, ideal.least
        told_apart, is_as_long = would_be, would_be < was and may_stay(edited, chosen)
        if is_as_long:
            would_be = was
        is_told = told_apart - least <= DECIDES * was
        rows.append(
            ReplayedRow(
                edit=name,
                was_ns=was,
                would_be_least_ns=least if is_told else None,
                would_be_ns=would_be if is_told else None,
                change_ns=would_be - was if is_told else None,
                slowdown=slowdown_of(would_be, ideal_ns) if is_told else None,
            )
        )
        if chosen == ["ideal"] and is_told and would_be >= was and ideal_of(of) is not None:
            notes.append(f"{name}: nothing to gain; no rank or link that is slower than its peers makes a step longer.")
        if is_range(least, would_be, was):
            bounds = f"{format_ns(least)} to {format_ns(would_be)}"
            reasons = (*_reasons(told_apart, least, least_held_up), is_as_long)
            why = [words for words, is_it in zip(_WHY_UNTOLD, reasons, strict=True) if is_it]
            notes.append(f"{name}: {bounds}{'' if is_told else ', so it cannot be told'}; {', and '.join(why)}.")
        if replayed.may_be_longer and is_told:
            notes.append(f"{name}: {_MAY_BE_LONGER}.")
    notes += on_held_up(of) + on_sends(of)
    slowdown = None if ideal_of(of) is None else lost_of(was, ideal_ns)
    return RanksWhatIf(
        run=run,
        reason=None,
        notes=notes,
        clock_error_ns=of.told_clock_error_ns,
        ideal_ns=ideal_ns,
        slowdown=slowdown,
        is_slowdown_least=is_least(ideal_of(of)),
        ideal_steps=ideal_steps(of),
        rows=rows,
        forms=forms,
    )


def _nothing(run: str | None, reason: str | None, forms: Sequence[str] = ()) -> RanksWhatIf:
    return RanksWhatIf(
        run=run,
        reason=reason,
        notes=[],
        clock_error_ns=None,
        ideal_ns=None,
        slowdown=None,
        is_slowdown_least=False,
        ideal_steps=None,
        rows=[],
        forms=list(forms),
    )


def _reasons(would_be: int, least: int, least_held_up: int) -> tuple[bool, bool]:
    """Whether each of the first of `_WHY_UNTOLD` is one of why a step would be from `least` to `would_be`: a tenth of that."""
    notable = (would_be - least) / 10
    return least_held_up - least > notable, would_be - least_held_up > notable


def exit_code(reply: RanksWhatIf) -> int:
    """4 where nothing can be told, as of What if."""
    is_told = any(row.would_be_ns is not None for row in reply.rows) or (reply.reason is None and not reply.rows)
    return 0 if is_told else _CANNOT_TELL


def text(reply: RanksWhatIf) -> str:
    if reply.reason is not None:
        return reply.reason
    if not reply.rows:
        return f"What can be asked here: {', '.join(reply.forms)}"
    has_range = any(row.would_be_least_ns != row.would_be_ns for row in reply.rows)
    names = [name for name in columns_of(ReplayedRow) if has_range or name != "would_be_least_ns"]
    note = "Means over steps, by replay, each alone; waiting follows from the rest. Gains of several do not add up."
    if reply.slowdown is not None:
        said = slowdown_in_words(reply.slowdown, reply.ideal_steps, is_least=reply.is_slowdown_least)
        note += f" As it was, {said}."
    changes = {"change_ns": lambda row: _change(row.change_ns, reply.clock_error_ns)}
    return "\n\n".join([text_table(ReplayedRow, reply.rows, names, left=("edit",), values=changes), note, *reply.notes])


def _change(ns: int | None, error_ns: int | None) -> int | str | None:
    """Of less than clocks can tell not even the sign is known."""
    said = waited(abs(ns or 0), error_ns)
    return ns if said == format_ns(abs(ns or 0)) else said


def table(reply: RanksWhatIf) -> TextTable:
    columns = columns_of(ReplayedRow)
    rows = [[value_of(row, column) for column in columns.values()] for row in reply.rows]
    return TextTable(columns=list(columns), rows=rows)


def why_not(of: Analysed | None) -> str:
    if of is None:
        return "No rank has answered yet."
    why = why_no_path(of)
    return f"What a step would be cannot be told: {why}."
