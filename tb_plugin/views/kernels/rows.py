"""The table's rows: sums, means and what the calls of a group have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.grouping import Groups, count_by, max_by, median_by, min_by, sum_by, weighted_mean_by
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.times.launches import launches_of
from tb_plugin.trace.work.kernel_bytes import kernel_bytes
from tb_plugin.trace.work.kernel_flops import kernel_flops
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use_by_row
from tb_plugin.trace.work.taxonomy import CATEGORIES, MULTIPLIES, Category
from tb_plugin.views.kernels.collectives import collective_columns
from tb_plugin.views.kernels.copies import copy_kind
from tb_plugin.views.kernels.result import KernelKind, KernelRow

if TYPE_CHECKING:
    from tb_plugin.trace.groupings.grouping import Keys
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.kernels.chosen import Chosen

_KIND_NAMES: Final[dict[int, KernelKind]] = {Kind.KERNEL: "kernel", Kind.COPY: "copy", Kind.SET: "set"}
_USES: Final[dict[int, Literal["yes", "no", "unknown"]]] = {Use.YES: "yes", Use.NO: "no", Use.UNKNOWN: "unknown"}


def table_rows(trace: Trace, work: Chosen, keys: Keys) -> list[KernelRow]:
    """One row per group, the longest total first."""
    groups = keys.groups()
    if len(groups) == 0:
        return []
    columns = {
        **_labels(trace, work, groups, keys),
        **_times(work, groups),
        **_hardware(trace, work, groups),
        **_waiting(trace, work, groups),
        **_transfers(trace, work, groups),
        **_flops(trace, work, groups),
        **collective_columns(trace, work.rows, groups),
    }
    rows = [KernelRow(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]
    rows.sort(key=lambda row: (-row.total_ns, row.name))
    return rows


def _labels(trace: Trace, work: Chosen, groups: Groups, keys: Keys) -> dict[str, list[Any]]:
    first = groups.first
    kind = np.where(work.category == Category.COMMUNICATION, -1, trace.events.kind[work.rows].astype(np.int64))
    kinds: list[KernelKind] = [
        "several" if k is None else "communication" if k == -1 else _KIND_NAMES[k] for k in common(groups, kind)
    ]
    is_launch = "operator" in keys.parts
    nothing = [None] * len(groups)
    return {
        "name": [name or "" for name in keys.name.texts(first)],
        "kind": kinds,
        "category": [None if c is None else CATEGORIES[c].id for c in common(groups, work.category.astype(np.int64))],
        "operator": keys.parts["operator"].texts(first) if is_launch else nothing,
        "grid": _triples(work.shape[first, 0:3]) if is_launch else nothing,
        "block": _triples(work.shape[first, 3:6]) if is_launch else nothing,
        "registers": [None if n == NONE else n for n in common(groups, work.shape[:, 6])],
        "shared_bytes": [None if n == NONE else n for n in common(groups, work.shape[:, 7])],
        "example": work.rows[first].tolist(),
        "names": _distinct(groups, trace.events.name_id[work.rows]).tolist(),
    }


def _times(work: Chosen, groups: Groups) -> dict[str, list[Any]]:
    total, count = sum_by(groups, work.duration_ns), count_by(groups)
    return {
        "count": count.tolist(),
        "total_ns": total.tolist(),
        "mean_ns": (total / count).tolist(),
        "min_ns": min_by(groups, work.duration_ns).tolist(),
        "max_ns": max_by(groups, work.duration_ns).tolist(),
        "share": (total / max(int(total.sum()), 1)).tolist(),
    }


def _hardware(trace: Trace, work: Chosen, groups: Groups) -> dict[str, list[Any]]:
    is_kernel = trace.events.kind[work.rows] == Kind.KERNEL
    use = matrix_core_use_by_row(trace)[work.rows].astype(np.int64)
    # Copies and sets have no say in whether the kernels of a group agree.
    agreed = _common_known(groups, np.where(is_kernel, use, NONE))
    return {
        "blocks_per_sm": _numbers(weighted_mean_by(groups, work.blocks_per_sm, work.duration_ns)),
        "occupancy_percent": _numbers(weighted_mean_by(groups, work.occupancy_percent, work.duration_ns)),
        "matrix_core": ["several" if u is None else None if u == NONE else _USES[u] for u in agreed],
        "matrix_ns": sum_by(groups, np.where(is_kernel & (use == Use.YES), work.duration_ns, 0)).tolist(),
        "matrix_unknown_ns": sum_by(groups, np.where(is_kernel & (use == Use.UNKNOWN), work.duration_ns, 0)).tolist(),
    }


def _waiting(trace: Trace, work: Chosen, groups: Groups) -> dict[str, list[Any]]:
    delay, queue = launches_of(trace, work.rows)
    known = delay != NONE
    longest = max_by(groups, delay)
    return {
        "launch_delay_median_ns": _numbers(median_by(groups, np.where(known, delay, np.nan))),
        "launch_delay_max_ns": [None if ns == NONE else ns for ns in longest.tolist()],
        "queue_length": _numbers(weighted_mean_by(groups, np.where(known, queue, np.nan), np.ones(len(queue), np.int64))),
    }


def _transfers(trace: Trace, work: Chosen, groups: Groups) -> dict[str, list[Any]]:
    known = work.bytes != NONE
    n_known = sum_by(groups, known.astype(np.int64))
    n_bytes = sum_by(groups, np.where(known, work.bytes, 0))
    ns = sum_by(groups, np.where(known, work.duration_ns, 0))
    kind, name_id = trace.events.kind[work.rows], trace.events.name_id[work.rows]
    agreed = _common_known(groups, np.where(kind == Kind.COPY, name_id, NONE).astype(np.int64))
    return {
        "bytes": [b if n else None for b, n in zip(n_bytes.tolist(), n_known.tolist(), strict=True)],
        "bytes_per_s": [b / (t * 1e-9) if t else None for b, t in zip(n_bytes.tolist(), ns.tolist(), strict=True)],
        "copy_kind": [None if i is None or i == NONE else copy_kind(trace.text(i)) for i in agreed],
    }


def _flops(trace: Trace, work: Chosen, groups: Groups) -> dict[str, list[Any]]:
    known, moved = kernel_flops(trace), kernel_bytes(trace)
    n_rows = len(work.rows)
    flops, n_bytes = np.full(n_rows, NONE, np.int64), np.full(n_rows, NONE, np.int64)
    at_peak, at_bandwidth = np.full(n_rows, np.nan), np.full(n_rows, np.nan)
    _, place, source = np.intersect1d(work.rows, known.row, assume_unique=True, return_indices=True)
    flops[place], at_peak[place] = known.flops[source], known.at_peak_ns[source]
    _, place, source = np.intersect1d(work.rows, moved.row, assume_unique=True, return_indices=True)
    n_bytes[place], at_bandwidth[place] = moved.bytes[source], moved.at_bandwidth_ns[source]
    counted, both = flops != NONE, (flops != NONE) & (n_bytes != NONE)
    total = sum_by(groups, np.where(counted, flops, 0))
    may_multiply = is_kind(work.category, (*MULTIPLIES, Category.FUSED, Category.OTHER))
    return {
        "may_multiply": (max_by(groups, may_multiply.astype(np.int64)) > 0).tolist(),
        "flops": [n or None for n in total.tolist()],
        "flops_per_s": _over(total * 1e9, sum_by(groups, np.where(counted, work.duration_ns, 0))),
        "flops_per_byte": _over(sum_by(groups, np.where(both, flops, 0)), sum_by(groups, np.where(both, n_bytes, 0))),
        "peak_share": _time_share(groups, at_peak, work.duration_ns),
        "bandwidth_share": _time_share(groups, at_bandwidth, work.duration_ns),
    }


def _time_share(groups: Groups, best_ns: Float64Array, duration: Int64Array) -> list[float | None]:
    """The least time over the time taken, of the calls whose least time is known."""
    known = ~np.isnan(best_ns)
    best = np.bincount(groups.of, weights=np.where(known, best_ns, 0.0), minlength=len(groups))
    return _over(best, sum_by(groups, np.where(known, duration, 0)))


def _over(numerator: npt.NDArray[Any], denominator: Int64Array) -> list[float | None]:
    return [n / d if d else None for n, d in zip(numerator.tolist(), denominator.tolist(), strict=True)]


def common(groups: Groups, values: Int64Array) -> list[int | None]:
    """The value that all rows of a group share, or None."""
    low, high = min_by(groups, values), max_by(groups, values)
    return [a if a == b else None for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _common_known(groups: Groups, values: Int64Array) -> list[int | None]:
    """The value that all rows share which have one; NONE if no row has, None if they differ."""
    high = max_by(groups, values)
    low = min_by(groups, np.where(values == NONE, np.iinfo(np.int64).max, values))
    return [b if a == b or b == NONE else None for a, b in zip(low.tolist(), high.tolist(), strict=True)]


def _distinct(groups: Groups, values: npt.NDArray[np.integer]) -> Int64Array:
    """How many different values each group has."""
    order = np.lexsort((values, groups.of))
    of, value = groups.of[order], values[order]
    is_new = (np.diff(of, prepend=-1) != 0) | (np.diff(value, prepend=value[:1]) != 0)
    return np.bincount(of[is_new], minlength=len(groups)).astype(np.int64)


def _triples(shapes: Int64Array) -> list[tuple[int, ...] | None]:
    return [None if shape[0] == NONE else tuple(shape) for shape in shapes.tolist()]


def _numbers(values: Float64Array) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
