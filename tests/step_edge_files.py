"""Programs (`program_files.py`) of jobs in which communication that one step launches goes on beside the next one's work.

data        gradients are reduced beside the next step's forward pass, which waits for them layer by layer
pipeline    1F1B; each receive is posted one pass ahead, the first of a step in the step before
sharded     the first layer of a step is gathered from the end of the step before on, gradients are scattered behind
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.program_files import Program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.program_files import Op

_FIRST: Final = 10
_LOADER_NS, _FORWARD_NS, _OPTIMIZER_NS = 50_000, 300_000, 100_000
_OPTIMIZER: Final = "multi_tensor_apply_kernel<Adam>"


def data(n_ranks: int = 4, n_steps: int = 4, n_layers: int = 6, *, syncs: bool = True, seed: int = 1) -> list[Program]:
    rng, every = random.Random(seed), range(n_ranks)
    programs = [Program(rank=rank) for rank in every]
    for one in programs:
        reduced: dict[int, Op] = {}
        for step in range(n_steps):
            one.loader(_LOADER_NS)
            for layer in range(n_layers):
                one.kernel(_near(rng, _FORWARD_NS), [reduced[layer]] if layer in reduced else [])
            for layer in reversed(range(n_layers)):
                last = one.kernel(_near(rng, 2 * _FORWARD_NS))
                reduced[layer] = one.meet("allreduce", every, "DATA_PARALLEL_GROUP", 500_000, [last])
            _ends(one, step, last, syncs=syncs)
    return programs


def sharded(
    n_ranks: int = 4, n_steps: int = 4, n_layers: int = 6, *, syncs: bool = True, is_late: bool = False, seed: int = 1
) -> list[Program]:
    """`is_late`: the optimizer of a step runs in the next one, once gradients are there."""
    rng, every = random.Random(seed), range(n_ranks)
    programs = [Program(rank=rank) for rank in every]
    for one in programs:
        ahead: Op | None = None
        left: list[Op] = []

        def gather(one: Program = one, after: Sequence[Op] = ()) -> Op:
            return one.meet("_allgather_base", every, "fsdp", 250_000, after)

        for step in range(n_steps):
            one.loader(_LOADER_NS)
            gathered = [ahead or gather()]
            if left:
                one.kernel(_OPTIMIZER_NS, left, _OPTIMIZER)
            for layer in range(n_layers):
                gathered += [gather()] if layer + 1 < n_layers else []
                one.kernel(_near(rng, _FORWARD_NS), [gathered[layer]])
            gathered, left = [gather()], []
            for layer in range(n_layers):
                gathered += [gather()] if layer + 1 < n_layers else []
                last = one.kernel(_near(rng, 2 * _FORWARD_NS), [gathered[layer]])
                left.append(one.meet("_reduce_scatter_base", every, "fsdp", 300_000, [last], 21))
            if not is_late:
                last = one.kernel(_OPTIMIZER_NS, left, _OPTIMIZER)
                left = []
            ahead = gather(after=[last])
            _ends(one, step, last, syncs=syncs)
    return programs


def pipeline(
    n_stages: int = 4,
    n_micro: int = 8,
    n_steps: int = 4,
    *,
    syncs: bool = True,
    send_ns: int = 60_000,
    slow: dict[int, float] | None = None,
    seed: int = 1,
) -> list[Program]:
    """`slow`: how many times as long it takes to send to a stage, and from it."""
    rng, every = random.Random(seed), range(n_stages)
    programs = [Program(rank=stage) for stage in every]

    def passed_on(one: Program, kind: str, other: int, stream: int, after: Sequence[Op] = ()) -> Op:
        pair = (one.rank, other) if kind == "send" else (other, one.rank)
        takes = int(send_ns * max((slow or {}).get(stage, 1.0) for stage in pair))
        return one.meet(kind, pair, "PIPELINE_MODEL_PARALLEL_GROUP", takes, after, stream)

    for one in programs:
        order = _order(n_stages, one.rank, n_micro)
        passes = order * n_steps
        posted: dict[int, Op] = {}
        for nth, what in enumerate(passes):
            if nth % len(order) == 0:
                one.loader(_LOADER_NS)
            for each in (nth, nth + 1):
                if each < len(passes) and each not in posted and (source := _source(passes[each], one.rank)) in every:
                    posted[each] = passed_on(one, "recv", source, 21 if passes[each] == "F" else 22)
            length = _near(rng, _FORWARD_NS if what == "F" else 2 * _FORWARD_NS)
            last = one.kernel(length, [posted[nth]] if nth in posted else [])
            target = 2 * one.rank - _source(what, one.rank)
            if target in every:
                passed_on(one, "send", target, 24 if what == "F" else 25, [last])
            if (nth + 1) % len(order) == 0:
                norm = one.meet("allreduce", every, "default_pg", 50_000, [last], 26)
                last = one.kernel(_OPTIMIZER_NS, [norm], _OPTIMIZER)
                _ends(one, nth // len(order), last, syncs=syncs)
    return programs


def _ends(one: Program, step: int, last: Op, *, syncs: bool) -> None:
    if syncs:  # as who reads the loss
        one.sync(last)
    one.step(_FIRST + step)


def _source(what: str, stage: int) -> int:
    return stage - 1 if what == "F" else stage + 1


def _order(n_stages: int, stage: int, n_micro: int) -> list[str]:
    first = min(n_stages - stage - 1, n_micro)
    return ["F"] * first + ["F", "B"] * (n_micro - first) + ["B"] * first


def _near(rng: random.Random, length_ns: int) -> int:
    return int(length_ns * (0.99 + 0.02 * rng.random()))
