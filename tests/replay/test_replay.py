"""A replay with nothing changed is the recording, and what is changed has the effect that the drawing has."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.compute.intervals import union_length
from tb_plugin.replay.edges import Why
from tb_plugin.replay.graph import Graph, graph_of
from tb_plugin.replay.replay import Durations, Replayed, replay
from tests.replay.programs import programs
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

US = 1000

HOST_PACES = """
    thread 1 | ProfilerStep#1 0-200 | a 10-30 | cudaLaunchKernel 10-30 | b 90-110 | cudaLaunchKernel 90-110
    thread 1 | cudaDeviceSynchronize 150-160
    stream 7 | gemm 16-40 <- a | gemm 96-120 <- b
"""

DEVICE_PACES = """
    thread 1 | ProfilerStep#1 0-300 | a 10-20 | cudaLaunchKernel 10-20 | b 30-40 | cudaLaunchKernel 30-40
    thread 1 | cudaDeviceSynchronize 50-272
    stream 7 | gemm 16-140 <- a | gemm 141-270 <- b
"""


def once(trace: Trace, **changed: object) -> Replayed:
    graph = graph_of(trace)
    (replayed,) = replay(graph, [dataclasses.replace(Durations.none(graph), **changed)])  # type: ignore[arg-type]
    return replayed


def steps_us(replayed: Replayed) -> list[float]:
    start, end = replayed.windows()
    return [ns / US for ns in (end - start).tolist()]


def half_work(graph: Graph) -> Replayed:
    return once(graph.trace, work_ns=graph.work.duration_ns // 2)


def test_nothing_changed_is_the_recording() -> None:
    for drawn in (HOST_PACES, DEVICE_PACES):
        trace = trace_from_text(drawn)
        replayed = once(trace)
        assert replayed.work_end_ns.tolist() == graph_of(trace).work.end_ns.tolist()
        assert steps_us(replayed) == [ns / US for ns in (trace.steps.end_ns - trace.steps.start_ns).tolist()]


def test_faster_kernels_shorten_a_step_only_where_the_device_paces_it() -> None:
    assert steps_us(half_work(graph_of(trace_from_text(HOST_PACES)))) == [200]
    # 16 + 62 + 1 + 64.5, a return of 2 us and the 28 us after it
    assert steps_us(half_work(graph_of(trace_from_text(DEVICE_PACES)))) == [173.5]


def test_a_faster_host_shortens_a_step_down_to_what_the_device_needs() -> None:
    # 6 us to begin, the kernels, and 5 or 2 us to return
    for drawn, expected in ((HOST_PACES, 6 + 24 + 24 + 5), (DEVICE_PACES, 6 + 124 + 1 + 129 + 2)):
        graph = graph_of(trace_from_text(drawn))
        (free,) = replay(graph, [dataclasses.replace(Durations.none(graph), gap_ns=graph.gap_ns * 0, call_ns=0 * graph.gap_ns)])
        assert steps_us(free) == [expected]


def test_a_call_waits_for_its_own_copy() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-200 | copy 10-95 | cudaMemcpyAsync 10-95 | next 100-105
        stream 7 | Memcpy DtoH (Device -> Pageable) 20-90 <- copy | gemm 110-150 <- next
    """
    graph = graph_of(trace_from_text(drawn))
    assert graph.edges.why.tolist().count(Why.AWAITED) == 1
    assert half_work(graph).work_end_ns.tolist() == [55 * US, (150 - 35 - 20) * US]


