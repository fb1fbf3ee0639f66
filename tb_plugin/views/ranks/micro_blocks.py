"""Which kernels of a stage are of which micro-batch, forward or backward: by the order in which its host launched.

    first stage    F0 s  F1 s  r B0F2 s  r B1F3 s  r B2  r B3          s: a send, r: a receive
    between        F0 s  F1 s  B0 s  F2 s  B1 s  ...
    last stage     r F0B0 s  r F1B1 s  ...

Kernels up to a send made what is sent. On the first stage nothing is sent after a backward, on the last nothing after a forward:
there what was received before them tells it, and what nothing is passed on between is one block of both. A block reaches from its
first kernel to its last; the n-th send or receive of a direction is of micro-batch n.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import Merged, union
from tb_plugin.job.pipeline import BACKWARD, FORWARD, NEITHER, passed_on
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.views.ranks.on_job import on_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.ranks.analysed import Analysed

_TIE_NS: Final = 20_000
"""Kernels begin no earlier than what they use was received, but for so much; a receive may be posted long before."""


class MicroBlock(NamedTuple):
    """The micro-batch in its forward and in its backward, NONE: it is none; from where to where on the job's clock."""

    forward: int
    backward: int
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class StageBlocks:
    """Of one rank, on the job's clock. Its forward and backward lie between `begin` and `end`; `n_micro` is what its sends and
    receives count; `received`: by FORWARD or BACKWARD and micro-batch the row.
    """

    begin: int
    end: int
    blocks: list[MicroBlock]
    n_micro: int
    computing: Merged
    received: dict[tuple[int, int], int]

    @property
    def n_forward(self) -> int:
        return sum(block.forward != NONE for block in self.blocks)

    @property
    def n_backward(self) -> int:
        return sum(block.backward != NONE for block in self.blocks)


def stage_blocks(of: Analysed, places: Sequence[int], step: int) -> list[StageBlocks | None]:
    """None of a rank without the step. Of chunked stages (interleaved) the blocks mean nothing."""
    passed = passed_on(of.job, of.dimensions, of.layout)
    return [_of_rank(of, passed, place, step) for place in places]


class _Border(NamedTuple):
    """A send, or a receive that is all that tells of a pass."""

    is_send: bool
    what: int  # FORWARD or BACKWARD
    nth: int
    end: int


def _of_rank(of: Analysed, passed: Int64Array, place: int, step: int) -> StageBlocks | None:
    rank = of.job.of.ranks[place]
    at = np.flatnonzero(rank.steps["number"] == step)
    if len(at) == 0 or rank.work["passes_from"][at[0]] == NONE:
        return None
    t0, t1 = (int(rank.work[name][at[0]]) for name in ("passes_from", "passes_until"))
    limits = on_job(of.job, place, np.array([t0, t1], np.int64)).tolist()
    blocks, n_micro, received = _walked(of, np.where(of.job.rows.step == step, passed, NEITHER), place, t0, t1)
    is_chunk = (rank.order["kind"] == CHUNK) & (rank.order["end"] > t0) & (rank.order["start"] < t1)
    chunks = (on_job(of.job, place, np.clip(rank.order[name][is_chunk], t0, t1)) for name in ("start", "end"))
    return StageBlocks(
        begin=limits[0], end=limits[1], blocks=blocks, n_micro=n_micro, computing=union(*chunks), received=received
    )


def _walked(
    of: Analysed, passed: Int64Array, place: int, t0: int, t1: int
) -> tuple[list[MicroBlock], int, dict[tuple[int, int], int]]:
    """(blocks, micro-batches, what was received). `passed`: of this step. Its kernels run from t0 to t1 on its own clock."""
    order, stage = of.job.of.ranks[place].order, int(of.layout.stage[place])
    alone = {0: BACKWARD, int(of.layout.stage.max()): FORWARD}.get(stage, NONE)  # what nothing is sent after
    mine, sends = of.job.rows_of(place), of.job.rows.kind == kinds.SEND
    is_here = (order["kind"] == COLLECTIVE) | ((order["kind"] == CHUNK) & (order["end"] > t0) & (order["start"] < t1))
    counts: dict[tuple[bool, int], int] = {}
    received: dict[tuple[int, int], int] = {}
    blocks: list[MicroBlock] = []
    chunks: list[int] = []
    before: _Border | None = None
    for each in np.flatnonzero(is_here).tolist():
        if order["kind"][each] == CHUNK:
            chunks.append(each)
            continue
        row = mine[order["what"][each]]
        is_send, what = bool(sends[row]), int(passed[row])
        if what == NEITHER:
            continue
        nth = counts[is_send, what] = counts.get((is_send, what), NONE) + 1
        if not is_send:
            received[what, nth] = int(row)
            if what != alone:
                continue
        border = _Border(is_send, what, nth, int(order["end"][each]))
        blocks += _block(of, place, chunks, before, border, (t0, t1))
        before, chunks = border, []
    blocks += _block(of, place, chunks, before, None, (t0, t1))
    return blocks, max(counts.values(), default=NONE) + 1, received


def _block(
    of: Analysed, place: int, chunks: list[int], before: _Border | None, after: _Border | None, limits: tuple[int, int]
) -> list[MicroBlock]:
    """One, or none where there are no kernels between the borders, or nothing tells whose they are."""
    order = of.job.of.ranks[place].order
    if not chunks:
        return []
    start, end = max(int(order["start"][chunks].min()), limits[0]), min(int(order["end"][chunks].max()), limits[1])
    told = {FORWARD: NONE, BACKWARD: NONE}
    if before is not None and not before.is_send and start >= before.end - _TIE_NS:
        told[before.what] = before.nth
    if after is not None and after.is_send:
        told[after.what] = after.nth
    if end <= start or max(told.values()) == NONE:
        return []
    begun, ended = on_job(of.job, place, np.array([start, end], np.int64)).tolist()
    return [MicroBlock(told[FORWARD], told[BACKWARD], begun, ended)]
