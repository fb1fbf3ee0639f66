"""Which micro-batch, and which chunk of layers, the n-th message of a stage is of.

    p = 3, v = 2, m = 6     forwards of each stage, micro-batch·chunk:     0·0 1·0 2·0  0·1 1·1 2·1  3·0 4·0 5·0  3·1 4·1 5·1
                            backwards:                                     0·1 1·1 2·1  0·0 1·0 2·0  3·1 4·1 5·1  3·0 4·0 5·0

p micro-batches of a chunk after each other (Narayanan et al. 2021). Before the first chunk of stage 0 nothing is received in the
forward, after the last of the last stage nothing is sent; the last stage sends to stage 0, whose next chunk goes on. Without
chunks the n-th message of a direction is of micro-batch n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.job.own.pipeline import BACKWARD, FORWARD

if TYPE_CHECKING:
    from tb_plugin.job.own.pipeline import PipelineSchedule


class ModelPart(NamedTuple):
    """Of what passes through a stage."""

    micro: int
    chunk: int


class StageParts:
    """Of a stage."""

    def __init__(self, schedule: PipelineSchedule, n_stages: int, stage: int) -> None:
        self._n_chunks, self._stage, self._n_stages = schedule.n_chunks or 1, stage, n_stages
        self._order = None if self._n_chunks == 1 else chunk_orders(n_stages, schedule.n_micro_batches or 0, self._n_chunks)

    def of(self, nth: int, what: int, *, is_send: bool) -> ModelPart | None:
        """None: there is no such message."""
        if self._order is None:
            return ModelPart(nth, 0)
        passed = [part for part in self._order[what] if not self.is_end(part, what if is_send else BACKWARD + FORWARD - what)]
        return passed[nth] if nth < len(passed) else None

    def is_end(self, part: ModelPart, what: int) -> bool:
        """Whether nothing is sent after it, and so nothing received before it in the other direction."""
        if what == FORWARD:
            return self._stage == self._n_stages - 1 and part.chunk == self._n_chunks - 1
        return self._stage == 0 and part.chunk == 0


def chunk_orders(n_stages: int, n_micro: int, n_chunks: int) -> dict[int, list[ModelPart]]:
    """Of FORWARD and BACKWARD; `n_micro` is a multiple of the stages."""
    some = [range(first, first + n_stages) for first in range(0, n_micro, n_stages)]
    return {
        what: [ModelPart(micro, chunk) for of in some for chunk in chunks for micro in of]
        for what, chunks in ((FORWARD, range(n_chunks)), (BACKWARD, range(n_chunks - 1, -1, -1)))
    }


def can_be_told(schedule: PipelineSchedule, n_stages: int) -> bool:
    """Of stages with chunks only where they are counted, and take turns in the order above."""
    if schedule.name != "interleaved":
        return True
    return schedule.n_micro_batches is not None and schedule.n_chunks is not None and schedule.n_micro_batches % n_stages == 0
