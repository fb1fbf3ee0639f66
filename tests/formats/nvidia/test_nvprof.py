from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader
from tb_plugin.formats.nvidia.nvprof_demangle import demangled
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import Kind
from tests.formats.nvidia.made_databases import database, events_of, row_named, work_of
from tests.formats.nvidia.made_nvprof import MANGLED, T0, call, marker, profile

if TYPE_CHECKING:
    from pathlib import Path


def test_ranges_calls_and_kernels_keep_their_nanoseconds_and_links(tmp_path: Path) -> None:
    trace = reader.read(database(tmp_path / "x.nvprof", profile()))
    check(trace)
    assert trace.info.base_ns == T0
    assert events_of(trace, Kind.ANNOTATION) == [("my step", 0, 1000)]
    assert events_of(trace, Kind.OPERATOR) == [("aten::mm", 100, 300)]
    assert events_of(trace, Kind.RUNTIME) == [
        *(("cudaLaunchKernel", 150, 200), ("cudaMemcpyAsync", 600, 650), ("cuda runtime call 999", 700, 710))
    ]
    assert events_of(trace, Kind.COPY) == [("Memcpy HtoD (Pinned -> Device)", 950, 990)]
    assert events_of(trace, Kind.INSTANT) == [("here", 400, 400)]
    events, operator, launch = trace.events, row_named(trace, "aten::mm"), row_named(trace, "cudaLaunchKernel")
    (kernel,) = (events.kind == Kind.KERNEL).nonzero()[0].tolist()
    assert (events.launch[kernel], events.owner[kernel]) == (launch, operator)
    assert events.nest_parent[operator] == row_named(trace, "my step")
    assert (events.sequence[operator], trace.text(events.shapes_id[operator])) == (5, "[[2, 3], [3, 4]]")
    assert trace.text(trace.tracks.thread_name_id[events.track[operator]]) == "main thread"


def test_how_work_was_launched_and_where(tmp_path: Path) -> None:
    trace = reader.read(database(tmp_path / "x.nvprof", profile()))
    kernel = (trace.events.kind == Kind.KERNEL).nonzero()[0][0]
    work = work_of(trace, kernel)
    assert work | {"occupancy_percent": None, "bytes": None} == {
        "grid": [80, 2, 1],
        "block": [128, 1, 1],
        "registers": 32,
        "shared_bytes": 1536,
        "blocks_per_sm": 2.0,
        "warps_per_sm": 8.0,
        "occupancy_percent": None,
        "bytes": None,
    }
    assert work_of(trace, row_named(trace, "Memcpy HtoD (Pinned -> Device)"))["bytes"] == 4096
    assert trace.args.get(int(trace.events.order[kernel]))["grid"] == [80, 2, 1]
    track = trace.events.track[kernel]
    assert (trace.tracks.device[track], trace.tracks.stream[track]) == (0, 7)
    (device,) = trace.info.devices
    assert (device.name, device.multiprocessors, device.memory_bytes) == ("Tesla V100", 80, 1 << 34)


def test_names_are_demangled(tmp_path: Path) -> None:
    if demangled({1: MANGLED})[1]:
        pytest.skip("no C++ library on this machine")
    trace = reader.read(database(tmp_path / "x.nvprof", profile()))
    assert events_of(trace, Kind.KERNEL) == [("void at::native::gemm<float>(float*)", 500, 900)]


def test_what_is_in_the_file_and_not_shown_is_named(tmp_path: Path) -> None:
    issues = {issue.kind: issue for issue in reader.read(database(tmp_path / "x.nvprof", profile())).issues}
    assert "CUPTI_ACTIVITY_KIND_OVERHEAD" in issues["not shown"].text


def test_the_stored_form_is_the_same_trace(tmp_path: Path) -> None:
    trace = reader.read(database(tmp_path / "x.nvprof", profile()))
    profile_pb.write(trace, tmp_path / "x.pt.profile.pb")
    again = reader.read(tmp_path / "x.pt.profile.pb")
    check(again)
    assert again.events.start_ns.tolist() == trace.events.start_ns.tolist()
    assert again.info == trace.info


