"""A drawn export of Nsight Systems: two threads and a device, with everything that is linked."""

from __future__ import annotations

from typing import Any

SESSION = 1_790_000_000_000_000_000  # Unix time of the start, ns
PID, TID = 4000, 4007
STRINGS = ("void gemm<float>", "gemm", "cudaLaunchKernel_v7000", "cuLaunchKernel", "python", "registered range", "pt_main")
Tables = dict[str, list[dict[str, Any]]]


def gid(pid: int = PID, tid: int = 0) -> int:
    return (1 << 56) | (pid << 24) | tid


def nvtx(text: str | None, start: int, end: int | None, kind: int = 59, **more: Any) -> dict[str, Any]:
    columns = {"textId": None, "domainId": 0, "globalTid": gid(PID, TID)}
    return {"start": start, "end": end, "eventType": kind, "text": text, **columns, **more}


def work(start: int, end: int, correlation: int, pid: int = PID, device: int = 0) -> dict[str, Any]:
    place = {"deviceId": device, "contextId": 1, "streamId": 7, "globalPid": gid(pid)}
    return {"start": start, "end": end, **place, "correlationId": correlation}


def kernel(start: int, end: int, correlation: int, **more: Any) -> dict[str, Any]:
    shape = dict(zip(("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"), (264, 1, 1, 64, 1, 1), strict=True))
    how = {"registersPerThread": 90, "staticSharedMemory": 0, "dynamicSharedMemory": 2048, "demangledName": 1, "shortName": 2}
    return work(start, end, correlation, **more) | shape | how


def call(start: int, end: int, correlation: int, name: int = 3, pid: int = PID, event_class: int = 0) -> dict[str, Any]:
    place = {"start": start, "end": end, "eventClass": event_class, "globalTid": gid(pid, TID)}
    return place | {"correlationId": correlation, "nameId": name}


def profile() -> Tables:
    """One step with one operator that launches one kernel; a copy, a set, a wait, a mark and ranges of every other kind."""
    copy = {"bytes": 1 << 20, "copyKind": 2, "srcKind": 2, "dstKind": 1}
    return {
        "StringIds": [{"id": number, "value": text} for number, text in enumerate(STRINGS, 1)],
        "NVTX_EVENTS": [
            nvtx("ProfilerStep#3, op_id = 1", 0, 10_000),
            nvtx("aten::mm, seq = 5, op_id = 7, sizes = [[2, 3], [3, 4]], input_op_ids = [[1,0]]", 1000, 3000),
            nvtx(None, 1000, 2500, textId=6, domainId=1),
            nvtx("MyLib", 0, None, 75, domainId=1),
            nvtx("a mark", 1200, None, 34),
            nvtx("across threads", 500, 20_000, 60),
            nvtx("still running", 9000, None),
        ],
        "CUPTI_ACTIVITY_KIND_RUNTIME": [
            *(call(1100, 1300, 1), call(1100, 1300, 1, event_class=67), call(4000, 4100, 2, name=4, event_class=1))
        ],
        "CUPTI_ACTIVITY_KIND_KERNEL": [kernel(5000, 8000, 1)],
        "CUPTI_ACTIVITY_KIND_MEMCPY": [work(8100, 8300, 2) | copy],
        "CUPTI_ACTIVITY_KIND_MEMSET": [work(8300, 8310, 3) | {"bytes": 64, "memKind": 2}],
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": [work(8310, 8320, 4) | {"syncType": 3}],
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": [work(9000, 9900, 5) | {"graphId": 12}],
        "TARGET_INFO_GPU": [{"id": 3, "name": "NVIDIA H200", "smCount": 132, "totalMemory": 1 << 37, "computeMajor": 9}],
        "TARGET_INFO_CUDA_DEVICE": [{"gpuId": 3, "cudaId": 0, "pid": PID}],
        "TARGET_INFO_SESSION_START_TIME": [{"utcEpochNs": SESSION}],
        "TARGET_INFO_SYSTEM_ENV": [{"name": "Hostname", "value": "node3"}],
        "META_DATA_EXPORT": [{"name": "EXPORT_PRODUCT_VERSION", "value": "2026.1.1"}],
        "ThreadNames": [{"nameId": 7, "globalTid": gid(PID, TID)}],
        "PROCESSES": [{"pid": PID, "name": "/usr/bin/python3"}],
        "OSRT_API": [{"start": 0, "end": 1}],
    }
