"""The pipeline: a row a stage, and its bubbles in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.result import PipelineFigures, StageRow

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import Blamed

_UNEVEN: Final = 0.05
"""A stage that computes this much more than the mean is worth a word."""


def pipeline_figures(of: Analysed) -> PipelineFigures | None:
    found = of.pipeline
    if found is None:
        return None
    window, bubble = float(np.nanmean(found.window)), float(np.nanmean(found.bubble))
    return PipelineFigures(
        n_stages=found.n_stages,
        n_micro_batches=found.schedule.n_micro_batches,
        n_chunks=found.schedule.n_chunks,
        schedule=found.schedule.name,
        window_ns=round(window),
        bubble_ns=round(bubble),
        bubble_share=bubble / window if window > 0 else 0.0,
        ideal_share=found.schedule.ideal_share,
    )


def stage_rows(of: Analysed) -> list[StageRow]:
    """In the order of stages; of those that have a rank here."""
    found = of.pipeline
    if found is None:
        return []
    window = float(np.nanmean(found.window))
    members = {stage: np.flatnonzero(of.layout.stage == stage) for stage in range(found.n_stages)}
    members = {stage: ranks for stage, ranks in members.items() if len(ranks)}
    computed = {stage: float(np.nanmean(found.computation[ranks])) for stage, ranks in members.items()}
    usual = float(np.mean(list(computed.values())))
    numbers, replica = of.job.of.numbers, of.layout.replica
    rows = []
    for stage, ranks in members.items():
        warm_up, steady, drain = (float(np.nanmean(part[ranks])) for part in (found.warm_up, found.steady, found.drain))
        bubble = warm_up + steady + drain
        most = found.bubble[ranks]
        at, step = np.unravel_index(int(np.nanargmax(most)), most.shape)
        rows.append(
            StageRow(
                stage=stage,
                n_ranks=len(ranks),
                computation_ns=round(computed[stage]),
                imbalance_share=computed[stage] / usual - 1 if usual > 0 else 0.0,
                busy_ns=round(window - bubble),
                warm_up_ns=round(warm_up),
                steady_ns=round(steady),
                drain_ns=round(drain),
                bubble_ns=round(bubble),
                bubble_share=bubble / window if window > 0 else 0.0,
                most_bubble_ns=round(float(most[at, step])),
                most_bubble_rank=numbers[int(ranks[at])],
                most_bubble_step=int(of.own.number[step]),
                most_bubble_replica=[numbers[each] for each in np.flatnonzero(replica == replica[ranks[at]]).tolist()],
            )
        )
    return rows


def longest_stage(of: Analysed, stages: list[StageRow], blame: list[Blamed]) -> StageRow | None:
    """The one that computes most, where that is worth a word and nobody in it is blamed."""
    longest = max(stages, key=lambda row: row.imbalance_share, default=None)
    if longest is None or longest.imbalance_share < _UNEVEN:
        return None
    late = {rank for one in blame for rank in one.ranks}
    its = {number for number, stage in zip(of.job.of.numbers, of.layout.stage.tolist(), strict=True) if stage == longest.stage}
    return longest if late.isdisjoint(its) else None


def bubbles(found: PipelineFigures | None, longest: StageRow | None) -> str | None:
    """How much of the pipeline's time is a bubble, what a schedule without other losses would leave, and the uneven stage, where
    nothing else tells of it.
    """
    if found is None:
        return None
    told = f"{found.n_stages} stages"
    if found.n_chunks is not None and found.n_chunks > 1:
        told += f" of {found.n_chunks} chunks each"
    if found.n_micro_batches is not None:
        told += f", {found.n_micro_batches} micro-batches"
    if found.schedule is not None:
        told = f"{found.schedule}, {told}"
    uneven = ""
    if longest is not None:
        more = percent(longest.imbalance_share)
        uneven = f" Stage {longest.stage} computes {more} more than the mean of all stages, itself among them."
    of_it = f"{percent(found.bubble_share)} of the {format_ns(found.window_ns)} of forward and backward"
    return f"Pipeline bubbles are {format_ns(found.bubble_ns)} a step, {of_it} ({told}{_ideal(found)}).{uneven}"


def _ideal(found: PipelineFigures) -> str:
    """What bubbles would be where all stages compute as long as they do in the mean and nothing else is lost, and of what."""
    share = found.ideal_share
    if share is None or share >= 1:
        return ""
    window_ns = (found.window_ns - found.bubble_ns) / (1 - share)
    return f"; ideal bubble by formula {format_ns(window_ns * share)}, {percent(share)} of then {format_ns(window_ns)}"
