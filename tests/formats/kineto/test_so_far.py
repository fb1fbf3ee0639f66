"""What is told while a file is read, against sums over its JSON."""

from __future__ import annotations

import bisect
import gzip
import itertools
import json
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader
from tb_plugin.formats.interning import Labels, Strings
from tb_plugin.formats.kineto import so_far
from tb_plugin.formats.kineto.chunk import ChunkColumns
from tb_plugin.formats.kineto.events import Event
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tests.profiles import SAMPLES, over, real, sample, trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.so_far import SoFar


@pytest.fixture
def at_every_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(so_far, "EVERY_S", 0.0)
    monkeypatch.setattr(so_far, "_MOST_OF_THE_TIME", 1e9)


def told(path: Path) -> list[SoFar]:
    found: list[SoFar] = []
    reader.read(path, on_so_far=found.append)
    return found


def check_lanes(told: SoFar, rows: list[tuple[Kind, str, str, int, int, str]]) -> None:
    """`told` of a whole file: (kind, name, pid, begin, end, tid) of its events."""
    of: dict[tuple[bool, str], list[tuple[int, int]]] = {}
    is_one = len({pid for kind, _, pid, begin, end, _ in rows if kind is Kind.OPERATOR and begin < end}) == 1
    for kind, _, pid, begin, end, tid in rows:
        if begin < end and (kind in DEVICE_KINDS or kind is Kind.OPERATOR):
            is_device = kind in DEVICE_KINDS
            of.setdefault((is_device, pid if is_device else tid if is_one else f"{tid} of process {pid}"), []).append(
                (begin, end)
            )
    assert {(lane.is_device, lane.name) for lane in told.lanes} <= set(of)
    assert len(told.lanes) >= min(len(of), 8)
    first = min(begin for times in of.values() for begin, _ in times)
    assert told.span_ns == max(end for times in of.values() for _, end in times) - first
    for lane in told.lanes:
        edges = [first + told.span_ns * nth // len(lane.shares) for nth in range(len(lane.shares) + 1)]
        reached, ran = first, [0] * len(lane.shares)
        for start, end in sorted(of[lane.is_device, lane.name]):
            start, reached = max(start, reached), max(end, reached)
            nth = bisect.bisect_right(edges, start) - 1
            while nth < len(ran) and edges[nth] < end:
                ran[nth] += max(0, min(end, edges[nth + 1]) - max(start, edges[nth]))
                nth += 1
        for (low, high), share, took in zip(itertools.pairwise(edges), lane.shares, ran, strict=True):
            assert share == pytest.approx(took / (high - low), abs=0.001 + 2 / (high - low))  # all is read: nothing is None


@pytest.mark.usefixtures("at_every_chunk")
@over(SAMPLES + real("h100_qwen", "mi300_qwen", "a100_nccl", "v100_resnet50_workers0_a"))
def test_the_last_is_of_the_whole_file(path: Path) -> None:
    content = json.loads(gzip.decompress(path.read_bytes()))
    trace = trace_of(path)
    last = told(path)[-1]
    assert (last.part, last.n_events) == (1.0, len(trace.events))
    rows = [
        (Kind(kind), trace.text(name), trace.text(trace.tracks.pid_id[track]), begin, end)
        for kind, name, track, begin, end in zip(
            *(getattr(trace.events, column).tolist() for column in ("kind", "name_id", "track", "start_ns", "end_ns")),
            strict=True,
        )
    ]
    for kind, found in ((Kind.OPERATOR, last.operators), (Kind.KERNEL, last.kernels)):
        count, total_ns = Counter(row[1] for row in rows if row[0] is kind), Counter[str]()
        for _, name, _, begin, end in (row for row in rows if row[0] is kind):
            total_ns[name] += end - begin
        assert [each.total_ns for each in found] == sorted(total_ns.values(), reverse=True)[:50]
        for each in found:
            same = [name for name in count if name[:300] == each.name]
            assert (each.count, each.total_ns) in [(count[name], total_ns[name]) for name in same]
    steps = [end - begin for kind, name, _, begin, end in rows if kind is Kind.ANNOTATION and name.startswith("ProfilerStep#")]
    assert (last.n_steps, last.mean_step_ns) == (len(steps), sum(steps) // len(steps) if steps else None)
    work = [row for row in rows if row[0] in DEVICE_KINDS]
    assert {each.name for each in last.devices} == {device for _, _, device, _, _ in work}
    for device in last.devices:
        mine = sorted((begin, end) for _, _, where, begin, end in work if where == device.name)
        busy, reached = 0, mine[0][0]
        for begin, end in mine:
            busy += max(0, end - max(begin, reached))
            reached = max(reached, end)
        assert (device.n_events, device.busy_ns) == (len(mine), busy)
        filled = [time for time in mine if time[0] < time[1]]
        assert device.span_ns == max(end for _, end in filled) - filled[0][0]
    tids = [trace.text(tid) for tid in trace.tracks.tid_id[trace.events.track].tolist()]
    check_lanes(last, [(*row, tid) for row, tid in zip(rows, tids, strict=True)])
    begins = [*content].index("deviceProperties") < [*content].index("traceEvents") if "deviceProperties" in content else False
    assert last.device_names == ([device["name"] for device in content["deviceProperties"]] if begins else [])


@pytest.mark.usefixtures("at_every_chunk")
def test_what_is_told_only_grows() -> None:
    found = told(sample("transformer"))
    assert len(found) > 3
    for before, after in itertools.pairwise(found):
        assert before.part <= after.part
        assert before.n_events < after.n_events
        assert before.n_steps <= after.n_steps
        assert before.n_tracks <= after.n_tracks


@pytest.mark.usefixtures("at_every_chunk")
@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b'{"traceEvents": []}',
        b'{"deviceProperties": 7, "traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 1, "pid": 1, "tid": 1}',
        b'{"distributedInfo": {"rank": [1]}, "x": bad, "traceEvents": [{"ph": "i", "name": "a", "ts": 1, "pid": {}, "tid": 1}]}',
    ],
)
def test_odd_files_are_as_odd_as_without_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.pt.trace.json"
    path.write_bytes(content)
    outcomes = []
    ignored: list[SoFar] = []
    for on_so_far in (None, ignored.append):
        try:
            outcomes.append(str(reader.read(path, on_so_far=on_so_far).issues))
        except FormatError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_nothing_comes_before_the_first_of_a_thread_but_after_its_last_while_the_rest_is_read() -> None:
    """Of the beginning of the file, then of its end too: only what lies between them is not read."""
    labels = Labels(Strings())
    first, last = so_far._Sums(labels, is_first=True), so_far._Sums(labels, is_last=True)
    first.add(_drawn((0, 10, "1"), (20, 30, "2"), (40, 50, "2")), 0)
    last.add(_drawn((120, 130, "2"), (150, 160, "1")), 0)
    first_lanes = _shares(first)
    assert first_lanes["1"] == [1, None, None, None, None]
    assert first_lanes["2"] == [0, 0, 1, 0, 1]
    both = so_far._Sums(labels)
    both.join(first)
    both.join(last)
    assert _shares(both)["1"] == [1, *[None] * 14, 1]
    assert _shares(both)["2"] == [0, 0, 1, 0, 1, *[None] * 7, 1, 0, 0, 0]


