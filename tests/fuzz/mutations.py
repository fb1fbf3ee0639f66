"""Damage: what `case(format, number)` gives is always the same file."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import pickletools
import random
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.formats import reader
from tb_plugin.formats.perfetto import messages
from tb_plugin.formats.stored import profile_pb
from tb_plugin.formats.stored.columns import pb
from tb_plugin.trace.model import TABLES
from tests.formats.nvidia.made_databases import database
from tests.fuzz import arrangements
from tests.fuzz.seeds import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.fuzz.seeds import Seeds

_NUMBERS: Final = (
    *(0, 1, -1, 2, 7, 255, 1 << 15, (1 << 31) - 1, 1 << 31, -(1 << 31), (1 << 32) + 5, (1 << 53) + 1, (1 << 62) + 1),
    *((1 << 63) - 1, 1 << 63, -(1 << 63), (1 << 64) - 1, 10**30, 10**401, -(10**19)),
    *(0.5, -0.0, 1e-300, 1e18, 1e19, 1e300, float("inf"), float("-inf"), float("nan")),
)
_TEXTS: Final = (
    *("", "inf", "nan", "-", "1e999", "0x10", "\u0663", "9" * 30, "9" * 5000, "stream 7", "=cmd", "a" * 3000, "\ud800", "\u0000"),
    *("ProfilerStep#99999999999999999999", "ProfilerStep#\u0663", "ProfilerStep#7", "nn.Module: A_0", "[memory]", "aten::mm"),
    *("[[1,2],[3,", "[]", "{}", "null", "[1e400]", "{{}}", "<b>", "../../x", "\U0001f600", "train.py(12): f", "X" * 70_000),
    *("ProfilerStep#-1", "(((", "Optimizer.step#SGD.step", "nccl:all_reduce", "Memcpy HtoD", "torch.nn.modules(1): __call__"),
)
_DEEP: Final[Any] = json.loads("[" * 300 + "]" * 300)


def write_case(folder: Path, seeds: Seeds, format_name: str, number: int) -> Path:
    """The damaged file of this number."""
    lot = random.Random(f"{format_name} {number}")
    path = folder / f"case{ENDINGS[format_name]}"
    path.unlink(missing_ok=True)
    if lot.random() < 0.75:
        _STRUCTURED[format_name](path, seeds, lot)
        if lot.random() < 0.15:
            path.write_bytes(damaged_bytes(path.read_bytes(), lot))
    else:
        path.write_bytes(damaged_bytes(lot.choice(seeds.files[format_name]).read_bytes(), lot))
    return path


def damaged_bytes(data: bytes, lot: random.Random) -> bytes:
    """A few bytes changed, gone, doubled, blank, or everything cut off somewhere."""
    for _ in range(lot.choice((1, 1, 2, 5, 30))):
        if not data:
            break
        at = lot.randrange(len(data))
        length = min(lot.choice((1, 1, 2, 8, 100, 4000)), len(data) - at)
        part = data[at : at + length]
        other = lot.randrange(len(data))
        new = lot.choice(
            (
                bytes([part[0] ^ 1 << lot.randrange(8)]) + part[1:],
                b"",
                part + part,
                lot.randbytes(length),
                b"\x00" * length,
                b"\xff" * length,
                b" " * length,
                data[other : other + length],
                lot.choice((b"{", b"}", b"[", b"]", b'"', b",", b"\\", b":", b"NaN", b"1e999", b"\xff\xfe", b"-")),
            )
        )
        data = data[:at] + new + data[at + length :]
    if lot.random() < 0.1:
        data = data[: lot.randrange(len(data) + 1)]
    if lot.random() < 0.03:
        data = data.decode("latin-1").encode(lot.choice(("utf-16", "utf-32", "utf-16-be")))
    if lot.random() < 0.05:
        data = gzip.compress(data, 1, mtime=0)
    elif lot.random() < 0.05:
        data = arrangements.members(data, lot)
    return data


# Values that were decoded: JSON, pickles, cells


def odd_value(lot: random.Random) -> Any:
    kind = lot.random()
    if kind < 0.45:
        return lot.choice(_NUMBERS)
    if kind < 0.8:
        return lot.choice(_TEXTS)
    odd: tuple[Any, ...] = (None, True, False, [], {}, [1, 2, 3], [None], {"a": {}}, [[1]], _DEEP, [2**63, -1, "x"], {"name": 5})
    return copy.deepcopy(lot.choice(odd))  # what is inserted may be damaged next


def damaged_value(value: Any, lot: random.Random, times: int) -> Any:
    """A copy with odd values, without some of its parts, or with some of them twice."""
    value = copy.deepcopy(value)
    for _ in range(times):
        _damage_once(value, lot)
    return value


def _damage_once(value: Any, lot: random.Random) -> None:
    holder = _some_holder(value, lot)
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    if not keys:
        return
    key = lot.choice(keys)
    action = lot.random()
    if action < 0.6:
        holder[key] = odd_value(lot)
    elif action < 0.75:
        del holder[key]
    elif isinstance(holder, list):
        holder.insert(lot.randrange(len(holder)), copy.deepcopy(holder[key]))
    elif action < 0.9:
        other = _some_holder(value, lot)
        holder[key] = copy.deepcopy(lot.choice((list(other.values()) if isinstance(other, dict) else other) or [0]))
    else:
        holder[lot.choice(_TEXTS)] = holder.pop(key)


def _some_holder(value: Any, lot: random.Random) -> Any:
    """A dict or list somewhere in it, often deep."""
    while True:
        below = list(value.values()) if isinstance(value, dict) else value
        holders = [each for each in below if isinstance(each, (dict, list))]
        if not holders or lot.random() < 0.15:
            return value
        value = lot.choice(holders)


def _kineto(path: Path, seeds: Seeds, lot: random.Random) -> None:
    if lot.random() < 0.5:
        trace = arrangements.arranged(copy.deepcopy(lot.choice(seeds.json)), lot)
        if lot.random() < 0.2:
            trace = damaged_value(trace, lot, 3)
        data = arrangements.written_oddly(trace, lot)
        path.write_bytes(arrangements.members(data, lot) if lot.random() < 0.2 else data)
        return
    trace = damaged_value(lot.choice(seeds.json), lot, lot.choice((1, 3, 10, 40)))
    if lot.random() < 0.3 and isinstance(trace.get("traceEvents"), list):  # one key of many events
        key = lot.choice(("ts", "dur", "pid", "tid", "ph", "cat", "name", "args", "id"))
        for event in lot.sample(trace["traceEvents"], len(trace["traceEvents"]) // 4):
            if isinstance(event, dict):
                event[key] = odd_value(lot)
    path.write_bytes(json.dumps(trace, ensure_ascii=lot.random() < 0.5).encode("utf-8", "surrogatepass"))


def _snapshot(path: Path, seeds: Seeds, lot: random.Random) -> None:
    value = damaged_value(seeds.snapshots[0], lot, lot.choice((0, 1, 3, 20)))
    if lot.random() < 0.4 and isinstance(value, dict):
        _rearrange_traces(value.get("device_traces"), lot)
    data = pickle.dumps(value, protocol=lot.choice((2, 4)))
    path.write_bytes(_damaged_opcodes(data, lot) if lot.random() < 0.5 else data)


def _rearrange_traces(traces: Any, lot: random.Random) -> None:
    """Events in another order, twice, or with one of their facts from others."""
    for entries in traces if isinstance(traces, list) else ():
        if not isinstance(entries, list):
            continue
        action, key = lot.random(), lot.choice(("addr", "size", "action", "time_us", "stream", "frames"))
        if action < 0.3:
            lot.shuffle(entries)
        elif action < 0.4:
            entries.extend(copy.deepcopy(entries))
        else:
            known = [entry for entry in entries if isinstance(entry, dict) and key in entry]
            values = [entry[key] for entry in known]
            lot.shuffle(values)
            for entry, value in zip(known, values, strict=True):
                entry[key] = value if action < 0.7 else values[0]


def _damaged_opcodes(data: bytes, lot: random.Random) -> bytes:
    places = [place for _, _, place in pickletools.genops(data) if place is not None]
    pieces = [data[start:end] for start, end in zip(places, [*places[1:], len(data)], strict=True)]
    for _ in range(lot.choice((1, 2, 10))):
        at = lot.randrange(1, len(pieces))
        pieces[at] = lot.choice(
            (
                b"",
                pieces[at] * 2,
                lot.choice(pieces),
                lot.choice([code.code.encode("latin-1") for code in pickletools.opcodes]),
                b"r" + lot.randbytes(3) + b"\x00",
                b"\x8b\x04\x00\x00\x00" + lot.randbytes(4),
                b"cbuiltins\nlist\n",
                b"((lp1\n",
                b"2" * 20,
            )
        )
    return b"".join(pieces)


def _database(name: str) -> Callable[[Path, Seeds, random.Random], None]:
    def write(path: Path, seeds: Seeds, lot: random.Random) -> None:
        tables = copy.deepcopy(seeds.tables[name])
        if lot.random() < 0.4:
            _rearrange_rows(lot.choice(list(tables.values())), lot)
        for _ in range(lot.choice((1, 3, 10))):
            table = lot.choice(list(tables))
            row = lot.choice(tables[table])
            column = lot.choice(list(row))
            action = lot.random()
            if action < 0.7:
                row[column] = _cell(lot)
            elif action < 0.8:
                tables[table].append(dict(row))
            elif action < 0.9 and len(row) > 1:
                for each in tables[table]:
                    each.pop(column, None)
            elif len(tables) > 1:
                del tables[table]
        database(path, {table: rows for table, rows in tables.items() if rows and rows[0]})

    return write


def _rearrange_rows(rows: list[dict[str, Any]], lot: random.Random) -> None:
    """A column in another order, the same in all rows, moved or swapped with another; or all rows twice."""
    columns = list(rows[0])
    one, other = lot.choice(columns), lot.choice(columns)
    action = lot.random()
    values = [row.get(one) for row in rows]
    lot.shuffle(values)
    move = lot.choice((1, -1, 10**9, -(10**12)))
    for row, value in zip(rows, values, strict=True):
        old = row.get(one)
        if action < 0.3:
            row[one] = value
        elif action < 0.5:
            row[one] = values[0]
        elif action < 0.7:
            row[one] = old + move if isinstance(old, int) else old
        elif action < 0.9:
            row[one], row[other] = row.get(other), old
    if action >= 0.9:
        rows.extend([dict(row) for row in rows])


def _cell(lot: random.Random) -> Any:
    value = odd_value(lot)
    if isinstance(value, (list, dict, bool)):
        return lot.randbytes(lot.choice((0, 1, 12)))
    if isinstance(value, int):
        return value if -(1 << 63) <= value < 1 << 63 else float(min(max(value, -(10**300)), 10**300))
    return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace") if isinstance(value, str) else value


# Protobuf


def _stored(path: Path, seeds: Seeds, lot: random.Random) -> None:
    source = lot.choice(seeds.files["stored"])
    if lot.random() < 0.5:
        _odd_columns(source, path, lot)
        return
    profile = pb.Profile.FromString(source.read_bytes())
    chunks = list(profile.chunk)
    for _ in range(lot.choice((1, 1, 3))):
        at = lot.randrange(len(chunks))
        action = lot.random()
        if action < 0.7:
            damage_message(chunks[at], lot)
        elif action < 0.8:
            del chunks[at]
        elif action < 0.9:
            chunks.insert(lot.randrange(len(chunks)), chunks[at])
        else:
            lot.shuffle(chunks)
        if not chunks:
            break
    path.write_bytes(b"".join(_framed(chunk.SerializeToString()) for chunk in chunks))


def _odd_columns(source: Path, path: Path, lot: random.Random) -> None:
    """Whole columns are possible and mean nonsense."""
    trace = reader.read(source)
    changed: dict[str, Any] = {}
    for _ in range(lot.choice((1, 2, 6))):
        table = lot.choice([table for table in TABLES if len(trace.table(table))])
        columns = dict((changed.get(table.name) or trace.table(table)).columns())
        name = lot.choice(list(columns))
        dtype = table.schema()[name][0]
        values = np.array(columns[name], dtype)
        rows = [lot.randrange(len(values)) for _ in range(lot.choice((1, 2, len(values))))]
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            most = len(trace.events)
            new = lot.choice((-1, 0, -2, most, most - 1, limits.min, limits.max, lot.randrange(most), lot.randrange(9)))
            values[rows] = min(max(new, int(limits.min)), int(limits.max))
            if lot.random() < 0.3:
                values = values[::-1].copy()
        else:
            values[rows] = lot.choice((0, 1, np.nan, np.inf, -1e300)) if dtype.kind == "f" else ~values[rows]
        changed[table.name] = table.from_columns({**columns, name: values}, len(values))
    strings = list(trace.strings)
    for _ in range(lot.choice((0, 0, 3))):
        strings[lot.randrange(len(strings))] = lot.choice(_TEXTS)
    parts = {name: getattr(trace, name) for name in ("info", "issues", "args", *(table.name for table in TABLES))}
    profile_pb.write(type(trace)(strings=tuple(strings), **{**parts, **changed}), path)


def _perfetto(path: Path, seeds: Seeds, lot: random.Random) -> None:
    trace = messages.messages().Trace.FromString(lot.choice(seeds.files["perfetto"]).read_bytes())
    packets = list(trace.packet)
    _rearrange(packets, lot)
    for _ in range(lot.choice((1, 3, 10, 40))):
        at = lot.randrange(len(packets))
        if lot.random() < 0.85:
            damage_message(packets[at], lot)
        else:
            packets[at] = lot.choice(packets)
    path.write_bytes(b"".join(_framed(packet.SerializeToString()) for packet in packets))


def _rearrange(packets: list[Any], lot: random.Random) -> None:
    """Their order, one clock, one track or one sequence for many."""
    action = lot.random()
    if action < 0.1:
        lot.shuffle(packets)
    elif action < 0.2:
        packets.extend(packets[: lot.randrange(len(packets))])
    elif action < 0.4:
        source, chosen = lot.choice(packets), [packet for packet in packets if lot.random() < 0.5]
        for packet in chosen:
            if action < 0.25:
                packet.timestamp = source.timestamp
            elif action < 0.3:
                packet.trusted_packet_sequence_id = lot.randrange(4)
            elif packet.HasField("track_event"):
                packet.track_event.track_uuid = source.track_event.track_uuid
                packet.track_event.type = lot.choice((1, 2, 3, 4))


def damage_message(message: Any, lot: random.Random) -> None:
    """One field, somewhere in it."""
    while True:
        fields = message.ListFields()
        if not fields:
            return
        field, value = lot.choice(fields)
        repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
        if field.type != field.TYPE_MESSAGE:
            break
        if lot.random() < 0.1:
            message.ClearField(field.name)
            return
        message = lot.choice(value) if repeated else value
    new = _odd_scalar(field, lot)
    if lot.random() < 0.15:
        message.ClearField(field.name)
    elif repeated:
        value[lot.randrange(len(value))] = new
    else:
        setattr(message, field.name, new)


def _odd_scalar(field: Any, lot: random.Random) -> Any:
    if field.cpp_type == field.CPPTYPE_STRING:
        text = lot.choice(_TEXTS).encode("utf-8", "replace")
        return text.decode() if field.type == field.TYPE_STRING else lot.choice((text, lot.randbytes(40), b"[1,{"))
    if field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
        return lot.choice((0.0, 1e300, -1.0, float("nan"), float("inf")))
    if field.cpp_type == field.CPPTYPE_BOOL:
        return lot.random() < 0.5
    if field.cpp_type == field.CPPTYPE_ENUM:
        return lot.choice(field.enum_type.values).number
    bits = 64 if field.cpp_type in (field.CPPTYPE_INT64, field.CPPTYPE_UINT64) else 32
    if field.cpp_type in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64):
        return lot.choice((0, 1, 5, 1000, (1 << bits) - 1, 1 << (bits - 1), lot.getrandbits(bits)))
    return lot.choice((0, 1, -1, 5, (1 << (bits - 1)) - 1, -(1 << (bits - 1)), lot.getrandbits(bits - 1)))


def _framed(data: bytes) -> bytes:
    """As field 1 of the message around."""
    return b"\x0a" + profile_pb._varint(len(data)) + data


_STRUCTURED: Final[dict[str, Callable[[Path, Seeds, random.Random], None]]] = {
    "kineto": _kineto,
    "stored": _stored,
    "snapshot": _snapshot,
    "perfetto": _perfetto,
    "nsight": _database("nsight"),
    "nvprof": _database("nvprof"),
}
