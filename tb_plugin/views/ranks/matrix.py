"""One measure of all ranks as a matrix: over steps, hosts, places in the layout, or kinds of collectives. `view/ranks/matrix`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.text_table import aligned
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.job.caused import caused
from tb_plugin.job.exposed import exposed_by, told
from tb_plugin.question.outline import TextTable
from tb_plugin.question.question import Lines
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED, SHORT
from tb_plugin.views.ranks.lacking import why_no_waits
from tb_plugin.views.ranks.link_matrix import between_hosts
from tb_plugin.views.ranks.of_job import OfJob, analysed_of
from tb_plugin.views.ranks.whole import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.analysed import Analysed

Measure = Literal[
    "excess",
    "own",
    "step",
    "wait",
    "caused",
    "transfer",
    "untold",
    "computation",
    "copy",
    "idle",
    "loader",
    "bubble",
    "received",
    "link",
]
Axes = Literal["step", "host", "place", "kind", "link"]

_MOST_LINES: Final = 64
_MOST_COLUMNS: Final = 16
_OF_KINDS: Final = ("wait", "transfer", "untold")
_USUAL: Final = 100
"""Percent."""


class MatrixParams(OfJob, frozen=True, kw_only=True):
    """What is measured, and over what."""

    measure: Annotated[Measure, msgspec.Meta(description="what is measured: default excess")] = "excess"
    axes: Annotated[
        Axes,
        msgspec.Meta(description="rank by step (the default), host by local rank, replica by stage, by kind, host by host"),
    ] = "step"
    dimensions: Annotated[
        Lines, msgspec.Meta(description="one a line: of links, exposed wait and transfer what is of these dimensions alone")
    ] = ""


class RanksMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """`values` and `ranks` have a list a row. A value is None where nothing was recorded, a rank where no one rank is meant.

    `reason`: why there is nothing to show.
    """

    run: str | None
    measure: Measure
    axes: Axes
    unit: Literal["ns", "count", "percent"]
    reason: str | None
    row_title: str
    column_title: str
    rows: list[str]
    columns: list[str]
    values: list[list[int | None]]
    ranks: list[list[int | None]]
    middle: list[int | None]  # what a column's values are held against: the median of its ranks; of all, where it is no step


def matrix(members: Sequence[Member[RankSummary]], params: MatrixParams) -> RanksMatrix:
    """UsageError for a measure that kinds of collectives, links or dimensions do not have, or a dimension that is not there."""
    if (params.axes == "link") != (params.measure == "link"):
        raise UsageError(f"axes={params.axes}, measure={params.measure}: links have one measure, link, and nothing else has it")
    if params.axes == "kind" and params.measure not in _OF_KINDS:
        raise UsageError(f"measure={params.measure}: kinds of collectives have {', '.join(_OF_KINDS)}")
    if params.dimensions and params.measure not in (*_OF_KINDS, "link"):
        raise UsageError(f"measure={params.measure}: of dimensions there is {', '.join(_OF_KINDS)} and link")
    run, of = analysed_of(members, params)
    if of is None:
        return _nothing(params, run, "No rank has answered yet.")
    chosen = _chosen(of, params)
    if params.axes == "link":
        return _of_links(params, run, of, [of.dimensions.names[at] for at in chosen])
    if params.axes == "kind":
        found = _by_kind(of, params.measure, chosen)
    else:
        found = _exposed(of, params.measure, chosen) if params.dimensions else measured(of, params.measure)
    if isinstance(found, str):
        return _nothing(params, run, found)
    places, row_title, column_title, rows, columns = _laid_out(of, params.axes)
    if not rows or not columns:
        return _nothing(params, run, _why_no(params.axes))
    if params.axes == "step":
        values = found
    elif params.axes == "kind":
        some = np.flatnonzero((np.nan_to_num(found) > 0).any(axis=0))
        values, columns = found[:, some], [columns[at] for at in some]
    else:
        mean = _mean(found)
        values = np.where(places == NONE, np.nan, mean[np.maximum(places, 0)])
    per_column = params.axes in ("step", "kind")
    middle = [_median(values[:, at]) for at in range(len(columns))] if per_column else [_median(values)] * len(columns)
    named = places if not per_column else np.repeat(places, len(columns), axis=1)
    return RanksMatrix(
        run=run,
        measure=params.measure,
        axes=params.axes,
        unit="count" if params.measure == "received" else "ns",
        reason=None if columns else _no_column(of),
        row_title=row_title,
        column_title=column_title,
        rows=rows,
        columns=columns,
        values=[[whole(value) for value in row] for row in values.tolist()],
        ranks=[[None if at == NONE else of.job.of.numbers[at] for at in row] for row in named.tolist()],
        middle=middle,
    )


def _chosen(of: Analysed, params: MatrixParams) -> list[int]:
    """Places of the dimensions that count."""
    asked = [SHORT.get(name.strip(), name.strip()) for name in params.dimensions.split("\n") if name.strip()]
    unknown = [name for name in asked if name not in of.dimensions.names]
    if unknown:
        there = [name for name in of.dimensions.names if name != NOT_RECORDED]
        raise UsageError(f"dimensions={unknown[0]}: no such dimension; there is {', '.join(there) or 'none that was recorded'}")
    return [at for at, name in enumerate(of.dimensions.names) if not asked or name in asked]


def _no_column(of: Analysed) -> str:
    return "none: 0 for every rank" if of.job.matched.is_matched.any() else "none: no collective here was matched"


def _of_links(params: MatrixParams, run: str | None, of: Analysed, names: list[str]) -> RanksMatrix:
    hosts, values, ranks = between_hosts(of, names)
    has_two = any(value is not None for at, row in enumerate(values) for value in row[at + 1 :])
    none = "none: no link between two hosts has another of its kind to compare with"
    inside = "; what moves inside of hosts is compared, in the table of links"
    return RanksMatrix(
        run=run,
        measure=params.measure,
        axes=params.axes,
        unit="percent",
        reason=None if has_two else none + (inside if hosts else ""),
        row_title="host",
        column_title="host",
        rows=hosts,
        columns=hosts,
        values=values,
        ranks=ranks,
        middle=[_USUAL] * len(hosts),
    )


def measured(of: Analysed, measure: Measure) -> Float64Array | str:
    """[rank, step], ns (or rows that all-to-alls brought), NaN where not known; a sentence where nobody knows."""
    own = of.own
    is_told = of.job.has_own_work if measure in ("excess", "own") else of.job.has_waits
    if measure in ("excess", "own", "wait", "transfer", "untold", "caused") and not is_told:
        return f"not recorded: {why_no_waits(of.job)}"
    if measure == "loader":
        has_ranges = np.array([rank.summary.has_ranges for rank in of.job.of.ranks])
        loader = np.where(has_ranges[:, None], own.parts["loader"], np.nan)
        return loader if has_ranges.any() else "not recorded: no operators or annotations of the host"
    if measure == "bubble":
        none = "none: no pipeline" if of.job.of.have_steps else "not recorded: no steps"
        return none if of.pipeline is None else of.pipeline.bubble
    if measure == "received":
        return "none: nothing says how all-to-alls split" if of.balance is None else np.asarray(of.balance.received, np.float64)
    if measure == "excess":
        return of.excess
    if measure == "caused":
        return np.where(np.isfinite(own.step) & of.job.meets[:, None], caused(of.job, own).least_ns, np.nan)
    if measure in ("wait", "transfer"):
        return told(own.wait if measure == "wait" else own.parts["transfer"], own.untold)
    plain = {"own": own.own, "step": own.step, "untold": own.untold}
    return plain[measure] if measure in plain else own.parts[measure]


def _exposed(of: Analysed, measure: Measure, chosen: list[int]) -> Float64Array | str:
    """[rank, step]: exposed wait, transfer, or what is not told apart, of these dimensions."""
    if not of.job.has_waits:
        return f"not recorded: {why_no_waits(of.job)}"
    shares = np.full((*of.own.step.shape, 3), np.nan)
    for place, share in enumerate(of.exposed.shares):
        numbers = of.job.of.ranks[place].steps["number"]
        kept = np.isin(numbers, of.own.number)
        shares[place, np.searchsorted(of.own.number, numbers[kept])] = share[kept][:, chosen].sum(axis=1)
    return _one_of(np.where(np.isfinite(of.own.step)[..., None], shares, np.nan), measure)


def _one_of(shares: Float64Array, measure: Measure) -> Float64Array:
    """Of exposed wait, transfer and what is not told apart, which lie along the last axis."""
    wait, transfer, untold = np.moveaxis(shares, -1, 0)
    plain: Float64Array = untold
    return {"wait": told(wait, untold), "transfer": told(transfer, untold)}.get(measure, plain)


def _by_kind(of: Analysed, measure: Measure, chosen: list[int]) -> Float64Array | str:
    """[rank, kind], mean over the rank's steps: exposed wait, transfer, or what is not told apart; NaN where it has none.

    An instant is divided among the kinds that are active in it, as it is among dimensions, of which `chosen` count.
    """
    job = of.job
    if not job.has_waits:
        return f"not recorded: {why_no_waits(job)}"
    n, rows = len(kinds.KINDS), job.rows
    is_chosen = np.isin(of.dimensions.of_rows(rows.group), chosen)
    shares = np.zeros((len(job.of.ranks), n, 3))
    for place, share in enumerate(exposed_by(job, np.where(is_chosen, rows.kind, n + rows.kind), 2 * n).shares):
        kept = np.isin(job.of.ranks[place].steps["number"], of.own.number)
        shares[place] = share[kept, :n].sum(axis=0)
    result = _one_of(shares, measure)
    n_steps = np.maximum(np.isfinite(of.own.step).sum(axis=1), 1)
    is_there = result > 0
    counts = np.isin(rows.step, of.own.number) & is_chosen
    is_there[rows.rank[counts], rows.kind[counts]] = True
    divided: Float64Array = np.where(is_there, result / n_steps[:, None], np.nan)
    return divided


def _laid_out(of: Analysed, axes: Axes) -> tuple[Int64Array, str, str, list[str], list[str]]:
    """(place of the rank in each cell, titles, names of rows and columns); over steps and kinds one column of places."""
    numbers = of.job.of.numbers
    if axes in ("step", "kind"):
        names = [f"rank {number}" for number in numbers]
        columns = [str(number) for number in of.own.number.tolist()] if axes == "step" else list(_kind_names())
        return np.arange(len(numbers))[:, None], "rank", "step" if axes == "step" else "", names, columns
    if axes == "host":
        host = np.array([rank.host for rank in of.job.of.ranks])
        if not of.job.of.are_hosts_known:
            return np.zeros((0, 0), np.int64), "host", "", [], []
        local = np.array([int((host[:at] == host[at]).sum()) for at in range(len(host))])
        return _grid(host, local), "host", "local rank", list(of.job.of.hosts), [str(at) for at in range(local.max() + 1)]
    replica = of.layout.replica
    places = np.stack((of.layout.stage, of.layout.tensor, of.layout.context), axis=1)
    if (places == NONE).all():
        return np.zeros((0, 0), np.int64), "replica", "", [], []
    met: Counter[tuple[int, ...]] = Counter()
    cells: list[tuple[int, ...]] = []
    for key in np.column_stack((replica, places)).tolist():
        # Ranks that none of these tells apart are counted.
        cells.append((*key[1:], met[tuple(key)]))
        met[tuple(key)] += 1
    keys = sorted(set(cells))
    words = [" ".join(f"{word}{at}" for word, at in zip("stc", each, strict=False) if at != NONE) for each in keys]
    parts = [f"{name} #{each[-1] + 1}".strip() if each[-1] else name for name, each in zip(words, keys, strict=True)]
    known = sorted({int(each) for each in replica})
    rows = ["no replica" if each == NONE else f"replica {each}" for each in known]
    title = "stage, tensor, context" if (of.layout.context != NONE).any() else "stage, tensor"
    column = np.array([keys.index(each) for each in cells])
    return _grid(np.searchsorted(np.array(known), replica), column), "replica", title, rows, parts


def _grid(row: Int64Array, column: Int64Array) -> Int64Array:
    """Place of the rank at each row and column."""
    found = np.full((int(row.max()) + 1, int(column.max()) + 1), NONE, np.int64)
    found[row, column] = np.arange(len(row))
    return found


def _kind_names() -> list[str]:
    return [kind.replace("_", "-") for kind in kinds.KINDS]


def _why_no(axes: Axes) -> str:
    return {
        "step": "Steps: not recorded.",
        "host": "Hosts: not recorded.",
        "place": "none: no groups of a pipeline, of tensors or of context were recorded",
        "kind": "none: no collective",
        "link": "none: no links",
    }[axes]


def _nothing(params: MatrixParams, run: str | None, reason: str) -> RanksMatrix:
    return RanksMatrix(
        run=run,
        measure=params.measure,
        axes=params.axes,
        unit="ns",
        reason=reason,
        row_title="",
        column_title="",
        rows=[],
        columns=[],
        values=[],
        ranks=[],
        middle=[],
    )


def text(reply: RanksMatrix) -> str:
    if reply.reason is not None:
        return reply.reason
    shown_as: dict[str, Callable[[int], str]] = {"ns": format_ns, "count": str, "percent": "{} %".format}
    show = shown_as[reply.unit]
    lines = [
        [name, *("-" if value is None else show(value) for value in row)]
        for name, row in zip(reply.rows[:_MOST_LINES], reply.values, strict=False)
    ]
    columns = [reply.row_title, *reply.columns[:_MOST_COLUMNS]]
    more = len(reply.rows) > _MOST_LINES or len(reply.columns) > _MOST_COLUMNS
    shown = aligned(columns, [line[: len(columns)] for line in lines], left=(reply.row_title,))
    return shown + ("\n... and more (--format csv has all)" if more else "")


def table(reply: RanksMatrix) -> TextTable:
    """A row a row; the columns are of steps, places of a host, stages or kinds."""
    suffix = {"ns": "_ns", "count": "", "percent": "_percent"}[reply.unit]
    columns = [reply.row_title or "row", *(f"{name}{suffix}" for name in reply.columns)]
    return TextTable(columns=columns, rows=[[name, *row] for name, row in zip(reply.rows, reply.values, strict=True)])


def _mean(values: Float64Array) -> Float64Array:
    known = np.isfinite(values)
    sums, counts = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _median_of(values: Float64Array) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else float("nan")


def _median(values: Float64Array) -> int | None:
    return whole(_median_of(values))
