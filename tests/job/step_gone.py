"""Files as they are when a step is gone from them: its range, all that the host did in it, and what that launched."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_ON_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation")


def take_steps_out(path: Path, numbers: Collection[int]) -> None:
    trace = json.loads(gzip.decompress(path.read_bytes()))
    names = {f"ProfilerStep#{number}" for number in numbers}
    events = trace["traceEvents"]
    ranges = [(e["ts"], e["ts"] + e["dur"]) for e in events if e["name"] in names and e["cat"] == "user_annotation"]

    def is_gone(event: dict[str, Any]) -> bool:
        is_timed = event["ph"] == "X" and event["cat"] not in _ON_DEVICE
        return is_timed and any(begin <= event["ts"] < end for begin, end in ranges)

    launched = {e["args"]["correlation"] for e in events if is_gone(e) and "correlation" in e.get("args", {})}
    trace["traceEvents"] = [
        event
        for event in events
        if not is_gone(event)
        and not (event.get("cat") in _ON_DEVICE and event["args"].get("correlation") in launched)
        and not (event.get("cat") == "gpu_user_annotation" and event["name"] in names)
    ]
    path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
