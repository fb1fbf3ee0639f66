"""Device time against what the device could do with the same work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import Groups, count_by, group_by, sum_by
from tb_plugin.compute.wall_share import wall_shares
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE, SHAPES
from tb_plugin.trace.scope.selection import selected
from tb_plugin.trace.work.attention_work import PAGED
from tb_plugin.trace.work.device_peaks import RATES, with_peak
from tb_plugin.trace.work.kernel_work import KernelWork, call_ids, kernel_work
from tb_plugin.trace.work.roofs import UNKNOWN_TYPE, Roofs, device_peaks, roofs_of
from tb_plugin.trace.work.taxonomy import CATEGORIES, category_by_row
from tb_plugin.views.roofline.result import RateType, Roof, Roofline, RooflineParams, RooflineRow

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LEAST_SHARE: Final = 0.001
"""Of device time: rows below it say nothing about what is achievable."""

_BOUND: Final = ("compute", "memory")


class _Part(NamedTuple):
    """The work of the rows that the filters keep, and the roofs above it."""

    work: KernelWork
    roofs: Roofs
    duration_ns: Int64Array


def compute(trace: Trace, params: RooflineParams) -> Roofline:
    """Rows whose time adds up to the device time under the filters, without collectives. Raises UsageError for `peak`."""
    trace = with_peak(trace, params.peak)
    work = kernel_work(trace)
    kept = np.flatnonzero(selected(trace, params)[work.row])
    peaks = device_peaks(trace)
    part = _Part(work.those(kept), roofs_of(trace, work, peaks).those(kept), trace.events.duration_ns(work.row[kept]))
    rows = _rows(trace, part)
    total, known = int(part.duration_ns.sum()), int(part.duration_ns[part.work.is_known].sum())
    lost = [row.lost_ns for row in rows if row.lost_ns is not None]
    shown = peaks.of_busiest(trace, part.work.row)
    return Roofline(
        rows=rows,
        count=len(kept),
        total_ns=total,
        known_ns=known,
        twin_ns=int(part.duration_ns[part.work.is_twin].sum()),
        paged_ns=_paged_ns(trace, part),
        coverage=known / total if total else None,
        lost_ns=sum(lost) if lost else None,
        roofs=_roofs(rows, shown),
        bytes_per_s=None if shown is None or np.isnan(shown.bytes_per_s) else shown.bytes_per_s,
        peak=None if shown is None else f"{shown.title} ({shown.source})",
        is_guess=peaks.is_guess,
        has_shapes=SHAPES.is_there(trace),
        covers="steps" if params.steps else "recording",
    )


def _paged_ns(trace: Trace, part: _Part) -> int:
    unknown = np.flatnonzero(~part.work.is_known)
    return int(part.duration_ns[unknown[rows_named(trace, part.work.row[unknown], PAGED.search)]].sum())


def missing(trace: Trace) -> str | None:
    return DEVICE.lack(trace)


def _rows(trace: Trace, part: _Part) -> list[RooflineRow]:
    """One per operator, shapes and types, or kernel name."""
    if not len(part.duration_ns):
        return []
    work, duration = part.work, part.duration_ns
    names, shapes, types = call_ids(trace, work.call, trace.events.name_id[work.row])
    groups = group_by(names, shapes, types, (work.call != NONE).astype(np.int64))
    total = sum_by(groups, duration)
    columns = {
        "name": [trace.text(i) for i in names[groups.first].tolist()],
        "shapes": _texts(trace, shapes[groups.first]),
        "types": _texts(trace, types[groups.first]),
        "category": _categories(trace, work, groups),
        "is_call": (work.call[groups.first] != NONE).tolist(),
        "example": work.row[groups.first].tolist(),
        "count": count_by(groups).tolist(),
        "total_ns": total.tolist(),
        "share": (total / max(int(total.sum()), 1)).tolist(),
        "wall_ns": _floats(groups, _wall_ns(trace, work.row)).round().astype(np.int64).tolist(),
        "is_most": (sum_by(groups, work.is_most.astype(np.int64)) > 0).tolist(),
        "twin_ns": sum_by(groups, np.where(work.is_twin, duration, 0)).tolist(),
        **_amounts(part, groups),
        **_losses(part, groups),
    }
    rows = [RooflineRow(**dict(zip(columns, values, strict=True))) for values in zip(*columns.values(), strict=True)]
    rows.sort(key=lambda row: (row.lost_ns is None, -(row.lost_ns or 0), -row.total_ns, row.name, row.shapes or ""))
    return rows


def _wall_ns(trace: Trace, rows: Int64Array) -> Float64Array:
    """Of each, on its device: together the time in which any of them runs."""
    device, events = trace.tracks.device[trace.events.track[rows]], trace.events
    wall_ns = np.zeros(len(rows))
    for index in distinct(device).tolist():
        mine = device == index
        wall_ns[mine] = wall_shares(events.start_ns[rows[mine]], events.end_ns[rows[mine]])
    return wall_ns


def _amounts(part: _Part, groups: Groups) -> dict[str, list[Any]]:
    """Sums where each is known; rates over the kernels whose launch is in the file, where there are any."""
    work = part.work
    is_sure = ~work.is_twin | (sum_by(groups, (~work.is_twin).astype(np.int64)) == 0)[groups.of]
    flops, flops_per_s = _amount(part, groups, work.flops, is_sure)
    n_bytes, bytes_per_s = _amount(part, groups, work.bytes, is_sure)
    both = (work.flops != NONE) & (work.bytes != NONE)
    sums = (_floats(groups, np.where(both, of, 0)) for of in (work.flops, work.bytes))
    return {
        "flops": flops,
        "bytes": n_bytes,
        "flops_per_s": flops_per_s,
        "bytes_per_s": bytes_per_s,
        "flops_per_byte": _over(*sums),
    }


def _amount(part: _Part, groups: Groups, amount: Int64Array, is_sure: BoolArray) -> tuple[list[int | None], list[float | None]]:
    """(the sum, and the rate of the kernels that are sure), of each group."""
    known = amount != NONE
    total, n_known = _floats(groups, np.where(known, amount, 0)), sum_by(groups, known.astype(np.int64))
    counted = known & is_sure
    rate = _over(1e9 * _floats(groups, np.where(counted, amount, 0)), sum_by(groups, np.where(counted, part.duration_ns, 0)))
    return [int(n) if any_ else None for n, any_ in zip(total.tolist(), n_known.tolist(), strict=True)], rate


def _losses(part: _Part, groups: Groups) -> dict[str, list[Any]]:
    """Against the roof, of the kernels whose roof is known."""
    best = part.roofs.at_roof_ns
    known = ~np.isnan(best)
    at_roof = _floats(groups, np.where(known, best, 0.0))
    time = sum_by(groups, np.where(known, part.duration_ns, 0))
    by_compute = _floats(groups, np.where(known & part.roofs.is_compute, best, 0.0))
    rate = np.full(len(groups), UNKNOWN_TYPE, np.int64)
    np.maximum.at(rate, groups.of, part.roofs.rate_type)
    listed = list(zip(time.tolist(), at_roof.tolist(), by_compute.tolist(), rate.tolist(), strict=True))
    return {
        "lost_ns": [max(round(ns - best_ns), 0) if ns and best_ns else None for ns, best_ns, _, _ in listed],
        "roof_share": [best_ns / ns if ns and best_ns else None for ns, best_ns, _, _ in listed],
        "bound": [_BOUND[2 * compute_ns < best_ns] if best_ns else None for _, best_ns, compute_ns, _ in listed],
        "rate_type": [None if kind == UNKNOWN_TYPE else RATES[kind] for *_, kind in listed],
    }


def _roofs(rows: list[RooflineRow], peak: Any) -> list[Roof]:
    """Of the types that products of the file have, the highest first."""
    best: dict[RateType, float | None] = {}
    for row in rows:
        if row.rate_type is not None:
            rate = None if row.is_most or row.share < _LEAST_SHARE else row.flops_per_s
            best[row.rate_type] = max(filter(None, (best.get(row.rate_type), rate)), default=None)
    roofs = [Roof(rate_type=each, flops_per_s=getattr(peak, each, None), best_flops_per_s=rate) for each, rate in best.items()]
    return sorted(roofs, key=lambda roof: -(roof.flops_per_s or 0))


def _categories(trace: Trace, work: KernelWork, groups: Groups) -> list[str]:
    """Of the kernel that took most of each row's time: layouts that a product changes do not name it."""
    category = category_by_row(trace)[work.row].astype(np.int64)
    duration = trace.events.duration_ns(work.row)
    pairs = group_by(groups.of, category)
    time, of = sum_by(pairs, duration), groups.of[pairs.first]
    order = np.lexsort((time, of))
    last = order[np.diff(of[order], append=NONE) != 0]
    return [CATEGORIES[kind].id for kind in category[pairs.first[last]].tolist()]


def _texts(trace: Trace, ids: Int64Array) -> list[str | None]:
    return [None if i == NONE else trace.text(i) for i in ids.tolist()]


def _floats(groups: Groups, values: Any) -> Float64Array:
    return np.bincount(groups.of, weights=values, minlength=len(groups)).astype(np.float64)


def _over(numerator: Any, denominator: Any) -> list[float | None]:
    return [n / d if d else None for n, d in zip(numerator.tolist(), denominator.tolist(), strict=True)]
