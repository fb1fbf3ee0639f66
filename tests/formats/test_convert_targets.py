"""Names choose formats; files for flame graph tools, speedscope and spreadsheets hold what they can, and it adds up."""

from __future__ import annotations

import csv
import gzip
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.doors import cli
from tb_plugin.formats import targets
from tb_plugin.formats.flat import collapsed_stacks, csv_tables, speedscope
from tb_plugin.formats.kineto import kineto_json
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.kinds import HOST_KINDS
from tb_plugin.trace.model import TABLES
from tests.profiles import SAMPLES, over, real, sample
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

DRAWN = """
    thread 1 | ProfilerStep#1 0-100 | aten::linear 10-50 | aten::mm 20-40 | aten::mm 60-70.6
    thread 2 | a;b\\c 0-10 | c 5-15
    stream 7 | gemm_a 25-55 <- aten::mm
"""


@pytest.fixture
def trace() -> Trace:
    return trace_from_text(DRAWN)


# Names


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("w.1.pt.profile.pb", b"\n"),
        ("w.1.pt.trace.json", b'{"traceName"'),
        ("any.json.gz", b"\x1f\x8b"),
        ("w.speedscope.json", b'{"$schema"'),
        ("w.speedscope.json.gz", b"\x1f\x8b"),
        ("w.collapsed", b"thread 1;"),
        ("w.folded", b"thread 1;"),
        ("w.csv", b"row,start_ns"),
    ],
)
def test_the_name_chooses_the_format_and_only_the_file_is_left(name: str, begins: bytes, trace: Trace, tmp_path: Path) -> None:
    targets.write(trace, str(tmp_path / name))
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["w.txt", "w", "json", "w.pftrace.zip", "w.parquet.gz"])
def test_a_name_of_no_format_is_an_error_that_lists_them(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"no format has this name; expected NAME\.pt\.profile\.pb or NAME\.pb .*a folder of CSV"
    ):
        targets.check(str(tmp_path / name))


