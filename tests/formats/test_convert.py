from __future__ import annotations

import codecs
import gzip
import json
import os
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import zstandard

from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.formats import reader
from tb_plugin.formats.registry import FORMATS, Format
from tb_plugin.formats.stored import profile_pb
from tests.formats.same_trace import assert_same
from tests.trace_text import trace_from_text

ROOT = Path(__file__).resolve().parents[2]
EVENT = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {"External id": 3}}
DRAWN = "thread 1 | aten::mm 0-15\nstream 7 | gemm 5-15 <- aten::mm"
JSON = json.dumps({"schemaVersion": 1, "traceEvents": [EVENT]}).encode()


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tb_plugin.formats.convert", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# Recognising


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (JSON, "chrome-json"),
        (gzip.compress(JSON, mtime=0), "chrome-json"),
        (zstandard.compress(JSON), "chrome-json"),
        (zstandard.compress(b"hello"), None),
        (zstandard.compress(JSON)[:9], None),
        (b"\xef\xbb\xbf \n" + JSON, "chrome-json"),
        (json.dumps([EVENT]).encode(), "chrome-json"),
        (b'{"schemaVersion": 1, "deviceProperties": [' + b'{"id": 0}, ' * 9000, "chrome-json"),
        (gzip.compress(JSON, mtime=0)[:40], None),
        (b'{"loss": [1, 2]}', None),
        (b'[{"loss": 1}]', None),
        (b"[1, 2]", None),
        (b"", None),
        (b"\x80\x05pickle", None),
        (b"\x1f\x8bnot gzip", None),
    ],
)
def test_a_profile_is_recognised_by_its_content(content: bytes, expected: str | None, tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_bytes(content)
    assert reader.sniff(path) == expected


def test_json_packed_by_zstd_is_read_and_one_cut_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "w.json.zst"
    events = [{**EVENT, "ts": ts} for ts in range(0, 100_000, 10)]
    packed = zstandard.compress(json.dumps({"traceEvents": events}).encode())
    path.write_bytes(packed)
    trace = reader.read(path)
    assert (len(trace.events), trace.issues, trace.info.format) == (10_000, (), "chrome-json")
    path.write_bytes(packed[: len(packed) * 3 // 4])
    trace = reader.read(path)
    assert 0 < len(trace.events) < 10_000
    assert "truncated" in [issue.kind for issue in trace.issues]
    path.write_bytes(zstandard.compress(b"hello"))
    with pytest.raises(FormatError, match="compressed with zstd; unpack it first"):
        reader.read(path)


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.id)
def test_a_reader_has_what_the_registry_asks_for(each: Format) -> None:
    found = each.reader()
    assert callable(found.is_ours)
    assert callable(found.read)
    assert vars(found)["FORMAT"] == each.id


def test_the_stored_profile_is_recognised_and_read_under_any_name(tmp_path: Path) -> None:
    trace = trace_from_text(DRAWN)
    path = tmp_path / "renamed.json"
    profile_pb.write(trace, path)
    assert reader.sniff(path) == "profile-pb"
    assert_same(reader.read(path), trace)
    path.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    assert reader.sniff(path) == "profile-pb"
    assert_same(reader.read(path), trace)


def test_a_missing_file_or_a_folder_is_not_a_profile(tmp_path: Path) -> None:
    assert reader.sniff(tmp_path / "none.json") is None
    assert reader.sniff(tmp_path) is None
    with pytest.raises(NotFoundError, match=r"none\.json: no such file"):
        reader.read(tmp_path / "none.json")
    with pytest.raises(FormatError, match="cannot be read"):
        reader.read(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        *(
            (gzip.compress(JSON, mtime=0)[:length], f"the file is cut off after {length} bytes: its gzip stream")
            for length in (2, 5, 12, 20)
        ),
        (gzip.compress(b"", mtime=0), "nothing was packed into this gzip file"),
        (b"\x1f\x8bnot gzip", "the gzip stream is damaged"),
        (b" \n ", "nothing but white space"),
        (b"PK\x03\x04..", "a zip archive"),
        (zlib.compress(JSON), "compressed with zlib"),
        (b"SQLite format 3\x00", "an SQLite database"),
        (b"\x80\x05pickle", "a Python pickle"),
        (codecs.BOM_UTF16_LE + JSON.decode().encode("utf-16-le"), "text in UTF-16"),
        (codecs.BOM_UTF16_BE + JSON.decode().encode("utf-16-be"), "text in UTF-16"),
        (codecs.BOM_UTF32_LE + JSON.decode().encode("utf-32-le"), "text in UTF-32"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "a Git LFS pointer: run git lfs pull"),
        (b"step,loss\n1,2", "none of the formats that are read .*stored profile; Nsight Systems, .*nvprof.*; Perfetto"),
        (b'{"loss": [1, 2]}', ""),
        (b'[{"loss": 1}]', ""),
    ],
)
def test_a_foreign_file_is_named_for_what_it_is(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.json: not a PyTorch profile: " + reason):
        reader.read(path)


# Converting in a process of its own


def test_a_json_file_becomes_a_stored_profile(tmp_path: Path) -> None:
    source, target = tmp_path / "w.1.pt.trace.json.gz", tmp_path / "w.1.pt.profile.pb"
    source.write_bytes(gzip.compress(JSON, mtime=0))
    process = start(source, target)
    out, err = process.communicate(timeout=240)
    assert (process.returncode, err) == (0, "")
    assert_same(profile_pb.read(target), reader.read(source))
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    fractions = [float(fraction) for fraction, _ in lines]
    assert fractions == sorted(fractions)
    assert lines[-1] == ["1.00", "opening"]
    assert names_in(tmp_path) == ["w.1.pt.profile.pb", "w.1.pt.trace.json.gz"]


@pytest.mark.parametrize("content", [None, b"", b"\x80\x05pickle", b"\x1f\x8bnot gzip"])
def test_a_file_that_cannot_be_converted_is_one_line_and_leaves_nothing(content: bytes | None, tmp_path: Path) -> None:
    source = tmp_path / "in.json"
    if content is not None:
        source.write_bytes(content)
    before = names_in(tmp_path)
    process = start(source, tmp_path / "out.pt.profile.pb")
    _, err = process.communicate(timeout=240)
    assert process.returncode == 1
    assert err.startswith(f"{source}: ")
    assert len(err.splitlines()) == 1
    assert names_in(tmp_path) == before


def test_a_target_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    source = tmp_path / "in.pb"
    profile_pb.write(trace_from_text(DRAWN), source)
    process = start(source, tmp_path / "missing" / "out.pb")
    _, err = process.communicate(timeout=240)
    assert process.returncode == 1
    assert "No such file or directory" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_conversion_says_nothing_and_leaves_nothing(how: signal.Signals, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no named pipes, and no signal that a process could answer")
    source = tmp_path / "in.json"
    os.mkfifo(source)  # a read that waits: the signal always comes in the middle
    process = start(source, tmp_path / "out.pb")
    with source.open("wb"):  # opens once the child has opened it for reading
        process.send_signal(how)
        _, err = process.communicate(timeout=240)
    assert (process.returncode, err) == (130, "")
    assert names_in(tmp_path) == ["in.json"]


def test_a_parent_that_went_away_does_not_stop_a_conversion(tmp_path: Path) -> None:
    source, target = tmp_path / "in.pb", tmp_path / "out.pb"
    trace = trace_from_text(DRAWN)
    profile_pb.write(trace, source)
    process = start(source, target)
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=240)
    assert (process.returncode, err) == (0, "")
    assert_same(profile_pb.read(target), trace)
