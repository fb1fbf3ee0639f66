from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats import reader
from tb_plugin.formats.glance import glance
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.scope.recording import began_ns
from tests.runs.small import FOREIGN, chrome_json, put

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_the_first_bytes_say_whose_and_of_which_rank(tmp_path: Path, name: str) -> None:
    assert glance(put(tmp_path / name, chrome_json(rank=5)))[:2] == (True, 5)
    assert glance(put(tmp_path / name, chrome_json(rank=None)))[:2] == (True, None)
    assert glance(put(tmp_path / name, FOREIGN))[:2] == (False, None)


def test_a_stored_profile_has_the_rank_in_its_header(tmp_path: Path) -> None:
    trace = reader.read(put(tmp_path / "a.json", chrome_json(rank=6)))
    profile_pb.write(trace, tmp_path / "a.pb")
    assert (glance(tmp_path / "a.pb")[:2], glance(tmp_path / "a.pb").world_size) == ((True, 6), 4)
    whole = (tmp_path / "a.pb").read_bytes()
    for cut in (1, 30, 60):
        assert glance(put(tmp_path / "cut.pb", whole[:cut])).rank is None


def test_a_rank_among_the_events_is_none_of_the_files(tmp_path: Path) -> None:
    event = b'{"traceEvents": [{"ph": "X", "name": "aten::mm", "args": {"distributedInfo": {"rank": 7}}}]}'
    assert glance(put(tmp_path / "a.json", event))[:2] == (True, None)


@pytest.mark.parametrize(
    ("written", "rank"),
    [
        ("3", 3),
        ('"3"', 3),
        ("-1", None),
        ('"-1"', None),
        ('"3; DROP"', None),
        ("3.7", None),
        ("true", None),
        ("12345678", None),
        ("9" * 5000, None),
    ],
)
def test_what_is_no_rank_is_not_recorded_at_a_glance_and_when_read(tmp_path: Path, written: str, rank: int | None) -> None:
    text = chrome_json(rank=5).replace(b'"rank": 5', f'"rank": {written}'.encode())
    path = put(tmp_path / "a.json", text)
    assert (glance(path).rank, reader.read(path).info.rank) == (rank, rank)


@pytest.mark.parametrize(
    "content",
    [
        b'[{"name": "aten::add", "ph": "X", "ts": 1, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}}]',
        b'[{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Ascend Hardware"}}]',
        b'{"traceEvents": [{"ph": "X", "cat": "Operator", "name": "matmul", "ts": 1, "dur": 2}]}',
        b'\xef\xbb\xbf {"distributedInfo": {"rank": 0}, "traceEvents": []}',
    ],
    ids=["torch 1.7", "torch_npu", "torch 1.8", "byte order mark"],
)
def test_old_and_other_writers_of_torch_are_of_torch(tmp_path: Path, content: bytes) -> None:
    assert glance(put(tmp_path / "a.json", content)).of_torch


@pytest.mark.parametrize(
    "content", [b"", b"\x1f\x8b", gzip.compress(b"x" * 99, mtime=0)[:20], b"\n\xff\xff", b"\x80\x04", b'{"distributedInfo']
)
def test_no_content_is_an_error(tmp_path: Path, content: bytes) -> None:
    assert glance(put(tmp_path / "a.pb", content)).rank is None


def test_what_a_recording_says_at_a_glance_is_what_all_of_it_says(traces: Path) -> None:
    small = [path for path in sorted(traces.glob("*.json.gz")) if path.stat().st_size < 1_000_000]
    at_a_glance = {path.name: rank for path in small if (rank := glance(path).rank) is not None}
    assert len(at_a_glance) > 3, "some have it behind the events, most in front of them"
    assert at_a_glance == {path.name: reader.read(path).info.rank for path in small if path.name in at_a_glance}


def test_what_a_job_says_at_a_glance_is_what_all_of_a_file_says(traces: Path, tmp_path: Path) -> None:
    firsts = sorted((traces / "distributed").glob("*/rank0.*.json.gz"))
    for path in firsts:
        found, trace = glance(path), reader.read(path)
        assert (found.world_size, found.host) == (trace.info.world_size, trace.info.host)
        said = trace.info.metadata.get("pg_config", [])
        assert found.groups == {(group["pg_desc"], group["pg_size"]) for group in said}
        profile_pb.write(trace, tmp_path / "a.pb")
        assert glance(tmp_path / "a.pb")[3:5] == found[3:5]
    assert len(firsts) > 3


BASE_NS = 1_767_189_312_000_000_000
EVENTS = '"traceEvents": [{"ph": "M", "ts": 0, "name": "a"}, {"ph": "X", "name": "aten::mm", "ts": TS, "dur": 1}]'


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("text", "expected_ns"),
    [
        (f'{{"baseTimeNanoseconds": {BASE_NS}, {EVENTS.replace("TS", "4909914216204.6")}}}', BASE_NS + 4_909_914_216_204_000),
        (f'{{{EVENTS.replace("TS", "4909914216204.6")}, "baseTimeNanoseconds": {BASE_NS}}}', BASE_NS + 4_909_914_216_204_000),
        (f"{{{EVENTS.replace('TS', '1682725898236567')}}}", 1_682_725_898_236_567_000),
        (f"{{{EVENTS.replace('TS', '5000000.5')}}}", None),  # since the machine was started
        (f"{{{EVENTS.replace('TS', '9' * 400)}}}", None),
        (f'{{"baseTimeNanoseconds": {BASE_NS}, "traceEvents": []}}', None),
    ],
)
def test_the_first_bytes_say_when_it_began(tmp_path: Path, text: str, expected_ns: int | None, packed: bool) -> None:
    path = put(tmp_path / "a.json", gzip.compress(text.encode()) if packed else text.encode())
    assert glance(path, far=True).began_ns == expected_ns


def test_a_time_that_the_first_bytes_cut_off_is_none(tmp_path: Path) -> None:
    began = f'{{"baseTimeNanoseconds": {BASE_NS}, "traceEvents": [{{"ph": "X", "ts": 4909914216204.6}}, {{"a": "'
    size = 16 << 10
    text = began + "x" * (size - len(began) - 11) + '", "ts": 4909914216205.1}]}'
    assert text[:size].endswith('"ts": 49')
    assert glance(put(tmp_path / "a.json", text.encode())).began_ns == BASE_NS + 4_909_914_216_204_000


def test_when_it_began_is_what_all_of_the_file_says(traces: Path, tmp_path: Path) -> None:
    small = [path for path in sorted(traces.glob("*.json.gz")) if path.stat().st_size < 400_000]
    for path in small:
        trace = reader.read(path)
        told, whole = glance(path, far=True).began_ns, began_ns(trace)
        assert (told is None) == (whole is None)
        assert told is None or whole is None or abs(told - whole) <= trace.info.end_ns - trace.info.start_ns
        profile_pb.write(trace, tmp_path / "a.pb")
        assert glance(tmp_path / "a.pb").began_ns == whole
