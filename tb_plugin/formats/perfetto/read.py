"""Perfetto's `.pftrace` with TrackEvents, ours or another writer's, to a Trace: slices, marks, counters, arrows, facts.

What is not a TrackEvent (scheduling, system counters) is left out and counted. Needs the extra `perfetto`.
"""

from __future__ import annotations

import io
import re
from collections import defaultdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import msgspec

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError
from tb_plugin.formats.gunzip import GZIP, Gunzip
from tb_plugin.formats.kineto.chunk import ChunkColumns
from tb_plugin.formats.kineto.events import NO_ARGS, Event
from tb_plugin.formats.perfetto import messages as perfetto_messages
from tb_plugin.trace.build import build
from tb_plugin.trace.file_categories import kind_of
from tb_plugin.trace.json_text import raw_of, value_of
from tb_plugin.trace.kinds import DEVICE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.content import Content
    from tb_plugin.trace.model import Trace

FORMAT: Final = "perfetto"

_PLACE: Final = re.compile(rf"pid (.*), tid (.*?)(, {perfetto_messages.UNNAMED})?\Z", re.DOTALL)
_LARGEST_PACKET: Final = 1 << 24
_PACKET_TAG: Final = 0x0A
_COARSEST_NS: Final = 1_000_000
_LONGEST_SHIFT: Final = 63
_LONGEST_DESCRIPTION: Final = 1_000
_ARGS_BYTES: Final = 64 << 20
_ARGS_BYTES_PER_BYTE: Final = 100
"""Texts are interned: a megabyte may be named by every event of a file, which its arguments would repeat."""
_MOST_CATEGORIES: Final = 16
_BLOCK_BYTES: Final = 256 << 10
_ROWS: Final = 20_000  # given to the columns at once
_READ: Final = 0.85  # of the time; building is the rest


def is_ours(content: Content) -> bool:
    """Nothing in the bytes says so but that they are packets: the name has to say it too."""
    return content.head[:1] == bytes((_PACKET_TAG,)) and ".pftrace" in content.path.suffixes[-2:]


def read(path: str | Path, on_progress: OnProgress = progress.silent) -> Trace:
    """A complete Trace; of a truncated file that of its complete packets, with an issue.

    FormatError when the file is not Perfetto's or holds no TrackEvent.
    """
    path = Path(path)
    pb = perfetto_messages.messages()
    bar = progress.part(on_progress, 0.0, _READ)
    reading = _Reading(path.stat().st_size)
    size = max(path.stat().st_size, 1)
    with path.open("rb") as raw:
        unpacked = Gunzip(raw) if raw.peek(len(GZIP)).startswith(GZIP) else None
        file: IO[bytes] = raw if unpacked is None else io.BufferedReader(unpacked, _BLOCK_BYTES)
        n_packets = 0
        try:
            for data in _packets(file):
                reading.add(pb.TracePacket.FromString(data))
                n_packets += 1
                if n_packets % _ROWS == 0:
                    bar(min(raw.tell() / size, 1.0), "reading")
        except (_OutOfStep, msgspec.DecodeError, perfetto_messages.decode_error()) as error:
            if not reading.events:
                raise FormatError(str(path), "not a Perfetto trace: its packets do not follow each other") from error
            reading.damage = f"A packet is damaged; the {n_packets:,} before it are shown."
        except (EOFError, OSError) as error:
            if not reading.events:
                raise FormatError(str(path), f"a damaged Perfetto trace ({error})") from error
            reading.damage = f"The file was cut off or is damaged ({error}); its {n_packets:,} complete packets are shown."
        if unpacked is not None and unpacked.damage:
            reading.damage = (
                f"The file was cut off or is damaged ({unpacked.damage}); its {n_packets:,} complete packets are shown."
            )
    if not reading.events:
        raise FormatError(str(path), "a Perfetto trace without track events")
    if len(ranks := reading.ranks) > 1:  # launches and steps of each have the same numbers
        several = f"{len(ranks)} ranks of a job in one file, for Perfetto ({ranks[0]} to {ranks[-1]})"
        raise FormatError(str(path), f"{several}; open the folder of their own profiles: Ranks shows them on one clock")
    on_progress(_READ, "building")
    trace = build(reading.raw_trace(path.name, unpacked))
    on_progress(1.0, "checking")
    return trace


class _OutOfStep(Exception):
    """What comes is no packet."""


def _packets(file: IO[bytes]) -> Iterator[bytes]:
    while tag := file.read(1):
        size = _varint(file)
        if tag[0] != _PACKET_TAG or size > _LARGEST_PACKET:
            raise _OutOfStep
        data = file.read(size)
        if len(data) < size:
            raise EOFError("it ends in the middle of a packet")
        yield data


def _varint(file: IO[bytes]) -> int:
    number = shift = 0
    while byte := file.read(1):
        number |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return number
        shift += 7
        if shift > _LONGEST_SHIFT:
            raise _OutOfStep
    raise EOFError("it ends in the middle of a packet")


