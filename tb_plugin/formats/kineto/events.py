"""The shapes of Kineto's events and arguments, for the decoder. One place for every spelling of every key since 2021.

Fields that no view computes with are not here: they stay undecoded in `trace.args`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from tb_plugin.formats.kineto.int_columns import number, whole
from tb_plugin.formats.kineto.json_repair import decode_any

NAN = float("nan")
NO_ARGS = msgspec.Raw(b"null")
EMPTY = msgspec.Raw(b"")
Number: TypeAlias = int | float | str | None
"""A number, or its text, as some devices' writers have it."""
Extent: TypeAlias = tuple[Number, ...] | int | float | str | None
"""[x, y, z], or its text. Not raw: what can be a key as it is needs no Python for each launch."""


class Event(msgspec.Struct, gc=False):
    """One element of traceEvents, fields in the order of files: so the decoder finds them at once. `args` stays text for now."""

    ph: str = ""
    cat: str = ""
    name: str = ""
    pid: int | str = ""
    tid: int | str = ""
    ts: float = NAN
    dur: float = NAN
    args: msgspec.Raw = NO_ARGS
    id: int | str = 0


class OperatorArgs(msgspec.Struct, gc=False):
    """Operators and annotations."""

    external_id: int = msgspec.field(default=-1, name="External id")
    sequence: int = msgspec.field(default=-1, name="Sequence number")
    forward_thread: int = msgspec.field(default=-1, name="Fwd thread id")
    types: msgspec.Raw = msgspec.field(default=EMPTY, name="Input type")
    finished: bool = True
    shapes: msgspec.Raw = msgspec.field(default=EMPTY, name="Input Dims")
    shapes_2021: msgspec.Raw = msgspec.field(default=EMPTY, name="Input dims")


class WorkArgs(msgspec.Struct, gc=False):
    """Launches and what runs on devices. `external id` is the spelling of 2021; sizes may be text or odd on some devices."""

    external_id: int = msgspec.field(default=-1, name="External id")
    device: Number = None
    stream: Number = None
    correlation: int = -1
    external_id_2021: int = msgspec.field(default=-1, name="external id")
    registers: Number = msgspec.field(default=None, name="registers per thread")
    shared_bytes: Number = msgspec.field(default=None, name="shared memory")
    blocks_per_sm: Number = msgspec.field(default=None, name="blocks per SM")
    warps_per_sm: Number = msgspec.field(default=None, name="warps per SM")
    grid: Extent = None
    block: Extent = None
    occupancy_percent: Number = msgspec.field(default=None, name="est. achieved occupancy %")
    bytes: Number = None


class OperatorNumbers(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """All arguments of an operator that was recorded without shapes: half the time of looking for those that it has not."""

    external_id: int = msgspec.field(default=-1, name="External id")
    sequence: int = msgspec.field(default=-1, name="Sequence number")
    forward_thread: int = msgspec.field(default=-1, name="Fwd thread id")
    record_function: int = msgspec.field(default=-1, name="Record function id")
    event_index: int = msgspec.field(default=-1, name="Ev Idx")


class CallNumbers(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """All arguments of most calls of a runtime."""

    external_id: int = msgspec.field(default=-1, name="External id")
    call: int = msgspec.field(default=-1, name="cbid")
    call_amd: int = msgspec.field(default=-1, name="cid")
    correlation: int = -1
    external_id_2021: int = msgspec.field(default=-1, name="external id")


class MemoryArgs(msgspec.Struct, gc=False):
    """[memory] instants."""

    device_type: int = msgspec.field(default=-1, name="Device Type")
    device_index: int = msgspec.field(default=-1, name="Device Id")
    address: int = msgspec.field(default=-1, name="Addr")
    bytes: int = msgspec.field(default=0, name="Bytes")
    total_allocated: int = msgspec.field(default=-1, name="Total Allocated")
    total_reserved: int = msgspec.field(default=-1, name="Total Reserved")


def event_of(value: Any) -> Event | None:
    """An Event from decoded JSON of any shape; None when it is not an object."""
    if not isinstance(value, dict):
        return None
    args = value.get("args")
    return Event(
        name=_text(value.get("name")),
        cat=_text(value.get("cat")),
        ph=_text(value.get("ph")),
        ts=number(value.get("ts")),
        dur=number(value.get("dur")),
        pid=_id(value.get("pid")),
        tid=_id(value.get("tid")),
        args=msgspec.Raw(msgspec.json.encode(args)) if isinstance(args, dict) else NO_ARGS,
        id=_id(value.get("id", 0)),
    )


def args_of(raw: msgspec.Raw, shape: type[msgspec.Struct]) -> msgspec.Struct:
    """Arguments with a field of an unexpected type: that field is read as an integer if it can be, else left out."""
    value = decode_any(raw)
    if not isinstance(value, dict):
        return shape()
    fields = {field.encode_name: field for field in msgspec.structs.fields(shape)}
    kept: dict[str, Any] = {}
    for key, item in value.items():
        field = fields.get(key)
        if field is None:
            continue
        if field.type is int:
            kept[field.name] = whole(item)
        elif field.type is msgspec.Raw:
            kept[field.name] = msgspec.Raw(msgspec.json.encode(item))
        elif field.type is bool:
            kept[field.name] = item is not False
        elif isinstance(item, (int, float, str)):
            kept[field.name] = item
        elif isinstance(item, list) and field.type == Extent:
            kept[field.name] = tuple(each if isinstance(each, (int, float, str)) else None for each in item)
    return shape(**kept)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _id(value: Any) -> int | str:
    if isinstance(value, (int, str)):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else str(value)
