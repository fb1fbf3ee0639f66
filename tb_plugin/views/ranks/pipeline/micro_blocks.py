"""Which kernels of a stage are of which micro-batch, forward or backward: by the order in which its host launched.

    first stage    F0 s  F1 s  r B0F2 s  r B1F3 s  r B2  r B3          s: a send, r: a receive
    between        F0 s  F1 s  B0 s  F2 s  B1 s  ...
    last stage     r F0B0 s  r F1B1 s  ...

Kernels up to a send made what is sent. On the first stage nothing is sent after a backward, on the last nothing after a forward:
there what was received before them tells it, and what nothing is passed on between is one block of both. A block reaches from its
first kernel to its last; which micro-batch and chunk the n-th send or receive of a direction is of: `micro_parts.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import Merged, union
from tb_plugin.job.own.pipeline import BACKWARD, FORWARD, NEITHER, passed_on
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.views.ranks.basis.on_job import on_job
from tb_plugin.views.ranks.pipeline.micro_parts import ModelPart, StageParts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.own.pipeline import Pipeline
    from tb_plugin.views.ranks.basis.analysed import Analysed

_NO_PART: Final = ModelPart(NONE, 0)
_TIE_NS: Final = 20_000
"""Kernels begin no earlier than what they use was received, but for so much; a receive may be posted long before."""


class MicroBlock(NamedTuple):
    """The micro-batch in its forward and in its backward, NONE: it is none; from where to where on the job's clock."""

    forward: int
    backward: int
    start: int
    end: int
    forward_chunk: int = 0
    backward_chunk: int = 0

    @property
    def parts(self) -> list[tuple[int, ModelPart]]:
        """(FORWARD or BACKWARD, of what) that it is."""
        forward, backward = ModelPart(self.forward, self.forward_chunk), ModelPart(self.backward, self.backward_chunk)
        return [(what, part) for what, part in ((FORWARD, forward), (BACKWARD, backward)) if part.micro != NONE]


@dataclass(frozen=True, kw_only=True)
class StageBlocks:
    """Of one rank, on the job's clock. Its forward and backward lie between `begin` and `end`; `n_parts` is what its sends and
    receives count, micro-batches x chunks; `received`: by FORWARD or BACKWARD and part the row.
    """

    begin: int
    end: int
    blocks: list[MicroBlock]
    n_parts: int
    computing: Merged
    received: dict[tuple[int, ModelPart], int]

    @property
    def n_forward(self) -> int:
        return sum(block.forward != NONE for block in self.blocks)

    @property
    def n_backward(self) -> int:
        return sum(block.backward != NONE for block in self.blocks)


def stage_blocks(of: Analysed, found: Pipeline, places: Sequence[int], step: int) -> list[StageBlocks | None]:
    """None of a rank without the step. Of chunked stages (interleaved) they mean nothing where `can_be_told` denies it."""
    is_around = found.schedule.name == "interleaved"
    passed = passed_on(of.job, of.dimensions, of.layout, found.n_stages if is_around else None)
    parts = [StageParts(found.schedule, found.n_stages, int(of.layout.stage[place])) for place in places]
    return [_of_rank(of, its, passed, place, step) for its, place in zip(parts, places, strict=True)]


def is_in_order(of: Analysed, stage: StageBlocks) -> bool:
    """Whether nothing is computed before what it is made from was received: else it is not of that micro-batch."""
    for block in stage.blocks:
        ends = [int(of.job.waits.end[stage.received[each]]) - _TIE_NS for each in block.parts if each in stage.received]
        if any(end > (block.start if len(block.parts) == 1 else block.end) for end in ends):
            return False
    return True


class _Border(NamedTuple):
    """A send, or a receive that is all that tells of a pass."""

    is_send: bool
    what: int  # FORWARD or BACKWARD
    part: ModelPart
    end: int


def _of_rank(of: Analysed, parts: StageParts, passed: Int64Array, place: int, step: int) -> StageBlocks | None:
    rank = of.job.of.ranks[place]
    at = np.flatnonzero(rank.steps["number"] == step)
    if len(at) == 0 or rank.work["passes_from"][at[0]] == NONE:
        return None
    t0, t1 = (int(rank.work[name][at[0]]) for name in ("passes_from", "passes_until"))
    limits = on_job(of.job, place, np.array([t0, t1], np.int64)).tolist()
    blocks, n_parts, received = _walked(of, parts, np.where(of.job.rows.step == step, passed, NEITHER), place, t0, t1)
    is_chunk = (rank.order["kind"] == CHUNK) & (rank.order["end"] > t0) & (rank.order["start"] < t1)
    chunks = (on_job(of.job, place, np.clip(rank.order[name][is_chunk], t0, t1)) for name in ("start", "end"))
    return StageBlocks(
        begin=limits[0], end=limits[1], blocks=blocks, n_parts=n_parts, computing=union(*chunks), received=received
    )


def _walked(
    of: Analysed, parts: StageParts, passed: Int64Array, place: int, t0: int, t1: int
) -> tuple[list[MicroBlock], int, dict[tuple[int, ModelPart], int]]:
    """(blocks, micro-batches, what was received). `passed`: of this step. Its kernels run from t0 to t1 on its own clock."""
    order = of.job.of.ranks[place].order
    mine, sends = of.job.rows_of(place), of.job.rows.kind == kinds.SEND
    is_here = (order["kind"] == COLLECTIVE) | ((order["kind"] == CHUNK) & (order["end"] > t0) & (order["start"] < t1))
    counts: dict[tuple[bool, int], int] = {}
    received: dict[tuple[int, ModelPart], int] = {}
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
        part = parts.of(nth, what, is_send=is_send)
        if part is None:
            continue
        if not is_send:
            received[what, part] = int(row)
            is_next = before is not None and not before.is_send and before.what == what  # after one that nothing is sent after
            if not is_next and not parts.is_end(part, what):
                continue
        border = _Border(is_send, what, part, int(order["end"][each]))
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
    told: dict[int, ModelPart] = {}
    if before is not None and not before.is_send and start >= before.end - _TIE_NS:
        told[before.what] = before.part
    if after is not None and after.is_send and told.setdefault(after.what, after.part) != after.part:
        return []
    if end <= start or not told:
        return []
    begun, ended = on_job(of.job, place, np.array([start, end], np.int64)).tolist()
    forward, backward = told.get(FORWARD, _NO_PART), told.get(BACKWARD, _NO_PART)
    return [MicroBlock(forward.micro, backward.micro, begun, ended, forward.chunk, backward.chunk)]
