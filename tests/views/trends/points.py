"""Points of a trend as values: what a test says of a profile, the rest as of any."""

from __future__ import annotations

from typing import Any

from tb_plugin.question.joint import Member
from tb_plugin.trace.scope.recorded_as import RecordedAs
from tb_plugin.trace.span.figures import SpanFigures

RECORDED = RecordedAs(
    source="", device="H100", n_devices=1, rank=0, world_size=8, torch_version="2.9.0", runtime="CUDA 12.8", has_operators=True,
    has_stacks=False, has_shapes=False, has_memory=False, batch_elements=None, is_compiled=False, has_graphs=False,
    unlinked_share=0.0, is_cut_off=False, issues=[],
)  # fmt: skip


def figures(step_ns: int | None, *, n_steps: int = 6, recorded: RecordedAs = RECORDED, **more: Any) -> SpanFigures:
    given: dict[str, Any] = {
        "recorded": recorded, "began_ns": None, "last_step": 10, "n_steps": n_steps, "n_incomplete": 0,
        "steps_ns": [] if step_ns is None else [step_ns] * n_steps, "step_ns": step_ns, "p5_ns": step_ns, "p95_ns": step_ns,
        "mean_ns": step_ns, "parts_ns": [], "busy_share": 0.5, "waiting_for_host_ns": None, "exposed_communication_ns": None,
        "data_loader_ns": None, "peak_bytes": None, "reserved_bytes": None, "kernels": None, "launches": None, "mfu": None,
    }  # fmt: skip
    return SpanFigures(**given | more)


def member(place: int, answer: SpanFigures | None, *, run: str = "a", worker: str = "w", **more: Any) -> Member[SpanFigures]:
    given: dict[str, Any] = {
        "run": run, "worker": worker, "span": str(place), "label": worker, "recorded_ns": 1000 + place,
        "n_workers": 1, "n_ranks": 1,
        "state": "ready", "progress": 1.0, "reason": None, "answer": answer,
    }  # fmt: skip
    return Member(**given | more)


def series(*steps_ns: int, run: str = "a") -> list[Member[SpanFigures]]:
    """A run whose first profile is its warm-up, then these."""
    return [member(place, figures(step_ns), run=run) for place, step_ns in enumerate([steps_ns[0] * 2, *steps_ns])]
