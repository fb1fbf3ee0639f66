"""What was found by damaging files, each as small as it comes: read, asked everything, converted."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.work.kernel_work import kernel_work
from tests.fuzz.exercise import exercise

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

HUGE = 10**30


def op(name: str = "aten::mm", ts: Any = 5, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 2, "ts": ts, "dur": 10, **more}


def launched(operator: dict[str, Any]) -> list[dict[str, Any]]:
    """A kernel of an operator."""
    call = op("cudaLaunchKernel", 6, cat="cuda_runtime", dur=1, args={"correlation": 9})
    return [operator, call, kernel(correlation=9)]


def kernel(**args: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 8, "dur": 3, "args": {"device": 0, **args}}


def name_of(kind: str, **args: Any) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": 1, "tid": 2, "ts": 0, "args": args}


STEP = op("ProfilerStep#3", 0, cat="user_annotation", dur=50)
SHAPES = {"Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]}


def kineto(tmp_path: Path, *events: dict[str, Any], **head: Any) -> Path:
    path = tmp_path / "x.pt.trace.json"
    # 401 digits are more than Python writes of itself.
    text = json.dumps({"schemaVersion": 1, **head, "traceEvents": [STEP, op(), *events]})
    path.write_text(text.replace('"<401 digits>"', "9" * 401).replace('"<30 digits>"', "9" * 30))
    return path


def exercised(path: Path) -> Trace:
    assert exercise(path) == "shown"
    return reader.read(path)


@pytest.mark.parametrize(
    "events",
    [
        [op("ProfilerStep#99999999999999999999", cat="user_annotation")],
        [op(args={"External id": "inf"})],
        [op(args={"External id": "<401 digits>"})],
        [op(args={"Sequence number": "<30 digits>"})],
        [op(ts="<401 digits>")],
        [op(dur="<30 digits>")],
        [op(dur=9.2e15), op(ts=1.7e15, dur=4e14), op(ts=-1.9e15)],
        [op(ph="X" * 100_000), op(ph="BE")],
        [name_of("process_sort_index", sort_index="<30 digits>")],
        [op(tid="9" * 5000), op(tid="8" * 5000)],
        [kernel(device=2**31 - 1), kernel(device=2**31), kernel(device=2**63), kernel(device="<30 digits>")],
        [kernel(stream="<401 digits>", grid=["<30 digits>", 1, 1], block=["inf", 1, 1], **{"registers per thread": 1e300})],
        [kernel(**{"est. achieved occupancy %": 1e300, "blocks per SM": "inf"})],
        [op(args={**SHAPES, "Input Dims": [[2, "x"], {"a": 1}, [1e300], [-5]]}), op(args={**SHAPES, "Input type": [{}, 3]})],
        [op(args={**SHAPES, "Input Dims": [[2**62, 2**62], [2**62, 2**62]]})],
        [op(args={"Input Dims": "[" * 300 + "]" * 300})],
        [op("aten::conv2d", args={**SHAPES, "Concrete Inputs": [1, 2, 3, "[1]", {}, "(((", "9" * 5000]})],
        launched(op(args={**SHAPES, "Input type": [["float"], {}]})),
        launched(op("aten::sum", args={**SHAPES, "Concrete Inputs": [["0"], {}]})),
        [op("n" * 200_000)],
        [op(args={"Call stack": "x" * 200_000 + "(1): f;", "Module Hierarchy": "TOP(" * 10_000})],
    ],
    ids=str,
)
def test_odd_values_of_events(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    exercised(kineto(tmp_path, *events))


@pytest.mark.parametrize(
    "head",
    [
        {"baseTimeNanoseconds": "<401 digits>"},
        {"baseTimeNanoseconds": "<30 digits>"},
        {"baseTimeNanoseconds": -5},
        {"distributedInfo": {"rank": "<30 digits>", "world_size": "<401 digits>"}},
        {"deviceProperties": [{"id": "<30 digits>", "computeMajor": "<30 digits>", "totalGlobalMem": 1e300, "numSms": "inf"}]},
        {"distributedInfo": [], "deviceProperties": {"id": 0}},
    ],
    ids=str,
)
def test_odd_values_of_the_head(tmp_path: Path, head: dict[str, Any]) -> None:
    trace = exercised(kineto(tmp_path, **head))
    assert len(trace.events) == 2


def test_a_number_that_no_column_holds_is_not_recorded(tmp_path: Path) -> None:
    path = kineto(tmp_path, kernel(correlation="<30 digits>", stream=2**64 - 1), distributedInfo={"rank": "<30 digits>"})
    trace = exercised(path)
    assert trace.info.rank is None
    assert set(trace.events.correlation.tolist()) == {-1}


def test_one_flipped_bit_in_arguments(tmp_path: Path) -> None:
    path = kineto(tmp_path, op("aten::conv2d", args={**SHAPES, "Concrete Inputs": ["straße"], "Call stack": "größe.py(3): f"}))
    data = json.dumps(json.loads(path.read_text()), ensure_ascii=False).encode()
    path.write_bytes(data.replace("ß".encode(), b"\xc3\x1f\xff"))
    exercised(path)
    path.write_bytes(data.replace("ß".encode(), b"\xff\xfe"))
    exercised(path)


def test_names_of_absurd_length_are_cut_and_counted(tmp_path: Path) -> None:
    trace = exercised(kineto(tmp_path, op("n" * 100_000)))
    assert max(map(len, trace.strings)) < 40_000
    assert [(issue.kind, issue.count) for issue in trace.issues if issue.kind == "long text"] == [("long text", 1)]


def test_half_a_character_is_no_text(tmp_path: Path) -> None:
    path = kineto(tmp_path, op("<half>"))
    path.write_text(path.read_text().replace("<half>", "a\\ud800b"))
    trace = exercised(path)
    assert "a\ud800b" not in trace.strings
    "".join(trace.strings).encode()


def test_what_no_reader_foresaw_is_one_error_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr("tb_plugin.formats.kineto.kineto_json.build", fail)
    with pytest.raises(FormatError, match=rf"{reader.UNFORESEEN}: ZeroDivisionError: a fault of ours \(building, at 75%\)"):
        reader.read(kineto(tmp_path))


def test_streams_that_are_no_numbers(tmp_path: Path) -> None:
    exercised(kineto(tmp_path, *({**kernel(), "tid": tid} for tid in ("--5", "-", "\u0663", "9" * 30, "1-2", ""))))


def test_device_work_without_times_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [{**kernel(stream=7), "ts": "no time"}]}))
    assert len(exercised(path).events) == 0


@pytest.mark.parametrize("n_bytes", [0x5B, 0x7B])
def test_a_stored_profile_is_no_json_whatever_its_lengths_are(tmp_path: Path, n_bytes: int) -> None:
    trace = reader.read(kineto(tmp_path))
    path = tmp_path / "a.pt.profile.pb"
    for length in range(200):
        info = msgspec.structs.replace(trace.info, source="x" * length, metadata={})
        profile_pb.write(dataclasses.replace(trace, info=info), path)
        if path.read_bytes()[1] == n_bytes:  # "[" or "{" behind a line feed
            break
    else:
        pytest.fail("no such length")
    assert reader.sniff(path) == "profile-pb"
    exercised(path)


def test_a_step_without_length_beside_operators(tmp_path: Path) -> None:
    path = tmp_path / "x.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [{**STEP, "dur": 0}, op()]}))
    exercised(path)


def test_allocations_whose_sum_has_no_room_in_64_bits(tmp_path: Path) -> None:
    taken = {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 2, "ts": 6, "s": "t"}
    facts = {"Device Type": 0, "Device Id": -1, "Bytes": 2**63 - 1}
    for ts in (6, 200):  # inside the operator, and outside any
        events = [{**taken, "ts": ts, "args": {**facts, "Addr": address}} for address in (1, 2)]
        trace = exercised(kineto(tmp_path, *events))
        assert len(trace.memory) == 2


@pytest.mark.parametrize("rows", [-3, -(2**62)])
def test_a_shape_below_nothing_is_no_work(tmp_path: Path, rows: int) -> None:
    shapes = {"Input Dims": [[rows, 2**62], [2**62, 2**62]], "Input type": ["float", "float"]}
    trace = exercised(kineto(tmp_path, *launched(op(args={**shapes, "External id": 1}))))
    assert (kernel_work(trace).flops == NONE).all()
