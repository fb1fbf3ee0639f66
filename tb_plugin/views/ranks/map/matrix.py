"""One measure of all ranks as a matrix: over steps, hosts, places in the layout, or kinds of collectives. `view/ranks/matrix`."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec
import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.text_table import aligned
from tb_plugin.base.units import NONE, format_bytes, format_ns, format_rate
from tb_plugin.question.outline import TextTable
from tb_plugin.question.question import Lines
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED, SHORT
from tb_plugin.views.ranks.basis.names import least_wait_ns, waited
from tb_plugin.views.ranks.basis.of_job import OfJob, analysed_of
from tb_plugin.views.ranks.basis.whole import all_whole, whole
from tb_plugin.views.ranks.map.link_matrix import between_hosts, by_name
from tb_plugin.views.ranks.map.measures import OF_COLLECTIVES, Measure, exposed_of, measured, of_collectives

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.analysed import Analysed

Axes = Literal["step", "host", "place", "kind", "dimension", "link"]

Unit = Literal["ns", "count", "bytes", "bytes_per_s", "percent"]

_MOST_LINES: Final = 64
_MOST_COLUMNS: Final = 16
_UNITS: Final[dict[Measure, Unit]] = {"received": "count", "memory": "bytes", "rate": "bytes_per_s", "link": "percent"}
_WAITS: Final = ("wait", "caused")
_USUAL: Final = 100
"""Percent."""


class MatrixParams(OfJob, frozen=True, kw_only=True):
    """What is measured, and over what."""

    measure: Annotated[Measure, msgspec.Meta(description="what is measured: default excess")] = "excess"
    axes: Annotated[
        Axes,
        msgspec.Meta(
            description="rank by step (the default), kind or dimension; host by local rank, replica by stage, host by host"
        ),
    ] = "step"
    dimensions: Annotated[
        Lines,
        msgspec.Meta(description="one a line: of links, rates, exposed wait and transfer that of these alone"),
    ] = ""


class RanksMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """`values` and `ranks` have a list a row. A value is None where nothing was recorded, a rank where no one rank is meant.

    `reason`: why there is nothing to show.
    """

    run: str | None
    measure: Measure
    axes: Axes
    unit: Unit
    least_told_ns: int | None  # of waits: a shorter one is less than clocks can tell
    reason: str | None
    row_title: str
    column_title: str
    rows: list[str]
    columns: list[str]
    values: list[list[int | None]]
    ranks: list[list[int | None]]
    middle: list[int | None]  # what a column's values are held against: the median of its ranks; of all, where it is no step
    hundred: list[int | None]  # what 100 % is in a column: the middle, of `excess` that of own time


def matrix(members: Sequence[Member[RankSummary]], params: MatrixParams) -> RanksMatrix:
    """UsageError for a measure that kinds of collectives, links or dimensions do not have, or a dimension that is not there."""
    if (params.axes == "link") != (params.measure == "link"):
        raise UsageError(f"axes={params.axes}, measure={params.measure}: links have one measure, link, and nothing else has it")
    is_of_collectives = params.axes in ("kind", "dimension")
    if is_of_collectives and params.measure not in OF_COLLECTIVES:
        raise UsageError(f"measure={params.measure}: {params.axes}s of collectives have {', '.join(OF_COLLECTIVES)}")
    if params.measure == "rate" and not is_of_collectives:
        raise UsageError(f"axes={params.axes}: a rate is of collectives of one kind or dimension")
    if params.dimensions and params.measure not in (*OF_COLLECTIVES, "link"):
        raise UsageError(f"measure={params.measure}: of dimensions there is {', '.join(OF_COLLECTIVES)} and link")
    run, of = analysed_of(members, params)
    if of is None:
        return _nothing(params, run, "No rank has answered yet.")
    chosen = _chosen(of, params)
    if params.axes == "link":
        return _of_links(params, run, of, [of.dimensions.names[at] for at in chosen])
    if params.axes in ("kind", "dimension"):
        found = of_collectives(of, params.measure, params.axes, chosen)
    else:
        found = exposed_of(of, params.measure, chosen) if params.dimensions else measured(of, params.measure)
    if isinstance(found, str):
        return _nothing(params, run, found)
    places, row_title, column_title, rows, columns = _laid_out(of, params.axes)
    if not rows or not columns:
        return _nothing(params, run, _why_no(params.axes))
    if params.axes == "step":
        values = found
    elif is_of_collectives:
        some = np.flatnonzero((np.nan_to_num(found) > 0).any(axis=0))
        values, columns = found[:, some], [columns[at] for at in some]
    else:
        values = _in_cells(found, places, params.measure)
    per_column = params.axes == "step" or is_of_collectives

    def medians(of_cells: Float64Array) -> list[int | None]:
        return [_median(of_cells[:, at]) for at in range(len(columns))] if per_column else [_median(of_cells)] * len(columns)

    middle = hundred = medians(values)
    if params.measure == "excess":
        hundred = medians(of.own.own if params.axes == "step" else _in_cells(of.own.own, places, "own"))
    named = places if not per_column else np.repeat(places, len(columns), axis=1)
    return RanksMatrix(
        run=run,
        measure=params.measure,
        axes=params.axes,
        unit=_UNITS.get(params.measure, "ns"),
        least_told_ns=round(least_wait_ns(of.clock_error_ns)) if params.measure in _WAITS else None,
        reason=None if columns else _no_column(of, params.measure),
        row_title=row_title,
        column_title=column_title,
        rows=rows,
        columns=columns,
        values=all_whole(values),
        ranks=_numbers(of, named),
        middle=middle,
        hundred=hundred,
    )


def _numbers(of: Analysed, places: Int64Array) -> list[list[int | None]]:
    """Of the rank in each cell."""
    numbers = np.array([*of.job.of.numbers, None], object)  # NONE is the last one's place
    rows: list[list[int | None]] = numbers[places].tolist()
    return rows


def _in_cells(values: Float64Array, places: Int64Array, measure: Measure) -> Float64Array:
    """A rank's mean over its steps in its cell; of memory the most."""
    each = _most(values) if measure == "memory" else _mean(values)
    in_cells: Float64Array = np.where(places == NONE, np.nan, each[np.maximum(places, 0)])
    return in_cells


