from __future__ import annotations

import dataclasses
import gzip
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.kineto import kineto_json
from tb_plugin.formats.stored import blocks, profile_pb
from tb_plugin.formats.stored.columns import Message, pb
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TABLES, Trace, TraceInfo
from tests.formats.made_traces import args_of, random_trace
from tests.formats.same_trace import assert_same
from tests.profiles import SAMPLES, over, real

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@settings(max_examples=60)
@given(seed=st.integers(0, 1 << 32), n_rows=st.integers(0, 40), level=st.sampled_from([1, 3, 9]))
def test_what_is_written_is_read_again(seed: int, n_rows: int, level: int) -> None:
    trace = random_trace(seed, n_rows)
    # Small blocks, so that rows, strings and arguments cross their borders.
    small = patch.multiple(blocks, BLOCK_ROWS=16, _STRING_BYTES=40, _ARGS_BYTES=60)
    with tempfile.TemporaryDirectory() as folder, small:
        path = Path(folder) / "w.1.pt.profile.pb"
        profile_pb.write(trace, path, level)
        assert_same(profile_pb.read(path), trace)


@over(SAMPLES + real("h100_bert_small", "a100_cupti_counters", "mi210_gpu_only", "cpu_gloo_rank", "a100_2ranks_rank0"))
def test_a_profile_is_read_again_and_is_smaller_than_its_gzip_json(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.pt.profile.pb"
    trace = kineto_json.read(path)
    profile_pb.write(trace, target)
    assert_same(profile_pb.read(target), trace)
    assert target.stat().st_size < path.stat().st_size or len(trace.events) < 1000


@pytest.fixture
def written(tmp_path: Path) -> Iterator[tuple[Trace, Path]]:
    """A trace with every table filled, as a file of several blocks."""
    trace = random_trace(8, 60)
    assert all(len(trace.table(table)) > 3 for table in TABLES)
    with patch.multiple(blocks, BLOCK_ROWS=16, _STRING_BYTES=40):
        path = tmp_path / "worker.1.pt.profile.pb"
        profile_pb.write(trace, path)
        yield trace, path


def test_absent_options_stay_not_recorded(tmp_path: Path) -> None:
    trace = random_trace(1, 0, info=TraceInfo(), issues=(), strings=())
    profile_pb.write(trace, tmp_path / "a.pb")
    assert profile_pb.read(tmp_path / "a.pb").info == TraceInfo()


def test_protobuf_itself_reads_a_file_as_one_message(written: tuple[Trace, Path]) -> None:
    trace, path = written
    profile = pb.Profile.FromString(path.read_bytes())
    assert [chunk.WhichOneof("kind") for chunk in (profile.chunk[0], profile.chunk[-1])] == ["header", "footer"]
    assert {rows.table: rows.n_rows for rows in profile.chunk[-1].footer.rows} == {t.name: len(trace.table(t)) for t in TABLES}
    assert profile.chunk[0].header.info.schedule.cycle == 0


def test_a_gzipped_profile_is_read_too(written: tuple[Trace, Path]) -> None:
    trace, path = written
    path.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    assert_same(profile_pb.read(path), trace)


def test_progress_rises_to_one(written: tuple[Trace, Path]) -> None:
    seen: list[float] = []
    profile_pb.read(written[1], lambda fraction, _stage: seen.append(fraction))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1.0)


# Versions


def _rewrite(path: Path, change: Callable[[Message], None]) -> None:
    profile = pb.Profile.FromString(path.read_bytes())
    change(profile)
    path.write_bytes(profile.SerializeToString())


def _varint_field(number: int, value: bytes) -> bytes:
    """One length-delimited field that no message of this version has."""
    return bytes([(number << 3 | 2) & 0x7F | 0x80, number >> 4]) + bytes([len(value)]) + value


def test_a_reader_skips_what_later_versions_add(written: tuple[Trace, Path]) -> None:
    trace, path = written

    def add(profile: Message) -> None:
        profile.chunk[0].header.format_version = 9
        profile.chunk[0].MergeFromString(pb.Chunk(header=pb.Header()).SerializeToString())
        profile.chunk[0].header.MergeFromString(_varint_field(200, b"a new header field"))
        profile.chunk[0].header.info.MergeFromString(_varint_field(201, b"a new info field"))
        profile.chunk.insert(1, pb.Chunk.FromString(_varint_field(100, b"a new kind of chunk")))
        new_column = pb.Column(name="not_known_yet", dtype=99, codec=99, transform=99, data=b"?")
        for chunk in profile.chunk:
            if chunk.WhichOneof("kind") == "columns":
                chunk.columns.column.insert(0, new_column)
        table = pb.ColumnBlock(table="modules", n_rows=70_000, column=[new_column])
        profile.chunk.insert(2, pb.Chunk(columns=table))
        profile.chunk[-1].footer.rows.append(pb.TableRows(table="modules", n_rows=70_000))

    _rewrite(path, add)
    path.write_bytes(path.read_bytes() + _varint_field(50, b"a new field of Profile"))
    assert_same(profile_pb.read(path), trace)


