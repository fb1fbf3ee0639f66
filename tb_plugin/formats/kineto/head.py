"""What stands around the events of a Kineto file: devices, rank, options, versions."""

from __future__ import annotations

import re
from typing import Any

from tb_plugin.trace.check import FARTHEST_NS
from tb_plugin.trace.model import Device, TraceInfo

FORMAT = "chrome-json"

_FLAGS = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")
_TAKEN = {
    *_FLAGS,
    "deviceProperties",
    "distributedInfo",
    "trace_id",
    "host_name",
    "schemaVersion",
    "displayTimeUnit",
    "torch_version",
}
_WHOLE = re.compile(r"[0-9]{1,7}")
_MOST_RANKS = 10**7
_SCALAR = re.compile(rb'"(\w+)"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?)')


def trace_info(metadata: dict[str, Any], *, source: str, base_ns: int, resolution_ns: int) -> TraceInfo:
    """Typed facts from the file's top-level keys; the rest stays in `metadata`.

    A capture flag is written only when it was on, and only by writers since 2022: absent is "off" where the file has any
    flag at all, else "not recorded".
    """
    distributed = metadata.get("distributedInfo")
    distributed = distributed if isinstance(distributed, dict) else {}
    has_flags = any(flag in metadata for flag in _FLAGS)
    flags: dict[str, Any] = {flag: bool(metadata.get(flag)) if has_flags else None for flag in _FLAGS}
    rest = {key: value for key, value in metadata.items() if key not in _TAKEN}
    rest.update({key: value for key, value in distributed.items() if key not in ("rank", "world_size", "backend")})
    return TraceInfo(
        source=source,
        format=FORMAT,
        base_ns=base_ns,
        resolution_ns=resolution_ns,
        rank=_rank(distributed.get("rank")),
        world_size=_int(distributed.get("world_size")),
        backend=_text(distributed.get("backend")),
        host=_text(metadata.get("host_name")),
        trace_id=_text(metadata.get("trace_id")),
        torch_version=_text(metadata.get("torch_version")),
        devices=_devices(metadata.get("deviceProperties")),
        metadata=rest,
        **flags,
    )


def salvage(text: bytes) -> dict[str, Any]:
    """Scalars that can be found by sight in text that is not JSON; the time base above all."""
    found: dict[str, Any] = {}
    for match in _SCALAR.finditer(text):
        key, value = match[1].decode(), match[2]
        found.setdefault(key, value[1:-1].decode(errors="replace") if value[:1] == b'"' else float(value))
    return {key: int(v) if isinstance(v, float) and v.is_integer() else v for key, v in found.items()}


def _devices(listed: Any) -> tuple[Device, ...]:
    if not isinstance(listed, list):
        return ()
    devices = []
    for place, entry in enumerate(listed):
        if not isinstance(entry, dict):
            continue
        major, minor = _int(entry.get("computeMajor")), _int(entry.get("computeMinor"))
        index = _int(entry.get("id"))
        devices.append(
            Device(
                index=place if index is None else index,
                name=_text(entry.get("name")) or "",
                memory_bytes=_int(entry.get("totalGlobalMem")),
                multiprocessors=_int(entry.get("numSms")),
                compute_capability=None if major is None else f"{major}.{minor or 0}",
                properties=entry,
            )
        )
    return tuple(devices)


def _int(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        found = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if abs(found) < FARTHEST_NS else None


def _rank(value: Any) -> int | None:
    """A whole number, also as text; what is no rank of a job is not recorded. `formats/glance.py` sees the same ones."""
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_RANKS else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
