"""More than two items side by side: what varies over them most stands first.

    by operator      A     1     2    spread
    linear          10    14    12         4      largest - smallest; an item without it takes 0
    waiting ...      2     2     3         1
    geometric mean   1   1.4   1.2                of the ratios to A, over the busy rows that all have

Rows are the work of each item by its own names, and the causes of idle time: each column sums to the mean step of its item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.trace.times.idle import USES
from tb_plugin.views.compare.joined.align import without_numbers
from tb_plugin.views.compare.joined.entries import Step, step_of
from tb_plugin.views.compare.joined.tree import CAUSES, HOST_USES
from tb_plugin.views.compare.result import Matrix, MatrixRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.compare.joined.judge import Judge
    from tb_plugin.views.compare.joined.side import Side
    from tb_plugin.views.compare.result import By, Verdict

MOST_ROWS: Final = 200
"""Fifty items of so many rows are half a megabyte; the rest is one row."""


class _Rows(NamedTuple):
    """A row each; `units` of an item: a column a row."""

    steps: list[Step]
    values: Int64Array  # row x item
    units: list[Int64Array]


def matrix(sides: Sequence[Side], judges: Sequence[Judge], by: By) -> Matrix:
    """`judges`: of each side but the first against it, after they judged their parts."""
    busy, idle = _busy(sides, by), _idle(sides)
    on_host = sides[0].sums[0].basis == "host"
    made = _made(busy, _judged(busy, judges, is_host=on_host)) + _made(idle, _judged(idle, judges, is_host=True))
    made = [row for row in made if any(row.values_ns)]
    made.sort(key=lambda row: (-row.spread_ns, row.name))
    shared = busy.values[(busy.values > 0).all(axis=1)].astype(np.float64)
    return Matrix(
        rows=made[:MOST_ROWS] + ([_other(made[MOST_ROWS:])] if len(made) > MOST_ROWS else []),
        geomeans=np.exp(np.log(shared / shared[:, :1]).mean(axis=0)).tolist() if len(shared) else [],
        n_geomean=len(shared),
    )


def _busy(sides: Sequence[Side], by: By) -> _Rows:
    plain = without_numbers([{leaf.call.module for leaf in side.leaves if leaf.call.module} for side in sides])
    of_leaves = [[step_of(leaf, by, names) for leaf in side.leaves] for side, names in zip(sides, plain, strict=True)]
    place = {step: row for row, step in enumerate(sorted({step for of in of_leaves for step in of}))}
    values, units = np.zeros((len(place), len(sides)), np.int64), []
    for item, (side, of) in enumerate(zip(sides, of_leaves, strict=True)):
        rows = np.array([place[step] for step in of], np.int64)
        np.add.at(values[:, item], rows, side.leaf_ns)
        own = np.zeros((len(side.leaf_units), len(place)), np.int64)
        np.add.at(own.T, rows, side.leaf_units.T)
        units.append(own)
    return _Rows(list(place), values, units)


def _idle(sides: Sequence[Side]) -> _Rows:
    """By causes where all items have them."""
    on_host = [side.sums[0].basis == "host" for side in sides]
    if not any(on_host) and all(len(side.use_ns) == len(USES) for side in sides):
        steps = [Step("cause", CAUSES[use]) for use in USES[1:]]
        return _Rows(steps, np.array([side.use_ns[1:] for side in sides]).T, [side.use_units[:, 1:] for side in sides])
    step = Step("idle", HOST_USES[1] if all(on_host) else "idle")
    values = np.array([[side.use_ns[1:].sum() for side in sides]])
    return _Rows([step], values, [side.use_units[:, 1:].sum(axis=1, keepdims=True) for side in sides])


def _judged(rows: _Rows, judges: Sequence[Judge], *, is_host: bool) -> list[list[Verdict]]:
    """Of each item but the first: a verdict a row."""
    return [
        [
            verdict
            for _, verdict in judge.rows(
                list(zip(rows.units[0].T, rows.units[item].T, strict=True)),
                (rows.values[:, item] - rows.values[:, 0]).tolist(),
                is_host=is_host,
            )
        ]
        for item, judge in enumerate(judges, 1)
    ]


def _made(rows: _Rows, judged: list[list[Verdict]]) -> list[MatrixRow]:
    return [
        MatrixRow(
            kind=step.kind,
            name=step.name,
            values_ns=of.tolist(),
            verdicts=[verdicts[place] for verdicts in judged],
            spread_ns=int(of.max() - of.min()),
            n_rows=1,
        )
        for place, (step, of) in enumerate(zip(rows.steps, rows.values, strict=True))
    ]


def _other(rows: list[MatrixRow]) -> MatrixRow:
    values = np.array([row.values_ns for row in rows]).sum(axis=0)
    columns = zip(*(row.verdicts for row in rows), strict=True)
    return MatrixRow(
        kind="other",
        name=f"other ({len(rows)} rows that vary less)",
        values_ns=values.tolist(),
        verdicts=[column[0] if len(set(column)) == 1 else "noise" for column in columns],
        spread_ns=int(values.max() - values.min()),
        n_rows=len(rows),
    )
