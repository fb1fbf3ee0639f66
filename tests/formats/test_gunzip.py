"""Gzipped files that are not as somebody wrote them: all that can be unpacked is shown, and what was wrong is said."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zlib
from typing import TYPE_CHECKING

import pytest
import zstandard

from tb_plugin.answers import bodies
from tb_plugin.answers.questions import of_one
from tb_plugin.base import fast_gzip
from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader
from tb_plugin.formats.gunzip import Gunzip
from tb_plugin.formats.perfetto import write as perfetto_write
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.scope.recording import BEHIND, CHECKSUM, is_cut_off
from tests.runs.small import chrome_json
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

N_OPERATORS = 300
N = N_OPERATORS + 1  # and their step
DRAWN = "thread 1 | aten::mm 0-15 | aten::relu 20-30"


def member(plain: bytes, checksum: int = 0, length: int = 0, *, flags: int = 0, extra: bytes = b"") -> bytes:
    """A gzip member whose checksum and length are wrong by so much."""
    packer = zlib.compressobj(wbits=-15)
    deflate = packer.compress(plain) + packer.flush()
    told = (zlib.crc32(plain) + checksum) & 0xFFFFFFFF, (len(plain) + length) & 0xFFFFFFFF
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(5) + b"\x03" + extra + deflate + struct.pack("<II", *told)


def kinds(trace: Trace) -> set[str]:
    return {issue.kind for issue in trace.issues}


def files(folder: Path) -> dict[str, bytes]:
    """Each format that people gzip, small: the whole of it is the last piece of a stream."""
    drawn = trace_from_text(DRAWN)
    for name in ("a.pt.profile.pb", "a.pftrace"):
        writer = profile_pb if name.endswith(".pb") else perfetto_write
        writer.write(drawn, folder / name)
    found = {name: (folder / name).read_bytes() for name in ("a.pt.profile.pb", "a.pftrace")}
    return {"a.json": chrome_json(N_OPERATORS), **found}


@pytest.mark.parametrize("name", ["a.json", "a.pt.profile.pb", "a.pftrace"])
@pytest.mark.parametrize("wrong", [(1, 0), (0, 1), (3, 7)])
@pytest.mark.parametrize("which", [(0,), (1,), (2,), (0, 1, 2)])
def test_a_wrong_checksum_of_any_member_loses_nothing_and_is_said(
    name: str, wrong: tuple[int, int], which: tuple[int, ...], tmp_path: Path
) -> None:
    plain = files(tmp_path)[name]
    expected = reader.read(tmp_path / name) if (tmp_path / name).exists() else None
    third = len(plain) // 3
    parts = [plain[:third], plain[third : 2 * third], plain[2 * third :]]
    path = tmp_path / f"{name}.gz"
    path.write_bytes(b"".join(member(part, *(wrong if place in which else (0, 0))) for place, part in enumerate(parts)))
    trace = reader.read(path)
    assert len(trace.events) == (N if expected is None else len(expected.events))
    (issue,) = (issue for issue in trace.issues if issue.kind == CHECKSUM)
    assert issue.count == len(which)
    assert ("checksum" if wrong[0] else "length") in issue.text
    assert not is_cut_off(trace)
    reply = json.loads(bodies.body(of_one("view/operators"), trace, of_one("view/operators").params(), "sent"))
    assert reply["notes"][0].startswith(f"The file may be damaged ({len(trace.events):,} events were read): the ")


@pytest.mark.parametrize("name", ["a.json", "a.pt.profile.pb", "a.pftrace"])
@pytest.mark.parametrize("cut", range(1, 9))
def test_a_file_that_ends_in_its_checksum_lacks_nothing_else(name: str, cut: int, tmp_path: Path) -> None:
    plain = files(tmp_path)[name]
    path = tmp_path / f"{name}.gz"
    path.write_bytes(member(plain)[:-cut])
    trace = reader.read(path)
    assert len(trace.events) == len(reader.read(_put(tmp_path / f"plain.{name}", plain)).events)
    assert CHECKSUM in kinds(trace)
    assert not is_cut_off(trace)


@pytest.mark.parametrize("name", ["a.json", "a.pt.profile.pb", "a.pftrace"])
@pytest.mark.parametrize("behind", [b"garbage", b"\x1f\x8bno header", b"\x00" * 300_000 + b"x", b"\x1f\x8b\x08\xffabcdefghijk"])
def test_what_is_behind_a_stream_is_left_out_and_said(name: str, behind: bytes, tmp_path: Path) -> None:
    path = _put(tmp_path / f"{name}.gz", member(files(tmp_path)[name]) + behind)
    assert kinds(reader.read(path)) == {BEHIND}
    padded = _put(tmp_path / f"padded.{name}.gz", member(files(tmp_path)[name]) + bytes(300_000))
    assert kinds(reader.read(padded)) == set()


@pytest.mark.parametrize(
    ("flags", "extra"),
    [(1, b""), (2, b"ab"), (4, b"\x03\x00abc"), (8, b"name\x00"), (16, b"remark\x00"), (31, b"\x01\x00xname\x00remark\x00ab")],
)
def test_every_header_that_the_standard_has_is_read(flags: int, extra: bytes) -> None:
    data = member(b"some text", flags=flags, extra=extra)
    assert gzip.decompress(data) == Gunzip(io.BytesIO(data)).read() == b"some text"
    for end in range(1, 10 + len(extra)):
        cut = Gunzip(io.BytesIO(data[:end]))
        assert cut.read() == b""
        assert cut.damage is not None


def test_damage_in_a_small_file_gives_what_is_in_front_of_it(tmp_path: Path) -> None:
    """All of it was one piece for the library, of which it gives nothing."""
    packed = bytearray(member(chrome_json(N_OPERATORS)))
    middle = len(packed) // 2
    packed[middle : middle + 40] = b"\xff" * 40
    trace = reader.read(_put(tmp_path / "a.json.gz", bytes(packed)))
    assert N / 8 < len(trace.events) < N
    assert is_cut_off(trace)


class _Counting:
    """A decompressor that counts what it is given."""

    n_bytes = 0

    def __init__(self) -> None:
        self._real = zlib.decompressobj(wbits=-15)

    def decompress(self, piece: bytes, most: int) -> bytes:
        _Counting.n_bytes += len(piece)
        return self._real.decompress(piece, most)

    def __getattr__(self, name: str) -> object:
        return getattr(self._real, name)


def test_forty_thousand_members_are_read_in_linear_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_gzip, "deflate_decompressor", _Counting)
    data = member(b"") * 20_000 + member(b"x") * 20_000
    gunzip = Gunzip(io.BytesIO(data))
    assert gunzip.read() == b"x" * 20_000
    assert (gunzip.damage, gunzip.consumed_bytes) == (None, len(data))
    assert _Counting.n_bytes < 4 * len(data)
    monkeypatch.undo()
    path = _put(tmp_path / "a.json.gz", member(chrome_json(N_OPERATORS)) + member(b"") * 40_000)
    assert kinds(reader.read(path)) == set()
    path.write_bytes(member(b"") * 1_000 + member(chrome_json(N_OPERATORS)))
    assert len(reader.read(path).events) == N


def test_a_file_that_begins_with_endless_empty_members_is_one_error(tmp_path: Path) -> None:
    path = _put(tmp_path / "a.json.gz", member(b"") * 40_000 + member(chrome_json(N_OPERATORS)))
    with pytest.raises(FormatError, match="nothing is packed into the first 64 kB of this gzip file"):
        reader.read(path)


@pytest.mark.parametrize("change", ["checksum", "behind"])
def test_zstd_is_read_alike(change: str, tmp_path: Path) -> None:
    packed = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(chrome_json(N_OPERATORS)))
    if change == "checksum":
        packed[-1] ^= 1
    trace = reader.read(_put(tmp_path / "a.json.zst", bytes(packed) + (b"garbage" if change == "behind" else b"")))
    assert len(trace.events) == N
    assert (CHECKSUM if change == "checksum" else BEHIND) in kinds(trace)
    assert not is_cut_off(trace)


def _put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
