"""A `.pftrace` that we write obeys Perfetto's rules, and is read again as the same profile."""

from __future__ import annotations

import gzip
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader
from tb_plugin.formats.kineto import kineto_json
from tb_plugin.formats.perfetto import messages as perfetto_messages
from tb_plugin.formats.perfetto import write as perfetto_write
from tb_plugin.trace.check import check
from tb_plugin.trace.model import TABLES
from tests.formats.same_trace import facts, texts_of, values
from tests.profiles import SAMPLES, over, real, small
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("perfetto", reason="the extra `perfetto` is not installed")

DRAWN = """
    thread 1 | ProfilerStep#1 0-100 | aten::linear 10-50 | aten::mm 20-40.001 | f.py(1): f 45-60
    stream 7 | gemm_a 25-55 <- aten::mm
    stream 7 | gemm_b 50-70 <- aten::mm
"""


def packets(path: Path) -> list[Any]:
    content = path.read_bytes()
    pb = perfetto_messages.messages()
    return list(pb.Trace.FromString(gzip.decompress(content) if path.suffix == ".gz" else content).packet)


@over(small(SAMPLES + real()))
def test_a_profile_is_read_again_as_the_same_profile(path: Path, tmp_path: Path) -> None:
    trace = kineto_json.read(path)
    perfetto_write.write(trace, tmp_path / "a.pftrace")
    assert reader.sniff(tmp_path / "a.pftrace") == "perfetto"
    found = reader.read(tmp_path / "a.pftrace")
    assert [issue.kind for issue in found.issues] == [issue.kind for issue in trace.issues]
    for table in TABLES:
        if table.name == "flows":
            continue  # arrows keep their ends, not their ids
        for name in table.schema():
            if name != "order":
                assert values(found, table.name, name) == values(trace, table.name, name), (table.name, name)
    assert facts(found) == facts(trace)
    for got, wanted in zip(texts_of(found), texts_of(trace), strict=True):
        assert msgspec.json.decode(got or "{}") == msgspec.json.decode(wanted or "{}")


def test_begins_and_ends_nest_on_every_track_and_names_are_known_before_they_are_used(tmp_path: Path) -> None:
    trace = trace_from_text(DRAWN)
    perfetto_write.write(trace, tmp_path / "a.pftrace.gz")
    found = packets(tmp_path / "a.pftrace.gz")
    assert found[0].sequence_flags == perfetto_messages.STATE_CLEARED
    assert found[0].first_packet_on_sequence
    names: dict[int, str] = {}
    tracks: set[int] = set()
    open_slices: dict[int, list[str]] = defaultdict(list)
    now: dict[int, int] = defaultdict(int)
    drawn: list[tuple[str, int, int]] = []
    begun: dict[int, list[int]] = defaultdict(list)
    for packet in found:
        names |= {entry.iid: entry.name for entry in packet.interned_data.event_names}
        tracks |= {packet.track_descriptor.uuid} if packet.HasField("track_descriptor") else set()
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert event.track_uuid in tracks
        assert packet.timestamp >= now[event.track_uuid]
        now[event.track_uuid] = packet.timestamp
        if event.type == perfetto_messages.BEGIN:
            open_slices[event.track_uuid].append(names[event.name_iid])
            begun[event.track_uuid].append(packet.timestamp - trace.info.base_ns)
        elif event.type == perfetto_messages.END:
            start = begun[event.track_uuid].pop()
            drawn.append((open_slices[event.track_uuid].pop(), start, packet.timestamp - trace.info.base_ns))
    assert not any(open_slices.values())
    columns = (trace.events.name_id, trace.events.start_ns, trace.events.end_ns)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    assert sorted(drawn) == sorted((trace.text(name_id), start, end) for name_id, start, end in rows)


def test_an_arrow_leads_from_each_launch_to_its_kernel(tmp_path: Path) -> None:
    perfetto_write.write(trace_from_text(DRAWN), tmp_path / "a.pftrace")
    names: dict[int, str] = {}
    leaving: dict[int, str] = {}
    reaching: dict[int, str] = {}
    for packet in packets(tmp_path / "a.pftrace"):
        names |= {entry.iid: entry.name for entry in packet.interned_data.event_names}
        leaving |= dict.fromkeys(packet.track_event.flow_ids, names.get(packet.track_event.name_iid, ""))
        reaching |= dict.fromkeys(packet.track_event.terminating_flow_ids, names.get(packet.track_event.name_iid, ""))
    assert leaving.keys() == reaching.keys()
    assert set(leaving.values()) == {"cudaLaunchKernel"}
    assert sorted(reaching.values()) == ["gemm_a", "gemm_b"]