def test_only_markers_and_strings_are_enough(tmp_path: Path) -> None:
    tables = {name: rows for name, rows in profile().items() if name in ("StringTable", "CUPTI_ACTIVITY_KIND_MARKER")}
    for row in tables["CUPTI_ACTIVITY_KIND_MARKER"]:
        del row["flags"], row["objectId"], row["domain"], row["objectKind"]
    trace = reader.read(database(tmp_path / "x.nvprof", tables))
    check(trace)
    # Without flags a start without an end is a range that was still running.
    assert events_of(trace, Kind.ANNOTATION) == [("my step", 0, 1000), ("here", 400, 1000)]
    assert [issue.kind for issue in trace.issues] == ["no end"]


@pytest.mark.parametrize(
    ("table", "extra"),
    [
        ("CUPTI_ACTIVITY_KIND_MARKER", marker(2, 2, 120, 2)),
        ("CUPTI_ACTIVITY_KIND_MARKER", marker(2, 4, 320)),
        ("CUPTI_ACTIVITY_KIND_RUNTIME", call(1, 211, 800, 801, 14)),
        ("StringTable", {"_id_": 1, "value": "another"}),
    ],
)
def test_an_id_that_comes_twice_is_an_error(tmp_path: Path, table: str, extra: dict[str, Any]) -> None:
    tables = profile()
    tables[table].append(extra)
    path = database(tmp_path / "x.nvprof", tables)
    with pytest.raises(FormatError, match=rf"x\.nvprof: table {table} has the id \d more than once"):
        reader.read(path)


def test_a_table_without_a_column_that_it_must_have_is_one_clear_error(tmp_path: Path) -> None:
    tables = profile()
    for row in tables["CUPTI_ACTIVITY_KIND_RUNTIME"]:
        del row["correlationId"]
    with pytest.raises(FormatError, match="table CUPTI_ACTIVITY_KIND_RUNTIME has no column correlationId"):
        reader.read(database(tmp_path / "x.nvprof", tables))


def test_values_of_other_types_are_not_recorded(tmp_path: Path) -> None:
    tables = profile()
    tables["CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"][0] |= {"gridX": "wide", "registersPerThread": None, "streamId": 2.5e300}
    tables["CUPTI_ACTIVITY_KIND_MARKER"][1]["objectId"] = b"\x01"
    tables["CUPTI_ACTIVITY_KIND_MEMCPY"][0] |= {"start": -(1 << 63), "bytes": 1 << 62}
    trace = reader.read(database(tmp_path / "x.nvprof", tables))
    check(trace)
    work = work_of(trace, (trace.events.kind == Kind.KERNEL).nonzero()[0][0])
    assert (work["grid"], work["registers"]) == ([-1, -1, -1], -1)
    assert "no time stamp" in [issue.kind for issue in trace.issues]
    assert events_of(trace, Kind.COPY) == []


def test_a_file_that_is_cut_off_is_one_clear_error(tmp_path: Path) -> None:
    path = database(tmp_path / "x.nvprof", profile())
    path.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(FormatError, match=r"x\.nvprof: .*an SQLite database that is damaged or cut off"):
        reader.read(path)
    assert reader.sniff(path) is None


def test_another_database_is_named_with_its_tables(tmp_path: Path) -> None:
    path = database(tmp_path / "x.sqlite", {"users": [{"id": 1}]})
    with pytest.raises(FormatError, match=r"an SQLite database with the tables users; expected StringTable as nvprof"):
        reader.read(path)
    assert reader.sniff(path) is None


def test_a_view_or_a_computed_column_of_a_stranger_is_not_run(tmp_path: Path) -> None:
    path = database(tmp_path / "x.nvprof", {name: rows for name, rows in profile().items() if "KERNEL" not in name})
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS start, x AS end, x AS name FROM n"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE VIEW CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL AS {endless}")
        connection.commit()
    assert events_of(reader.read(path), Kind.KERNEL) == []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, name AS (hex(zeroblob(start))))")
        connection.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 2)")
        connection.commit()
    with pytest.raises(FormatError, match="table CUPTI_ACTIVITY_KIND_KERNEL has no column name"):
        reader.read(path)


def test_a_name_with_signs_of_its_own_in_urls_opens(tmp_path: Path) -> None:
    path = database(tmp_path / "a b?mode=rwc#50%.nvprof", profile())
    assert reader.sniff(path) == "nvprof-sqlite"
    assert len(reader.read(path).events) == 8
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
