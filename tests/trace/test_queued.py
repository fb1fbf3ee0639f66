"""Kernels that stood in a queue when the recording began."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.rank.full_queue import full_queue
from tb_plugin.trace.rank.step_work import busy, work_of_steps
from tb_plugin.trace.rank.windows import rank_windows
from tests.job_files import launch_rows
from tests.profiles import trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def steps_of_kernels(trace: Trace) -> dict[str, int]:
    events = trace.events
    rows = [row for row, kind in enumerate(events.kind.tolist()) if kind == Kind.KERNEL]
    return {trace.text(int(events.name_id[row])): int(events.step[row]) for row in rows}


@pytest.mark.parametrize("stream", [7, 20])
def test_they_are_of_no_step_though_they_run_while_the_host_is_in_one(tmp_path: Path, stream: int) -> None:
    """On the stream of what is launched later, or on one of their own."""
    trace = written(
        tmp_path,
        *launch_rows(1, 20.0, 500.0, 600.0, "aten::mm", "first", 7, {}),
        *launch_rows(2, 320.0, 600.0, 700.0, "aten::mm", "second", 7, {}),
        *(launch_rows(at, 0.0, 100.0 * at, 100.0 * at + 90, "", f"queued {at}", stream, {})[2] for at in (3, 4)),
    )
    assert steps_of_kernels(trace) == {"first": 0, "second": 1, "queued 3": NONE, "queued 4": NONE}


def test_what_lacks_its_launch_later_is_of_the_step_in_which_it_begins(tmp_path: Path) -> None:
    trace = written(
        tmp_path,
        *launch_rows(1, 20.0, 100.0, 200.0, "aten::mm", "first", 7, {}),
        launch_rows(2, 0.0, 350.0, 400.0, "", "lost", 7, {})[2],
    )
    assert steps_of_kernels(trace) == {"first": 0, "lost": 1}


def test_the_first_step_of_a_rank_begins_when_its_device_is_done_with_a_queue_that_pauses(tmp_path: Path) -> None:
    """A pipeline's device waits for its neighbours, in the queue of before, too."""
    trace = written(
        tmp_path,
        *(launch_rows(9, 0.0, ts, end, "", "queued", 7, {})[2] for ts, end in ((-90.0, 20.0), (80.0, 100.0), (160.0, 200.0))),
        *launch_rows(1, 20.0, 202.0, 280.0, "aten::mm", "first", 7, {}),
        *launch_rows(2, 320.0, 380.0, 450.0, "aten::mm", "second", 7, {}),
    )
    assert rank_windows(trace)[0].tolist() == [290_000, 390_000]  # time 0 is when the first kernel of the queue began, at -90
    assert work_of_steps(trace, busy(trace), *rank_windows(trace)).columns["computation"].tolist() == [78_000, 70_000]


def written(folder: Path, *events: dict[str, object]) -> Trace:
    """Two steps of 300 us of the host."""
    steps = [
        {"ph": "X", "pid": 9, "tid": 9, "cat": "user_annotation", "name": f"ProfilerStep#{at}", "ts": 300.0 * at, "dur": 300.0}
        for at in (0, 1)
    ]
    path = folder / "w.pt.trace.json"
    path.write_text(json.dumps({"traceEvents": [*steps, *events]}))
    return trace_of(path)


@pytest.mark.parametrize(("n_waiting", "is_blocked"), [(600, True), (100, False)])
def test_a_call_of_a_few_times_the_usual_waits_for_room_behind_hundreds_of_launches(
    tmp_path: Path, n_waiting: int, is_blocked: bool
) -> None:
    """Each kernel takes 100 us, each launch 1 us, and the last one 20."""
    calls = [
        rows
        for at in range(n_waiting)
        for rows in launch_rows(at, 2.0 * at + 3, 100.0 * at + 10, 100.0 * at + 110, "a", "k", 7, {})
    ]
    at, end = 2.0 * n_waiting + 3, 100.0 * n_waiting
    operator, launch, kernel = launch_rows(n_waiting, at, end + 10, end + 110, "a", "k", 7, {})
    trace = written(tmp_path, *calls, operator, {**launch, "dur": 20}, kernel)
    found = full_queue(trace)
    assert found.blocked_ns.tolist() == ([19_000] if is_blocked else [])


@pytest.mark.parametrize(("n_waiting", "is_blocked"), [(30, True), (8, False)])
def test_a_long_call_is_slow_itself_where_few_launches_wait(tmp_path: Path, n_waiting: int, is_blocked: bool) -> None:
    """As of a host that is slow at all launches: each takes 80 us, once the first few are made."""
    calls = []
    for at in range(n_waiting + 10):
        launched = 2.0 * at if at < n_waiting else 2.0 * n_waiting + 100.0 * (at - n_waiting)
        operator, launch, kernel = launch_rows(at, launched + 3, 100.0 * at + 210, 100.0 * at + 310, "a", "k", 7, {})
        calls += [operator, {**launch, "dur": 80 if at >= n_waiting else 1}, kernel]
    assert (len(full_queue(written(tmp_path, *calls)).call) > 0) == is_blocked


@pytest.mark.parametrize(("last_us", "blocked_ns"), [(80, []), (400, [320_000])])
def test_behind_many_a_call_is_slow_itself_that_takes_no_longer_than_where_few_wait(
    tmp_path: Path, last_us: int, blocked_ns: list[int]
) -> None:
    """The device begins each of 30 kernels at once, then waits for a slower rank, while the host launches 40 more as slowly."""
    calls = []
    for at in range(70):
        begins = 100.0 * at + 90 if at < 30 else 10_000.0 + 100 * at
        operator, launch, kernel = launch_rows(at, 100.0 * at, begins, begins + 5, "a", "k", 7, {})
        calls += [operator, {**launch, "dur": 80 if at < 69 else last_us}, kernel]
    assert full_queue(written(tmp_path, *calls)).blocked_ns.tolist() == blocked_ns


def test_launches_are_of_the_step_in_which_the_host_made_them_however_late_its_device_is(tmp_path: Path) -> None:
    trace = written(
        tmp_path,
        *(
            rows
            for at in range(5)
            for rows in launch_rows(at, 20.0 + 10 * at, 1000.0 + 100 * at, 1100.0 + 100 * at, "a", "k", 7, {})
        ),
        *(
            rows
            for at in (7, 8)
            for rows in launch_rows(at, 320.0 + 10 * at, 1000.0 + 100 * at, 1100.0 + 100 * at, "a", "k", 7, {})
        ),
    )
    assert work_of_steps(trace, busy(trace), *rank_windows(trace)).columns["n_launches"].tolist() == [5, 2]
