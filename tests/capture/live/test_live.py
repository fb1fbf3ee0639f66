"""What the JSON cannot carry and the profile does: scope, the async flag, and where an open range truly ended."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.trace.kinds import Kind
from tests.capture.recording import record, small_step

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

SCOPE_FUNCTION, SCOPE_USER = 0, 7


def test_open_and_asynchronous_ranges_are_told_apart(tmp_path: Path) -> None:
    from torch.profiler import record_function

    kept = []  # a range ends when nobody holds it any more

    def step() -> None:
        elsewhere = record_function("ends elsewhere")
        elsewhere.__enter__()
        thread = threading.Thread(target=elsewhere.__exit__, args=(None, None, None))
        thread.start()
        thread.join()
        with record_function("closed"):
            left_open = record_function("left open")
            left_open.__enter__()
            kept.append(left_open)
            small_step()

    handler = tensorboard_trace_handler(tmp_path, "w")
    record(handler, step=step, record_shapes=True)
    assert handler.flush(timeout=240)
    trace = tb_plugin.load(next(tmp_path.glob("*.pb"))).trace
    assert trace.live.row.tolist() == sorted(trace.live.row.tolist())
    place = {}
    for name in ("ends elsewhere", "closed", "left open", "aten::mm"):
        rows = np.flatnonzero(trace.events.name_id == trace.strings.index(name))
        place[name] = np.flatnonzero(np.isin(trace.live.row, rows))
        assert len(place[name]) == len(rows) == 2
    live, events = trace.live, trace.events
    assert live.is_async[place["ends elsewhere"]].all()
    assert live.is_async[place["left open"]].all()
    assert not live.is_async[place["closed"]].any()
    assert set(live.scope[place["aten::mm"]]) == {SCOPE_FUNCTION}
    assert set(live.scope[place["closed"]]) == {SCOPE_USER}
    closed = live.row[place["closed"]]
    assert live.true_end_ns[place["closed"]].tolist() == events.end_ns[closed].tolist()
    # The JSON stretches an open range to the end of the recording; it ended with the range around it.
    stretched = events.end_ns[live.row[place["left open"]]] - live.true_end_ns[place["left open"]]
    assert (stretched > 0).all()
    assert (live.true_end_ns[place["left open"]] <= live.true_end_ns[place["closed"]]).all()


def test_every_operator_is_found_again_with_overload_names_too(tmp_path: Path) -> None:
    from torch._C._profiler import _ExperimentalConfig

    handler = tensorboard_trace_handler(tmp_path, "w")
    record(handler, with_stack=True, experimental_config=_ExperimentalConfig(capture_overload_names=True))
    assert handler.flush(timeout=240)
    trace = tb_plugin.load(next(tmp_path.glob("*.pb"))).trace
    assert any(name.startswith("aten::sum.") or name == "aten::sum" for name in trace.strings)
    rows = np.flatnonzero(np.isin(trace.events.kind, [Kind.OPERATOR, Kind.ANNOTATION]))
    assert trace.live.row.tolist() == rows.tolist()
