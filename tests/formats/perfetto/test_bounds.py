"""Small Perfetto files that were made to take much."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import FormatError
from tb_plugin.formats import reader
from tb_plugin.formats.perfetto import read as perfetto_read

if TYPE_CHECKING:
    from pathlib import Path

pb = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="needs the extra perfetto")


def packets(n: int) -> list[Any]:
    """A long text that is interned once and named by `n` events."""
    first = pb.TracePacket(trusted_packet_sequence_id=1)
    first.interned_data.event_names.add(iid=1, name="work")
    first.interned_data.debug_annotation_names.add(iid=1, name="text")
    first.interned_data.debug_annotation_string_values.add(iid=1, str=b"x" * 200_000)
    found = [first]
    for place in range(n):
        event = pb.TracePacket(trusted_packet_sequence_id=1, timestamp=1000 * place)
        event.track_event.type = pb.TrackEvent.TYPE_INSTANT
        event.track_event.name_iid = 1
        event.track_event.debug_annotations.add(name_iid=1, string_value_iid=1)
        found.append(event)
    return found


def test_a_text_that_every_event_names_is_not_repeated_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perfetto_read, "_ARGS_BYTES", 1 << 20)
    path = tmp_path / "a.pftrace"
    path.write_bytes(pb.Trace(packet=packets(400)).SerializeToString())
    trace = reader.read(path)
    assert len(trace.events) == 400
    (issue,) = trace.issues
    assert issue.kind == "long arguments"
    assert 200 < issue.count < 400
    assert trace.args.get(int(trace.events.order[0]))["text"] == "x" * 200_000


def test_a_length_that_does_not_end_is_no_packet(tmp_path: Path) -> None:
    path = tmp_path / "a.pftrace"
    path.write_bytes(pb.Trace(packet=packets(3)).SerializeToString() + b"\n" + b"\x80" * 1_000_000)
    started = time.process_time()
    assert len(reader.read(path).events) == 3
    path.write_bytes(b"\n" + b"\x80" * 1_000_000)
    with pytest.raises(FormatError, match="do not follow each other"):
        reader.read(path)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("fact", [b"\xff\xfe" * 3, b"[" * 5000, b'{"a": "\xff"}', b"9" * 5000, b"1e9999", b'[1,{"a'])
def test_facts_and_arguments_that_are_no_json(tmp_path: Path, fact: bytes) -> None:
    made = packets(1)
    made[1].track_event.debug_annotations.add(name_iid=1, legacy_json_value=fact.decode("utf-8", "replace"))
    facts = pb.TracePacket()
    for name in ("resolution_ns", "distributedInfo", "deviceProperties", "baseTimeNanoseconds"):
        facts.chrome_events.metadata.add(name=name, json_value="<here>" + "x" * (len(fact) - 6))
    data = pb.Trace(packet=[facts, *made]).SerializeToString()
    path = tmp_path / "a.pftrace"
    path.write_bytes(data.replace(b"<here>" + b"x" * (len(fact) - 6), fact))
    assert len(reader.read(path).events) == 1
