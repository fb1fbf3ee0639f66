"""A few wrong time stamps do not make a second's work a moment of weeks; what really is that sparse is shown as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.formats.kineto import kineto_json
from tb_plugin.formats.kineto.times import DAY_NS, far_away
from tb_plugin.trace.check import check
from tb_plugin.trace.scope.recording import FAR_AWAY, about_all

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

N: Final = 400
FIRST_US: Final = 1.4e12  # 16 days after the base of a file of 2025


def read(tmp_path: Path, times_us: list[float]) -> Trace:
    base = {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 2, "dur": 5}
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [{**base, "ts": ts} for ts in times_us]}))
    trace = kineto_json.read(path)
    check(trace)
    return trace


def usual() -> list[float]:
    return [FIRST_US + 10 * n for n in range(N)]


@pytest.mark.parametrize("odd", [[-5], [0], [5], [4e12], [0, 0, 3], [-5, 4e12], [3e10]])
def test_one_wrong_time_is_left_out_and_said(tmp_path: Path, odd: list[float]) -> None:
    trace = read(tmp_path, [*usual()[:100], *odd, *usual()[100:]])
    assert (len(trace.events), trace.info.end_ns - trace.info.start_ns) == (N, 10_000 * N - 5_000)
    assert [(issue.kind, issue.count) for issue in trace.issues] == [(FAR_AWAY, len(odd))]
    (said,) = about_all(trace)
    assert "days away from all other events is left out" in said


@pytest.mark.parametrize(
    "other",
    [
        [FIRST_US - 3600e6],  # an hour: somebody was waited for
        [FIRST_US + 20 * 3600e6],
        [FIRST_US + 30 * 86400e6 + 10 * n for n in range(17)],  # more than a few
    ],
)
def test_what_may_be_so_is_shown(tmp_path: Path, other: list[float]) -> None:
    trace = read(tmp_path, [*usual(), *other])
    assert len(trace.events) == N + len(other)
    assert trace.issues == ()


def test_of_a_few_events_none_is_odd(tmp_path: Path) -> None:
    assert len(read(tmp_path, [FIRST_US, FIRST_US + 10, 0]).events) == 3


@given(st.lists(st.integers(-(10**17), 10**17), max_size=6), st.integers(0, 2000), st.integers(1, 10**9))
def test_far_away_is_as_said(odd: list[int], n: int, apart: int) -> None:
    start = np.array([*odd, *range(0, n * apart, apart)], np.int64)
    most = min(16, len(start) // 100)
    ordered = sorted(start.tolist())
    found: set[int] = set()
    if most:
        least = max(DAY_NS, 1000 * (ordered[-1 - most] - ordered[most]))
        for nth in range(most):
            if ordered[nth + 1] - ordered[nth] > least:
                found.update(ordered[: nth + 1])
            if ordered[-1 - nth] - ordered[-2 - nth] > least:
                found.update(ordered[len(ordered) - 1 - nth :])
    assert set(start[far_away(start)].tolist()) == found
