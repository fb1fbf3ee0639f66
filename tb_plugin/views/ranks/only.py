"""`ranks --ranks 0-63 --steps 10-12`: the rows of these ranks and steps. Means and sentences stay those of all.

As the chips of the page, which narrows what it has: a mean of some would be another figure of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.compute.intervals import covers, length, subtract, union
from tb_plugin.trace.scope.ranges import ranges_in, ranges_in_words
from tb_plugin.views.ranks.basis.names import ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.views.ranks.result import AbsentRank, RanksParams, RanksTable

T = TypeVar("T")


def narrowed(table: RanksTable, params: RanksParams) -> RanksTable:
    """NotFoundError for ranks or steps of which none is there; UsageError for what names none."""
    absent = _absent(table, params.ranks)
    ranks = kept_of(params.ranks, "ranks", [row.rank for row in table.ranks], has_others=len(absent) > 0)
    steps = kept_of(params.steps, "steps", [row.number for row in table.steps])
    shown = {row.rank for row in _of(table.ranks, ranks)}
    asked = (
        _not_there(params.ranks, "ranks", [row.rank for row in table.ranks], [rank for row in absent for rank in row.ranks]),
        _not_there(params.steps, "steps", [row.number for row in table.steps]),
    )
    return msgspec.structs.replace(
        table,
        notes=[*filter(None, asked), *table.notes],
        ranks=_of(table.ranks, ranks),
        absent=absent,
        steps=[
            msgspec.structs.replace(
                row, own_ns=_of(row.own_ns, ranks), wait_ns=_of(row.wait_ns, ranks), excess_ns=_of(row.excess_ns, ranks)
            )
            for row in _of(table.steps, steps)
        ],
        path=[row for row in table.path if row.rank is None or row.rank in shown],
    )


def _absent(table: RanksTable, text: str | None) -> list[AbsentRank]:
    if text is None:
        return table.absent
    named = ranges_in(text, "ranks")
    kept = [(row, _of(row.ranks, covers(named, np.array(row.ranks, np.int64)).tolist())) for row in table.absent]
    rows = [
        msgspec.structs.replace(row, ranks=ranks, n_more=row.n_more if len(ranks) == len(row.ranks) else 0) for row, ranks in kept
    ]
    return [row for row in rows if row.ranks]


def kept_of(text: str | None, what: str, there: list[int], *, has_others: bool = False) -> list[bool]:
    """Which of those that are there the text names. NotFoundError where that is none, unless it names others that have rows."""
    if text is None:
        return [True] * len(there)
    kept: list[bool] = covers(ranges_in(text, what), np.array(there, np.int64)).tolist()
    if not any(kept) and not has_others:
        raise NotFoundError(f"{what}={text[:40]}: this job has {f'{what} {ranges(sorted(there))}' if there else f'no {what}'}")
    return kept


def _not_there(text: str | None, what: str, there: list[int], absent: Sequence[int] = ()) -> str | None:
    """Of those that are named the ones that this job has not, and that no row says to be absent."""
    if text is None:
        return None
    numbers = np.array(sorted([*there, *absent]), np.int64)
    gone = subtract(ranges_in(text, what), union(numbers, numbers + 1))
    if not length(gone):
        return None
    said = ranges_in_words(gone)
    return f"{what}={said}: not in this job, which has {what} {ranges(sorted(there))}."


def _of(rows: Sequence[T], kept: list[bool]) -> list[T]:
    """Of lists that have a row each, or none."""
    return [row for row, is_one in zip(rows, kept, strict=False) if is_one]
