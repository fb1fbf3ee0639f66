"""Kernels that stood in a queue when the recording began."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind
from tests.job_files import launch_rows
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def steps_of_kernels(trace: Trace) -> dict[str, int]:
    events = trace.events
    rows = [row for row, kind in enumerate(events.kind.tolist()) if kind == Kind.KERNEL]
    return {trace.text(int(events.name_id[row])): int(events.step[row]) for row in rows}


@pytest.mark.parametrize("stream", [7, 20])
def test_they_are_of_no_step_though_they_run_while_the_host_is_in_one(tmp_path: Path, stream: int) -> None:
    """On the stream of what is launched later, or on one of their own."""
    trace = written(
        tmp_path,
        *launch_rows(1, 20.0, 500.0, 600.0, "aten::mm", "first", 7, {}),
        *launch_rows(2, 320.0, 600.0, 700.0, "aten::mm", "second", 7, {}),
        *(launch_rows(at, 0.0, 100.0 * at, 100.0 * at + 90, "", f"queued {at}", stream, {})[2] for at in (3, 4)),
    )
    assert steps_of_kernels(trace) == {"first": 0, "second": 1, "queued 3": NONE, "queued 4": NONE}


def test_what_lacks_its_launch_later_is_of_the_step_in_which_it_begins(tmp_path: Path) -> None:
    trace = written(
        tmp_path,
        *launch_rows(1, 20.0, 100.0, 200.0, "aten::mm", "first", 7, {}),
        launch_rows(2, 0.0, 350.0, 400.0, "", "lost", 7, {})[2],
    )
    assert steps_of_kernels(trace) == {"first": 0, "lost": 1}


def written(folder: Path, *events: dict[str, object]) -> Trace:
    """Two steps of 300 us of the host."""
    steps = [
        {"ph": "X", "pid": 9, "tid": 9, "cat": "user_annotation", "name": f"ProfilerStep#{at}", "ts": 300.0 * at, "dur": 300.0}
        for at in (0, 1)
    ]
    path = folder / "w.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [*steps, *events]}))
    return trace_of(path)
