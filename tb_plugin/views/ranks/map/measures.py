"""What is measured of each rank: in each step, or of each kind or dimension of its collectives. Laid out by `matrix.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.own.exposed import exposed_by, told
from tb_plugin.job.own.memory import peaks_of
from tb_plugin.trace.collectives import kinds
from tb_plugin.views.ranks.missing.lacking import why_no_waits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

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
    "memory",
    "rate",
    "link",
]

OF_COLLECTIVES: Final = ("wait", "transfer", "untold", "rate")
"""What kinds and dimensions of collectives have of their own."""


def measured(of: Analysed, measure: Measure) -> Float64Array | str:
    """[rank, step], ns (or bytes, or rows that all-to-alls brought), NaN where not known; a sentence where nobody knows."""
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
    if measure == "memory":
        peaks = peaks_of(of.job, own)
        return peaks if np.isfinite(peaks).any() else "not recorded: profile_memory=True records memory"
    if measure == "excess":
        return of.excess
    if measure == "caused":
        return np.where(np.isfinite(own.step) & of.job.meets[:, None], of.caused.least_ns, np.nan)
    if measure in ("wait", "transfer"):
        return told(own.wait if measure == "wait" else own.parts["transfer"], own.untold)
    plain = {"own": own.own, "step": own.step, "untold": own.untold}
    return plain[measure] if measure in plain else own.parts[measure]


def exposed_of(of: Analysed, measure: Measure, chosen: list[int]) -> Float64Array | str:
    """[rank, step]: exposed wait, transfer, or what is not told apart, of these dimensions."""
    if not of.job.has_waits:
        return f"not recorded: {why_no_waits(of.job)}"
    shares = np.full((*of.own.step.shape, 3), np.nan)
    rank, step, found = _of_steps(of, of.exposed.shares)
    shares[rank, step] = found[:, chosen].sum(axis=1)
    return _one_of(np.where(np.isfinite(of.own.step)[..., None], shares, np.nan), measure)


def _one_of(shares: Float64Array, measure: Measure) -> Float64Array:
    """Of exposed wait, transfer and what is not told apart, which lie along the last axis."""
    wait, transfer, untold = np.moveaxis(shares, -1, 0)
    plain: Float64Array = untold
    return {"wait": told(wait, untold), "transfer": told(transfer, untold)}.get(measure, plain)


def of_collectives(of: Analysed, measure: Measure, axes: Literal["kind", "dimension"], chosen: list[int]) -> Float64Array | str:
    """[rank, kind or dimension]: exposed wait, transfer, or what is not told apart, mean over the rank's steps; or the bus rate.
    NaN where it has none.

    An instant is divided among the kinds that are active in it, as it is among dimensions, of which `chosen` count.
    """
    job, rows = of.job, of.job.rows
    if not job.has_waits:
        return f"not recorded: {why_no_waits(job)}"
    dimension = of.dimensions.of_rows(rows.group)
    column, n = (rows.kind, len(kinds.KINDS)) if axes == "kind" else (dimension, len(of.dimensions.names))
    is_chosen = np.isin(dimension, chosen)
    if measure == "rate":
        return _rates(of, np.where(is_chosen, column, NONE), n)
    if axes == "kind":
        shares = of.kept.get(("by kind", *chosen), lambda: _by_kind(of, is_chosen))
    else:
        shares = np.where(np.isin(np.arange(n), chosen)[:, None], _of_ranks(of, of.exposed.shares), 0.0)
    result = _one_of(shares, measure)
    n_steps = np.maximum(np.isfinite(of.own.step).sum(axis=1), 1)
    is_there = result > 0
    counts = np.isin(rows.step, of.own.number) & is_chosen
    is_there[rows.rank[counts], column[counts]] = True
    divided: Float64Array = np.where(is_there, result / n_steps[:, None], np.nan)
    return divided


def _by_kind(of: Analysed, is_chosen: BoolArray) -> Float64Array:
    """[rank, kind, (wait, transfer, not told apart)]; what is not chosen has its part of an instant, too."""
    n, kind = len(kinds.KINDS), of.job.rows.kind
    return _of_ranks(of, exposed_by(of.job, np.where(is_chosen, kind, n + kind), 2 * n, rows=of.exposed).shares)[:, :n]


def _of_ranks(of: Analysed, shares: Sequence[Int64Array]) -> Float64Array:
    """[rank, ...]: sums over the steps that are told, of what is of each step of each rank."""
    rank, _, found = _of_steps(of, shares)
    sums = np.zeros((len(shares), *found.shape[1:]))
    if len(rank):
        places, first = np.unique(rank, return_index=True)
        sums[places] = np.add.reduceat(found, first, axis=0)
    return sums


def _of_steps(of: Analysed, shares: Sequence[Int64Array]) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(place of the rank, place of the step, what is of it) of each step of each rank that is told, in the order of ranks."""
    steps = [rank.steps["number"] for rank in of.job.of.ranks]
    numbers = np.concatenate(steps)
    kept = np.flatnonzero(np.isin(numbers, of.own.number))
    rank = np.repeat(np.arange(len(steps)), [len(each) for each in steps])
    return rank[kept], np.searchsorted(of.own.number, numbers[kept]), np.concatenate(shares)[kept]


def _rates(of: Analysed, column: Int64Array, n: int) -> Float64Array:
    """[rank, column], bytes/s: the median of the collectives that the rank is in, of those that have a rate at all."""
    rows, instance = of.job.rows, of.job.matched.of
    rate = np.where(instance == NONE, np.nan, np.append(of.links.bandwidth, np.nan)[instance])
    use = np.flatnonzero(np.isfinite(rate) & (column != NONE) & rows.is_there)
    cell = rows.rank[use] * n + column[use]
    order = np.lexsort((rate[use], cell))
    cells, first, count = np.unique(cell[order], return_index=True, return_counts=True)
    ordered = rate[use][order]
    rates = np.full(len(of.job.of.ranks) * n, np.nan)
    if len(cells):
        rates[cells] = (ordered[first + (count - 1) // 2] + ordered[first + count // 2]) / 2
    return rates.reshape(-1, n)
