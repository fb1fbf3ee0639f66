"""A rank's summary beside its profile: what is written is read, and what is not this profile's is not."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import tracemalloc
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
import zstandard

from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import NONE
from tb_plugin.formats.reader import read as read_profile
from tb_plugin.formats.stored import rank_summary
from tb_plugin.formats.stored.rank_summary import Kept, made_of, read, write
from tb_plugin.trace.rank import summary as tables
from tb_plugin.trace.rank.device_waits import DEVICE_WAITS
from tb_plugin.trace.rank.host_stretches import HOST_STRETCHES
from tb_plugin.trace.rank.memory_peaks import MEMORY
from tb_plugin.trace.rank.order import NEEDS, ORDER
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.trace.rank.pause_events import PauseEvent
from tb_plugin.trace.rank.summarise import summarise
from tests.job_files import Job

if TYPE_CHECKING:
    from tb_plugin.trace.rank.summary import RankSummary


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile with its summary."""
    profile = Job(n_ranks=2, n_steps=1, n_layers=3).write(tmp_path_factory.mktemp("job"))[0]
    write(summarise(read_profile(profile)), made_of([profile]), place_of(profile))
    return profile


@pytest.fixture
def profile(made: Path, tmp_path: Path) -> Path:
    shutil.copy2(place_of(made), tmp_path)
    return Path(shutil.copy2(made, tmp_path))


@pytest.fixture
def beside(profile: Path) -> Path:
    return place_of(profile)


def place_of(profile: Path) -> Path:
    return rank_summary.place_beside(profile, profile.name.removesuffix(".pt.trace.json.gz"))


def why_not(place: Path, profile: Path) -> str:
    with pytest.raises(FormatError) as caught:
        read(place, str(profile))
    return caught.value.reason


def test_what_is_written_is_read(profile: Path, beside: Path) -> None:
    assert beside.name == profile.name.replace(".pt.trace.json.gz", ".pt.summary")
    assert read(beside, str(profile)) == summarise(read_profile(profile))
    assert read(beside.with_name("other.pt.summary"), str(profile)) is None


def test_a_copy_of_both_with_times_of_its_own_is_theirs(profile: Path, beside: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    there = shutil.copy(profile, tmp_path / "copy" / profile.name)
    os.utime(there, (7, 7))
    assert read(beside, str(there)) is not None


def test_a_profile_that_was_written_again_has_none(profile: Path, beside: Path) -> None:
    data = profile.read_bytes()
    profile.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))  # as long as before
    os.utime(profile, (7, 7))
    assert "another file" in why_not(beside, profile)
    profile.write_bytes(data + b" ")
    assert "another file" in why_not(beside, profile)
    other = profile.with_name("rank9.1.pt.trace.json.gz")
    profile.rename(other)
    assert "another file" in why_not(beside, other)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "damaged"),
        (b"<html>", "damaged"),
        (b"[]", "damaged"),
        (b"{}", "no summary"),
        (b'{"format": "torch-tb-plugin rank summary", "version": 99, "made_of": 1}', "a newer version of its format, 99"),
        (f'{{"format": "torch-tb-plugin rank summary", "version": {rank_summary.VERSION}}}'.encode(), "damaged"),
    ],
)
def test_what_is_no_summary_says_why(profile: Path, beside: Path, data: bytes, reason: str) -> None:
    beside.write_bytes(data)
    assert reason in why_not(beside, profile)


def test_half_a_summary_says_why(profile: Path, beside: Path) -> None:
    beside.write_bytes(beside.read_bytes()[:-200])
    assert "damaged" in why_not(beside, profile)


def test_bytes_that_were_written_over_are_not_believed(profile: Path, beside: Path) -> None:
    """They may be of the right alphabet, and unpack to what looks sound."""
    data = beside.read_bytes()
    first = data.index(b'"summary":')
    for at in range(first + 11, len(data) - 60, max((len(data) - first) // 20, 1)):
        beside.write_bytes(data[:at] + b"A" * 20 + data[at + 20 :])
        assert "damaged" in why_not(beside, profile)
    beside.write_bytes(data)
    assert read(beside, str(profile)) is not None


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("collectives", "group", 99),
        ("collectives", "group", -2),
        ("collectives", "kind", NONE),
        ("collectives", "dtype", 99),
        ("collectives", "end", 1 << 62),
        ("shapes", "name", 99),
        ("work", "in_pause", 99),
        ("work", "in_pause_4", -2),
        ("order", "after", 1 << 40),
        ("needs", "row", NONE),
        ("needs", "collective", 99999),
    ],
)
def test_a_place_that_is_not_there_is_refused(profile: Path, beside: Path, table: str, column: str, value: int) -> None:
    """Of somebody who wants to see the server fail, or of a bug."""
    change(beside, **{table: replaced(summary_of(beside), table, column, value)})
    assert why_not(beside, profile)


