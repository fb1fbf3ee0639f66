"""Perfetto's own trace, `.pftrace`: TrackEvents with interned names, one packet for each begin and end of a range.

    process 4000 ── thread 4000              begins and ends that nest
                 └─ thread 4000 (merged)     ranges that cross those
    device 0     ── stream 7                 tracks without a thread: Perfetto would invent processes for devices
    allocated, CUDA 0                        counters of the memory events' sums

Arrows join a launch and its device work, and the ends of the file's other arrows (forward to backward). Every argument is
an annotation: a number, text or truth as itself, all else as JSON text. Times are Unix time in ns, said to be the boot clock's.

Several profiles become one file (`write_merged`): each is a track with all of its own below it, a packet sequence, and numbers of
tracks and arrows that no other has.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.formats import slices, whole_file
from tb_plugin.formats.kineto import chrome_trace
from tb_plugin.formats.perfetto import messages as perfetto_messages
from tb_plugin.formats.perfetto.arrows import Arrows, find
from tb_plugin.formats.perfetto.tracks import TrackDescriptors
from tb_plugin.formats.work_arguments import arguments_with_work
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.devices import CPU, title_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_PART_BITS: Final = 40
"""Below these bits lie numbers of tracks and arrows of one part of a merged file."""

_PACKET_TAG: Final = 0x0A  # field 1 of perfetto.protos.Trace, length-delimited
_ARGS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_INT64: Final = range(-(1 << 63), 1 << 63)
_FIRST_OF_NUMBERS: Final = tuple(b"%c" % code for code in b"-0123456789")


@dataclass(frozen=True, kw_only=True)
class MergedPart:
    """A profile among others in one file. `at` takes its times, ns since its base, to those of the file, never below 0."""

    trace: Trace
    title: str
    at: Callable[[int], int]
    out_of: Mapping[int, Sequence[int]]  # arrows to other parts, by row; numbers below 2^40, the same in both parts
    into: Mapping[int, Sequence[int]]
    told: Mapping[int, Mapping[str, int | str]]  # arguments of events beside their own, by row


def write_merged(parts: Iterable[MergedPart], path: str | Path) -> tuple[str, ...]:
    """Writes several profiles into one file, one after the other, and says what it cannot hold. Needs the extra `perfetto`."""
    pb = perfetto_messages.messages()
    lost: dict[str, None] = {"options and metadata of each": None}
    with whole_file.written(Path(path)) as file:
        for number, part in enumerate(parts):
            arrows = find(part.trace)
            lost |= dict.fromkeys(_lost(part.trace, arrows))
            _Writer(part.trace, pb, file, _among_others(arrows, part, number), part, number).write()
    return tuple(lost)


def _among_others(arrows: Arrows, part: MergedPart, number: int) -> Arrows:
    """With numbers that are this part's alone, and the arrows to other parts."""

    def own(of: dict[int, list[int]], others: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
        found = {row: [(number + 1 << _PART_BITS) + one for one in ids] for row, ids in of.items()}
        for row, ids in others.items():
            found[row] = [*found.get(row, ()), *ids]
        return found

    return Arrows(out_of=own(arrows.out_of, part.out_of), into=own(arrows.into, part.into), n_lost=arrows.n_lost)


def write(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """Writes the file, compressed when the name ends in .gz, and says what it cannot hold. Needs the extra `perfetto`."""
    pb = perfetto_messages.messages()
    arrows = find(trace)
    with whole_file.written(Path(path)) as file:
        _Writer(trace, pb, file, arrows).write()
    return tuple(_lost(trace, arrows))


def stretch(trace: Trace, rows: Int64Array) -> bytes:
    """A file of these events alone, with the arrows between them. Needs the extra `perfetto`."""
    pb = perfetto_messages.messages()
    file = io.BytesIO()
    _Writer(trace, pb, file, _between(find(trace), rows), rows=rows).write()
    return file.getvalue()


def _between(arrows: Arrows, rows: Int64Array) -> Arrows:
    """Those with both ends among the rows."""
    kept = set(rows.tolist())
    out_of, into = ({row: ids for row, ids in of.items() if row in kept} for of in (arrows.out_of, arrows.into))
    both = {number for ids in out_of.values() for number in ids} & {number for ids in into.values() for number in ids}

    def those(of: dict[int, list[int]]) -> dict[int, list[int]]:
        return {row: [number for number in ids if number in both] for row, ids in of.items()}

    return Arrows(out_of=those(out_of), into=those(into), n_lost=arrows.n_lost)


def _lost(trace: Trace, arrows: Arrows) -> Iterator[str]:
    yield from chrome_trace.lost(trace)
    if len(trace.flows):
        yield "the ids of arrows" + (f", and {arrows.n_lost} arrows with an event at one end only" if arrows.n_lost else "")


class _Writer:
    def __init__(
        self,
        trace: Trace,
        pb: Any,
        file: IO[bytes],
        arrows: Arrows,
        part: MergedPart | None = None,
        number: int = 0,
        *,
        rows: Int64Array | None = None,
    ) -> None:
        # Which events are written, with their tracks; None is all, with tracks that hold nothing.
        self._is_stretch = rows is not None
        self._is_wanted = np.full(len(trace.events), rows is None)
        if rows is not None:
            self._is_wanted[rows] = True
        self._trace, self._pb, self._file, self._arrows = trace, pb, file, arrows
        self._sequence, self._part = number + 1, part
        self._args = arguments_with_work(trace)
        # A packet's time has no sign.
        self._base_ns = max(trace.info.base_ns, -int(trace.events.start_ns.min(initial=0)))
        title = None if part is None else part.title
        self._tracks = TrackDescriptors(trace, pb, self._put, below=title, after=number << _PART_BITS)
        self._interned: dict[tuple[str, str], int] = {}
        self._new: Any = pb.InternedData()
        self._has_new = False

    def write(self) -> None:
        self._put_head()
        self._tracks.describe(distinct(self._trace.events.track[self._is_wanted]).tolist() if self._is_stretch else None)
        for track, rows in slices.ranges_by_track(self._trace):
            for number, lane in enumerate(slices.lanes(self._trace, rows[self._is_wanted[rows]])):
                uuid = self._tracks.lane(track, number)
                for opens, time_ns, row in slices.brackets(self._trace, lane):
                    if opens:
                        self._put_event(perfetto_messages.BEGIN, time_ns, uuid, row)
                    else:
                        end = self._pb.TrackEvent(type=perfetto_messages.END, track_uuid=uuid)
                        self._put(self._pb.TracePacket(track_event=end), time_ns)
        self._put_points()
        self._put_memory()

    def _put_head(self) -> None:
        pb, trace = self._pb, self._trace
        first = pb.TracePacket(sequence_flags=perfetto_messages.STATE_CLEARED, first_packet_on_sequence=True)
        first.trace_packet_defaults.timestamp_clock_id = perfetto_messages.BOOTTIME
        self._put(first)
        if self._sequence > 1:
            return
        clocks = pb.TracePacket()
        for clock in (perfetto_messages.BOOTTIME, perfetto_messages.REALTIME):
            clocks.clock_snapshot.clocks.add(clock_id=clock, timestamp=self._at(0))
        self._put(clocks)
        if self._part is not None:
            return
        facts = pb.TracePacket()
        head = {**chrome_trace.head(trace, trace.info.source), "resolution_ns": trace.info.resolution_ns}
        for name, value in head.items():
            facts.chrome_events.metadata.add(name=name, json_value=json.dumps(value))
        self._put(facts, 0)

    def _put_points(self) -> None:
        """Marks and counters."""
        events = self._trace.events
        wanted = np.flatnonzero(self._is_wanted)
        columns = (wanted, events.kind[wanted], events.start_ns[wanted], events.end_ns[wanted])
        for row, kind, start, end in zip(*(column.tolist() for column in columns), strict=True):
            if not slices.is_point(kind, start, end):
                continue
            if kind == Kind.COUNTER:
                self._put_counter(row, start)
            else:
                self._put_event(perfetto_messages.INSTANT, start, self._tracks.lane(int(events.track[row]), 0), row)

    def _put_event(self, kind: int, time_ns: int, uuid: int, row: int) -> None:
        events = self._trace.events
        event = self._pb.TrackEvent(
            type=kind,
            track_uuid=uuid,
            name_iid=self._intern("event_names", self._trace.text(int(events.name_id[row]))),
            flow_ids=self._arrows.out_of.get(row),
            terminating_flow_ids=self._arrows.into.get(row),
            debug_annotations=[*self._annotations(self._args(int(events.order[row]))), *self._told(row)],
        )
        category = self._trace.text(int(events.category_id[row]))
        if category:
            event.category_iids.append(self._intern("event_categories", category))
        self._put(self._pb.TracePacket(track_event=event), time_ns)

    def _put_counter(self, row: int, time_ns: int) -> None:
        """A counter track for each number of a counter's arguments."""
        events = self._trace.events
        name = self._trace.text(int(events.name_id[row]))
        text = self._args(int(events.order[row]))
        category = self._trace.text(int(events.category_id[row]))
        values = {key: msgspec.json.decode(raw) for key, raw in _decoded(text).items() if bytes(raw)[:1] in _FIRST_OF_NUMBERS}
        for key, value in values.items():
            uuid = self._tracks.counter(name if len(values) == 1 else f"{name} {key}", int(events.track[row]), unit_name=key)
            self._put_value(uuid, time_ns, value, category)

    def _put_memory(self) -> None:
        """What the memory events sum up to, as curves; the events themselves are marks on their threads."""
        memory, start_ns = self._trace.memory, self._trace.events.start_ns
        wanted = self._is_wanted[memory.row]
        table = (memory.row, memory.device_type, memory.device_index, memory.total_allocated, memory.total_reserved)
        columns = (column[wanted] for column in table)
        for row, kind, index, allocated, reserved in zip(*(column.tolist() for column in columns), strict=True):
            device = title_of(kind, index if kind != CPU else NONE)
            for what, n_bytes in (("allocated", allocated), ("reserved", reserved)):
                if n_bytes != NONE:
                    uuid = self._tracks.counter(f"{what}, {device}", unit=perfetto_messages.UNIT_BYTES)
                    self._put_value(uuid, int(start_ns[row]), n_bytes)

    def _put_value(self, uuid: int, time_ns: int, value: float, category: str = "") -> None:
        event = self._pb.TrackEvent(type=perfetto_messages.COUNTER, track_uuid=uuid)
        if category:
            event.category_iids.append(self._intern("event_categories", category))
        if isinstance(value, int) and value in _INT64:
            event.counter_value = value
        else:
            event.double_counter_value = value
        self._put(self._pb.TracePacket(track_event=event), time_ns)

    def _annotations(self, text: str) -> list[Any]:
        return [self._annotation(name, bytes(raw)) for name, raw in _decoded(text).items()]

    def _told(self, row: int) -> Iterator[Any]:
        for name, value in ({} if self._part is None else self._part.told.get(row, {})).items():
            iid = self._intern("debug_annotation_names", name)
            of = {"string_value": value} if isinstance(value, str) else {"int_value": value}
            yield self._pb.DebugAnnotation(name_iid=iid, **of)

    def _annotation(self, name: str, raw: bytes) -> Any:
        annotation = self._pb.DebugAnnotation(name_iid=self._intern("debug_annotation_names", name))
        mark = raw[:1]
        if mark == b'"':
            annotation.string_value_iid = self._intern("debug_annotation_string_values", msgspec.json.decode(raw))
        elif mark in (b"t", b"f"):
            annotation.bool_value = mark == b"t"
        elif mark in (b"{", b"[", b"n") or not _is_short(raw):
            # As text, and not interned like text that is text: the engine aborts on a JSON null (v52).
            annotation.string_value = raw.decode()
        elif raw.lstrip(b"-").isdigit():
            annotation.int_value = int(raw)
        else:
            annotation.double_value = float(raw)
        return annotation

    def _intern(self, field: str, text: str) -> int:
        """The number of a text; with the first packet that uses it goes the text."""
        iid = self._interned.get((field, text))
        if iid is None:
            iid = self._interned[(field, text)] = len(self._interned) + 1
            clean = text.encode("utf-8", "replace")
            is_value = field == "debug_annotation_string_values"  # these are bytes, and called otherwise
            getattr(self._new, field).add(iid=iid, **({"str": clean} if is_value else {"name": clean.decode()}))
            self._has_new = True
        return iid

    def _at(self, time_ns: int) -> int:
        return self._base_ns + time_ns if self._part is None else self._part.at(time_ns)

    def _put(self, packet: Any, time_ns: int | None = None) -> None:
        packet.trusted_packet_sequence_id = self._sequence
        if time_ns is not None:
            packet.timestamp = self._at(time_ns)
            packet.sequence_flags = perfetto_messages.NEEDS_STATE
        if self._has_new:
            packet.interned_data.CopyFrom(self._new)
            self._new.Clear()
            self._has_new = False
        data: bytes = packet.SerializeToString()
        self._file.write(bytes((_PACKET_TAG,)) + _varint(len(data)) + data)


def _decoded(text: str) -> dict[str, msgspec.Raw]:
    if not text:
        return {}
    try:
        return _ARGS.decode(text)
    except msgspec.MsgspecError:  # arguments that are no object: kept as they are
        return {"args": msgspec.Raw(text.encode())}


def _is_short(raw: bytes) -> bool:
    """Whether a number fits: Perfetto's are 64 bits."""
    return len(raw) < 18 or (len(raw) < 25 and not raw.lstrip(b"-").isdigit())


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)
