from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin import views
from tb_plugin.base.errors import FormatError
from tb_plugin.doors import cli
from tb_plugin.formats import reader
from tb_plugin.formats.nvidia import nvtx_text
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.store import ProfileStore
from tb_plugin.runs.watch import Watch
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import Kind
from tests.formats.nvidia.made_databases import database, events_of, row_named, work_of
from tests.formats.nvidia.made_nsight import SESSION, call, kernel, nvtx, profile
from tests.runs.small import no_thread_left, scan, until

if TYPE_CHECKING:
    from pathlib import Path


def test_ranges_calls_and_device_work_with_their_links(tmp_path: Path) -> None:
    trace = reader.read(database(tmp_path / "report1.sqlite", profile()))
    check(trace)
    assert trace.info.base_ns == SESSION
    assert (trace.info.host, trace.info.metadata) == ("node3", {"nsys_version": "2026.1.1"})
    assert events_of(trace, Kind.OPERATOR) == [("aten::mm", 1000, 3000)]
    assert sorted(events_of(trace, Kind.ANNOTATION)) == [
        ("ProfilerStep#3", 0, 10_000),
        ("across threads", 500, 20_000),
        ("registered range", 1000, 2500),
        ("still running", 9000, 20_000),
    ]
    assert events_of(trace, Kind.RUNTIME) == [("cudaLaunchKernel", 1100, 1300)]
    assert events_of(trace, Kind.DRIVER) == [("cuLaunchKernel", 4000, 4100)]
    assert events_of(trace, Kind.INSTANT) == [("a mark", 1200, 1200)]
    assert events_of(trace, Kind.KERNEL) == [("void gemm<float>", 5000, 8000), ("CUDA graph 12", 9000, 9900)]
    assert events_of(trace, Kind.COPY) == [("Memcpy DtoH (Device -> Pinned)", 8100, 8300)]
    assert events_of(trace, Kind.SET) == [("Memset (Device)", 8300, 8310)]
    assert events_of(trace, Kind.SYNC) == [("Stream Sync", 8310, 8320)]
    assert trace.steps.number.tolist() == [3]
    events, gemm = trace.events, row_named(trace, "void gemm<float>")
    assert events.launch[gemm] == row_named(trace, "cudaLaunchKernel")
    assert events.step[gemm] == 0
    assert events.owner[gemm] == row_named(trace, "registered range")  # the innermost around the launch
    assert events.nest_parent[row_named(trace, "aten::mm")] == row_named(trace, "ProfilerStep#3")


def test_what_is_known_of_launches_threads_and_devices(tmp_path: Path) -> None:
    trace = reader.read(database(tmp_path / "report1.sqlite", profile()))
    gemm, operator = row_named(trace, "void gemm<float>"), row_named(trace, "aten::mm")
    how = work_of(trace, gemm)
    assert (how["grid"], how["block"], how["registers"], how["shared_bytes"]) == ([264, 1, 1], [64, 1, 1], 90, 2048)
    assert (how["blocks_per_sm"], how["warps_per_sm"]) == (2.0, 4.0)
    assert work_of(trace, row_named(trace, "Memcpy DtoH (Device -> Pinned)"))["bytes"] == 1 << 20
    assert "grid" not in trace.args.get(int(trace.events.order[row_named(trace, "CUDA graph 12")]))
    assert trace.args.get(int(trace.events.order[operator])) == {
        "Sequence number": 5,
        "External id": 7,
        "Input Dims": [[2, 3], [3, 4]],
        "input_op_ids": [[1, 0]],
    }
    registered = trace.args.get(int(trace.events.order[row_named(trace, "registered range")]))
    assert registered == {"NVTX domain": "MyLib"}
    host = trace.events.track[operator]
    assert trace.text(trace.tracks.thread_name_id[host]) == "pt_main"
    assert trace.text(trace.tracks.process_name_id[host]) == "python3"
    stream = trace.events.track[gemm]
    assert (trace.tracks.device[stream], trace.tracks.stream[stream]) == (0, 7)  # as CUDA counts in this process
    (device,) = trace.info.devices
    assert (device.index, device.name, device.compute_capability) == (0, "NVIDIA H200", "9.0")
    issues = {issue.kind: issue.text for issue in trace.issues}
    assert "OSRT_API" in issues["not shown"]
    assert "no end" in issues


