"""`TraceInfo` as the header of the stored profile, and back."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from tb_plugin.formats.stored.columns import ColumnError, Message, pb
from tb_plugin.trace.model import Device, Schedule, TraceInfo

_TEXTS = ("backend", "host", "worker", "torch_version", "trace_id")
_NUMBERS = ("base_ns", "resolution_ns", "start_ns", "end_ns", "rank", "world_size")
_CAPABILITY = re.compile(r"-?[0-9]{1,9}\.-?[0-9]{1,9}")
_OPTIONS = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")


def info_message(info: TraceInfo) -> Message:
    """The `Info` message; fields that are None stay absent."""
    stored = pb.Info(source=_clean(info.source), format=_clean(info.format))
    for name in _TEXTS:
        text = getattr(info, name)
        if text is not None:
            setattr(stored, name, _clean(text))
    for name in _NUMBERS:
        number = getattr(info, name)
        if number is not None:
            setattr(stored, name, number)
    if info.schedule is not None:
        stored.schedule.SetInParent()
        for name in ("cycle", "step_num"):
            number = getattr(info.schedule, name)
            if number is not None:
                setattr(stored.schedule, name, number)
    for name in _OPTIONS:
        option = getattr(info, name)
        if option is not None:
            setattr(stored.capture, name, option)
    stored.capture.activities.extend(map(_clean, info.activities))
    if info.devices:
        stored.devices_json = json.dumps(msgspec.to_builtins(info.devices))
    if info.metadata:
        stored.metadata_json = json.dumps(info.metadata)
    return stored


def read_info(stored: Message) -> TraceInfo:
    """TraceInfo from an `Info` message of this or another version."""
    fields: dict[str, Any] = {name: getattr(stored, name) for name in ("source", "format", *_TEXTS, *_NUMBERS)}
    fields["resolution_ns"] = fields["resolution_ns"] or 1  # not said
    fields |= {name: None for name in (*_TEXTS, "rank", "world_size") if not stored.HasField(name)}
    fields |= {name: getattr(stored.capture, name) if stored.capture.HasField(name) else None for name in _OPTIONS}
    try:
        return TraceInfo(
            schedule=_schedule(stored),
            activities=tuple(stored.capture.activities),
            devices=tuple(map(_believable, msgspec.convert(json.loads(stored.devices_json or "[]"), tuple[Device, ...]))),
            metadata=msgspec.convert(json.loads(stored.metadata_json or "{}"), dict[str, Any]),
            **fields,
        )
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise ColumnError(f"its header is damaged ({error})") from error


def _believable(device: Device) -> Device:
    capability = device.compute_capability
    if capability is None or _CAPABILITY.fullmatch(capability):
        return device
    return msgspec.structs.replace(device, compute_capability=None)


def _schedule(stored: Message) -> Schedule | None:
    if not stored.HasField("schedule"):
        return None
    found = stored.schedule
    return Schedule(
        cycle=found.cycle if found.HasField("cycle") else None,
        step_num=found.step_num if found.HasField("step_num") else None,
    )


def _clean(text: str) -> str:
    """Text that protobuf takes: half a surrogate pair, from a broken JSON escape, becomes a question mark."""
    return text.encode("utf-8", "replace").decode()
