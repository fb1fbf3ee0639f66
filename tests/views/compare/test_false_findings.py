"""Recordings of one program, simulated: what is found where nothing changed, and that what changed is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.apportion import apportioned
from tb_plugin.trace.scope.recorded_as import RecordedAs
from tb_plugin.trace.times.breakdown import PARTS
from tb_plugin.trace.times.idle import USES
from tb_plugin.views.compare.sums.result import CallSums, KernelSums, OneStep, ProfileSums
from tests.views.compare.drawn import pair

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.views.compare.result import Pair

N_PAIRS = 150  # 2 000 gave: the step in 3.6 %, parts in 0.3 %, no row
N_ROWS = 40
BASE_US = {
    "kernel": 60_000,
    "copy": 4_000,
    "set": 800,
    "communication": 9_000,
    "runtime": 5_000,
    "data_loader": 9_000,
    "other_host": 8_000,
    "idle": 4_000,
}

RECORDED = RecordedAs(
    source="simulated",
    device="D",
    n_devices=1,
    rank=None,
    world_size=None,
    torch_version=None,
    runtime=None,
    has_operators=True,
    has_stacks=False,
    has_shapes=False,
    has_memory=False,
    batch_elements=None,
    is_compiled=False,
    has_graphs=False,
    unlinked_share=0.0,
    is_cut_off=False,
    issues=[],
)


def recording(drawn: np.random.Generator, n_steps: int = 6, slower: float = 1.0) -> ProfileSums:
    """Steps of 100 ms with 3 % noise, of which 5 % are outliers; `slower`: the kernels."""
    parts = np.zeros((n_steps, len(PARTS)), np.int64)
    outlier = np.where(drawn.random(n_steps) < 0.05, 1 + 0.5 * drawn.random(n_steps), 1.0)
    for name, base_us in BASE_US.items():
        factor = slower if name == "kernel" else 1.0
        noise = 1 + 0.03 * drawn.standard_normal(n_steps)
        parts[:, PARTS.index(name)] = np.round(1_000 * base_us * factor * noise * outlier)
    busy = parts[:, :4].sum(axis=1)
    weights = np.linspace(1, 5, N_ROWS)[:, np.newaxis] * (1 + 0.03 * drawn.standard_normal((N_ROWS, n_steps)))
    wall = apportioned(weights / weights.sum(axis=0) * busy, busy)
    steps = [
        OneStep(
            number=i,
            kind=0,
            start_ns=i * 10**9,
            duration_ns=int(parts[i].sum()),
            parts=parts[i].tolist(),
            uses=[int(busy[i]), *[0] * (len(USES) - 2), int(parts[i].sum() - busy[i])],
            exposed_communication_ns=0,
        )
        for i in range(n_steps)
    ]
    return ProfileSums(
        recorded=RECORDED,
        unit="step",
        per="",
        basis="device",
        n_incomplete=0,
        not_recorded=[],
        steps=steps,
        calls=_calls(wall),
        lines=[],
        n_folded=0,
    )


def _calls(wall: Int64Array) -> list[CallSums]:
    return [
        CallSums(
            module="",
            operator=f"op_{row}",
            name=f"aten::op_{row}",
            shapes="",
            types="",
            calls=[1] * wall.shape[1],
            first_ns=row,
            longest_ns=0,
            longest_for_ns=1,
            flops=None,
            bytes=None,
            kernels=[KernelSums(name=f"k_{row}", category="matmul", count=wall.shape[1], total_ns=1, wall_ns=wall[row].tolist())],
        )
        for row in range(len(wall))
    ]


def found_in(pairs: list[Pair]) -> tuple[float, float, float]:
    """Pairs with a finding at the step, pairs with one in the parts, findings in operators a pair."""
    steps = sum(found.step.verdict == "finding" for found in pairs)
    parts = sum(any(part.verdict == "finding" for part in found.parts) for found in pairs)
    rows = sum(row.verdict == "finding" and row.kind == "operator" for found in pairs for row in found.rows)
    return steps / len(pairs), parts / len(pairs), rows / len(pairs)


def test_where_nothing_changed_hardly_anything_is_found() -> None:
    drawn = np.random.default_rng(11)
    step, parts, rows = found_in([pair(recording(drawn), recording(drawn)) for _ in range(N_PAIRS)])
    assert step <= 0.05
    assert parts <= 0.05
    assert rows <= 0.1


def test_kernels_that_take_a_fifth_longer_are_found() -> None:
    drawn = np.random.default_rng(12)
    step, parts, _ = found_in([pair(recording(drawn), recording(drawn, slower=1.2)) for _ in range(40)])
    assert step > 0.7
    assert parts > 0.7
