"""Which kernels cost, and how well do they use the device? Groups device rows by name, launch shape, operator and more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.intervals import union_length
from tb_plugin.trace.device_peaks import device_peak
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.taxonomy import CATEGORIES
from tb_plugin.views.kernels.chosen import Chosen, chosen, grouped, of_category, paths_for
from tb_plugin.views.kernels.result import CategoryTotal, Kernels, KernelsParams
from tb_plugin.views.kernels.rows import table_rows

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def compute(trace: Trace, params: KernelsParams) -> Kernels:
    """Rows whose totals add up to the summed time of the chosen kinds."""
    all_work = chosen(trace, params)
    work = of_category(all_work, params.category)
    paths = paths_for(trace, params.group_by)
    rows = table_rows(trace, work, grouped(trace, work, params.group_by, paths), params.group_by, paths)
    return Kernels(
        group_by=params.group_by,
        kind=params.kind,
        rows=rows,
        count=len(work.rows),
        total_ns=int(work.duration_ns.sum()),
        busy_ns=_busy_ns(trace, work.rows),
        matrix_ns=sum(row.matrix_ns for row in rows),
        matrix_unknown_ns=sum(row.matrix_unknown_ns for row in rows),
        categories=_categories(all_work),
        has_launches=bool((trace.events.launch[work.rows] != NONE).any()),
        has_shapes=bool((trace.events.shapes_id != NONE).any()),
        has_modules=paths is not None and len(paths) > 0,
        peak=_peak(trace),
    )


def missing(trace: Trace) -> str | None:
    if is_kind(trace.events.kind, DEVICE_KINDS).any():
        return None
    return "No device activity was recorded: profile with the accelerator's ProfilerActivity (CUDA, XPU, ...) beside CPU."


def _categories(work: Chosen) -> list[CategoryTotal]:
    count = np.bincount(work.category, minlength=len(CATEGORIES)).tolist()
    total = np.bincount(work.category, weights=work.duration_ns, minlength=len(CATEGORIES)).tolist()
    return [
        CategoryTotal(category=info.id, count=n, total_ns=int(ns))
        for info, n, ns in zip(CATEGORIES, count, total, strict=True)
        if n
    ]


def _busy_ns(trace: Trace, rows: Int64Array) -> int:
    device = trace.tracks.device[trace.events.track[rows]]
    return sum(
        union_length(trace.events.start_ns[of_device], trace.events.end_ns[of_device])
        for of_device in (rows[device == d] for d in np.unique(device).tolist())
    )


def _peak(trace: Trace) -> str | None:
    peak = device_peak(trace.info.devices[0] if trace.info.devices else None)
    return None if peak is None else f"{peak.title} ({peak.source})"
