"""A row a rank, and a row a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import is_among
from tb_plugin.job.clocks.came_last import tied_ns
from tb_plugin.job.own.exposed import told
from tb_plugin.job.own.memory import peaks_of
from tb_plugin.views.ranks.basis.whole import means_of, means_told, whole
from tb_plugin.views.ranks.result import Blamed, JobStepRow, RankRow

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

_SLOW: float = 4.0


def rank_rows(of: Analysed) -> list[RankRow]:
    """In the order of their numbers."""
    job, own, place = of.job, of.own, of.layout
    n_steps_of = np.maximum(np.isfinite(own.step).sum(axis=1), 1)
    last, least, most = of.caused.n_last, *(each.sum(axis=1) / n_steps_of for each in (of.caused.least_ns, of.caused.most_ns))
    meets, nothing = job.meets.tolist(), [None] * len(job.of.ranks)

    step, own_time, untold = (_listed(means_of(each)) for each in (own.step, own.own, own.untold))
    wait, transfer = (_listed(means_told(each, own.untold)) for each in (own.wait, own.parts["transfer"]))
    part = {name: _listed(means_of(own.parts[name])) for name in ("computation", "copy", "idle", "loader")}
    excess = _listed(means_of(of.excess)) if job.has_own_work else nothing
    bubble = _listed(means_of(of.pipeline.bubble)) if of.pipeline else nothing
    peaks = _listed(np.fmax.reduce(peaks_of(job, own), axis=1, initial=np.nan))
    received = _listed(means_of(of.balance.received)) if of.balance else nothing

    rows = []
    for at, rank in enumerate(job.of.ranks):
        summary, n_steps = rank.summary, int(np.isfinite(own.step[at]).sum())
        rows.append(
            RankRow(
                rank=rank.number,
                worker=rank.of.worker,
                span=rank.of.span,
                host=job.of.hosts[rank.host] if job.of.are_hosts_known else None,
                stage=_known(place.stage[at]),
                replica=_known(place.replica[at]),
                n_steps=n_steps,
                step_ns=step[at],
                own_ns=own_time[at],
                excess_ns=excess[at],
                computation_ns=part["computation"][at],
                wait_ns=wait[at],
                transfer_ns=transfer[at],
                untold_ns=untold[at],
                copy_ns=part["copy"][at],
                idle_ns=part["idle"][at],
                loader_ns=part["loader"][at] if summary.has_ranges else None,
                bubble_ns=bubble[at] if place.stage[at] != NONE else None,
                received=received[at],
                peak_bytes=peaks[at],
                n_last=int(last[at]) if meets[at] else None,
                caused_least_ns=round(float(least[at])) if meets[at] and n_steps else None,
                caused_most_ns=round(float(most[at])) if meets[at] and n_steps else None,
                all_computation_ns=None if rank.lacks_device else summary.computation_ns,
                all_communication_ns=None if rank.lacks_device else summary.communication_ns,
                all_overlap_ns=None if rank.lacks_device else summary.overlap_ns,
                is_cut_off=summary.is_cut_off,
            )
        )
    return rows


def step_rows(of: Analysed, blame: list[Blamed]) -> list[JobStepRow]:
    own, job = of.own, of.job
    known = np.isfinite(own.step).any(axis=0)
    longest = np.full(len(own.number), np.nan)
    longest[known] = np.nanmax(own.step[:, known], axis=0)
    usual = float(np.nanmedian(longest)) if known.any() else 0.0
    away = float(np.nanmedian(np.abs(longest - usual))) if known.any() else 0.0
    ends = _ends(of)
    paths = {path.step: round(path.length) for path in of.paths}
    rows = []
    for at, number in enumerate(own.number.tolist()):
        column = own.step[:, at]
        some = column[np.isfinite(column)]
        rows.append(
            JobStepRow(
                number=number,
                shortest_ns=round(float(some.min())) if len(some) else None,
                longest_ns=round(float(some.max())) if len(some) else None,
                path_ns=paths.get(number),
                last_rank=_last_of(of, ends[:, at]) if job.are_clocks_tied and np.isfinite(column).all() else None,
                is_slow=bool(len(own.number) > 2 and longest[at] > usual + _SLOW * away and longest[at] > 1.02 * usual),
                late=[one.name for one in blame if number in one.steps],
                own_ns=_listed(own.own[:, at]) if job.has_own_work else [],
                wait_ns=_listed(told(own.wait[:, at], own.untold[:, at])) if job.has_waits else [],
                excess_ns=_listed(of.excess[:, at]) if job.has_own_work else [],
            )
        )
    return rows


def _last_of(of: Analysed, ends: Float64Array) -> int | None:
    """Who ends last by more than a tie and three errors of the clocks; asked where each rank recorded the step whole, since one
    whose end is not known may have ended it later.
    """
    some = np.flatnonzero(np.isfinite(ends))
    if len(some) < 2:
        return None
    second, last = some[np.argsort(ends[some])[-2:]].tolist()
    return of.job.of.ranks[last].number if ends[last] - ends[second] > tied_ns(of.clock_error_ns) else None


def _ends(of: Analysed) -> Float64Array:
    """[rank, step] when it ended, on the job's clock."""
    job, own = of.job, of.own
    ends = np.full(own.step.shape, np.nan)
    for at, rank in enumerate(job.of.ranks):
        steps = rank.steps
        kept = np.flatnonzero(is_among(steps["number"], own.number))
        end = steps["end"][kept] + (rank.summary.base_ns - job.table.base_ns)
        ends[at, np.searchsorted(own.number, steps["number"][kept])] = end - job.shift(at, end)
    return np.where(np.isfinite(own.step), ends, np.nan)


def _listed(values: Float64Array) -> list[int | None]:
    return [whole(value) for value in values.tolist()]


def _known(value: int) -> int | None:
    return None if value == NONE else int(value)
