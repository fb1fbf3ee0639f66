"""Stored profiles that somebody else wrote: what their columns say is checked before any view relies on it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import zstandard

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader
from tb_plugin.formats.stored import profile_pb
from tb_plugin.formats.stored.columns import pb
from tb_plugin.trace.args import ArgsStore
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Memory, Work
from tests.profiles import sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tb_plugin.trace.model import Trace

Columns = dict[str, Any]


@pytest.fixture(scope="module")
def sound() -> Trace:
    return reader.read(sample("cuda"))


def _circle(name: str) -> Callable[[Columns, Trace], None]:
    def change(columns: Columns, _trace: Trace) -> None:
        child = int(np.flatnonzero(columns[name] >= 0)[0])
        columns[name][columns[name][child]] = child

    return change


def _set(name: str, row_of: Callable[[Trace], int], value: int) -> Callable[[Columns, Trace], None]:
    def change(columns: Columns, trace: Trace) -> None:
        columns[name][row_of(trace)] = value

    return change


def _first(kind: Kind) -> Callable[[Trace], int]:
    return lambda trace: int(np.flatnonzero(trace.events.kind == kind)[0])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_circle("parent"), "each other's parents"),
        (_circle("nest_parent"), "stands before what it lies in"),
        (_set("end_ns", _first(Kind.OPERATOR), -(1 << 61)), "ends before it starts"),
        (_set("start_ns", _first(Kind.OPERATOR), -(1 << 63)), "is no time"),
        (_set("end_ns", _first(Kind.KERNEL), (1 << 63) - 1), "is no time"),
        (_set("kind", _first(Kind.OPERATOR), Kind.KERNEL), "no host range"),
        (_set("depth", _first(Kind.OPERATOR), 1000), "a depth"),
        (_set("launch", _first(Kind.KERNEL), 0), "a launch that is no call"),
    ],
)
def test_columns_that_contradict_each_other_are_one_error(
    sound: Trace, tmp_path: Path, change: Callable[[Columns, Trace], None], reason: str
) -> None:
    columns = {name: np.array(column, sound.events.schema()[name][0]) for name, column in sound.events.columns().items()}
    change(columns, sound)
    profile_pb.write(dataclasses.replace(sound, events=sound.events.from_columns(columns)), tmp_path / "a.pb")
    with pytest.raises(FormatError, match=rf"a\.pb: a damaged profile: .*{reason}"):
        reader.read(tmp_path / "a.pb")


def test_a_profile_cut_anywhere_keeps_every_promise(sound: Trace, tmp_path: Path) -> None:
    profile_pb.write(sound, tmp_path / "a.pb")
    data = (tmp_path / "a.pb").read_bytes()
    for size in range(len(data) // 4, len(data), 1500):
        (tmp_path / "a.pb").write_bytes(data[:size])
        check(reader.read(tmp_path / "a.pb"))


def test_steps_whose_ranges_are_cut_off_are_no_steps(sound: Trace, tmp_path: Path) -> None:
    events, steps = sound.events, sound.steps
    assert len(steps) > 3
    n = int(steps.row[2])  # the file ends before the third step's range
    kept = events.from_columns({name: column[:n] for name, column in events.columns().items()})
    cut = dataclasses.replace(sound, events=kept, work=Work.from_columns({}), memory=Memory.from_columns({}))
    profile_pb.write(cut, tmp_path / "a.pb")
    found = reader.read(tmp_path / "a.pb")
    assert found.steps.number.tolist() == steps.number[:2].tolist()
    assert set(found.events.step.tolist()) <= {-1, 0, 1}


@pytest.mark.parametrize("block", [b"no zstd", "not JSON", "[1, 2"])
def test_arguments_that_cannot_be_read_are_left_out_and_counted(sound: Trace, tmp_path: Path, block: bytes | str) -> None:
    packed = block if isinstance(block, bytes) else zstandard.compress(block.encode())
    blocks = list(sound.args)
    whole = ArgsStore([first for first, _ in blocks], [zstandard.compress(text) for _, text in blocks])
    profile_pb.write(dataclasses.replace(sound, args=whole), tmp_path / "a.pb")
    profile = pb.Profile.FromString((tmp_path / "a.pb").read_bytes())
    # What a header claims of the content is checked on opening; what is in it when somebody asks for it.
    damaged = packed if isinstance(block, str) else zstandard.compress(bytes(100))[:12] + packed
    for chunk in profile.chunk:
        if chunk.WhichOneof("kind") == "args":
            chunk.args.data = damaged
    (tmp_path / "a.pb").write_bytes(profile.SerializeToString())
    trace = reader.read(tmp_path / "a.pb")
    assert {issue.kind for issue in trace.issues} >= {"damaged arguments"}
    assert trace.args.get(int(trace.events.order[0])) == {}


def test_arguments_that_are_not_utf8_are_readable(sound: Trace, tmp_path: Path) -> None:
    profile_pb.write(sound, tmp_path / "a.pb")
    profile = pb.Profile.FromString((tmp_path / "a.pb").read_bytes())
    for chunk in profile.chunk:
        if chunk.WhichOneof("kind") == "args":
            text = zstandard.decompress(chunk.args.data)
            chunk.args.data = zstandard.compress(text.replace(b'"float"', b'"fl\xffat"'))
    (tmp_path / "a.pb").write_bytes(profile.SerializeToString())
    trace = reader.read(tmp_path / "a.pb")
    texts = [text for _, text in trace.args]
    assert all(text.decode() for text in texts)
    assert any("fl\ufffdat".encode() in text for text in texts)
