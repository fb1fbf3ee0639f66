"""A recording of all-reduces, as a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tb_plugin.formats.reader import read

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

MIB = 1 << 20


def recorded(tmp_path: Path, *took_us: int, elements: int = 8 * MIB, **more: Any) -> Trace:
    """All-reduces of `elements` bf16 over 8 ranks, one after the other."""
    sizes = {"In msg nelems": elements, "Out msg nelems": elements, "Group size": 8, "dtype": "BFloat16"}
    host = {"ph": "X", "pid": 1, "tid": 1}
    kernel = {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "pid": 0, "tid": 7}
    events: list[dict[str, Any]] = []
    at = 0
    for number, length_us in enumerate(took_us):
        args = {"correlation": number + 1}
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": at + 1, "dur": 2, "args": args}
        work = {"device": 0, "stream": 7, "Collective name": "allreduce", **args, **sizes, **more}
        events += [
            {**host, "cat": "cpu_op", "name": f"op{number}", "ts": at, "dur": 9},
            {**host, **call},
            {**kernel, "ts": at + 5, "dur": length_us, "args": work},
        ]
        at += length_us + 10
    path = tmp_path / "a.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    return read(path)