def test_columns_that_an_older_file_lacks_are_not_recorded(written: tuple[Trace, Path]) -> None:
    trace, path = written
    lacking = {"sequence", "owner", "true_end_ns", "occupancy_percent"}

    def remove(profile: Message) -> None:
        for chunk in profile.chunk:
            kept = [column for column in chunk.columns.column if column.name not in lacking]
            if chunk.WhichOneof("kind") == "columns":
                del chunk.columns.column[:]
                chunk.columns.column.extend(kept)

    _rewrite(path, remove)
    events = trace.events.from_columns({name: array for name, array in trace.events.columns().items() if name not in lacking})
    live = trace.live.from_columns({name: array for name, array in trace.live.columns().items() if name not in lacking})
    work = trace.work.from_columns({name: array for name, array in trace.work.columns().items() if name not in lacking})
    assert_same(profile_pb.read(path), dataclasses.replace(trace, events=events, live=live, work=work))


@pytest.mark.parametrize("table", ["live", "tensors", "frames"])
def test_a_table_that_an_older_file_lacks_is_empty(written: tuple[Trace, Path], table: str) -> None:
    _, path = written

    def remove(profile: Message) -> None:
        kept = [chunk for chunk in profile.chunk if chunk.columns.table != table]
        del profile.chunk[:]
        profile.chunk.extend(kept)
        footer = profile.chunk[-1].footer
        rows = [row for row in footer.rows if row.table != table]
        del footer.rows[:]
        footer.rows.extend(rows)

    _rewrite(path, remove)
    assert len(getattr(profile_pb.read(path), table)) == 0


def test_a_wider_column_of_a_later_version_is_narrowed(written: tuple[Trace, Path]) -> None:
    trace, path = written

    def widen(profile: Message) -> None:
        for chunk in profile.chunk:
            for column in chunk.columns.column:
                if column.name == "depth":
                    values = np.full(chunk.columns.n_rows, 1 << 40, np.int64)
                    values[0] = 7
                    plain = pb.Column(name="depth", dtype=pb.INT64, stored_bytes=8, data=values.tobytes())
                    column.CopyFrom(plain)

    _rewrite(path, widen)
    depth = profile_pb.read(path).events.depth
    assert set(depth[:: blocks.BLOCK_ROWS].tolist()) <= {7, -1}
    assert depth.dtype.itemsize <= trace.events.schema()["depth"][0].itemsize


def test_a_file_for_later_readers_only_is_refused_with_the_version(written: tuple[Trace, Path]) -> None:
    _, path = written
    _rewrite(path, lambda profile: setattr(profile.chunk[0].header, "minimum_reader_version", 7))
    with pytest.raises(FormatError, match=r"worker\.1\.pt\.profile\.pb: .* needs reader version 7, this one is 1; update"):
        profile_pb.read(path)


# Broken files


def test_a_file_cut_anywhere_gives_its_complete_chunks_and_an_issue(written: tuple[Trace, Path]) -> None:
    trace, path = written
    data = path.read_bytes()
    n_events = []
    for size in range(1000, len(data), 211):
        path.write_bytes(data[:size])
        cut = profile_pb.read(path)
        assert "truncated" in [issue.kind for issue in cut.issues]
        assert cut.info == trace.info
        n_events.append(len(cut.events))
        kept = cut.events
        np.testing.assert_array_equal(kept.start_ns, trace.events.start_ns[: len(kept)])
        for column in (kept.parent, kept.launch, kept.owner, cut.steps.row):
            assert np.all(column < len(kept))
        for rows in (cut.work.row, cut.memory.row, cut.live.row):
            assert np.all((rows >= 0) & (rows < len(kept)))
    assert sorted(set(n_events)) == [0, *range(16, len(trace.events), 16), len(trace.events)]


def test_a_file_cut_in_its_header_is_an_error(written: tuple[Trace, Path]) -> None:
    path = written[1]
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(FormatError, match="ends inside its header"):
        profile_pb.read(path)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"{}", b"\x0a\x05hello", bytes(1000), b"\x1f\x8b\x08junk", gzip.compress(b"", mtime=0)]
)
def test_a_foreign_file_is_one_clear_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign.pb"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"foreign\.pb: \S+ \S+"):
        profile_pb.read(path)