def test_processes_with_the_same_numbers_stay_apart(tmp_path: Path) -> None:
    tables = {name: rows for name, rows in profile().items() if name in ("StringIds",)} | {
        "CUPTI_ACTIVITY_KIND_RUNTIME": [call(0, 10, 1, pid=100), call(5, 15, 1, pid=200)],
        "CUPTI_ACTIVITY_KIND_KERNEL": [kernel(20, 30, 1, pid=100), kernel(20, 40, 1, pid=200)],
        "TARGET_INFO_GPU": [{"id": 0, "name": "first"}, {"id": 1, "name": "second"}],
        "TARGET_INFO_CUDA_DEVICE": [{"gpuId": 1, "cudaId": 0, "pid": 100}, {"gpuId": 0, "cudaId": 0, "pid": 200}],
    }
    trace = reader.read(database(tmp_path / "both.sqlite", tables))
    check(trace)
    events = trace.events
    pid_of_kernel = {
        int(events.end_ns[row]): trace.text(trace.tracks.pid_id[events.track[events.launch[row]]])
        for row in np.flatnonzero(events.kind == Kind.KERNEL)
    }
    device_of_kernel = {
        int(events.end_ns[row]): int(trace.tracks.device[events.track[row]]) for row in np.flatnonzero(events.kind == Kind.KERNEL)
    }
    assert pid_of_kernel == {30: "100", 40: "200"}
    assert device_of_kernel == {30: 1, 40: 0}
    assert [device.name for device in trace.info.devices] == ["first", "second"]


def test_few_tables_and_columns_are_enough(tmp_path: Path) -> None:
    path = database(
        tmp_path / "r.sqlite", {"StringIds": [{"id": 1, "value": "x"}], "NVTX_EVENTS": [{"start": 5, "end": 9, "text": "mine"}]}
    )
    trace = reader.read(path)
    check(trace)
    assert events_of(trace, Kind.ANNOTATION) == [("mine", 0, 4)]


def test_an_export_without_events_is_an_empty_trace(tmp_path: Path) -> None:
    tables = {"StringIds": [{"id": 1, "value": "x"}], "NVTX_EVENTS": [nvtx("a domain", 0, None, 75)]}
    trace = reader.read(database(tmp_path / "r.sqlite", tables))
    check(trace)
    assert len(trace.events) == 0


def test_every_view_and_the_shell_open_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = database(tmp_path / "report1.nsys-rep.sqlite", profile())
    trace = reader.read(path)
    for view in views.OF_ONE:
        if view.main.missing(trace) is None:
            assert view.main.answer(trace, view.main.params()) is not None
    assert cli.main(["kernels", str(path), "--format", "json"]) == 0
    assert "void gemm<float>" in [row["name"] for row in json.loads(capsys.readouterr().out)["rows"]]


def test_a_logdir_holds_exports_by_their_content(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    database(tmp_path / "run" / "rank0.sqlite", profile())
    database(tmp_path / "run" / "report1.nsys-rep.sqlite", profile())
    database(tmp_path / "run" / "mlflow.sqlite", {"experiments": [{"id": 1}]})
    (tmp_path / "run" / "cpu.prof").write_bytes(b"not a database")
    assert [(run.name, [worker.name for worker in run.workers]) for run in scan(tmp_path).runs] == [("run", ["rank0", "report1"])]


def test_the_server_opens_it_by_its_converter(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    database(tmp_path / "logs" / "report1.sqlite", profile())
    watch = Watch(from_flags(str(tmp_path / "logs"), None), min_age_s=0)
    with no_thread_left():
        store = ProfileStore(watch, cache=ProfileCache(tmp_path / "cache"))
        now = until(lambda: store.ask(store.find(None, None, None)), lambda now: now.state in ("ready", "failed"))
        store.close()
    assert now.error is None
    assert now.value is not None
    assert events_of(now.value, Kind.OPERATOR) == [("aten::mm", 1000, 3000)]


def test_a_report_that_is_not_exported_says_how_to(tmp_path: Path) -> None:
    path = tmp_path / "report1.nsys-rep"
    path.write_bytes(b"\x00\x01\x02")
    with pytest.raises(FormatError, match=r"nsys export --type sqlite report1\.nsys-rep"):
        reader.read(path)


@pytest.mark.parametrize(
    ("text", "name", "is_operator", "sequence", "op_id", "shapes"),
    [
        ("aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], []]", "aten::mm", True, 5, 7, "[[2, 3], []]"),
        ("aten::empty, op_id = 3", "aten::empty", True, -1, 3, ""),
        ("aten::empty", "aten::empty", True, -1, -1, ""),
        ("MmBackward, stashed seq=5", "MmBackward", True, 5, -1, ""),
        ("mul, seq=4", "mul", True, 4, -1, ""),
        ("Optimizer.step#SGD.step, op_id = 9", "Optimizer.step#SGD.step", False, -1, 9, ""),
        ("ProfilerStep#4, op_id = 9", "ProfilerStep#4", False, -1, 9, ""),
        ("load, seq = many", "load, seq = many", False, -1, -1, ""),
        ("x, sizes = [oops", "x, sizes = [oops", False, -1, -1, ""),
        ("thrust::sort", "thrust::sort", False, -1, -1, ""),
        ("", "", False, -1, -1, ""),
    ],
)
def test_texts_of_emit_nvtx_are_taken_apart(
    text: str, name: str, is_operator: bool, sequence: int, op_id: int, shapes: str
) -> None:
    found = nvtx_text.parse(text)
    assert (found.name, found.is_operator, found.sequence, found.op_id, found.shapes) == (
        name,
        is_operator,
        sequence,
        op_id,
        shapes,
    )
