"""The schedule of a pipeline without a loss: its micro-batches at their mean durations, each as soon as the one before is done.

    p = 3, m = 4     stage 0   F F F . . . B . F B . B . B      nothing waits for a message; forward and backward take as long on
                     stage 1   . F F . B F B ...                every stage: (m + p - 1) (F + B) in all

Of interleaved stages with v chunks F and B are those of a chunk: (m v + p - 1) (F + B) in all.

Where a block is a forward and a backward, nobody knows which part is which: together they take the mean of all, and the blocks of
one pass alone tell how that is divided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.own.pipeline import BACKWARD, FORWARD
from tb_plugin.views.ranks.pipeline.micro_parts import ModelPart, chunk_orders

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.job.own.pipeline import ScheduleName
    from tb_plugin.views.ranks.pipeline.micro_blocks import MicroBlock

_FORWARD: Final = True


class IdealBlock(NamedTuple):
    """Of a stage. Times since the first forward begins, ns."""

    stage: int
    is_forward: bool
    micro: int
    start: int
    end: int
    chunk: int = 0


def mean_durations(blocks: Sequence[Sequence[MicroBlock]], n_parts: int) -> tuple[float, float] | None:
    """(forward, backward) of a micro-batch in a chunk of a stage, ns; None where no block is of one pass alone."""
    every = [block for of_stage in blocks for block in of_stage]
    alone = [
        [block.end - block.start for block in every if (block.forward != NONE) == forward and (block.backward != NONE) != forward]
        for forward in (True, False)
    ]
    if not all(alone):
        return None
    forward, backward = (float(np.mean(each)) for each in alone)
    both = sum(block.end - block.start for block in every) / (n_parts * len(blocks))
    return both * forward / (forward + backward), both * backward / (forward + backward)


def ideal_blocks(
    name: ScheduleName, n_stages: int, n_micro: int, forward: float, backward: float, n_chunks: int = 1
) -> list[IdealBlock]:
    """In the order of stages, and in each of time."""
    orders = [
        list(_order(name, n_stages, n_micro, stage) if n_chunks == 1 else _of_chunks(n_stages, n_micro, n_chunks, stage))
        for stage in range(n_stages)
    ]
    free, place = [0.0] * n_stages, [0] * n_stages
    done: dict[tuple[bool, int, int], float] = {}
    found: list[IdealBlock] = []
    while any(place[stage] < len(order) for stage, order in enumerate(orders)):
        for stage, order in enumerate(orders):
            while place[stage] < len(order):
                is_forward, (micro, chunk) = order[place[stage]]
                its = chunk * n_stages + stage
                before = its - 1 if is_forward else its + 1
                if 0 <= before < n_stages * n_chunks and (is_forward, micro, before) not in done:
                    break
                start = max(free[stage], done.get((is_forward, micro, before), 0.0))
                end = done[is_forward, micro, its] = free[stage] = start + (forward if is_forward else backward)
                found.append(IdealBlock(stage, is_forward, micro, round(start), round(end), chunk))
                place[stage] += 1
    return sorted(found, key=lambda block: (block.stage, block.start))


def _of_chunks(n_stages: int, n_micro: int, n_chunks: int, stage: int) -> Iterator[tuple[bool, ModelPart]]:
    orders = chunk_orders(n_stages, n_micro, n_chunks)
    forward, backward = iter(orders[FORWARD]), orders[BACKWARD]
    for _ in range(min(2 * (n_stages - stage - 1) + (n_chunks - 1) * n_stages, len(backward))):
        yield _FORWARD, next(forward)
    for part in backward:
        then = next(forward, None)
        if then is not None:
            yield _FORWARD, then
        yield not _FORWARD, part


def _order(name: ScheduleName, n_stages: int, n_micro: int, stage: int) -> Iterator[tuple[bool, ModelPart]]:
    """Of forwards (True) and backwards, with their micro-batch."""
    first = n_micro if name == "GPipe" else min(n_stages - stage, n_micro)
    for micro in range(first):
        yield _FORWARD, ModelPart(micro, 0)
    for micro in range(n_micro):
        yield not _FORWARD, ModelPart(micro, 0)
        if micro + first < n_micro:
            yield _FORWARD, ModelPart(micro + first, 0)
