"""What is recorded of the collectives among the chosen kernels: their message, their group, and how fast they moved at least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.grouping import Groups, count_by, group_by, max_by, min_by, sum_by
from tb_plugin.trace.collectives.by_dimension import by_dimension, dimension_by_row
from tb_plugin.trace.collectives.groups import group_title
from tb_plugin.trace.collectives.kinds import KINDS
from tb_plugin.trace.collectives.least_rate import least_bus_rate
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.views.kernels.result import KernelCollective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.collectives.groups import ProcessGroup
    from tb_plugin.trace.model import Trace

SEVERAL: Final = "several"


@dataclass(frozen=True, kw_only=True)
class _Known:
    """The rows of the table of collectives whose kernel is among the work, each with the place of that."""

    place: Int64Array
    kind: Int64Array
    group: Int64Array
    dimension: Int64Array
    n_ranks: Int64Array
    message_bytes: Int64Array
    rate: Float64Array
    groups: Sequence[ProcessGroup]
    dimensions: Sequence[str]


def collective_columns(trace: Trace, rows: Int64Array, groups: Groups) -> dict[str, list[Any]]:
    """Of each group of these rows, in the columns of `KernelRow`: None of all where it has no collectives."""
    of = _known(trace, rows)
    columns: dict[str, list[Any]] = {
        name: [None] * len(groups) for name in ("message_bytes", "process_group", "dimension", "least_bus_bytes_per_s")
    } | {name: [0] * len(groups) for name in ("n_unsized", "n_without_group", "n_without_dimension")}
    if len(of.place) == 0:
        return columns
    titles = [group_title(one.name, one.description) for one in of.groups]
    its = group_by(groups.of[of.place])
    parts = zip(
        groups.of[of.place][its.first].tolist(),
        _sums(its, of.message_bytes),
        _agreed(its, of.group, titles),
        _agreed(its, of.dimension, of.dimensions),
        _highest(its, of.rate),
        *(_lacking(its, each) for each in (of.message_bytes, of.group, of.dimension)),
        strict=True,
    )
    for at, *values in parts:
        for column, value in zip(columns.values(), values, strict=True):
            column[at] = value
    return columns


def collective_parts(trace: Trace, rows: Int64Array) -> list[KernelCollective]:
    """By kind and group, the longest total first."""
    of = _known(trace, rows)
    its = group_by(of.kind, of.group, of.n_ranks, of.dimension)
    total = sum_by(its, trace.events.duration_ns(rows[of.place])) if len(of.place) else np.zeros(0, np.int64)
    groups = [None if at == NONE else of.groups[at] for at in of.group[its.first].tolist()]
    found = [
        KernelCollective(
            kind=KINDS[kind],
            process_group=None if group is None else group_title(group.name, group.description),
            dimension=None if dimension == NONE else of.dimensions[dimension],
            n_ranks=None if n == NONE else n,
            n_collectives=count,
            kernels_ns=ns,
            message_bytes=n_bytes,
            n_unsized=unsized,
            least_bus_bytes_per_s=rate,
        )
        for kind, group, dimension, n, count, ns, n_bytes, unsized, rate in zip(
            of.kind[its.first].tolist(),
            groups,
            of.dimension[its.first].tolist(),
            of.n_ranks[its.first].tolist(),
            count_by(its).tolist(),
            total.tolist(),
            _sums(its, of.message_bytes),
            _lacking(its, of.message_bytes),
            _highest(its, of.rate),
            strict=True,
        )
    ]
    return sorted(found, key=lambda one: (-one.kernels_ns, one.kind, one.process_group or ""))


def _known(trace: Trace, rows: Int64Array) -> _Known:
    every = collectives(trace)
    at = np.searchsorted(rows, every.row)  # rows rise
    is_in = (every.row != NONE) & (np.append(rows, NONE)[at] == every.row)
    return _Known(
        place=at[is_in].astype(np.int64),
        kind=every.kind[is_in],
        group=every.group[is_in],
        dimension=dimension_by_row(trace)[is_in],
        n_ranks=every.n_ranks[is_in],
        message_bytes=every.message_bytes[is_in],
        rate=least_bus_rate(trace)[is_in],
        groups=every.groups,
        dimensions=by_dimension(trace).names,
    )


def _sums(groups: Groups, n_bytes: Int64Array) -> list[int | None]:
    """Of those that are known; None where none is."""
    known = n_bytes != NONE
    total, n_known = sum_by(groups, np.where(known, n_bytes, 0)), sum_by(groups, known.astype(np.int64))
    return [each if n else None for each, n in zip(total.tolist(), n_known.tolist(), strict=True)]


def _lacking(groups: Groups, column: Int64Array) -> list[int]:
    """Of how many it is not recorded."""
    lacking: list[int] = sum_by(groups, (column == NONE).astype(np.int64)).tolist()
    return lacking


def _agreed(groups: Groups, of: Int64Array, titles: Sequence[str | None]) -> list[str | None]:
    """The word that all of a group have which have one; `several` where they differ, and none where none has one."""
    words = sorted({word for word in titles if word})
    word_of = np.array([words.index(word) if word else NONE for word in titles] + [NONE], np.int64)[of]
    high = max_by(groups, word_of)
    low = min_by(groups, np.where(word_of == NONE, np.iinfo(np.int64).max, word_of))
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return [None if last == NONE else words[last] if first == last else SEVERAL for first, last in ends]


def _highest(groups: Groups, rate: Float64Array) -> list[float | None]:
    """Each is at least as fast as was seen, so the link is at least as fast as the fastest."""
    most = np.zeros(len(groups))
    np.maximum.at(most, groups.of, np.nan_to_num(rate))
    return [each or None for each in most.tolist()]
