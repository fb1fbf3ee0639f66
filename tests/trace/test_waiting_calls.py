"""Calls of another name than a wait's that return when the device is done."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.trace.rank.order import CHUNK, SYNC, order_of
from tests.job_files import launch_rows
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path

HOST = {"ph": "X", "pid": 9, "tid": 9, "cat": "cuda_runtime"}
LONG = launch_rows(1, 20.0, 25.0, 900.0, "aten::mm", "sgemm", 7, {})


def _copy(ts: float, end: float, called: float, returned: float) -> list[dict[str, Any]]:
    link = {"correlation": 9, "External id": 9}
    device = {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pageable)", "pid": 0, "tid": 7}
    return [
        {**HOST, "name": "cudaMemcpyAsync", "ts": called, "dur": returned - called, "args": link},
        {**device, "ts": ts, "dur": end - ts, "args": {"device": 0, "stream": 7, **link}},
    ]


def _call(name: str, ts: float, end: float, **also: Any) -> dict[str, Any]:
    return {**HOST, "name": name, "ts": ts, "dur": end - ts, "args": {"correlation": 8}, **also}


def _rows(tmp_path: Path, *rows: dict[str, Any]) -> list[tuple[int, float, float, float]]:
    """(kind, host, start, end), us, of the step but its ends."""
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 9, "tid": 9, "ts": 10, "dur": 3000}
    path = tmp_path / "w.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [step, *rows]}))
    order = order_of(trace_of(path)).rows
    found = zip(*(order[name].tolist() for name in ("kind", "host", "start", "end")), strict=True)
    return [(kind, host / 1e3, start / 1e3, end / 1e3) for kind, host, start, end in found if kind in (CHUNK, SYNC)]


def test_a_copy_that_its_call_waits_for_is_launched_as_the_call_begins_and_waited_for_from_there(tmp_path: Path) -> None:
    """As `.item()` does: without that all of the call would be the host's own time, and the copy launched when it is over."""
    kernel, copy, wait = _rows(tmp_path, *LONG, *_copy(905.0, 907.0, called=40.0, returned=910.0))
    begun = kernel[1] + 21  # the kernel's launch returned 19 us after the trace began
    assert list(copy) == pytest.approx([CHUNK, begun, kernel[2] + 880, kernel[2] + 882])
    assert list(wait) == pytest.approx([SYNC, begun, begun, kernel[2] + 882])


@pytest.mark.parametrize(
    ("ts", "returned"), [(905.0, 60.0), (45.0, 60.0)], ids=["returns before it", "waits for nothing before it"]
)
def test_a_copy_that_is_not_waited_for_is_launched_when_its_call_returns(tmp_path: Path, ts: float, returned: float) -> None:
    rows = _rows(tmp_path, *LONG, *_copy(ts, ts + 2, called=40.0, returned=returned))
    assert SYNC not in [kind for kind, *_ in rows]


@pytest.mark.parametrize("name", ["cudaFree", "cudaMalloc", "hipFree", "cudaHostAlloc"])
def test_a_call_in_which_all_is_done_waits_until_then_and_is_the_host_s_own_from_there(tmp_path: Path, name: str) -> None:
    inside = _call("cuMemFree_v2", 45.0, 990.0, cat="cuda_driver")
    kernel, wait = _rows(tmp_path, *LONG, _call(name, 40.0, 1000.0), inside)
    assert list(wait) == pytest.approx([SYNC, kernel[1] + 21, kernel[1] + 21, kernel[3]])


@pytest.mark.parametrize(
    ("begin", "end", "also"),
    [(40.0, 800.0, {}), (890.0, 1000.0, {}), (950.0, 1000.0, {}), (40.0, 1000.0, {"tid": 10})],
    ids=["work is left", "hardly waits", "all was done before", "of a thread that launches nothing"],
)
def test_a_call_that_does_not_wait_is_none(tmp_path: Path, begin: float, end: float, also: dict[str, int]) -> None:
    assert SYNC not in [kind for kind, *_ in _rows(tmp_path, *LONG, _call("cudaMalloc", begin, end, **also))]
