from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.scope.selection import Selection
from tb_plugin.trace.times.operator_times import times_of
from tb_plugin.views.operators.stacks import python_stacks
from tests.profiles import sample
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def naive(trace: Trace, row: int) -> list[str]:
    """Up from the row; from a backward operator on, at most twice, up from its forward operator."""
    events, forward = trace.events, forward_backward(trace).forward
    frames: list[str] = []
    n_jumps = 0
    while row != NONE:
        name = trace.text(int(events.name_id[row]))
        is_frame = events.kind[row] == Kind.PYTHON and not name.startswith("nn.Module: ")
        if is_frame:
            frames.append(name)
        if not frames and forward[row] != NONE:
            if n_jumps == 2:
                return []
            n_jumps += 1
            row = int(forward[row])
        else:
            row = int(events.parent[row])
    return frames


@pytest.mark.parametrize("name", ["transformer", "compiled", "cuda"])
def test_each_row_has_the_frames_around_it_or_around_its_forward_operator(name: str) -> None:
    trace = reader.read(sample(name))
    stacks = python_stacks(trace)
    rows = np.flatnonzero(np.isin(trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON)))[:3000]
    for row in rows.tolist():
        assert [trace.text(name) for name in stacks.frames(int(stacks.of[row]))] == naive(trace, row), row


def test_equal_stacks_are_one_wherever_they_begin() -> None:
    trace = trace_from_text("""
        thread 1 | a.py(1): f 0-40 | b.py(2): g 5-15 | b.py(2): g 20-30 | aten::mm 22-24
        thread 2 | b.py(2): g 0-40 | a.py(1): f 5-15
    """)
    stacks = python_stacks(trace)
    shown = {trace.text(int(trace.events.name_id[row])): int(stacks.of[row]) for row in range(len(trace.events))}
    assert [trace.text(name) for name in stacks.frames(shown["aten::mm"])] == ["b.py(2): g", "a.py(1): f"]
    assert len(stacks.outer) == 4


def test_what_is_asked_under_the_same_filters_is_worked_out_once() -> None:
    trace = trace_from_text("thread 1 | ProfilerStep#1 0-9 | aten::mm 1-5\n")
    times = times_of(trace, Selection(steps="1"))
    assert times_of(trace, Selection(steps="1")) is times
    assert times_of(trace, Selection()) is not times
