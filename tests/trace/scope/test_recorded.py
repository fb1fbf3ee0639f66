"""What a profile holds, and why it does not: each recording with it and without it, and the words of each reason."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from msgspec.structs import replace

from tb_plugin.formats import reader
from tb_plugin.trace.model import Issue, Live, Tensors
from tb_plugin.trace.scope import recorded
from tb_plugin.trace.scope.choices import choices
from tests.profiles import trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.scope.recording import Recording

NOTHING = "thread 1 | <a range> 0-5"
BY_ID = pytest.mark.parametrize("recording", recorded.ALL, ids=lambda recording: recording.id)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """A small file with all that a file of torch can hold, and with what only our trace handler adds."""
    path = tmp_path_factory.mktemp("full") / "w.pt.trace.json"
    path.write_text(json.dumps({**OPTIONS, "traceEvents": EVENTS}))
    trace = reader.read(path)
    row = {"row": np.array([0], np.int64)}
    return dataclasses.replace(
        trace, live=Live.from_columns({**row, "allow_tf32": np.array([1])}), tensors=Tensors.from_columns(row)
    )


@BY_ID
def test_what_is_in_the_profile_is_there_and_what_is_not_says_how_to_record_it(recording: Recording, full: Trace) -> None:
    assert recording.is_there(full) is True
    assert (recording.lack(full), recording.instead(full)) == (None, None)
    without = trace_from_text(NOTHING)
    assert recording.is_there(without) is False
    assert recording.lack(without) == recording.why_not(without)
    assert recording.what in recording.why_not(without)
    assert f"Record with {recording.how}." in recording.why_not(without)


COUNTED = {"cat": "cuda_profiler_range", "name": "gemm", "ph": "X", "pid": 0, "tid": 0, "ts": 1, "dur": 100, "args": {"sum": 3}}


def test_where_counters_were_read_nobody_is_told_to_switch_on_the_device(tmp_path: Path) -> None:
    path = tmp_path / "w.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [COUNTED, {**COUNTED, "cat": "cpu_op", "name": "aten::mm", "pid": 1}]}))
    told = recorded.DEVICE.lack(reader.read(path))
    assert told is not None
    assert told.startswith("No device activity was recorded: hardware counters were read")
    assert "ProfilerActivity" not in told


def test_a_real_file_of_counters_says_so(traces: Path) -> None:
    assert "hardware counters were read" in str(recorded.DEVICE.lack(trace_of(traces / "a100_cupti_counters.json.gz")))


@BY_ID
def test_of_a_file_that_is_cut_off_nobody_can_know(recording: Recording) -> None:
    cut = with_issue(trace_from_text(NOTHING), "truncated")
    assert recording.instead(cut) == "the file is cut off"
    assert recording.lack(cut) == f"The file is cut off; no {recording.what} {be(recording)} in the part that could be read."
    assert "Record with" in str(recording.lack(with_issue(trace_from_text(NOTHING), "no duration")))


@BY_ID
def test_a_file_of_another_program_is_told_from_one_without_the_option(recording: Recording) -> None:
    trace = with_info(trace_from_text(NOTHING), format="nsight-sqlite")
    assert "Nsight Systems" in str(recording.lack(trace))
    assert "Record with" not in str(recording.lack(trace))


def test_no_two_recordings_have_one_name() -> None:
    for names in ([each.id for each in recorded.ALL], [each.what for each in recorded.ALL]):
        assert len(names) == len(set(names))


def test_an_option_that_was_on_is_not_asked_for_again() -> None:
    trace = with_info(trace_from_text(NOTHING), with_stack=True, profile_memory=True, record_shapes=False)
    assert recorded.MODULES.lack(trace) == (
        "No modules were recorded: with_stack was on, but no module was called through its __call__."
    )
    assert recorded.MEMORY.lack(trace) == (
        "No memory was recorded: profile_memory was on, "
        "but nothing was allocated or released meanwhile; what was held before is unknown."
    )
    assert (recorded.MEMORY.is_recorded(trace), recorded.SHAPES.is_recorded(trace)) == (True, False)
    assert (recorded.MEMORY.was_on(trace), recorded.SHAPES.was_on(trace), recorded.FLOPS.was_on(trace)) == (True, False, None)


def test_where_frames_are_there_nobody_is_told_to_record_them_for_modules() -> None:
    trace = trace_from_text("thread 1 | train.py(1): step 0-5")
    assert recorded.MODULES.lack(trace) == "No modules were recorded: no module was called through its __call__."


@pytest.mark.parametrize("recording", [recorded.OCCUPANCY, recorded.BLOCKS], ids=lambda recording: recording.id)
def test_what_only_some_devices_report_is_no_matter_of_options(recording: Recording) -> None:
    assert "Record with" in str(recording.lack(trace_from_text(NOTHING)))
    assert "CUDA devices alone" in str(recording.lack(trace_from_text("stream 7 | gemm 0-5")))


def test_an_option_that_was_off_was_off_in_a_file_that_is_cut_off_too() -> None:
    trace = with_issue(with_info(trace_from_text(NOTHING), record_shapes=False), "truncated")
    assert recorded.SHAPES.lack(trace) == "No input shapes were recorded. Record with record_shapes=True."


def test_stacks_that_are_texts_are_stacks_without_times(tmp_path: Path) -> None:
    path = tmp_path / "w.pt.trace.json"
    operator = event("aten::mm", "Operator", 0, 5, **{"Call stack": "train.py(3): step;train.py(9): main"})
    path.write_text(json.dumps({"schemaVersion": 1, "with_stack": 1, "traceEvents": [operator]}))
    trace = trace_of(path)
    assert recorded.STACKS.is_there(trace)
    assert recorded.FRAMES.lack(trace) == (
        "No Python stacks with times were recorded: torch before 1.11 wrote stacks as texts of operators. "
        "Record with a newer one."
    )


def test_the_filters_say_why_there_are_no_steps_to_choose() -> None:
    assert choices(trace_from_text(NOTHING)).no_steps == (
        "No steps were recorded. Record with prof.step() after every step and schedule=..., without which torch writes no steps."
    )
    assert choices(trace_from_text("thread 1 | ProfilerStep#1 0-5")).no_steps is None


def with_issue(trace: Trace, kind: str) -> Trace:
    return dataclasses.replace(trace, issues=(Issue(kind=kind, text="it is odd"),))


def with_info(trace: Trace, **changes: Any) -> Trace:
    return dataclasses.replace(trace, info=replace(trace.info, **changes))


def be(recording: Recording) -> str:
    return "are" if recording.is_many else "is"


def event(name: str, category: str, start: float, length: float, thread: object = 1, **args: object) -> dict[str, object]:
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start, "dur": length, "args": args}


OPTIONS: dict[str, object] = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "A100", "totalGlobalMem": 1 << 30}],
    "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2},
    "with_flops": 1,
}
EVENTS: list[dict[str, object]] = [
    event("ProfilerStep#1", "user_annotation", 0, 90),
    event("train.py(3): step", "python_function", 1, 80),
    event("nn.Module: Net_0", "python_function", 2, 70),
    event("aten::mm", "cpu_op", 5, 20, **{"External id": 1, "Input Dims": [[2, 2]], "Input type": ["float"]}),
    event("cudaLaunchKernel", "cuda_runtime", 6, 2, correlation=7),
    event(
        "gemm", "kernel", 10, 5, 7, device=0, stream=7, correlation=7,
        **{"est. achieved occupancy %": 30, "blocks per SM": 0.5},
    ),
    {
        "ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 8, "s": "t",
        "args": {
            "Bytes": 512, "Addr": 1, "Device Type": 1, "Device Id": 0, "Total Allocated": 512, "Total Reserved": 2048,
        },
    },
]  # fmt: skip
