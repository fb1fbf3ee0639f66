"""Memory snapshots: ours have torch's structure by its own functions, the Trace has their bytes, and hostile ones do nothing."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import pickletools
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader, targets
from tb_plugin.formats.stored import profile_pb
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.names import HELD_BEFORE
from tb_plugin.views.memory import VIEW
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams
from tb_plugin.views.memory.result import MemoryCount, MemoryParams
from tests.formats.snapshot.made_snapshots import STACKS, Allocator, frame, snapshot, training
from tests.runs.small import scan

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def write(path: Path, value: Any, protocol: int = 4) -> Path:
    path.write_bytes(pickle.dumps(value, protocol=protocol))
    return path


def read(folder: Path, value: Any, protocol: int = 4) -> Trace:
    trace = reader.read(write(folder / "dump_snapshot.pickle", value, protocol))
    check(trace)
    return trace


def naive(made: dict[str, Any], device: int = 0) -> list[tuple[int, int]]:
    """(bytes, allocated after it) of each event of a complete history."""
    total, found = 0, []
    for entry in made["device_traces"][device]:
        change = {"alloc": entry.get("size", 0), "free_requested": -entry.get("size", 0)}.get(entry["action"], 0)
        total += change
        if change:
            found.append((change, total))
    return found


def test_torchs_own_functions_take_the_made_snapshots() -> None:
    torch = pytest.importorskip("torch", reason="its functions check the structure")
    viz = torch.cuda._memory_viz
    for made in (snapshot(training(), training(device=1)), snapshot(training(), last=30)):
        assert "segments:" in viz.segsum(made)
        assert "cudaMalloc" in viz.trace(made) or len(made["device_traces"][0]) == 30
        assert "MemoryViz" in viz.trace_plot(copy.deepcopy(made))


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_totals_are_those_of_a_loop(tmp_path: Path, protocol: int) -> None:
    """Protocol 2 is what the C++ side writes."""
    made = snapshot(training(), training(device=1, scale=3))
    trace = read(tmp_path, made, protocol)
    for device in (0, 1):
        mine = trace.memory.device_index == device
        pairs = zip(trace.memory.bytes[mine].tolist(), trace.memory.total_allocated[mine].tolist(), strict=True)
        assert list(pairs) == naive(made, device)
    assert (trace.info.format, trace.info.with_stack, set(trace.memory.device_type.tolist())) == ("memory-snapshot", True, {1})


def test_reserved_is_what_the_segments_are(tmp_path: Path) -> None:
    allocator = training()
    trace = read(tmp_path, snapshot(allocator))
    assert trace.memory.total_reserved[-1] == sum(segment["total_size"] for segment in allocator.segments)
    use = VIEW.main.answer(trace, MemoryParams())
    assert use.devices[0].peak_reserved_bytes == trace.memory.total_reserved.max()
    assert use.segments is not None
    assert use.segments.allocated_bytes == sum(segment["allocated_size"] for segment in allocator.segments)
    assert use.segments.allocated_bytes + use.segments.free_bytes + use.segments.awaiting_bytes == use.segments.total_bytes
    assert use.segments.requested_bytes == use.curve.allocated_bytes[-1] == naive(snapshot(allocator))[-1][1]
    assert [segment.free_bytes for segment in use.segments.listed] == sorted(
        (segment.free_bytes for segment in use.segments.listed), reverse=True
    )


def test_a_history_that_begins_late_has_the_same_totals_and_knows_who_holds_the_rest(tmp_path: Path) -> None:
    whole = read(tmp_path, snapshot(training()))
    late = read(tmp_path, snapshot(training(), last=40))
    is_before = np.array([late.text(int(late.events.name_id[row])) == HELD_BEFORE for row in late.memory.row.tolist()])
    n = int((~is_before).sum())
    assert late.memory.total_allocated[~is_before].tolist() == whole.memory.total_allocated[-n:].tolist()
    assert late.memory.total_reserved[~is_before].tolist() == whole.memory.total_reserved[-n:].tolist()

    use = VIEW.main.answer(late, MemoryParams())
    assert use.allocations.count == int((late.memory.bytes[~is_before] > 0).sum())
    assert use.held.from_before == MemoryCount(count=6, bytes=4 * 300_000 + 6_000 + 2 * 600_000)
    assert use.held.known is not None
    assert use.held.earlier is not None
    assert use.held.rest_bytes == 0
    held = {group.name: group.alive_bytes for group in use.groups if group.alive}
    assert held["/data/user/train.py(5): build"] == 1_206_000
    assert use.devices[0].peak_fragmentation_bytes == int((late.memory.total_reserved - late.memory.total_allocated).max())
    start = VIEW.main.answer(late, MemoryParams(at_ns=0)).held  # before everything that was recorded
    assert start.known == start.from_before == use.held.from_before
    assert start.earlier is not None
    assert start.allocated_bytes == use.curve.allocated_bytes[0] == 2_406_000 + start.earlier.bytes
    states = {row.state for row in allocations(late, AllocationsParams()).rows}
    assert states == {"released", "held", "earlier", "held_before"}
    assert any("before the recording" in issue.text for issue in late.issues)


def test_frames_are_around_their_events_and_python_only(tmp_path: Path) -> None:
    trace = read(tmp_path, snapshot(training(steps=2)))
    entries = [entry for entry in training(steps=2).entries if entry["action"] in ("alloc", "free_requested")]
    for row, entry in zip(trace.memory.row.tolist(), entries, strict=True):
        found = []
        above = row
        while (above := int(trace.events.parent[above])) >= 0:
            assert trace.events.kind[above] == Kind.PYTHON
            found.append(trace.text(int(trace.events.name_id[above])))
        python = [frame for frame in entry["frames"] if frame["filename"].endswith(".py")]
        assert found == [f"{frame['filename']}({frame['line']}): {frame['name']}" for frame in python]


def test_events_of_one_microsecond_keep_their_order(tmp_path: Path) -> None:
    made = snapshot(training())
    for entry in made["device_traces"][0]:
        entry["time_us"] = 1_700_000_000_000_000
    trace = read(tmp_path, made)
    assert list(zip(trace.memory.bytes.tolist(), trace.memory.total_allocated.tolist(), strict=True)) == naive(made)
    assert (np.diff(trace.events.start_ns[trace.memory.row]) > 0).all()
    assert trace.info.base_ns == 1_700_000_000_000_000_000


def test_without_times_the_order_is_the_time(tmp_path: Path) -> None:
    made = snapshot(training())
    for entry in made["device_traces"][0]:
        del entry["time_us"]
    trace = read(tmp_path, made)
    assert [change for change, _ in naive(made)] == trace.memory.bytes.tolist()
    assert any("no times" in issue.text for issue in trace.issues)


def test_a_release_is_its_request_and_a_completion_alone_counts_too(tmp_path: Path) -> None:
    allocator = Allocator()
    address = allocator.alloc(1000, "forward")
    other = allocator.alloc(3000, "forward")
    allocator.free(address, completes=False)
    allocator.free(other)
    del allocator.entries[-2]  # of the other one only the completion was seen
    trace = read(tmp_path, snapshot(allocator))
    assert trace.memory.bytes.tolist() == [1000, 3000, -1000, -3000]
    segments = VIEW.main.answer(trace, MemoryParams()).segments
    assert segments is not None
    assert (segments.awaiting_bytes, segments.allocated_bytes) == (1024, 0)


def test_running_out_of_memory_is_an_event(tmp_path: Path) -> None:
    allocator = training(steps=1)
    allocator.oom(1 << 40)
    trace = read(tmp_path, snapshot(allocator))
    (row,) = np.flatnonzero(trace.events.kind == Kind.OUT_OF_MEMORY).tolist()
    assert trace.args.get(int(trace.events.order[row]))["Bytes"] == 1 << 40
    assert VIEW.main.answer(trace, MemoryParams()).out_of_memory == 1


def test_segments_alone_show_what_is_held(tmp_path: Path) -> None:
    """`torch.cuda.memory.memory_snapshot()`: a list, of an older torch without requested sizes and addresses of blocks."""
    segments = snapshot(training())["segments"]
    for segment in segments:
        for block in segment["blocks"]:
            del block["requested_size"], block["address"]
    trace = read(tmp_path, segments)
    use = VIEW.main.answer(trace, MemoryParams())
    assert use.held.known is not None
    assert use.held.known.bytes == use.held.allocated_bytes == sum(segment["allocated_size"] for segment in segments)
    assert use.allocations.count == 0


def test_a_history_that_cannot_be_complete_is_summed_and_says_so(tmp_path: Path) -> None:
    made = snapshot(training())
    made["segments"] = []
    del made["device_traces"][0][-20:]
    trace = read(tmp_path, made)
    assert (trace.memory.total_allocated == -1).all()
    assert any("cannot be counted back" in issue.text for issue in trace.issues)
    use = VIEW.main.answer(trace, MemoryParams())
    assert use.totals == "summed"
    assert any("the list of entries is not complete" in note for note in use.notes)
    assert not any("torch" in note for note in use.notes)


def test_it_survives_the_stored_format_and_is_found_in_a_logdir(tmp_path: Path) -> None:
    trace = read(tmp_path, snapshot(training()))
    (tmp_path / "stored").mkdir()
    profile_pb.write(trace, tmp_path / "stored" / "a.pt.profile.pb")
    again = profile_pb.read(tmp_path / "stored" / "a.pt.profile.pb")
    assert VIEW.main.answer(again, MemoryParams()) == VIEW.main.answer(trace, MemoryParams())
    write(tmp_path / "weights.pickle", {"weights": [1, 2, 3]})
    names = {file.name for span in scan(tmp_path).spans() for file in span.files}
    assert names == {"dump_snapshot.pickle", "a.pt.profile.pb"}


def test_as_json_it_says_the_same(tmp_path: Path) -> None:
    trace = read(tmp_path, snapshot(training(), last=40))
    targets.write(trace, str(tmp_path / "a.json"))
    again, first = (VIEW.main.answer(each, MemoryParams()) for each in (reader.read(tmp_path / "a.json"), trace))
    assert (again.held, again.groups, again.curve) == (first.held, first.groups, first.curve)
    assert again.segments == first.segments


class _Runs:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("place", ["instead", "frames", "action"])
def test_code_in_a_snapshot_is_never_run(tmp_path: Path, place: str) -> None:
    marker = tmp_path / "was_run"
    made: Any = snapshot(training(steps=1))
    if place == "instead":
        made = {"segments": _Runs(marker)}
    else:
        made["device_traces"][0][3][place] = _Runs(marker)
    path = write(tmp_path / "hostile.pickle", made)
    with pytest.raises(FormatError, match=r"hostile\.pickle: not a memory snapshot: it holds \w+\.system"):
        reader.read(path)
    assert not marker.exists()


def test_objects_of_any_kind_are_refused(tmp_path: Path) -> None:
    for value in (np.float64(1.5), complex(1, 2), FormatError, slice(1)):
        path = write(tmp_path / "a.pickle", {"segments": [], "device_traces": [[value]]})
        with pytest.raises(FormatError, match="plain values only"):
            reader.read(path)
    (tmp_path / "a.pickle").write_bytes(b"\x80\x02X\x08\x00\x00\x00segments0Nq\x00Q.")
    with pytest.raises(FormatError, match="outside the file"):
        reader.read(tmp_path / "a.pickle")


@pytest.mark.parametrize(
    "made",
    [
        {"segments": 5},
        {"segments": [{"blocks": []}]},
        {"segments": [], "device_traces": [[{"action": "alloc", "size": "many", "addr": 1}]]},
        {"segments": [], "device_traces": [[["alloc"]]]},
        {"segments": [], "device_traces": [[{"action": "alloc", "size": 1 << 70, "addr": 1}]]},
        ["segments"],
        "segments",
    ],
)
def test_what_is_no_snapshot_is_one_clear_error(tmp_path: Path, made: Any) -> None:
    path = write(tmp_path / "other.pickle", made)
    with pytest.raises(FormatError, match=r"other\.pickle: not a memory snapshot: .+"):
        reader.read(path)


def test_few_bytes_that_stand_for_endless_lists_are_refused(tmp_path: Path) -> None:
    entries: list[Any] = [{"action": "alloc", "size": 1, "addr": 1}] * 20_000
    path = write(tmp_path / "laughs.pickle", {"segments": [], "device_traces": [entries] * 20_000})
    with pytest.raises(FormatError, match="repeats its lists"):
        reader.read(path)


def test_any_truncation_or_damage_is_one_clear_error_or_a_trace(tmp_path: Path) -> None:
    whole = pickle.dumps(snapshot(training(steps=1)), protocol=4)
    path = tmp_path / "damaged.pickle"
    chance = random.Random(5)
    for cut in chance.sample(range(200, len(whole)), 60):
        path.write_bytes(whole[:cut])
        with pytest.raises(FormatError, match="damaged or incomplete"):
            reader.read(path)
    opcodes = [place for _, _, place in pickletools.genops(whole) if place is not None and place > 200]
    for place in chance.sample(opcodes, 150):
        damaged = bytearray(whole)
        damaged[place] = chance.randrange(256)
        path.write_bytes(damaged)
        with contextlib.suppress(FormatError):  # any other error fails
            check(reader.read(path))


def test_stacks_that_are_one_object_are_read_once() -> None:
    """torch writes each stack once: reading stays in proportion to the file."""
    made = snapshot(training())
    assert len({id(entry["frames"]) for entry in made["device_traces"][0]}) <= len(STACKS)


def _entry(address: int, frames: Any) -> dict[str, Any]:
    return {"action": "alloc", "addr": address, "size": 512, "stream": 0, "time_us": 1_000_000 + address, "frames": frames}


def _made_of(*frames: Any) -> dict[str, Any]:
    return {"segments": [], "device_traces": [[_entry(place, each) for place, each in enumerate(frames, 1)]]}


@pytest.mark.parametrize("put", [b"r" + (150_000_000).to_bytes(4, "little"), b"p99999999\n", b"2"])
def test_a_place_in_the_memo_far_beyond_the_file_is_refused(tmp_path: Path, put: bytes) -> None:
    data = pickle.dumps(snapshot(training(steps=1)), protocol=4)
    (tmp_path / "a.pickle").write_bytes(data[:-1] + put + b"." + bytes(20))
    with pytest.raises(FormatError, match=r"a damaged or incomplete memory snapshot \((place|opcode) \d+"):
        reader.read(tmp_path / "a.pickle")


def test_lists_that_share_themselves_are_never_written_out(tmp_path: Path) -> None:
    endless: Any = []
    for _ in range(200):
        endless = [endless, endless]
    odd = {"filename": endless, "line": 10**5000, "name": {"a": endless}}
    trace = read(tmp_path, _made_of([odd], [frame(5, "step")]))
    assert [trace.text(i) for i in np.unique(trace.events.name_id[trace.events.kind == Kind.PYTHON])] == [
        "(0): ",
        "/data/user/train.py(5): step",
    ]


def test_stacks_of_a_million_frames_are_cut(tmp_path: Path) -> None:
    deep = [frame(5, "f")] * 300_000
    trace = read(tmp_path, _made_of(*[deep, [frame(6, "g")]] * 100))
    assert (trace.events.kind == Kind.MEMORY).sum() == 200
    assert int(trace.events.depth.max()) <= 1000
    assert len(trace.events) < 20_000


def test_half_a_character_is_a_mark_in_its_place(tmp_path: Path) -> None:
    made = _made_of([frame(5, "a\ud800b")])
    made["device_traces"][0].append({**_entry(9, []), "action": "c\udfffd"})
    texts = read(tmp_path, made).strings
    assert {"/data/user/train.py(5): a?b", "c?d"} <= set(texts)