def _chosen(of: Analysed, params: MatrixParams) -> list[int]:
    """Places of the dimensions that count."""
    asked = [SHORT.get(name.strip(), name.strip()) for name in params.dimensions.split("\n") if name.strip()]
    unknown = [name for name in asked if name not in of.dimensions.names]
    if unknown:
        there = [name for name in of.dimensions.names if name != NOT_RECORDED]
        raise UsageError(f"dimensions={unknown[0]}: no such dimension; there is {', '.join(there) or 'none that was recorded'}")
    return [at for at, name in enumerate(of.dimensions.names) if not asked or name in asked]


def _no_column(of: Analysed, measure: Measure) -> str:
    if measure == "rate":
        return "none: no matched collective of 1 MiB or more"
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
        least_told_ns=None,
        reason=None if has_two else none + (inside if hosts else ""),
        row_title="host",
        column_title="host",
        rows=hosts,
        columns=hosts,
        values=values,
        ranks=ranks,
        middle=[_USUAL] * len(hosts),
        hundred=[_USUAL] * len(hosts),
    )


def _laid_out(of: Analysed, axes: Axes) -> tuple[Int64Array, str, str, list[str], list[str]]:
    """(place of the rank in each cell, titles, names of rows and columns); over steps and kinds one column of places."""
    numbers = of.job.of.numbers
    if axes in ("step", "kind", "dimension"):
        names = [f"rank {number}" for number in numbers]
        steps = [str(number) for number in of.own.number.tolist()]
        columns = {"step": steps, "kind": _kind_names(), "dimension": list(of.dimensions.names)}[axes]
        return np.arange(len(numbers))[:, None], "rank", "step" if axes == "step" else "", names, columns
    if axes == "host":
        host = np.array([rank.host for rank in of.job.of.ranks])
        if not of.job.of.are_hosts_known:
            return np.zeros((0, 0), np.int64), "host", "", [], []
        local = np.array([int((host[:at] == host[at]).sum()) for at in range(len(host))])
        order = by_name(of.job.of.hosts)
        names = [of.job.of.hosts[at] for at in order]
        return _grid(np.argsort(order)[host], local), "host", "local rank", names, [str(at) for at in range(local.max() + 1)]
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
        "dimension": "none: no collective",
        "link": "none: no links",
    }[axes]


def _nothing(params: MatrixParams, run: str | None, reason: str) -> RanksMatrix:
    return RanksMatrix(
        run=run,
        measure=params.measure,
        axes=params.axes,
        unit="ns",
        least_told_ns=None,
        reason=reason,
        row_title="",
        column_title="",
        rows=[],
        columns=[],
        values=[],
        ranks=[],
        middle=[],
        hundred=[],
    )


def text(reply: RanksMatrix) -> str:
    if reply.reason is not None:
        return reply.reason
    shown_as: dict[Unit, Callable[[int], str]] = {
        "ns": format_ns,
        "count": str,
        "bytes": format_bytes,
        "bytes_per_s": format_rate,
        "percent": "{} %".format,
    }
    least = reply.least_told_ns
    show = shown_as[reply.unit] if least is None else lambda ns: waited(ns, least)
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
    suffix = "" if reply.unit == "count" else f"_{reply.unit}"
    columns = [reply.row_title or "row", *(f"{name}{suffix}" for name in reply.columns)]
    return TextTable(columns=columns, rows=[[name, *row] for name, row in zip(reply.rows, reply.values, strict=True)])


def _mean(values: Float64Array) -> Float64Array:
    known = np.isfinite(values)
    sums, counts = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _most(values: Float64Array) -> Float64Array:
    most = np.where(np.isfinite(values), values, -np.inf).max(axis=1, initial=-np.inf)
    return np.where(np.isfinite(most), most, np.nan)


def _median_of(values: Float64Array) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else float("nan")


def _median(values: Float64Array) -> int | None:
    return whole(_median_of(values))
