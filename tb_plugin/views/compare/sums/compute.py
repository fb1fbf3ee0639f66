"""One profile as sums that can be compared: its steps in parts, and the wall share of every outermost operator in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.scope.empty import why_empty
from tb_plugin.trace.scope.recorded_as import recorded_as
from tb_plugin.trace.times.breakdown import activity, breakdowns, not_recorded
from tb_plugin.trace.times.idle import device_work
from tb_plugin.trace.times.mean_device import mean_communication, mean_uses
from tb_plugin.trace.work.taxonomy import collective_kernels
from tb_plugin.views.compare.sums.calls import call_sums
from tb_plugin.views.compare.sums.lines import line_sums
from tb_plugin.views.compare.sums.pieces import WorkPieces, call_of, pieces
from tb_plugin.views.compare.sums.result import OneStep, ProfileSums, SumsParams
from tb_plugin.views.compare.sums.undisturbed import undisturbed_ns
from tb_plugin.views.compare.sums.windows import Windows, windows

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace


def compute(trace: Trace, params: SumsParams) -> ProfileSums:
    """Raises NotFoundError for a range that is not there."""
    found = windows(trace, params.per)
    basis, cut = pieces(trace, found)
    work, is_collective = device_work(trace), collective_kernels(trace)
    t0, t1 = found.start_ns, found.end_ns
    recorded = recorded_as(trace, int(t0[0]))
    parts = breakdowns(activity(trace, work, is_collective), t0, t1)
    uses = mean_uses(trace, work, t0, t1)
    if uses is None:
        busy = _covered(cut, found)
        uses = np.column_stack((busy, t1 - t0 - busy))
    exposed = mean_communication(trace, work, is_collective, t0, t1)
    lines = line_sums(trace, found, work, uses) if work and recorded.has_operators else []
    calls, n_folded = call_sums(trace, found, basis, cut, uses[:, 0])
    return ProfileSums(
        recorded=recorded,
        unit=found.unit,
        per=params.per,
        basis=basis,
        n_incomplete=found.n_incomplete,
        not_recorded=not_recorded(trace),
        steps=_steps(found, parts, uses, exposed),
        calls=calls,
        lines=lines,
        n_folded=n_folded,
        undisturbed_ns=undisturbed_ns(trace, cut, call_of(trace, basis, cut.row), found),
    )


def missing(trace: Trace) -> str | None:
    return why_empty(trace)


def _covered(cut: WorkPieces, found: Windows) -> Int64Array:
    """Time of each window in which any work ran: what its wall shares sum to."""
    total = np.bincount(cut.window, weights=cut.wall_ns, minlength=len(found.start_ns))
    return np.round(total).astype(np.int64)


def _steps(found: Windows, parts: Int64Array, uses: Int64Array, exposed: Int64Array | None) -> list[OneStep]:
    return [
        OneStep(
            number=int(found.number[i]),
            kind=int(found.kind[i]),
            start_ns=int(found.start_ns[i]),
            duration_ns=int(found.end_ns[i] - found.start_ns[i]),
            parts=parts[i].tolist(),
            uses=uses[i].tolist(),
            exposed_communication_ns=0 if exposed is None else int(exposed[i, 0]),
        )
        for i in range(len(found.start_ns))
    ]
