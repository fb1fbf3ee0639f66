"""Chrome JSON that we write is read again as the same profile, by us, and is JSON for everybody else."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.formats import reader
from tb_plugin.formats.kineto import chrome_trace, kineto_json
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.model import Flows, Frames
from tests.formats.made_traces import random_trace
from tests.formats.nvidia import made_nsight
from tests.formats.nvidia.made_databases import database, row_named, work_of
from tests.formats.same_trace import assert_same_profile, values
from tests.profiles import SAMPLES, over, real
from tests.trace_text import trace_from_text

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_NAMES = st.sampled_from(["aten::mm", "ProfilerStep#3", "[memory]", 'say "hi"\\\n\u2028', "", "日本"]) | _TEXT
_CATEGORIES = st.sampled_from(
    [
        "cpu_op",
        "user_annotation",
        "python_function",
        "cuda_runtime",
        "kernel",
        "gpu_memcpy",
        "cpu_instant_event",
        "mtia_counters",
        "odd",
    ]
)
_ARGS = st.fixed_dictionaries(
    {},
    optional={
        "External id": st.integers(0, 5),
        "correlation": st.integers(0, 3),
        "Sequence number": st.integers(0, 1 << 62),
        "Input Dims": st.lists(st.lists(st.integers(0, 9), max_size=2), max_size=2),
        "grid": st.lists(st.integers(1, 99), min_size=3, max_size=3),
        "Addr": st.integers(0, (1 << 63) - 1),
        "Bytes": st.integers(-(1 << 40), 1 << 40),
        "Total Allocated": st.integers(0, 1 << 40),
        "text": _TEXT,
        "deep": st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    },
)
_NS = st.integers(0, 10**12)
_PLACES = st.sampled_from([(1, 1), (1, 2), (0, 7), ("Spans", "PyTorch Profiler"), ("007", "-5"), ("٣", "stream 9")])


@st.composite
def _events(draw: st.DrawFn) -> dict[str, Any]:
    phase = draw(st.sampled_from("XXXXXiCRBEsftM"))
    pid, tid = draw(_PLACES)
    event = {"ph": phase, "name": draw(_NAMES), "pid": pid, "tid": tid, "ts": draw(_NS) / 1000}
    if phase == "M":
        return event | {"name": "thread_name", "args": {"name": draw(_NAMES)}}
    event["cat"] = draw(_CATEGORIES)
    if phase in "sft":
        return event | {"id": draw(st.integers(0, 9) | _TEXT)}
    if phase == "X":
        event["dur"] = draw(_NS) / 1000
    return event | draw(st.sampled_from([{}, {"args": draw(_ARGS)}]))


_FILES = st.builds(
    lambda events, facts: {"schemaVersion": 1, **facts, "traceEvents": events},
    st.lists(_events(), min_size=1, max_size=12).filter(lambda events: any(event["ph"] in "Xi" for event in events)),
    st.fixed_dictionaries(
        {},
        optional={
            "baseTimeNanoseconds": st.integers(0, 1 << 60),
            "deviceProperties": st.just([{"id": 0, "name": "A"}]),
            "distributedInfo": st.fixed_dictionaries({"rank": st.integers(0, 7), "pg_count": st.integers(0, 3)}),
            "with_stack": st.integers(0, 1),
            "host_name": _TEXT,
            "my own": st.recursive(st.none() | st.booleans() | _TEXT, st.lists, max_leaves=4),
        },
    ),
)


def again(trace: Any, folder: Path, name: str = "again.json") -> Any:
    chrome_trace.write(trace, folder / name)
    return kineto_json.read(folder / name)


@settings(max_examples=150)
@given(content=_FILES)
def test_any_file_is_read_again_as_the_same_profile(content: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "in.json"
        source.write_text(json.dumps(content), encoding="utf-8")
        trace = kineto_json.read(source)
        found = again(trace, Path(folder))
        json.loads((Path(folder) / "again.json").read_text(encoding="utf-8"))
        assert_same_profile(found, trace)


@over(SAMPLES + real())
def test_a_profile_is_read_again_as_the_same_profile(path: Path, tmp_path: Path) -> None:
    trace = kineto_json.read(path)
    assert chrome_trace.write(trace, tmp_path / "again.json") == (("issues found while reading",) if trace.issues else ())
    found = kineto_json.read(tmp_path / "again.json")
    assert [issue.kind for issue in found.issues] == [issue.kind for issue in trace.issues]
    assert_same_profile(found, trace)
    if len(trace.events) < 10_000:
        written = json.loads((tmp_path / "again.json").read_bytes())["traceEvents"]
        assert sorted(event["name"] for event in written if event["ph"] in "XiC") == sorted(
            trace.text(name_id) for name_id in trace.events.name_id.tolist()
        )


@pytest.mark.parametrize("seed", range(8))
def test_odd_texts_and_numbers_still_give_valid_json(seed: int, tmp_path: Path) -> None:
    # Half characters, NUL, times at both ends of int64.
    trace = random_trace(seed, 30, flows=Flows.from_columns({}, 0))
    chrome_trace.write(trace, tmp_path / "odd.json")
    written = json.loads((tmp_path / "odd.json").read_text(encoding="utf-8"))
    assert sum(event["ph"] in "XiC" for event in written["traceEvents"]) == len(trace.events)


def test_facts_that_json_cannot_hold_are_named(tmp_path: Path) -> None:
    trace = random_trace(3, 60, flows=Flows.from_columns({}, 0))
    assert len(trace.live)
    lost = chrome_trace.write(trace, tmp_path / "a.json")
    assert lost == (
        "what only the live profiler knew (true ends of open ranges, scopes)",
        "ids of tensors and allocations, callers and objects of Python frames",
        "schedule and worker",
        "issues found while reading",
    )


def test_bytes_of_arguments_that_are_not_utf_8_become_valid_json(tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    source.write_bytes(
        b'{"traceEvents": [{"ph": "X", "cat": "python_function", "name": "f", "pid": 1, "tid": 1, "ts": 1, "dur": 1, '
        b'"args": {"path": "caf\xe9"}}]}'
    )
    chrome_trace.write(kineto_json.read(source), tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["traceEvents"][-1]["args"] == {"path": "caf\ufffd"}


def test_a_compressed_file_and_the_way_through_the_stored_profile_are_the_same(tmp_path: Path) -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0.001-15.5
        stream 7 | gemm_a 5-15.25 <- aten::mm
    """)
    assert_same_profile(again(trace, tmp_path, "again.json.gz"), trace)
    assert (tmp_path / "again.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    profile_pb.write(trace, tmp_path / "a.pt.profile.pb")
    assert_same_profile(again(reader.read(tmp_path / "a.pt.profile.pb"), tmp_path), trace)


def test_a_database_of_nsight_keeps_its_links_launch_shapes_and_devices(tmp_path: Path) -> None:
    trace = reader.read(database(tmp_path / "r.sqlite", made_nsight.profile()))
    found = again(trace, tmp_path)
    for table, name in (("events", "launch"), ("events", "owner"), ("events", "name_id"), ("events", "end_ns"), ("steps", "row")):
        assert values(found, table, name) == values(trace, table, name), name
    row = row_named(trace, "void gemm<float>")
    assert work_of(found, row) == work_of(trace, row) | {"occupancy_percent": pytest.approx(float("nan"), nan_ok=True)}
    (device,), (known,) = found.info.devices, trace.info.devices
    assert (device.name, device.memory_bytes, device.multiprocessors, device.compute_capability) == (
        known.name,
        known.memory_bytes,
        known.multiprocessors,
        known.compute_capability,
    )


def test_ids_of_tensors_and_callers_of_frames_are_said_to_be_lost(tmp_path: Path) -> None:
    trace = trace_from_text("thread 1 | train.py(1): f 0-9 | aten::mm 1-5")
    said = "ids of tensors and allocations, callers and objects of Python frames"
    assert said not in chrome_trace.write(trace, tmp_path / "a.json")
    assert said in chrome_trace.write(
        dataclasses.replace(trace, frames=Frames.from_columns({"row": np.array([0])})), tmp_path / "b.json"
    )