class _Reading:
    """What is known so far; one object an event until the end, since ends may come late."""

    def __init__(self, file_bytes: int) -> None:
        self.events: list[Event] = []
        self.damage = ""
        self._base_ns = 0
        self._texts: dict[int, dict[tuple[str, int], str]] = defaultdict(dict)  # by sequence
        self._args_bytes_left = _ARGS_BYTES + _ARGS_BYTES_PER_BYTE * file_bytes
        self._n_without_args = 0
        self._tracks: dict[int, Any] = {}
        self._default_track: dict[int, int] = {}
        self._open: dict[int, list[Event]] = defaultdict(list)
        self._leaving: dict[int, list[Event]] = defaultdict(list)
        self._reaching: dict[int, list[Event]] = defaultdict(list)
        self._facts: dict[str, Any] = {}
        self._n_others = 0

    def add(self, packet: Any) -> None:
        sequence = packet.trusted_packet_sequence_id
        if packet.sequence_flags & perfetto_messages.STATE_CLEARED:
            self._texts.pop(sequence, None)
        if packet.HasField("interned_data"):
            self._intern(sequence, packet.interned_data)
        if packet.HasField("trace_packet_defaults"):
            self._default_track[sequence] = packet.trace_packet_defaults.track_event_defaults.track_uuid
        if packet.HasField("track_event"):
            self._add_event(sequence, packet.timestamp, packet.track_event)
        elif packet.HasField("track_descriptor"):
            self._tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        elif packet.HasField("chrome_events"):
            for fact in packet.chrome_events.metadata:
                if fact.HasField("json_value"):
                    self._facts[_str(fact.name)] = value_of(fact.json_value)
        elif not packet.HasField("clock_snapshot"):
            self._n_others += packet.HasField("timestamp")

    def raw_trace(self, source: str, unpacked: Gunzip | None) -> Any:
        columns = ChunkColumns()
        if unpacked is not None:
            unpacked.note_in(columns.issues)
        rows = [*self._names(), *sorted(self.events, key=lambda event: event.ts), *self._arrows()]
        for start in range(0, len(rows), _ROWS):
            columns.add(rows[start : start + _ROWS])
        if self.damage:
            columns.issues.add("truncated", self.damage, 0)
        if self._n_others:
            columns.issues.add("not a track event", "packets of other kinds are not shown", 0, self._n_others)
        if n_open := sum(map(len, self._open.values())):
            columns.issues.add("begin without end", "ranges whose end is not in the file have no length", 0, n_open)
        if self._n_without_args:
            text = "arguments that are far larger than the file are left out"
            columns.issues.add("long arguments", text, 0, self._n_without_args)
        resolution_ns = self._facts.pop("resolution_ns", 1)
        raw = columns.raw_trace({**self._facts, "baseTimeNanoseconds": self._base_ns}, source)
        is_known = isinstance(resolution_ns, int) and 0 < resolution_ns <= _COARSEST_NS
        facts = {"resolution_ns": resolution_ns if is_known else 1, "format": FORMAT}
        raw.info = msgspec.structs.replace(raw.info, **facts)
        return raw

    def _intern(self, sequence: int, data: Any) -> None:
        for field in ("event_names", "event_categories", "debug_annotation_names"):
            for entry in getattr(data, field):
                self._texts[sequence][field, entry.iid] = _str(entry.name)
        for entry in data.debug_annotation_string_values:
            self._texts[sequence]["debug_annotation_string_values", entry.iid] = entry.str.decode("utf-8", "replace")

    def _add_event(self, sequence: int, time_ns: int, event: Any) -> None:
        uuid = event.track_uuid or self._default_track.get(sequence, 0)
        if not self.events:
            self._base_ns = time_ns
        microseconds = (time_ns - self._base_ns) / 1000
        if event.type == perfetto_messages.END:
            if self._open[uuid]:
                opened = self._open[uuid].pop()
                opened.dur = round((microseconds - opened.ts) * 1000) / 1000
            return
        track = self._tracks.get(uuid)
        pid, tid = self._place(uuid)
        names = [*map(_str, event.categories), *(self._text(sequence, "event_categories", iid) for iid in event.category_iids)]
        made = Event(ph="X", cat=",".join(names[:_MOST_CATEGORIES]), ts=microseconds, pid=pid, tid=tid)
        if event.type == perfetto_messages.COUNTER:
            if track is None or _str(track.description) == perfetto_messages.ADDED:
                return
            value = event.counter_value if event.HasField("counter_value") else event.double_counter_value
            made.ph, made.name = "C", _str(track.name)
            made.args = _raw({_str(track.counter.unit_name) or "value": value})
        else:
            made.name = _str(event.name) or self._text(sequence, "event_names", event.name_iid)
            made.args = self._arguments(sequence, event.debug_annotations)
            if event.type == perfetto_messages.BEGIN:
                made.dur = 0.0
                self._open[uuid].append(made)
            else:
                made.ph = "i"
        self.events.append(made)
        for arrow in event.flow_ids:
            self._leaving[arrow].append(made)
        for arrow in event.terminating_flow_ids:
            self._reaching[arrow].append(made)

    def _arguments(self, sequence: int, annotations: Any) -> msgspec.Raw:
        if self._args_bytes_left < 0:
            self._n_without_args += bool(annotations)
            return NO_ARGS
        found = self._values(sequence, annotations)
        raw = _raw(found) if found else NO_ARGS
        self._args_bytes_left -= len(bytes(raw))
        return raw

    def _values(self, sequence: int, annotations: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for annotation in annotations:
            name = _str(annotation.name) or self._text(sequence, "debug_annotation_names", annotation.name_iid)
            found[name] = self._value(sequence, annotation)
        return found

    def _value(self, sequence: int, annotation: Any) -> Any:
        if annotation.dict_entries:
            return self._values(sequence, annotation.dict_entries)
        if annotation.array_values:
            return [self._value(sequence, entry) for entry in annotation.array_values]
        which = annotation.WhichOneof("value")
        if which == "string_value_iid":
            return self._text(sequence, "debug_annotation_string_values", annotation.string_value_iid)
        value = getattr(annotation, which) if which else None
        value = _str(value) if isinstance(value, bytes) else value
        # Ours are JSON where they are not interned; another writer's are text.
        if isinstance(value, str) and ("resolution_ns" in self._facts or which == "legacy_json_value"):
            return raw_of(value.encode()) or value
        return value

    def _text(self, sequence: int, field: str, iid: int) -> str:
        return self._texts[sequence].get((field, iid), "")

    def _place(self, uuid: int) -> tuple[int | str, int | str]:
        """(pid, tid): what our description says, else the thread's or process's own, else the track's name."""
        track = self._tracks.get(uuid)
        if track is None:
            return "tracks", uuid
        if match := _PLACE.match(_str(track.description)[:_LONGEST_DESCRIPTION]):
            return match[1], match[2]
        if track.HasField("thread"):
            return track.thread.pid, track.thread.tid
        if track.HasField("process"):
            return track.process.pid, 0
        parent = self._tracks.get(track.parent_uuid)
        return (_str(parent.name) if parent is not None else "") or "tracks", _str(track.name) or uuid

    @property
    def ranks(self) -> list[str]:
        """What stands above the processes of our own tracks: the ranks of a job that was merged into the file, in order."""
        found = set()
        for track in self._tracks.values():
            process = self._tracks.get(track.parent_uuid)
            above = self._tracks.get(process.parent_uuid) if process is not None else None
            if above is not None and _PLACE.match(_str(track.description)[:_LONGEST_DESCRIPTION]):
                found.add(_str(above.name))
        return sorted(found)

    def _names(self) -> Iterator[Event]:
        """Names of processes and threads, as a Chrome file would give them."""
        for uuid, track in self._tracks.items():
            is_group = not (track.HasField("thread") or track.parent_uuid)
            if is_group or track.HasField("process") or track.HasField("counter"):
                continue
            pid, tid = self._place(uuid)
            for kind, value in self._named(track):
                yield Event(ph="M", name=kind, pid=pid, tid=tid, ts=0.0, args=_raw(value))

    def _named(self, track: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        parent = self._tracks.get(track.parent_uuid)
        if parent is not None:
            is_unnamed = _str(parent.description) == perfetto_messages.UNNAMED
            if name := "" if is_unnamed else _str(parent.process.process_name or parent.name):
                yield "process_name", {"name": name}
            if parent.process.HasField("legacy_sort_index"):
                yield "process_sort_index", {"sort_index": parent.process.legacy_sort_index}
            elif parent.HasField("sibling_order_rank"):
                yield "process_sort_index", {"sort_index": parent.sibling_order_rank}
        place = _PLACE.match(_str(track.description)[:_LONGEST_DESCRIPTION])
        is_unnamed = place is not None and place[3] is not None
        yield "thread_name", {"name": "" if is_unnamed else _str(track.thread.thread_name or track.name)}

    def _arrows(self) -> Iterator[Event]:
        for arrow, sources in self._leaving.items():
            for target in self._reaching.get(arrow, ()):
                device = kind_of(target.cat, "X", target.name) in DEVICE_KINDS
                category = "ac2g" if device else "fwdbwd"
                for phase, end in (("s", sources[0]), ("f", target)):
                    yield Event(ph=phase, name=category, cat=category, id=arrow, ts=end.ts, pid=end.pid, tid=end.tid)


def _raw(value: dict[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _str(text: str | bytes) -> str:
    """Of a text that is not UTF-8 the library gives the bytes."""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text
