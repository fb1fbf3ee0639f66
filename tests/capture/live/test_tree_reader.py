"""What the live tree alone knows gets into the stored profile: where torch has it, and in the right rows."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tb_plugin
from tb_plugin import tensorboard_trace_handler
from tb_plugin.capture.live import rows as live_rows
from tb_plugin.capture.live import tree_reader
from tb_plugin.capture.live.columns import TABLES, LiveColumns
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TensorPart
from tests.capture.recording import record, warned
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tb_plugin.trace.model import Trace

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

IDS = {"record_shapes": True, "profile_memory": True}


class NoPace:
    """Reads without rest."""

    hurried = True

    def slice(self) -> AbstractContextManager[None]:
        return nullcontext()


class TestOfRealProfiles:
    @staticmethod
    def recorded(folder: Path, **options: Any) -> Trace:
        handler = tensorboard_trace_handler(folder, "w")
        record(handler, **options)
        assert handler.flush(timeout=240)
        trace = tb_plugin.load(next(folder.glob("*.pb"))).trace
        check(trace)
        return trace

    def test_tensors_are_stored_where_torch_numbers_them_and_frames_where_it_traces_python(self, tmp_path: Path) -> None:
        def stored(**options: Any) -> tuple[bool, bool, bool]:
            folder = tmp_path / "-".join(["options", *options])
            folder.mkdir()
            trace = self.recorded(folder, **options)
            return len(trace.tensors) > 0, bool((trace.memory.tensor_id >= 0).any()), len(trace.frames) > 0

        assert stored() == stored(record_shapes=True) == stored(profile_memory=True) == (False, False, False)
        assert stored(**IDS) == (True, True, False)
        assert stored(with_stack=True) == (False, False, True)
        assert stored(**IDS, with_stack=True) == (True, True, True)

    def test_every_frame_every_allocation_and_every_operator_is_found_again(self, tmp_path: Path) -> None:
        trace = self.recorded(tmp_path, **IDS, with_stack=True)
        assert trace.frames.row.tolist() == np.flatnonzero(trace.events.kind == Kind.PYTHON).tolist()
        assert (trace.memory.allocation_id >= 0).all()
        assert set(trace.live.allow_tf32.tolist()) <= {0, 1}
        mm = np.flatnonzero(trace.events.name_id == trace.strings.index("aten::mm"))
        of_mm = np.isin(trace.tensors.row, mm)
        assert trace.tensors.place[of_mm].tolist() == [0, 1] * len(mm)
        assert {trace.text(i) for i in trace.tensors.sizes_id[of_mm].tolist()} == {"[8,8]"}
        assert {trace.text(i) for i in trace.tensors.dtype_id[of_mm].tolist()} == {"float32"}

    def test_a_torch_whose_tree_tells_nothing_costs_nothing_else(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def other_api(_results: Any, live: LiveColumns, *_: Any, **__: Any) -> None:
            live.add("frames", [(1,) * len(TABLES["frames"])])
            raise AttributeError("no attribute 'extra_fields'")

        monkeypatch.setattr(tree_reader, "read", other_api)
        with warned() as texts:
            trace = self.recorded(tmp_path, **IDS, with_stack=True)
        assert len(texts) == 1
        assert "callers of frames" in texts[0]
        assert len(trace.tensors) == len(trace.frames) == 0
        assert len(trace.live) > 0


# Nodes as a torch might give them


def node(fields: str, *children: Any, thread: int = 1, name: str = "f", start: int = 5, **values: Any) -> Any:
    made = type(f"_ExtraFields_{fields}", (SimpleNamespace,), {})(**values)
    return SimpleNamespace(
        extra_fields=made, children=list(children), start_tid=thread, name=name, start_time_ns=start, correlation_id=start
    )


def read(*roots: Any) -> LiveColumns:
    live = LiveColumns()
    results = SimpleNamespace(experimental_event_tree=lambda: list(roots), events=list)
    tree_reader.read(results, live, NoPace(), with_tensors=True, with_frames=True)  # type: ignore[arg-type]
    return live


@dataclass(frozen=True)
class Device:
    type: str
    index: int


def tensor(**values: Any) -> Any:
    usual = {"id": 1, "allocation_id": 2, "impl_ptr": 3, "storage_data_ptr": 4, "sizes": [2, 3], "strides": [3, 1]}
    words = {"dtype": "torch.float32", "layout": "torch.strided", "device": Device("npu", 1)}
    return SimpleNamespace(**{**usual, **words, **values})


def test_addresses_beyond_int64_devices_of_others_and_unknown_ids_fit() -> None:
    inputs = [tensor(impl_ptr=2**64 - 16, id=None), 1.5, [tensor()], None]
    live = read(node("TorchOp", allow_tf32_cublas=True, inputs=inputs))
    columns = live.tables["tensors"]
    assert columns["impl"].tolist() == [-16, 3]
    assert columns["tensor_id"].tolist() == [-1, 1]
    assert columns["place"].tolist() == [0, 2]
    assert columns["item"].tolist() == [-1, 0]
    assert columns["device_type"].tolist() == [20, 20]
    assert [live.texts[place] for place in columns["sizes_id"]] == ["[2,3]", "[2,3]"]


def test_a_parent_is_told_where_it_is_of_another_thread() -> None:
    inner = node("TorchOp", start=9, thread=2, allow_tf32_cublas=False, inputs=[])
    middle = node("TorchOp", inner, start=8, thread=2, allow_tf32_cublas=False, inputs=[])
    operators = read(node("TorchOp", middle, start=7, allow_tf32_cublas=False, inputs=[])).tables["operators"]
    assert dict(zip(operators["correlation"], operators["parent_start_ns"], strict=True)) == {7: -1, 8: 7, 9: -1}


def test_nodes_that_python_has_no_class_for_are_passed_with_their_children_read() -> None:
    class Strange(SimpleNamespace):
        @property
        def extra_fields(self) -> Any:
            raise RuntimeError("Unable to convert call argument")

    kept = node("TorchOp", allow_tf32_cublas=False, inputs=[])
    live = read(Strange(children=[kept], start_tid=1), node("OutOfMemory"), node("Kineto"))
    assert live.n_rows() == {"operators": 1}


# Back into rows


def found(live: LiveColumns) -> live_rows.LivePart:
    tables = {table: {name: np.array(column) for name, column in columns.items()} for table, columns in live.tables.items()}
    return live_rows.LivePart(tables, live.texts)


def add(live: LiveColumns, table: str, **values: int) -> None:
    live.add(table, [tuple(values.get(name, 0) for name, _ in TABLES[table])])


def test_values_go_to_the_rows_of_the_same_start_and_name_and_others_are_left_out() -> None:
    trace = trace_from_text("thread 1 | train.py(1): main 0-90 | aten::a 10-60 | train.py(2): f 20-50")
    base, live = trace.info.base_ns, LiveColumns()
    for start, name, line in ((20_000, "train.py(2): f", 7), (21_000, "train.py(2): f", 8), (0, "train.py(1): main", 9)):
        add(live, "frames", start_ns=base + start, name=live.text_id(name), caller_line=line)
    add(live, "tensors", owner=2, part=TensorPart.OPTIMIZER_STATE, name_id=live.text_id("exp_avg"))
    add(live, "tensors", owner=1, part=TensorPart.MODULE_PARAMETER)  # its frame is not in the file
    add(live, "tensors", owner=4711, part=TensorPart.INPUT)  # nor is this operator
    joined = live_rows.joined(trace, found(live))
    check(joined)
    rows = {trace.text(int(name_id)): row for row, name_id in enumerate(trace.events.name_id)}
    lines = dict(zip(joined.frames.row.tolist(), joined.frames.caller_line.tolist(), strict=True))
    assert lines == {rows["train.py(1): main"]: 9, rows["train.py(2): f"]: 7}
    assert joined.tensors.row.tolist() == [rows["train.py(1): main"]]
    assert joined.text(int(joined.tensors.name_id[0])) == "exp_avg"
    assert joined.strings[: len(trace.strings)] == trace.strings