def test_of_many_each_is_read_as_it_is_alone(profile: Path, tmp_path: Path) -> None:
    """Their tables are unpacked together: one that is damaged, or said to be huge, is no reason not to read others."""
    whole, work = summary_of(place_of(profile)), summary_of(place_of(profile)).work
    fields: list[dict[str, object]] = [
        {},
        {"work": msgspec.structs.replace(work, data="!")},
        {"work": msgspec.structs.replace(work, data=whole.steps.data)},
        {"computing": msgspec.structs.replace(whole.computing, n_rows=10**12)},
        {"computing": msgspec.structs.replace(whole.computing, n_rows=-1)},
        {"computing": packed({name: np.zeros(0, np.int64) for name in whole.computing.columns})},
        {"collectives": replaced(whole, "collectives", "group", 99)},
        {"rank": 1},
    ]
    asked: list[tuple[Path, str | None]] = [(tmp_path / "no such file", str(profile))]
    for nth, changed in enumerate(fields):
        place = tmp_path / f"{nth}.pt.summary"
        shutil.copy2(place_of(profile), place)
        change(place, **changed)
        asked.append((place, str(profile)))
    found = [one.reason if isinstance(one, FormatError) else one for one in rank_summary.read_each(asked)]
    refused = [place for place, one in enumerate(found) if isinstance(one, str)]
    assert refused == [2, 3, 4, 5, 7]
    for nth, (place, _) in enumerate(asked):
        assert found[nth] == (why_not(place, profile) if nth in refused else read(place, str(profile)))


def test_what_fills_gaps_is_kept_by_short_names_of_known_causes(profile: Path, beside: Path) -> None:
    long = "x" * 301
    for event, reason in (
        (PauseEvent(name=long, told="other"), "longer"),
        (PauseEvent(name="x", told="other", frame=long), "longer"),
        (PauseEvent(name="x", told="y"), "damaged"),  # type: ignore[arg-type]
    ):
        change(beside, pause_events=[event])
        assert reason in why_not(beside, profile)


def test_tables_of_other_columns_or_lengths_are_refused(profile: Path, beside: Path) -> None:
    summary = summary_of(beside)
    work = unpacked(summary.work)
    change(beside, work=packed({name: column[:0] for name, column in work.items()}))
    assert "differ in number" in why_not(beside, profile)
    change(beside, work=packed({"step": work["computation"]}))
    assert "other columns" in why_not(beside, profile)
    change(beside, work=msgspec.structs.replace(summary.work, data="!"))
    assert "damaged" in why_not(beside, profile)


def test_a_table_that_unpacks_to_more_than_it_says_is_not_unpacked(profile: Path, beside: Path) -> None:
    """A few kB of zstd may hold GiB of zeros, and say how many or not."""
    collectives = summary_of(beside).collectives
    zeros = bytes(1 << 26)
    said = zstandard.ZstdCompressor().compress(zeros)
    unsaid = zstandard.ZstdCompressor(write_content_size=False).compress(zeros)
    for data in (said, unsaid):
        change(beside, collectives=msgspec.structs.replace(collectives, data=base64.b64encode(data).decode()))
        tracemalloc.start()
        reason = why_not(beside, profile)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert reason == "its collectives are damaged"
        assert most < len(zeros) / 2


def test_tables_that_are_said_to_be_huge_are_refused(profile: Path, beside: Path) -> None:
    change(beside, computing=msgspec.structs.replace(summary_of(beside).computing, n_rows=10**12))
    assert "more than 256 MiB" in why_not(beside, profile)


