"""What each stage computes for a micro-batch, and how long it first waits for it.

    receive        |-----wait-----|~~transfer~~|        wait(block): of its receive's wait what lies between
    computing  ####                            ####     the block before and its own first kernel

So waits of a stage never lie over each other: a receive that was posted early waits behind computing, or behind another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import length_within, subtract, union
from tb_plugin.job.own.pipeline import BACKWARD, FORWARD

if TYPE_CHECKING:
    from tb_plugin.job.job import Job
    from tb_plugin.views.ranks.pipeline.micro_blocks import StageBlocks


class BlockTimes(NamedTuple):
    """ns. A wait is None where its pass is not in the block, or its receive was not matched; 0 where nothing is received."""

    computing: int
    forward_wait: int | None
    backward_wait: int | None


def block_times(job: Job, stage: StageBlocks, since: int) -> list[BlockTimes]:
    """In the order of its blocks. `since`: where waits begin to count, on the job's clock."""
    found, before = [], since
    for block in stage.blocks:
        waits: dict[int, int | None] = {}
        for what, part in block.parts:
            row = stage.received.get((what, part), NONE)
            waits[what] = 0 if row == NONE else _exposed(job, stage, row, before, block.end)
        found.append(BlockTimes(_within(stage, block.start, block.end), waits.get(FORWARD), waits.get(BACKWARD)))
        before = max(before, block.end)
    return found


def _within(stage: StageBlocks, start: int, end: int) -> int:
    return int(length_within(stage.computing, np.array([start]), np.array([end]))[0])


def _exposed(job: Job, stage: StageBlocks, row: int, start: int, end: int) -> int | None:
    if not job.waits.is_known[row]:
        return None
    begin = max(start, int(job.waits.start[row]))
    until = min(end, int(job.waits.start[row] + job.waits.wait[row]))
    if until <= begin:
        return 0
    shown = subtract(union(np.array([begin]), np.array([until])), stage.computing)
    return int(np.sum(shown.end - shown.start))
