"""Which kernels cost, and how well do they use the device? Groups device rows by name, launch shape, operator and more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import union_length
from tb_plugin.replay.effects import FASTER
from tb_plugin.replay.less import Less
from tb_plugin.replay.row_effects import row_effects
from tb_plugin.trace.groupings.grouping import choices
from tb_plugin.trace.scope.recorded import DEVICE, SHAPES
from tb_plugin.trace.work.device_peaks import device_peak, with_peak
from tb_plugin.trace.work.taxonomy import CATEGORIES
from tb_plugin.views.kernels.chosen import Chosen, chosen, of_category
from tb_plugin.views.kernels.groupings import GROUPINGS
from tb_plugin.views.kernels.result import CategoryTotal, Kernels, KernelsParams
from tb_plugin.views.kernels.rows import table_rows

if TYPE_CHECKING:
    from tb_plugin.compute.grouping import Groups
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.kernels.result import KernelRow


def compute(trace: Trace, params: KernelsParams) -> Kernels:
    """Rows whose totals add up to the summed time of the chosen kinds."""
    trace = with_peak(trace, params.peak)
    all_work = chosen(trace, params)
    work = of_category(all_work, params.category)
    keys = GROUPINGS[params.group_by].keys(trace, work.rows)
    rows, no_effect = _with_effects(trace, params, work, keys.groups(), table_rows(trace, work, keys))
    return Kernels(
        group_by=params.group_by,
        kind=params.kind,
        no_effect=no_effect,
        rows=rows,
        count=len(work.rows),
        total_ns=int(work.duration_ns.sum()),
        busy_ns=_busy_ns(trace, work.rows),
        matrix_ns=sum(row.matrix_ns for row in rows),
        matrix_unknown_ns=sum(row.matrix_unknown_ns for row in rows),
        categories=_categories(all_work),
        has_launches=bool((trace.events.launch[work.rows] != NONE).any()),
        has_shapes=SHAPES.is_there(trace),
        groupings=choices(trace, GROUPINGS, params.group_by, keys),
        peak=_peak(trace),
    )


def missing(trace: Trace) -> str | None:
    return DEVICE.lack(trace)


def _with_effects(
    trace: Trace, params: KernelsParams, work: Chosen, groups: Groups, rows: list[KernelRow]
) -> tuple[list[KernelRow], str | None]:
    """(the rows, which are the longest first; why none has an effect)."""
    group_of = {example: group for group, example in enumerate(work.rows[groups.first].tolist())}
    found = row_effects(
        trace,
        params.steps,
        range(min(params.effects, len(rows))),
        lambda at: Less(work=work.rows[groups.of == group_of[rows[at].example]], work_factor=FASTER),
    )
    for at, effect in found.of.items():
        rows[at] = msgspec.structs.replace(rows[at], effect_ns=effect.gain_ns, effect_share=effect.share)
    return rows, found.why_not


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
        for of_device in (rows[device == d] for d in distinct(device).tolist())
    )


def _peak(trace: Trace) -> str | None:
    peak = device_peak(trace.info.devices[0] if trace.info.devices else None)
    return None if peak is None else f"{peak.title} ({peak.source})"