def _drawn(*operators: tuple[int, int, str]) -> ChunkColumns:
    columns = ChunkColumns(0.0)
    columns.add([Event(name="aten::mm", cat="cpu_op", ph="X", ts=a, dur=b - a, pid=1, tid=int(tid)) for a, b, tid in operators])
    return columns


def _shares(sums: so_far._Sums) -> dict[str, list[float | None]]:
    """Of each thread in parts of 10 us."""
    span_ns, lanes = so_far._lanes([], sums.threads(), is_all=False)
    n, n_parts = span_ns // 10_000, len(lanes[0].shares)
    return {lane.name: [lane.shares[n_parts * (2 * at + 1) // (2 * n)] for at in range(n)] for lane in lanes}


def test_where_adding_up_takes_long_it_is_told_first_and_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events, seconds and the part of the file are of one moment each time."""
    monkeypatch.setattr(so_far, "EVERY_S", 0.0)
    monkeypatch.setattr(so_far, "_MOST_OF_THE_TIME", 1e-9)
    monkeypatch.setattr(so_far, "MOST_WAIT_S", 600.0)
    first, last = told(sample("transformer"))
    assert first.part < last.part == 1.0
    assert first.n_events < last.n_events == len(trace_of(sample("transformer")).events)


def test_where_others_want_the_processor_too_it_is_told_as_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(so_far, "EVERY_S", 0.0)

    def interrupted(told: SoFar) -> None:
        found.append(told)
        time.sleep(0.05)  # takes no time of the processor

    found: list[SoFar] = []
    reader.read(sample("transformer"), on_so_far=interrupted)
    often = len(found)
    monkeypatch.setattr(so_far, "_MOST_OF_THE_TIME", 1e-9)
    monkeypatch.setattr(so_far, "MOST_WAIT_S", 0.0)  # nor where adding up takes ever so long
    assert len(told(sample("transformer"))) >= often > 2


def test_who_reads_a_small_file_is_told_nothing() -> None:
    assert told(sample("cnn")) == []
