"""A figure that two doors or two views show is one figure."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin import views
from tb_plugin.answers import bodies
from tb_plugin.doors import cli
from tb_plugin.trace.model import Memory, Trace
from tb_plugin.views.memory import VIEW as MEMORY
from tb_plugin.views.overview import VIEW as OVERVIEW
from tests.profiles import sample, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.question.view import View

AMOUNTS = {12: 100, 14: 800, 16: -800, 22: 300, 28: -100, 36: 50, 45: 4000}
"""Time in us to bytes allocated then."""


def _with_memory() -> Trace:
    """Three steps; the kernel of the first runs until 26, so that the second step lasts from there."""
    marks = " | ".join(f"mark {time}-{time + 1}" for time in AMOUNTS)
    trace = trace_from_text(f"""
        thread 1 | begin 0-1 | ProfilerStep#1 10-20 | aten::mm 11-12 | ProfilerStep#2 20-30 | ProfilerStep#3 30-40
        thread 1 | {marks}
        stream 7 | gemm 18-26 <- aten::mm
    """)
    marked = [row for row, name in enumerate(trace.events.name_id.tolist()) if trace.text(name) == "mark"]
    columns = {
        "row": np.array(marked),
        "device_type": np.ones(len(marked)),
        "device_index": np.zeros(len(marked)),
        "bytes": np.array(list(AMOUNTS.values())),
        "total_allocated": np.cumsum(list(AMOUNTS.values())),
        "total_reserved": np.cumsum(np.maximum(list(AMOUNTS.values()), 0)),
    }
    return dataclasses.replace(trace, memory=Memory.from_columns({k: v.astype(np.int64) for k, v in columns.items()}))


@pytest.mark.parametrize(
    ("steps", "peak", "at_us"),
    [("", 4350, 45), ("1", 900, 14), ("2", 400, 22), ("3", 350, 36), ("1,3", 900, 14), ("2-3", 400, 22)],
)
def test_the_peak_of_steps_is_one_figure(steps: str, peak: int, at_us: int) -> None:
    """Memory is taken on the host: the host's range of a step counts, not how long its device work lasts."""
    trace = _with_memory()
    overview = OVERVIEW.main.answer(trace, OVERVIEW.main.params_from({"steps": steps}))
    assert overview.steps_end == "with_device_work"
    memory = MEMORY.main.answer(trace, MEMORY.main.params_from({"steps": steps}))
    (of_overview,), (device,) = overview.memory, memory.devices
    assert (of_overview.peak_allocated_bytes, of_overview.peak_ns) == (peak, 1000 * at_us)
    assert (device.peak_allocated_bytes, device.peak_ns) == (peak, 1000 * at_us)
    assert of_overview.peak_reserved_bytes == device.peak_reserved_bytes
    assert (memory.held.allocated_bytes, memory.held.time_ns) == (peak, 1000 * at_us)


@pytest.mark.parametrize("view", views.OF_ONE, ids=lambda view: view.id)
def test_the_shell_says_what_http_says(view: View[Any], capsys: pytest.CaptureFixture[str]) -> None:
    path = sample("cuda")
    assert cli.main([view.id, str(path), "--format", "json"]) == 0
    reply = bodies.body(view.main, trace_of(path), view.main.params_from({}), "sent")
    assert json.loads(capsys.readouterr().out) == json.loads(reply)["result"]


@pytest.mark.parametrize("view", views.OF_ONE, ids=lambda view: view.id)
def test_columns_of_csv_name_their_units(view: View[Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Of times and sizes: what has no unit in its name is a count, a share or a text."""
    assert cli.main([view.id, str(sample("cuda")), "--format", "csv"]) == 0
    header, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert len(set(header)) == len(header)
    assert {len(row) for row in rows} == {len(header)}
    for name in header:
        is_amount = re.search("start|end$|duration|delay|gain|mean|host_|device_|allocated|released_", name)
        assert not is_amount or re.search("_ns$|bytes$|_per_s$|share$|gain_how", name), name