def test_another_writers_slices_counters_and_instants_are_read(tmp_path: Path) -> None:
    pb = perfetto_messages.messages()
    trace = pb.Trace()

    def add(time_ns: int = 0, **event: Any) -> Any:
        packet = trace.packet.add(timestamp=time_ns, trusted_packet_sequence_id=9)
        if event:
            packet.track_event.CopyFrom(pb.TrackEvent(**event))
        return packet

    add().track_descriptor.CopyFrom(pb.TrackDescriptor(uuid=5, thread=pb.ThreadDescriptor(pid=3, tid=4, thread_name="main")))
    add().track_descriptor.CopyFrom(pb.TrackDescriptor(uuid=6, name="queue", counter=pb.CounterDescriptor()))
    add(1_000_000, type=1, track_uuid=5, name="aten::mm", categories=["cpu_op"]).track_event.debug_annotations.add(
        name="text", string_value="[not json"
    )
    add(1_000_500, type=4, track_uuid=6, counter_value=3)
    add(1_001_003, type=2, track_uuid=5)
    add(1_002_000, type=3, track_uuid=5, name="mark")
    (tmp_path / "a.pftrace").write_bytes(trace.SerializeToString())
    found = reader.read(tmp_path / "a.pftrace")
    rows = [found.text(name_id) for name_id in found.events.name_id.tolist()]
    assert sorted(rows) == ["aten::mm", "mark", "queue"]
    row = rows.index("aten::mm")
    assert int(found.events.end_ns[row] - found.events.start_ns[row]) == 1003
    assert found.args.get(int(found.events.order[row])) == {"text": "[not json"}
    assert found.info.base_ns + int(found.events.start_ns[row]) == 1_000_000


@pytest.mark.parametrize(
    ("name", "cut"), [*(("a.pftrace", cut) for cut in (1, 2, 40, 300)), *(("a.pftrace.gz", cut) for cut in (9, 10, 40, 300))]
)
def test_a_file_that_was_cut_off_gives_its_complete_packets(name: str, cut: int, tmp_path: Path) -> None:
    whole, path = tmp_path / f"whole.{name}", tmp_path / name
    perfetto_write.write(trace_from_text(DRAWN), whole)
    n_packets = len(packets(whole))
    path.write_bytes(whole.read_bytes()[:-cut])
    found = reader.read(path)
    issue = next(issue for issue in found.issues if issue.kind == "truncated")
    n_complete = int("".join(filter(str.isdigit, issue.text.split("; its ")[1])))
    assert 0 < n_complete < n_packets or (name.endswith(".gz") and cut < 40)  # the end of a stream may stand for no packet
    assert {found.text(name_id) for name_id in found.events.name_id.tolist()} <= set(reader.read(whole).strings)


def test_a_file_that_was_cut_off_before_its_first_event_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "a.pftrace"
    perfetto_write.write(trace_from_text(DRAWN), path)
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(FormatError, match=r"a\.pftrace: a damaged Perfetto trace \(it ends in the middle of a packet\)"):
        reader.read(path)


@pytest.mark.parametrize("place", range(40, 1200, 97))
def test_damage_anywhere_gives_what_is_before_it_or_one_error(place: int, tmp_path: Path) -> None:
    path = tmp_path / "a.pftrace"
    perfetto_write.write(trace_from_text(DRAWN), path)
    content = bytearray(path.read_bytes())
    content[place : place + 9] = b"\xff" * 9
    path.write_bytes(content)
    try:
        found = reader.read(path)
    except FormatError:
        return
    check(found)
    assert len(found.events) > 0


def test_a_damaged_compressed_file_is_one_error_or_gives_what_was_before(tmp_path: Path) -> None:
    path = tmp_path / "a.pftrace.gz"
    perfetto_write.write(trace_from_text(DRAWN), path)
    content = bytearray(path.read_bytes())
    content[40:-100] = bytes(len(content) - 140)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.pftrace\.gz: "):
        reader.read(path)


@pytest.mark.parametrize("content", [b"\n\x02\xff\xff", b"\n\x00", b"\n\xff\xff\xff\xff\xff\xff", b"\n\x01\x08\x0b"])
def test_a_file_of_something_else_is_one_error(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.pftrace").write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.pftrace: "):
        reader.read(tmp_path / "a.pftrace")


def test_a_memory_curve_is_called_by_its_device(tmp_path: Path) -> None:
    rows = [
        {"ph": "i", "name": "[memory]", "cat": "cpu_instant_event", "pid": 1, "tid": 1, "ts": number, "args": args}
        for number, args in enumerate(
            {"Total Allocated": 8, "Bytes": 8, "Addr": 1, "Device Type": kind, "Device Id": index}
            for kind, index in ((0, 0), (1, 1), (13, 0), (15, 2), (19, 0), (99, 0))
        )
    ]
    (tmp_path / "a.json").write_bytes(msgspec.json.encode({"traceEvents": rows}))
    perfetto_write.write(kineto_json.read(tmp_path / "a.json"), tmp_path / "a.pftrace")
    tracks = [packet.track_descriptor.name for packet in packets(tmp_path / "a.pftrace") if packet.HasField("track_descriptor")]
    devices = [name.removeprefix("allocated, ") for name in tracks if name.startswith("allocated, ")]
    assert devices == ["CPU", "CUDA 1", "MPS 0", "HPU 2", "MTIA 0", "device type 99 0"]