@settings(max_examples=150)
@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), n_bytes=st.sampled_from([1, 1, 8]))
def test_a_damaged_byte_gives_a_trace_or_one_clear_error(place: float, byte: int, n_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pb"
        with patch.multiple(blocks, BLOCK_ROWS=16):
            profile_pb.write(random_trace(8, 60), path)
            data = bytearray(path.read_bytes())
            at = int(place * len(data))
            data[at : at + n_bytes] = bytes([byte]) * n_bytes
            path.write_bytes(data)
            try:
                trace = profile_pb.read(path)
            except FormatError as error:
                reason = str(error)
                trace = None
        if trace is None:
            assert "a.pb: " in reason
        else:
            assert np.all(trace.events.name_id < len(trace.strings))
            assert np.all(trace.events.kind <= max(Kind))


def _hostile_block(**fields: Message) -> Message:
    column = pb.Column(name="start_ns", dtype=pb.INT64, stored_bytes=8, codec=pb.ZSTD, data=zstandard.compress(bytes(1 << 20)))
    return pb.Chunk(columns=pb.ColumnBlock(**({"table": "events", "n_rows": 10, "column": [column]} | fields)))


@pytest.mark.parametrize(
    ("hostile", "reason"),
    [
        (lambda: [_hostile_block()], "claims 1048576 bytes"),
        (lambda: [_hostile_block(n_rows=4_000_000_000, column=[])], "has rows 0 "),
        (lambda: [_hostile_block(n_rows=60_000, first_row=60_000 * k, column=[]) for k in range(90)], "far more data"),
        (lambda: [_hostile_block(first_row=1 << 60, column=[])], "has rows"),
        (lambda: [pb.Chunk(strings=pb.StringBlock(length=[1 << 31], data=zstandard.compress(b"abc")))], "do not add up"),
        (
            lambda: [_hostile_block(column=[pb.Column(name="row", dtype=pb.INT32, width=1 << 31)], table="work")],
            "claims 2147483648",
        ),
        (lambda: [_hostile_block(column=[pb.Column(name="depth", dtype=pb.INT32, stored_bytes=1, codec=9)])], "unknown codec 9"),
        (
            lambda: [_hostile_block(column=[pb.Column(name="depth", dtype=pb.INT32, stored_bytes=1)])],
            "holds 0 bytes instead of 10",
        ),
        (lambda: [_hostile_block(column=[pb.Column(name="depth", dtype=77)])], "unknown type 77"),
        (lambda: [pb.Chunk(args=pb.ArgsBlock(data=b"\x28\xb5\x2f\xfd\xe0" + b"\xff" * 8))], "arguments claims"),
        (lambda: [pb.Chunk(header=pb.Header())], "second header"),
        (lambda: [pb.Chunk(footer=pb.Footer(rows=[pb.TableRows(table="events", n_rows=5)]))], "0 rows where 5"),
    ],
)
def test_lengths_of_a_hostile_file_are_not_believed(hostile: Callable[[], list[Message]], reason: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.pb"
    header = pb.Header(magic=profile_pb.MAGIC.decode(), format_version=1, minimum_reader_version=1)
    path.write_bytes(pb.Profile(chunk=[pb.Chunk(header=header), *hostile()]).SerializeToString())
    with patch.object(blocks, "_SMALLEST_ALLOWANCE", 64 << 20), pytest.raises(FormatError, match=reason):
        profile_pb.read(path)


def test_references_that_lead_nowhere_are_dropped_and_counted(tmp_path: Path) -> None:
    trace = random_trace(8, 60)
    owner, kind = trace.events.owner.copy(), trace.events.kind.copy()
    owner[0], owner[1], kind[2] = 1_000_000, -7, 250
    events = trace.events.from_columns(trace.events.columns() | {"owner": owner, "kind": kind})
    profile_pb.write(dataclasses.replace(trace, events=events), tmp_path / "a.pb")
    got = profile_pb.read(tmp_path / "a.pb")
    assert got.events.owner[:2].tolist() == [-1, -1]
    assert got.events.kind[2] == Kind.UNKNOWN
    assert got.issues[-1].kind == "dangling-reference"
    assert got.issues[-1].count == 2


# Writing


def test_a_write_that_fails_leaves_the_old_file_and_no_other(written: tuple[Trace, Path]) -> None:
    trace, path = written
    before = path.read_bytes()
    bad = dataclasses.replace(trace, args=dataclasses.replace)  # type: ignore[arg-type]  # fails at the end of the file
    with pytest.raises(TypeError):
        profile_pb.write(bad, path)
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_arguments_of_neighbours_share_a_block(tmp_path: Path) -> None:
    trace = random_trace(5, 40, args=args_of(1000))
    profile_pb.write(trace, tmp_path / "a.pb")
    args = profile_pb.read(tmp_path / "a.pb").args
    assert len(list(args)) == 1
    assert args.n_bytes < trace.args.n_bytes / 2
    assert args.get(999) == {"k": 999}
    assert args.get(1000) == {}
