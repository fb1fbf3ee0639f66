"""What a rank without a device does in a step: it computes in operators, waits for collectives, and loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.rank.kernel_shapes import kernel_shapes
from tb_plugin.trace.rank.step_work import busy, work_of_steps
from tb_plugin.trace.rank.summarise import summarise
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.rank.step_work import StepWork

_LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def of_step(trace: Trace) -> StepWork:
    """The first, by the host."""
    step = trace.events.name_id == trace.strings.index("ProfilerStep#1")
    return work_of_steps(trace, busy(trace), trace.events.start_ns[step], trace.events.end_ns[step])


def test_what_the_loader_runs_is_loading_and_not_computing() -> None:
    trace = trace_from_text(f"""
        thread 1 | ProfilerStep#1 0-100 | {_LOADER} 0-50 | aten::randn 5-45 | aten::normal_ 10-40 | aten::mm 60-90
        thread 2 | aten::add 20-30
    """)
    work = {name: int(column[0]) for name, column in of_step(trace).columns.items()}
    assert (work["computation"], work["loader"], work["idle"]) == (40_000, 40_000, 60_000)
    found = kernel_shapes(trace)
    assert {found.names[name] for name in found.columns["name"].tolist()} == {"aten::mm", "aten::add"}


def test_an_operator_that_waits_in_the_call_of_a_collective_does_not_compute() -> None:
    """Another thread's operator does, and one beside the call."""
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | autograd::engine 10-90 | aten::mul 12-20 | c10d::allreduce_ 20-80 | aten::empty 21-22
        thread 2 | gloo:all_reduce 60-95
        thread 3 | aten::add 30-40
    """)
    work = {name: int(column[0]) for name, column in of_step(trace).columns.items()}
    assert work["computation"] == 10_000 + 10_000 + 10_000
    assert (work["communication"], work["exposed"], work["idle"]) == (35_000, 25_000, 45_000)


def test_the_sums_of_a_file_count_all_operators_that_do_not_communicate() -> None:
    """So do other tools: 10-90 with the call in it, and what the loader runs."""
    found = summarise(
        trace_from_text(f"""
            thread 1 | ProfilerStep#1 0-100 | {_LOADER} 0-9 | aten::randn 2-8 | autograd::engine 10-90 | c10d::allreduce_ 20-80
            thread 2 | gloo:all_reduce 60-95
        """)
    )
    assert (found.computation_ns, found.communication_ns, found.overlap_ns) == (86_000, 35_000, 30_000)


def test_a_gap_that_a_collective_ends_is_in_the_call_of_it_though_this_goes_on() -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-9000 | autograd::engine 10-8000 | aten::mul 12-20 | c10d::allreduce_ 20-7000
        thread 2 | gloo:all_reduce 4000-8900
    """)
    found = of_step(trace)
    assert found.columns["pause"].tolist() == [3_980_000]
    assert found.pause_events[int(found.columns["in_pause"][0])].name == "c10d::allreduce_"
    assert np.all(found.columns["loader"] == 0)
