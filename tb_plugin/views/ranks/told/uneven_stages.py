"""Stages of a pipeline that compute longer than the mean of all, where nobody is blamed for it: three of four are no exception.

stage    0    1    2    3
layers   3    4    4    4     with 3.75 each a step would be shorter
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.job.what_if.even_share import even_share
from tb_plugin.job.what_if.what_if import told_with
from tb_plugin.views.ranks.basis.names import a_step, counted
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.rows.pipeline_rows import longest_stage
from tb_plugin.views.ranks.told.blame import means_of
from tb_plugin.views.ranks.told.replayed import replayed

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import Blamed, StageRow

_HALF: Final = 0.5


def uneven_stages(of: Analysed, stages: list[StageRow], blame: list[Blamed]) -> tuple[str, Lead] | None:
    """With what a step would be, had all as much to do; None where it would be no shorter, or no replay tells."""
    longest = longest_stage(of, stages, blame)
    replay = None if longest is None else of.replay  # it takes long to make again
    if longest is None or replay is None:
        return None
    lag, rows = replay.lag.copy(), np.flatnonzero(replay.is_chunk)
    lag[replay.length_edge[rows]] *= even_share(of.own, of.layout.stage, of.faults.of_alone)[replay.rank[rows]]
    means = means_of(told_with(replay, of.job_in_replay, lag, tuple(replay.as_it_was)))
    long = [row.stage for row in stages if row.imbalance_share >= _HALF * longest.imbalance_share]
    compute, its, self = ("compute", "their", "these") if long[1:] else ("computes", "its", "itself")
    gain = "" if means is None else replayed(means, f"With {its} work spread evenly over the stages {a_step(of)}")
    if not gain:
        return None
    who, more = counted("stage", long), [row.imbalance_share for row in stages if row.stage in long]
    by = " to ".join(dict.fromkeys((percent(min(more)), percent(max(more)))))
    ranks = [number for number, stage in zip(of.job.of.numbers, of.layout.stage.tolist(), strict=True) if stage in long]
    lead = Lead(ranks=ranks, table="stage")
    return f"{who[0].upper()}{who[1:]} {compute} {by} more than the mean of all stages, {self} among them.{gain}", lead