def test_what_an_extra_brings_is_named_before_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "perfetto", None)
    for name in [name for name in sys.modules if name.startswith("perfetto.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UsageError, match=r"pip install 'torch-tb-plugin\[perfetto\]'"):
        targets.check("a.pftrace")


@pytest.mark.parametrize("name", ["w.json", "w.speedscope.json", "w.csv.gz", "w.folded"])
def test_a_writer_that_fails_leaves_the_older_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / name).write_text("older")
    broken = trace_from_text(DRAWN)
    monkeypatch.setattr(type(broken), "text", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        targets.write(broken, str(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "older"


# The command


@pytest.fixture
def source(tmp_path: Path, trace: Trace) -> Path:
    profile_pb.write(trace, tmp_path / "in.pt.profile.pb")
    return tmp_path / "in.pt.profile.pb"


def test_the_command_says_in_one_line_what_the_target_cannot_hold(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "out.folded")
    assert cli.main(["convert", str(source), target]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == (
        "",
        f"tb-plugin: {target} lacks what its format cannot hold: all but names, stacks and self times of the host in whole µs\n",
    )
    assert cli.main(["convert", str(source), str(tmp_path / "out.json")]) == 0
    assert cli.main(["convert", str(source), f"{tmp_path}/tables/"]) == 0
    assert capsys.readouterr() == ("", "")
    assert (tmp_path / "tables" / "events.csv").is_file()


def test_the_command_fails_in_one_line(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["convert", "nothing here", str(tmp_path / "out.doc")]) == 2  # before it looks for the source
    assert "no format has this name" in capsys.readouterr().err
    assert cli.main(["convert", str(source), str(tmp_path / "no" / "such" / "out.json")]) == 1
    assert capsys.readouterr().err.endswith("out.json: No such file or directory\n")
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


# Collapsed stacks


def test_a_stack_is_a_line_with_its_self_time(trace: Trace, tmp_path: Path) -> None:
    lost = collapsed_stacks.write(trace, tmp_path / "a.folded")
    assert (tmp_path / "a.folded").read_text().splitlines() == [
        "thread 1;ProfilerStep#1 49",  # 100 - 40 - 10.6
        "thread 2;a:b\\c 10",
        "thread 2;c 10",
        "thread 1;ProfilerStep#1;aten::linear 20",
        "thread 1;ProfilerStep#1;aten::mm 11",
        "thread 1;ProfilerStep#1;aten::linear;aten::mm 20",
    ]
    assert lost == ("all but names, stacks and self times of the host in whole µs",)


def test_self_times_of_a_real_trace_add_up_to_its_roots(traces: Path, tmp_path: Path) -> None:
    trace = kineto_json.read(traces / "a100_2ranks_rank0.json.gz")  # whole µs: nothing is rounded
    collapsed_stacks.write(trace, tmp_path / "a.collapsed")
    lines = (tmp_path / "a.collapsed").read_text().splitlines()
    assert len({line.rpartition(" ")[0] for line in lines}) == len(lines)
    events = trace.events
    roots = (events.nest_parent < 0) & [kind in HOST_KINDS for kind in events.kind.tolist()]
    roots_us = int((events.end_ns - events.start_ns)[roots].sum()) // 1000
    # Rounded times make a child end up to 1 µs after its parent: that much may be there twice.
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == pytest.approx(roots_us, rel=1e-3)


# speedscope


def test_speedscope_has_a_profile_per_thread_and_another_for_ranges_that_cross(trace: Trace, tmp_path: Path) -> None:
    speedscope.write(trace, tmp_path / "a.speedscope.json")
    found = json.loads((tmp_path / "a.speedscope.json").read_text())
    names = [frame["name"] for frame in found["shared"]["frames"]]
    drawn = {}
    for profile in found["profiles"]:
        assert (profile["type"], profile["unit"]) == ("evented", "nanoseconds")
        drawn[profile["name"]] = " ".join(
            f"{names[event['frame']]}{'(' if event['type'] == 'O' else ')'}{event['at'] // 1000}" for event in profile["events"]
        )
    launch = "cudaLaunchKernel(20 cudaLaunchKernel)20"  # drawn without length, where its operator starts
    assert drawn == {
        "process 4000 · thread 1": f"ProfilerStep#1(0 aten::linear(10 aten::mm(20 {launch} aten::mm)40 aten::linear)50 "
        "aten::mm(60 aten::mm)70 ProfilerStep#1)100",
        "process 4000 · thread 2": "a;b\\c(0 a;b\\c)10",
        "process 4000 · thread 2, crossing ranges 1": "c(5 c)15",
        "process 0 · stream 7": "gemm_a(25 gemm_a)55",
    }


@over(SAMPLES + real("h100_bert_small", "cpu_gloo_rank", "mtia_inference", "mi210_gpu_only"))
def test_every_range_opens_and_closes_in_order(path: Path, tmp_path: Path) -> None:
    trace = kineto_json.read(path)
    speedscope.write(trace, tmp_path / "a.speedscope.json")
    found = json.loads((tmp_path / "a.speedscope.json").read_text())
    durations: dict[str, int] = {}
    for profile in found["profiles"]:
        stack: list[dict[str, Any]] = []
        now = profile["startValue"]
        for event in profile["events"]:
            assert event["at"] >= now
            now = event["at"]
            if event["type"] == "O":
                stack.append(event)
                continue
            opened = stack.pop()
            assert opened["frame"] == event["frame"]
            frame = found["shared"]["frames"][event["frame"]]["name"]
            durations[frame] = durations.get(frame, 0) + event["at"] - opened["at"]
        assert stack == []
        assert now <= profile["endValue"]
    expected: dict[str, int] = {}
    columns = (trace.events.name_id, trace.events.start_ns, trace.events.end_ns)
    for name_id, start, end in zip(*(column.tolist() for column in columns), strict=True):
        expected[trace.text(name_id)] = expected.get(trace.text(name_id), 0) + end - start
    assert durations == {name: ns for name, ns in expected.items() if name in durations}
    assert all(ns == 0 for name, ns in expected.items() if name not in durations)


# CSV


def test_tables_become_files_with_texts_for_ids(trace: Trace, tmp_path: Path) -> None:
    assert csv_tables.write_folder(trace, tmp_path / "tables") == ()
    made = {path.name for path in (tmp_path / "tables").iterdir()}
    assert made == {"info.csv", "issues.csv", *(f"{table.name}.csv" for table in TABLES)}
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]
    with (tmp_path / "tables" / "events.csv").open(newline="", encoding="utf-8") as file:
        events = list(csv.DictReader(file))
    (kernel,) = [event for event in events if event["name"] == "gemm_a"]
    assert (kernel["start_ns"], kernel["end_ns"], kernel["kind"], kernel["parent"]) == ("25000", "55000", "kernel", "")
    assert events[int(kernel["launch"])]["name"] == "cudaLaunchKernel"
    assert json.loads(kernel["args"])["stream"] == 7
    assert [event["row"] for event in events] == [str(row) for row in range(len(trace.events))]
    steps = (tmp_path / "tables" / "steps.csv").read_text().splitlines()
    assert steps == ["number,row,start_ns,end_ns,complete", "1,0,0,100000,1"]


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    names = ("=cmd(calc!A0)", "@SUM(1)", "+1", "-1")
    trace = trace_from_text("thread 1 | " + " | ".join(f"{name} {place}-{place + 1}" for place, name in enumerate(names)))
    csv_tables.write_folder(trace, tmp_path / "tables")
    csv_tables.write_events(trace, tmp_path / "alone.csv")
    for path in (tmp_path / "tables" / "events.csv", tmp_path / "alone.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            assert [event["name"] for event in csv.DictReader(file)] == [f"'{name}" for name in names]


def test_a_folder_that_is_there_keeps_the_users_own_files(trace: Trace, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    targets.write(trace, str(tmp_path))
    targets.write(trace, f"{tmp_path}/")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert (tmp_path / "events.csv").is_file()
    assert not [path for path in tmp_path.parent.iterdir() if path.name.endswith(".tmp")]


@over((sample("cuda"), *real("a100_cupti_counters")))
def test_the_events_alone_hold_every_event(path: Path, tmp_path: Path) -> None:
    trace = kineto_json.read(path)
    (lost,) = csv_tables.write_events(trace, tmp_path / "a.csv.gz")
    assert lost.startswith("tables other than events")
    with gzip.open(tmp_path / "a.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [trace.text(name_id) for name_id in trace.events.name_id.tolist()]
    assert sum(int(row["end_ns"]) - int(row["start_ns"]) for row in rows) == int(
        (trace.events.end_ns - trace.events.start_ns).sum()
    )