def test_a_range_or_a_wait_without_a_name_is_refused(profile: Path, beside: Path) -> None:
    change(beside, stretches=packed({column: np.array([10**6]) for column in HOST_STRETCHES}))
    assert "a row of the host that is not there" in why_not(beside, profile)
    change(beside, stretches=None, device_waits=packed({column: np.array([1]) for column in DEVICE_WAITS}), wait_names=["one"])
    assert "a name of a wait that is not there" in why_not(beside, profile)
    change(beside, ranges=packed({column: np.array([1]) for column in tables.RANGES}), range_names=["one"])
    assert "a name of a range that is not there" in why_not(beside, profile)
    change(beside, ranges=None, memory=packed({"allocated": np.array([1, 2])}))
    assert "its steps and their memory differ in number" in why_not(beside, profile)
    change(beside, memory=None, ranges=packed({"step": np.array([1])}))
    assert "its ranges have other columns" in why_not(beside, profile)


def test_another_table_is_another_version() -> None:
    """Whoever changes what a summary holds, or means, counts `VERSION` up and puts its new digest here."""
    held = [tables.RankSummary.__struct_fields__, tables.COLLECTIVES, tables.STEPS, tables.WORK, tables.COMPUTING, tables.SHAPES]
    held += [ORDER, NEEDS, tables.RANGES, DEVICE_WAITS, HOST_STRETCHES, MEMORY, tables.HOST_WAITS]
    digest = hashlib.sha256(repr(held).encode()).hexdigest()[:12]
    assert (rank_summary.VERSION, digest) == (31, "49f13a3b1ab7")


def test_a_summary_of_the_version_before_is_read_where_its_profile_is_gone(profile: Path, beside: Path) -> None:
    """Older ones lack tables: what these tell is not known. Where the profile is there it is made anew."""
    kept = msgspec.json.decode(beside.read_bytes())
    gone: dict[str, Any] = {
        "inputs": {},
        "range_names": [],
        "ranges": None,
        "wait_names": [],
        "device_waits": None,
        "stretches": None,
        "memory": None,
        "host_waits": None,
        "without_length": [],
    }
    for field in gone:
        del kept["summary"][field]
    its = msgspec.json.encode(kept["summary"])
    beside.write_bytes(msgspec.json.encode({**kept, "version": 21, "crc32": zlib.crc32(its), "summary": msgspec.Raw(its)}))
    assert "of an older version of its format, 21; this is 31" in why_not(beside, profile)
    now, before = summarise(read_profile(profile)), read(beside, None)
    assert before is not None
    assert before == msgspec.structs.replace(now, **gone)


def test_waits_that_were_counted_by_step_are_not_known_of_an_old_summary(profile: Path, beside: Path) -> None:
    by_step = ("step", "name", "count", "total", "idle")
    change(beside, device_waits=packed({column: np.array([0]) for column in by_step}), wait_names=["aten::item"])
    assert "its waits for the device have other columns" in why_not(beside, profile)
    beside.write_bytes(msgspec.json.encode({**msgspec.json.decode(beside.read_bytes()), "version": 25}))
    before = read(beside, None)
    assert before is not None
    assert (before.device_waits, before.wait_names) == (None, [])


def test_events_of_an_old_summary_have_no_frame_beside_them(profile: Path, beside: Path) -> None:
    own = summary_of(beside).pause_events
    change(beside, pause_events=[*own, PauseEvent(name="cudaMalloc", told="allocator", frame="x.py(1): f")])
    kept = msgspec.json.decode(beside.read_bytes())
    for event in kept["summary"]["pause_events"]:
        del event["frame"]
    its = msgspec.json.encode(kept["summary"])
    beside.write_bytes(msgspec.json.encode({**kept, "version": 26, "crc32": zlib.crc32(its), "summary": msgspec.Raw(its)}))
    before = read(beside, None)
    assert before is not None
    assert before.pause_events == [*own, PauseEvent(name="cudaMalloc", told="allocator")]


def summary_of(place: Path) -> RankSummary:
    return msgspec.json.decode(msgspec.json.decode(place.read_bytes(), type=Kept).summary, type=tables.RankSummary)


def change(place: Path, **fields: object) -> None:
    """As a writer would that means it: with a new sum of its bytes."""
    found = msgspec.json.decode(place.read_bytes(), type=Kept)
    write(msgspec.structs.replace(summary_of(place), **fields), found.made_of, place)


def replaced(summary: RankSummary, table: str, column: str, value: int) -> object:
    rows = unpacked(getattr(summary, table))
    assert len(rows[column]), f"{table} has no rows"
    rows[column] = rows[column].copy()
    rows[column][-1] = value
    return packed(rows)
