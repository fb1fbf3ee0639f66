"""Work and rates of operators: FLOPs, bytes of inputs, matrix cores, per group of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import sum_by
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.times.operator_times import operator_tree
from tb_plugin.trace.work.flops import flops_by_row
from tb_plugin.trace.work.input_bytes import input_bytes_by_row
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use_by_row
from tb_plugin.trace.work.matrix_operators import eligible_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.compute.grouping import Groups
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.times.operator_times import OperatorTimes
    from tb_plugin.views.operators.result import Eligible


class OperatorWork(NamedTuple):
    """One list entry per group; None where it is not known."""

    flops: list[int | None]
    input_bytes: list[int | None]
    has_all_bytes: list[bool]  # of every call


def work(trace: Trace, times: OperatorTimes, groups: Groups, counts: BoolArray, outer: BoolArray | None) -> OperatorWork:
    """Sums over the calls that count; bytes are those of the `outer` calls alone, None means all."""
    flops = np.zeros(len(groups), np.int64)
    np.add.at(flops, groups.of[counts], flops_by_row(trace)[times.row[counts]])  # exact above 2**53 too
    n_bytes = input_bytes_by_row(trace)[times.row]
    asked = counts if outer is None else counts & outer
    known = asked & (n_bytes >= 0)
    n_known = _count(groups, known)
    return OperatorWork(
        flops=[value or None for value in flops.tolist()],
        input_bytes=[
            value if n else None
            for value, n in zip(sum_by(groups, np.where(known, n_bytes, 0)).tolist(), n_known.tolist(), strict=True)
        ],
        has_all_bytes=((n_known > 0) & (n_known == _count(groups, asked))).tolist(),
    )


class MatrixCores(NamedTuple):
    """One list entry per group; None where it has no kernel of its own, or no operator with device work."""

    share: list[float | None]
    unknown_share: list[float | None]
    eligible: list[Eligible | None]


def matrix_cores(trace: Trace, times: OperatorTimes, groups: Groups, kept: BoolArray) -> MatrixCores:
    """Of the kernels that the calls launch themselves; eligible are calls with device work that could use the cores."""
    events, tree = trace.events, operator_tree(trace)
    group_of_row = np.full(len(events), NONE, np.int64)
    group_of_row[times.row] = groups.of
    is_own = (events.kind[tree.work] == Kind.KERNEL) & kept[tree.work] & (tree.work_entry != NONE)
    kernels, of = tree.work[is_own], group_of_row[tree.work_entry[is_own]]
    kernels, of = kernels[of != NONE], of[of != NONE]
    duration = events.duration_ns(kernels)
    use = matrix_core_use_by_row(trace)[kernels]
    all_ns, used_ns, unknown_ns = (
        np.bincount(of, weights=np.where(which, duration, 0), minlength=len(groups)).astype(np.float64)
        for which in (True, use == Use.YES, use == Use.UNKNOWN)
    )
    eligible = eligible_by_row(trace)[times.row]
    works = (times.device_total_ns > 0) & (events.kind[times.row] == Kind.OPERATOR)
    yes, no, unknown = (_count(groups, works & (eligible == use)).tolist() for use in (Use.YES, Use.NO, Use.UNKNOWN))
    return MatrixCores(
        share=_shares(used_ns, all_ns),
        unknown_share=_shares(unknown_ns, all_ns),
        eligible=[_word(*counts) for counts in zip(yes, no, unknown, strict=True)],
    )


def _word(yes: int, no: int, unknown: int) -> Eligible | None:
    if yes:
        return "some" if no or unknown else "yes"
    return "unknown" if unknown else "no" if no else None


def _shares(part: Float64Array, whole: Float64Array) -> list[float | None]:
    return [p / w if w else None for p, w in zip(part.tolist(), whole.tolist(), strict=True)]


def _count(groups: Groups, marked: BoolArray) -> Int64Array:
    return sum_by(groups, marked.astype(np.int64))