def test_a_thread_has_its_turn_when_the_other_pauses() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-500 | a 10-20 | cudaLaunchKernel 10-20 | d 400-410 | cudaLaunchKernel 400-410
        thread 2 | b 40-50 | cudaLaunchKernel 40-50 | c 300-380 | cudaLaunchKernel 300-380
    """
    graph = graph_of(trace_from_text(drawn))
    real = graph.calls.row >= 0
    assert (graph.after[real] >= 0).tolist() == [False, True, True, False]
    shorter = np.where(graph.gap_ns == 250 * US, 50 * US, graph.gap_ns)  # between b and c
    assert steps_us(once(graph.trace, gap_ns=shorter)) == [300]


def test_a_stream_waits_for_the_event_of_another() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-400 | a 0-5 | cudaLaunchKernel 0-5 | cudaStreamWaitEvent 10-12
        thread 1 | b 20-25 | cudaLaunchKernel 20-25 | c 300-301 | d 330-331
        stream 7 | gemm 6-200 <- a | gemm 306-310 <- c | gemm 336-340 <- d
        stream 8 | copy_back 200-210 <- b
    """
    graph = graph_of(trace_from_text(drawn))
    assert (graph.edges.why == Why.EVENT).sum() == 1
    assert not graph.late_ns.any()
    assert half_work(graph).work_end_ns.tolist() == [103 * US, 308 * US, 338 * US, 108 * US]


def test_work_without_a_launch_stays_where_it_was() -> None:
    drawn = "thread 1 | ProfilerStep#1 0-100 | a 50-55\nstream 7 | before 5-30 | gemm 56-90 <- a"
    graph = graph_of(trace_from_text(drawn))
    gone = once(graph.trace, gap_ns=graph.gap_ns * 0)
    assert gone.work_end_ns[0] == 30 * US
    assert gone.work_end_ns[1] < 90 * US


def test_what_begins_late_for_no_known_reason_stays_late_and_is_counted() -> None:
    drawn = """
        thread 1 | ProfilerStep#1 0-900 | a 0-1 | b 50-51 | c 100-101 | d 150-151
        stream 7 | k 6-10 <- a | k 56-60 <- b | k 106-110 <- c | k 700-800 <- d
    """
    graph = graph_of(trace_from_text(drawn))
    assert graph.late_ns[graph.node_of_work].tolist() == [0, 0, 0, 544 * US]
    assert once(graph.trace, keeps_late=False).work_end_ns.tolist() == [10 * US, 60 * US, 110 * US, 256 * US]


@settings(max_examples=60)
@given(programs(), st.integers(0, 100), st.integers(0, 100))
def test_laws(drawn: str, first: int, second: int) -> None:
    """No change is the recording; less never takes longer; a step lasts at least as long as its busiest stream and its host."""
    graph = graph_of(trace_from_text(drawn))
    none = Durations.none(graph)
    less, more = sorted((first, second))
    work = [none.work_ns * percent // 100 for percent in (less, more)]
    of_less, of_more, of_all = replay(graph, [*(dataclasses.replace(none, work_ns=ns) for ns in work), none])
    recorded = graph.trace.steps.end_ns[-1]
    assert abs(of_all.windows()[1][-1] - max(recorded, graph.work.end_ns.max(initial=0))) <= 40 * US
    assert (of_less.point_ns <= of_more.point_ns).all()
    assert (of_more.point_ns <= of_all.point_ns).all()
    for replayed in (of_less, of_more, of_all):
        start, end = replayed.windows()
        for stream in np.unique(graph.work.track).tolist():
            there = graph.work.track == stream
            assert (end.max() - start.min()) >= union_length(replayed.work_start_ns[there], replayed.work_end_ns[there])
            assert (end.max() - start.min()) >= replayed.lasts.work_ns[there].sum()
        host_ns = replayed.lasts.gap_ns.sum() + replayed.lasts.call_ns[~graph.waits].sum()
        assert end.max() - start.min() >= host_ns


def test_work_of_times_that_hardly_fit_in_64_bits_is_in_order() -> None:
    """As a damaged file has them: 54 and 95 years after the rest."""
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | op 1-2
        stream 7 | a 10-20 <- op | b 30-30
        stream 8 | c 40-40
    """)
    late = {30_000: 1_700_000_000_000_000_000, 40_000: 3_000_000_000_000_000_000}
    start, end = (
        np.array([late.get(ns, ns) for ns in column.tolist()]) for column in (trace.events.start_ns, trace.events.end_ns)
    )
    graph = graph_of(dataclasses.replace(trace, events=dataclasses.replace(trace.events, start_ns=start, end_ns=end)))
    assert (np.diff(graph.node_of_work) > 0).all()
