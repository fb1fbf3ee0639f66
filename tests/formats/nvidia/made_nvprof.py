"""A drawn database of nvprof: ranges, calls and kernels of one thread."""

from __future__ import annotations

import struct
from typing import Any

T0 = 1_496_933_427_584_362_152  # ns since 1970
PID, TID = 4000, 1_142_654_784
MANGLED = "_ZN2at6native4gemmIfEEvPT_"
STRINGS = ("aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]]", "my step", MANGLED, "Tesla V100", "here", "main thread")
Tables = dict[str, list[dict[str, Any]]]


def thread(tid: int = TID) -> bytes:
    return struct.pack("<IQ", PID, tid)


def marker(number: int, flags: int, at: int, name: int = 0) -> dict[str, Any]:
    return {"id": number, "flags": flags, "timestamp": T0 + at, "objectKind": 2, "objectId": thread(), "name": name, "domain": 0}


def call(number: int, cbid: int, start: int, end: int, correlation: int) -> dict[str, Any]:
    times = {"start": T0 + start, "end": T0 + end, "processId": PID, "threadId": TID}
    return {"_id_": number, "cbid": cbid, **times, "correlationId": correlation}


def profile() -> Tables:
    """A range of the user, in it one operator of torch, in that one kernel launch; then a copy and an instant."""
    place = {"deviceId": 0, "contextId": 1, "streamId": 7}
    shape = dict(zip(("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"), (80, 2, 1, 128, 1, 1), strict=True))
    kernel = {"start": T0 + 500, "end": T0 + 900, **place, **shape, "registersPerThread": 32, "correlationId": 11, "name": 3}
    copy = {"start": T0 + 950, "end": T0 + 990, **place, "copyKind": 1, "srcKind": 2, "dstKind": 3, "bytes": 4096}
    device = {"id": 0, "name": 4, "numMultiprocessors": 80, "globalMemorySize": 1 << 34}
    return {
        "StringTable": [{"_id_": number, "value": text} for number, text in enumerate(STRINGS, 1)],
        "CUPTI_ACTIVITY_KIND_MARKER": [
            *(marker(1, 2, 0, 2), marker(2, 2, 100, 1), marker(2, 4, 300), marker(1, 4, 1000), marker(3, 1, 400, 5))
        ],
        "CUPTI_ACTIVITY_KIND_RUNTIME": [call(1, 211, 150, 200, 11), call(2, 41, 600, 650, 12), call(3, 999, 700, 710, 13)],
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL": [kernel | {"staticSharedMemory": 1024, "dynamicSharedMemory": 512}],
        "CUPTI_ACTIVITY_KIND_MEMCPY": [copy | {"correlationId": 12}],
        "CUPTI_ACTIVITY_KIND_DEVICE": [device | {"computeCapabilityMajor": 7, "computeCapabilityMinor": 0}],
        "CUPTI_ACTIVITY_KIND_NAME": [{"objectKind": 2, "objectId": thread(), "name": 6}],
        "CUPTI_ACTIVITY_KIND_OVERHEAD": [{"start": T0, "end": T0 + 5}],
    }
