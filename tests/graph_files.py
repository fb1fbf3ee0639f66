"""Files of a job whose every step is one replay of a CUDA graph: one launch, and all kernels of the step with its correlation.

host    loader | cudaGraphLaunch | ... | ProfilerStep ends long before its device does
device  gemm | all-reduce | gemm | ...       nothing names a collective's group: what was captured is not recorded again
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STEP_US = 40  # of a host that waits for nothing


def replayed(folder: Path, *, waits: bool = True, one_stream: bool = False, **of_job: Any) -> list[Path]:
    """The job of `tests/job_files.py`, its steps captured. `waits`: at the end of a step the host waits for its device; else it
    launches one replay after the other. `one_stream`: of computation and collectives.
    """
    paths = Job(form="2023", **of_job).write(folder)
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        trace["traceEvents"] = list(_captured(trace["traceEvents"], waits=waits, one_stream=one_stream))
        path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    return paths


def _captured(events: list[dict[str, Any]], *, waits: bool, one_stream: bool) -> Iterator[dict[str, Any]]:
    host = {"ph": "X", "pid": 9, "tid": 9}
    kernels = sorted((event for event in events if event["cat"] == "kernel"), key=lambda event: event["ts"])
    steps = sorted((event for event in events if event["name"].startswith("ProfilerStep")), key=lambda event: event["ts"])
    first = steps[0]["ts"]
    for nth, step in enumerate(steps):
        mine = [kernel for kernel in kernels if step["ts"] <= kernel["ts"] < step["ts"] + step["dur"]]
        args = {"correlation": 1000 + nth, "External id": 1000 + nth}
        begun = step["ts"] if waits else first + nth * _STEP_US
        launch = {**host, "cat": "cuda_runtime", "name": "cudaGraphLaunch", "ts": begun + 20, "dur": 8, "args": args}
        yield {**step, "ts": begun, "dur": step["dur"] if waits else _STEP_US}
        yield launch
        for node, kernel in enumerate(mine, 1):
            on = {"tid": 7} if one_stream else {}
            more = {**args, "graph node id": node, **({"stream": 7} if one_stream else {})}
            yield {**kernel, **on, "args": {**kernel["args"], **more}}
        if waits:
            until = mine[-1]["ts"] + mine[-1]["dur"] + 2
            sync = {
                "name": "cudaDeviceSynchronize",
                "ts": begun + 30,
                "dur": until - begun - 30,
                "args": {"correlation": 2000 + nth},
            }
            yield {**launch, **sync}
