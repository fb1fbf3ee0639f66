from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS
from tb_plugin.trace.times.idle import LONGEST_LAUNCH_GAP_NS, USES, WAITS, device_uses
from tests.profiles import trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace


def uses_us(text: str, t0_us: int = 0, t1_us: int = 100) -> dict[str, int]:
    """What is not zero, in microseconds."""
    return _in_us(trace_from_text(text), t0_us, t1_us)


def _in_us(trace: Trace, t0_us: int, t1_us: int) -> dict[str, int]:
    (row,) = device_uses(trace, work_of(trace), np.array([1000 * t0_us]), np.array([1000 * t1_us]))
    assert row.sum() == 1000 * (t1_us - t0_us)
    return {name: ns // 1000 for name, ns in zip(USES, row.tolist(), strict=True) if ns}


def work_of(trace: Trace) -> np.ndarray:
    return np.flatnonzero(np.isin(trace.events.kind, DEVICE_KINDS))


def test_time_before_a_launch_is_the_hosts_and_after_it_a_launch_gap() -> None:
    found = uses_us("""
        thread 1 | ProfilerStep#1 0-100 | aten::a 10-20 | aten::b 50-60
        stream 7 | a 15-40 <- aten::a | b 55-80 <- aten::b
    """)
    assert found == {"busy": 50, "launch_gap": 10, "waiting_for_host": 40}


def test_work_that_is_launched_and_does_not_begin_is_blocked() -> None:
    found = uses_us("""
        thread 1 | ProfilerStep#1 0-100 | aten::a 0-1 | aten::b 1-2
        stream 7 | a 0-20 <- aten::a | b 60-100 <- aten::b
    """)
    assert found == {"busy": 60, "blocked": 40}


def test_what_ran_before_the_first_work_that_was_queued_is_in_no_file() -> None:
    assert uses_us("thread 1 | <all> 0-200 | aten::a 0-5\nstream 7 | a 100-200 <- aten::a", 0, 200) == {
        "busy": 100,
        "unknown": 100,
    }
    # 20 us are a launch; and where something ran before, work that does not begin is blocked.
    assert uses_us("thread 1 | <all> 0-99 | aten::a 30-30\nstream 7 | a 50-99 <- aten::a", 0, 99) == {
        "busy": 49,
        "launch_gap": 20,
        "waiting_for_host": 30,
    }
    assert uses_us("thread 1 | aten::a 0-1 | <all> 0-100\nstream 7 | b 0-5 | a 50-100 <- aten::a") == {"busy": 55, "blocked": 45}
    # The file has what another stream ran, and not what this one did.
    assert uses_us("thread 1 | aten::a 0-1 | <all> 0-100\nstream 8 | b 0-5\nstream 7 | a 50-100 <- aten::a") == {
        "busy": 55,
        "unknown": 45,
    }


def test_idle_time_before_work_without_a_launch_is_unknown() -> None:
    found = uses_us("""
        thread 1 | aten::a 5-6 | ProfilerStep#1 0-100
        stream 7 | a 10-20 <- aten::a | lost 40-50
    """)
    assert found == {"busy": 20, "launch_gap": 5, "unknown": 20, "waiting_for_host": 55}
    assert uses_us("stream 7 | a 0-20 | b 60-100") == {"busy": 60, "unknown": 40}


def test_a_wait_explains_as_much_idle_time_after_it_as_it_lasted() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-200 | aten::a 0-1 | cudaStreamSynchronize 30-42 | aten::b 70-71
        stream 7 | a 0-40 <- aten::a | b 72-100 <- aten::b
    """
    # The device ran dry at 40; without the 12 us in the call, `b` would have been launched at 58.
    assert uses_us(drawn) == {"busy": 68, "launch_gap": 2, "synchronisation": 12, "waiting_for_host": 18}
    long_wait = drawn.replace("30-42", "3-42")
    assert uses_us(long_wait) == {"busy": 68, "launch_gap": 2, "synchronisation": 30}


def test_waits_of_threads_that_launch_nothing_explain_nothing() -> None:
    found = uses_us("""
        thread 1 | aten::a 0-1 | ProfilerStep#1 0-100
        thread 2 | cudaEventSynchronize 50-90
        stream 7 | a 0-40 <- aten::a
    """)
    assert found == {"busy": 40, "waiting_for_host": 60}


def test_a_wait_for_one_stream_while_another_works_is_no_idle_time() -> None:
    found = uses_us("""
        thread 1 | aten::a 0-1 | cudaStreamSynchronize 10-50 | ProfilerStep#1 0-100
        stream 7 | a 0-40 <- aten::a
        stream 8 | b 0-90 <- aten::a
    """)
    assert found == {"busy": 90, "waiting_for_host": 10}


spans = st.lists(st.tuples(st.integers(0, 80), st.integers(0, 45)).map(lambda p: (p[0], p[0] + p[1])), max_size=5)


@settings(max_examples=150)
@given(
    kernels=st.lists(st.tuples(st.integers(0, 90), st.integers(0, 40), st.booleans()), min_size=1, max_size=6),
    operators=st.lists(st.integers(0, 60), min_size=1, max_size=5),
    waits=spans,
    others=spans,
)
def test_every_instant_is_what_a_look_at_every_event_says(
    kernels: list[tuple[int, int, bool]], operators: list[int], waits: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    first = min(operators)
    drawn = ["thread 3 | <all of it> 0-200"]
    drawn += [f"thread 1 | aten::mm {start}-{start}" for start in operators]
    drawn += [f"thread 1 | cudaStreamSynchronize {start}-{end}" for start, end in waits]
    drawn += [f"thread 2 | cudaDeviceSynchronize {start}-{end}" for start, end in others]
    drawn += [
        f"stream {7 + place % 2} | k {start}-{start + length}{' <- aten::mm' if known and start >= first else ''}"
        for place, (start, length, known) in enumerate(kernels)
    ]
    trace = trace_from_text("\n".join(drawn))
    expected = _naive(trace, 200)
    assert _in_us(trace, 0, 200) == {use: expected.count(use) for use in USES if use in expected}
    assert _in_us(trace, 30, 110) == {use: expected[30:110].count(use) for use in USES if use in expected[30:110]}


def _naive(trace: Trace, n_us: int) -> list[str]:
    """The use of each microsecond."""
    events = trace.events
    work = [
        (int(events.start_ns[row]) // 1000, int(events.end_ns[row]) // 1000, int(events.launch[row]))
        for row in work_of(trace).tolist()
        if events.end_ns[row] > events.start_ns[row]
    ]
    instants = [(int(events.start_ns[row]) // 1000, int(events.launch[row])) for row in work_of(trace).tolist()]
    launched = [(int(events.end_ns[launch]) // 1000, start) for start, launch in instants if launch != NONE]
    tracks = [int(events.track[row]) for row in work_of(trace).tolist()]
    begun = {track: min(start for (start, _), other in zip(instants, tracks, strict=True) if other == track) for track in tracks}
    queued = [
        (int(events.end_ns[launch]) // 1000, start, track)
        for (start, launch), track in zip(instants, tracks, strict=True)
        if launch != NONE
    ]
    has_launch = any(launch != NONE for _, launch in instants)
    threads = {int(events.track[launch]) for _, launch in instants if launch != NONE}
    waits = [
        (int(events.start_ns[row]) // 1000, int(events.end_ns[row]) // 1000)
        for row in np.flatnonzero(np.isin(events.kind, LAUNCH_KINDS)).tolist()
        if trace.text(int(events.name_id[row])) in WAITS and int(events.track[row]) in threads
    ]

    def is_busy(t: int) -> bool:
        return any(start <= t < end for start, end, _ in work)

    def is_pending(t: int) -> bool:
        return not is_busy(t) and any(at <= t < start for at, start in launched)

    def is_short(t: int) -> bool:
        low = high = t
        while is_pending(low - 1):
            low -= 1
        while is_pending(high + 1):
            high += 1
        return 1000 * (high + 1 - low) < LONGEST_LAUNCH_GAP_NS

    def is_first(t: int) -> bool:
        """All that is pending is on streams that have not begun."""
        waiting = [track for at, start, track in queued if at <= t < start]
        return is_pending(t) and not is_short(t) and not any(begun[track] <= t for track in waiting)

    def is_unknown(t: int) -> bool:
        if is_first(t):
            return True
        following = min((start for start, _, _ in work if start > t), default=None)
        if not has_launch or not work:
            return True
        return following is not None and all(launch == NONE for start, _, launch in work if start == following)

    def is_wait(t: int) -> bool:
        for start, end in waits:
            if start <= t < end:
                return True
            idle = t
            while idle > start and not is_busy(idle - 1):
                idle -= 1
            # `idle`: since when the device is, if that was inside the call.
            if idle < end <= t < idle + (end - start) or (idle == end <= t < end + (end - start) and start < end):
                return True
        return False

    found = []
    for t in range(n_us):
        if is_busy(t):
            found.append("busy")
        elif is_pending(t) and not is_first(t):
            found.append("launch_gap" if is_short(t) else "blocked")
        elif is_unknown(t):
            found.append("unknown")
        else:
            found.append("synchronisation" if is_wait(t) else "waiting_for_host")
    return found


def test_idle_time_of_real_traces_is_plausible(traces: Path) -> None:
    def shares(name: str) -> dict[str, float]:
        trace = trace_of(traces / f"{name}.json.gz")
        work = work_of(trace)
        t0, t1 = trace.events.start_ns[work].min(keepdims=True), trace.events.end_ns[work].max(keepdims=True)
        (row,) = device_uses(trace, work, t0, t1)
        assert row.sum() == t1[0] - t0[0]
        assert row.min() >= 0
        return dict(zip(USES, (row / row.sum()).tolist(), strict=True))

    # Figures of busy are in ../shared/traces/README.md; a profile of training in FP32 with a slow host, and a generation loop.
    slow_host, generation = shares("a100_nccl"), shares("h100_qwen")
    assert abs(slow_host["busy"] - 157500.0 / 660551.0) < 1e-4
    assert slow_host["waiting_for_host"] > 0.7
    assert generation["busy"] > 0.9
    assert generation["launch_gap"] > generation["blocked"]
    # The device has a queue of many milliseconds: what it waits for is not the host.
    queue = shares("a100_rank0_queue")
    assert queue["blocked"] > 0.5
    assert queue["waiting_for_host"] < 0.01
