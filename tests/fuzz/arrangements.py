"""Damage to the whole of a file, each part of which is sound: what a broken clock, a merge or a tool in between makes of it."""

from __future__ import annotations

import json
import struct
import zlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

Events = list[dict[str, Any]]

_PHASES: Final = (
    "B",
    "E",
    "X",
    "i",
    "I",
    "C",
    "s",
    "t",
    "f",
    "b",
    "e",
    "n",
    "M",
    "O",
    "N",
    "D",
    "P",
    "S",
    "T",
    "F",
    "R",
    "c",
    "v",
)
_CATEGORIES: Final = ("kernel", "cpu_op", "gpu_memcpy", "python_function", "user_annotation", "cuda_runtime", "x")
_NAMES: Final = ("ProfilerStep#3", "nccl:all_reduce", "[memory]", "nn.Module: A_0", "cudaGraphLaunch", "aten::mm")
_TIMES: Final = (0, 0.001, -0.5, 1e-3, 3, 1e6, 9e15, -9e15, 0.0005)
_JOB: Final[tuple[Any, ...]] = (
    {"rank": 5, "world_size": 2, "backend": "nccl"},
    {"rank": -1, "world_size": 0},
    {"rank": 0, "world_size": 1 << 40, "pg_config": [{"pg_name": "0", "ranks": list(range(3000))}]},
    {"pg_config": [{"pg_name": "0", "ranks": [0, 0, 0], "pg_size": -4}, 5], "rank": "0"},
)
_DEVICES: Final[tuple[Any, ...]] = (
    [],
    [{"id": 0, "name": "X", "numSms": 0, "totalGlobalMem": 0, "warpSize": 0, "maxThreadsPerMultiprocessor": 0}],
    [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": -132, "totalGlobalMem": 1 << 70}] * 40,
    [{"id": number, "name": ""} for number in range(-3, 300)],
)


def arranged(trace: dict[str, Any], lot: random.Random) -> dict[str, Any]:
    """Kineto's JSON, whose events are changed in place."""
    events = [event for event in trace.get("traceEvents", []) if isinstance(event, dict)]
    for _ in range(lot.choice((1, 1, 2, 4))):
        if events:
            lot.choice(_ARRANGEMENTS)(events, lot)
    return {
        **trace,
        **({"distributedInfo": lot.choice(_JOB)} if lot.random() < 0.2 else {}),
        **({"deviceProperties": lot.choice(_DEVICES)} if lot.random() < 0.2 else {}),
        "traceEvents": events,
    }


def _some(events: Events, lot: random.Random) -> Events:
    """Those of a category, a thread or a name; or any."""
    key = lot.choice(("cat", "tid", "pid", "name", "ph", None))
    if key is None:
        return [event for event in events if lot.random() < 0.3]
    value = lot.choice(events).get(key)
    return [event for event in events if event.get(key) == value]


def _set(key: str, value: Callable[[Any, random.Random], Any]) -> Callable[[Events, random.Random], None]:
    def arrange(events: Events, lot: random.Random) -> None:
        for event in _some(events, lot):
            event[key] = value(event.get(key), lot)

    return arrange


def _move(events: Events, lot: random.Random) -> None:
    """A clock of its own, or one that runs faster."""
    by, times = lot.choice(_TIMES), lot.choice((0, 1, 1, 1, -1, 1000, 1e-3))
    for event in _some(events, lot):
        for key in ("ts", "dur") if times != 1 else ("ts",):
            if isinstance(event.get(key), (int, float)):
                event[key] = event[key] * times + (by if key == "ts" else 0)


def _at_once(events: Events, lot: random.Random) -> None:
    chosen = _some(events, lot)
    ts, dur = lot.choice(chosen).get("ts"), lot.choice((0, 1, 1e9, lot.choice(chosen).get("dur")))
    for event in chosen:
        event.update(ts=ts, dur=dur)


def _same_ids(events: Events, lot: random.Random) -> None:
    """All linked to one launch, operator or sequence, or each to the next."""
    key = lot.choice(
        ("correlation", "External id", "Sequence number", "Fwd thread id", "Python id", "Python parent id", "stream", "device")
    )
    number = lot.choice((0, 1, -1, 7, (1 << 32) - 1, None))
    for place, event in enumerate(_some(events, lot)):
        args = event.get("args")
        of_event: dict[str, Any] = args if isinstance(args, dict) else {}
        event["args"] = {**of_event, key: place if number is None else number}


def _swap(events: Events, lot: random.Random) -> None:
    """A key of each event goes to another."""
    key = lot.choice(("args", "cat", "name", "tid", "pid", "ts", "dur", "ph"))
    values = [event.get(key) for event in events]
    lot.shuffle(values)
    for event, value in zip(events, values, strict=True):
        event[key] = value


def _shuffle(events: Events, lot: random.Random) -> None:
    lot.shuffle(events)


def _again(events: Events, lot: random.Random) -> None:
    """Two profiles in one file."""
    shift = lot.choice((0, 0, 1, 1e6))
    later = [
        {**event, "ts": event["ts"] + shift} if isinstance(event.get("ts"), (int, float)) else dict(event) for event in events
    ]
    events.extend(later)


def _only(events: Events, lot: random.Random) -> None:
    events[:] = _some(events, lot)


def _deep(events: Events, lot: random.Random) -> None:
    """Each in the one before."""
    for place, event in enumerate(_some(events, lot)):
        event.update(ts=1000 + place, dur=2 * (5000 - place), pid=1, tid=1)


_ARRANGEMENTS: Final = (
    _move, _move, _at_once, _same_ids, _same_ids, _swap, _shuffle, _again, _only, _deep,
    _set("ph", lambda _, lot: lot.choice(_PHASES)),
    _set("cat", lambda _, lot: lot.choice(_CATEGORIES)), _set("name", lambda _, lot: lot.choice(_NAMES)),
    _set("pid", lambda old, _: str(old)), _set("tid", lambda old, _: f"stream {old}"), _set("dur", lambda old, _: f"{old}"),
    _set("dur", lambda _, lot: lot.choice(_TIMES)), _set("tid", lambda _, lot: lot.randrange(400)),
)  # fmt: skip


def members(data: bytes, lot: random.Random) -> bytes:
    """Packed as gzip, in members of which some lie about what is in them, with something between or behind."""
    cuts = sorted(lot.randrange(len(data) + 1) for _ in range(lot.choice((0, 1, 3, 40))))
    packed = [_member(data[start:end], lot) for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    if lot.random() < 0.2:
        packed.insert(
            lot.randrange(len(packed) + 1), lot.choice((b"", b"\0" * 30, b"rubbish", b"\x1f\x8b", _member(b"", lot) * 500))
        )
    whole = b"".join(packed)
    return whole[: -lot.randrange(1, 40)] if lot.random() < 0.2 else whole


def _member(data: bytes, lot: random.Random) -> bytes:
    packer = zlib.compressobj(lot.choice((0, 1, 9)), wbits=-15)
    wrong = lot.random() < 0.2
    flags, extra = lot.choice(((0, b""), (0, b""), (8, b"name\0"), (4, b"\x02\0ab"), (0x60, b"")))
    told = (zlib.crc32(data) + wrong) & 0xFFFFFFFF, (len(data) + (wrong and lot.choice((0, 5)))) & 0xFFFFFFFF
    deflate = packer.compress(data) + packer.flush()
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6) + extra + deflate + struct.pack("<II", *told)


def written_oddly(trace: dict[str, Any], lot: random.Random) -> bytes:
    """The same JSON as other writers may write it, or nearly JSON."""
    text = json.dumps(trace, indent=lot.choice((None, None, 0, 1)), ensure_ascii=lot.random() < 0.5)
    for old, new in lot.sample(_SPELLINGS, lot.choice((0, 1, 2))):
        text = text.replace(old, new, lot.choice((1, 5, -1)))
    return text.encode("utf-8", "surrogatepass")


_SPELLINGS: Final = (
    ('"ph": "X"', '"ph": "X", "ph": "X"'), ('"traceEvents"', '"traceEvents": [], "traceEvents"'), (", ", " ,\t\r\n"),
    ('"args": {', '"args": {"a": {"b": [{"ph": "X", "cat": "kernel"}, {"ph": "M"}]}, '), (": ", ":+"), ('"ts": ', '"ts": "0'),
    ('"name": "', '"name": "\\u0000\\ud83d'), ("}, {", "}{"), ("}, {", "},, {"), ("true", "True"), ('"dur": ', '"dur": -'),
    ("0,", "0e400,"), ('"', "'"), ("[", "[["), ("{", "/* x */{"),
)  # fmt: skip
