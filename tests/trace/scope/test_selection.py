import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.base.units import NONE
from tb_plugin.formats.reader import read
from tb_plugin.trace.collectives.by_dimension import by_dimension
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.trace.model import Trace
from tb_plugin.trace.scope.choices import choices
from tb_plugin.trace.scope.selection import Selection, selected
from tb_plugin.trace.times.operator_times import operator_times
from tests.simulated_files import SimulatedJob
from tests.trace_text import trace_from_text

TRACE = trace_from_text(
    """
    thread 1          | ProfilerStep#4 0-100   | aten::linear 10-40 | aten::addmm 12-38 | aten::empty 13-14
    thread 1          | ProfilerStep#5 100-200 | aten::relu 110-130
    thread 2          | aten::mul 120-140
    stream 7          | gemm 120-180 <- aten::addmm | relu_kernel 190-210 <- aten::relu
    device 1 stream 9 | mul_kernel 150-160 <- aten::mul | lost_kernel 170-175
    """
)


def _names(selection: Selection, trace: Trace = TRACE) -> set[str]:
    rows = np.flatnonzero(selected(trace, selection))
    return {trace.text(i) for i in trace.events.name_id[rows].tolist()} - {"cudaLaunchKernel"}


def test_no_filter_keeps_everything() -> None:
    assert selected(TRACE, Selection()).all()


def test_a_step_has_its_host_events_and_the_work_it_launched_whenever_that_ran() -> None:
    assert _names(Selection(steps="4")) == {"ProfilerStep#4", "aten::linear", "aten::addmm", "aten::empty", "gemm"}
    # Work without a launch in the file counts where it ran.
    in_5 = {"ProfilerStep#5", "aten::relu", "relu_kernel", "aten::mul", "mul_kernel", "lost_kernel"}
    assert _names(Selection(steps="5")) == in_5
    assert _names(Selection(steps="4-5")) >= {"aten::linear", "aten::relu"}


def test_a_thread_has_the_work_launched_from_it() -> None:
    assert _names(Selection(threads="2")) == {"aten::mul", "mul_kernel"}


@pytest.mark.parametrize("selection", [Selection(devices="1"), Selection(streams="9")])
def test_a_device_keeps_its_work_and_the_calls_that_put_it_there(selection: Selection) -> None:
    assert _names(selection) == {"aten::mul", "mul_kernel", "lost_kernel"}


def test_inside_is_the_range_all_below_it_and_their_work() -> None:
    assert _names(Selection(inside="LINEAR$")) == {"aten::linear", "aten::addmm", "aten::empty", "gemm"}


def test_inside_a_kernel_keeps_the_calls_that_lead_to_it() -> None:
    assert _names(Selection(inside="^relu_kernel")) == {"relu_kernel", "aten::relu", "ProfilerStep#5"}


def test_all_filters_must_hold() -> None:
    assert _names(Selection(steps="5", devices="0")) == {"ProfilerStep#5", "aten::relu", "relu_kernel"}


@pytest.mark.parametrize(
    "bad",
    [
        Selection(steps="x"),
        Selection(devices="1-"),
        Selection(inside="("),
        Selection(streams="9" * 22),
        Selection(steps="9" * 5000),
    ],
)
def test_what_cannot_be_read_is_an_error_of_the_asker(bad: Selection) -> None:
    with pytest.raises(UsageError):
        selected(TRACE, bad)


@pytest.mark.parametrize(
    ("selection", "there"),
    [
        (Selection(steps="9"), "steps=9: this profile has steps 4-5"),
        (Selection(steps="5-4"), "steps=5-4: this profile has steps 4-5"),
        (Selection(devices="7"), "devices=7: this profile has devices 0-1"),
        (Selection(streams="8,10-30"), "streams=8,10-30: this profile has streams 7, 9"),
        (Selection(threads="nope"), "threads=nope: there is no such thread"),
        (Selection(module="nope"), "module=nope: No modules were recorded"),
        (Selection(dimension="data"), "dimension=data: this profile has no collectives"),
    ],
)
def test_a_filter_that_names_nothing_of_the_profile_says_what_there_is(selection: Selection, there: str) -> None:
    with pytest.raises(NotFoundError, match=re.escape(there)):
        selected(TRACE, selection)


def test_a_list_that_names_something_else_too_is_a_filter() -> None:
    assert (selected(TRACE, Selection(steps="5,9")) == selected(TRACE, Selection(steps="5"))).all()
    assert selected(TRACE, Selection(steps="0-999999999999999999")).sum() > 0


def _naively_kept(trace: Trace, selection: Selection) -> list[bool]:
    """Event by event, as the module's table says."""
    events = trace.events
    is_work = np.isin(events.kind, DEVICE_KINDS).tolist()
    name = [trace.text(i) for i in events.name_id.tolist()]

    def chain(row: int) -> list[int]:
        rows = []
        while row != NONE:
            rows.append(row)
            row = int(events.nest_parent[row])
        return rows

    def host_of(row: int) -> int:
        if not is_work[row]:
            return row
        return int(events.launch[row] if events.launch[row] != NONE else events.owner[row])

    def is_there(row: int) -> bool:
        device, stream = (int(column[events.track[row]]) for column in (trace.tracks.device, trace.tracks.stream))
        return (not selection.devices or str(device) in selection.devices.split(",")) and (
            not selection.streams or str(stream) in selection.streams.split(",")
        )

    def is_named(row: int) -> bool:
        return bool(re.search(selection.inside, name[row], re.IGNORECASE))

    def work_below(row: int) -> list[int]:
        return [
            w for w in range(len(events)) if is_work[w] and any(row in chain(int(c[w])) for c in (events.launch, events.owner))
        ]

    def by_host(row: int) -> bool:
        host = host_of(row)
        step, thread = events.step[row], trace.text(trace.tracks.tid_id[events.track[host]])
        in_step = not selection.steps or (step != NONE and str(trace.steps.number[step]) in selection.steps.split(","))
        on_thread = not selection.threads or (host != NONE and thread in selection.threads.split(","))
        inside = not selection.inside or is_named(row) or any(map(is_named, chain(host)))
        if not is_work[row]:
            inside = inside or any(map(is_named, work_below(row)))
        return in_step and on_thread and inside

    kept = [by_host(row) for row in range(len(events))]
    if not selection.devices and not selection.streams:
        return kept
    there = [kept[row] and is_work[row] and is_there(row) for row in range(len(events))]
    return [there[row] if is_work[row] else kept[row] and any(there[w] for w in work_below(row)) for row in range(len(events))]


@settings(max_examples=60)
@given(
    st.builds(
        Selection,
        steps=st.sampled_from(["", "4", "5", "4,5"]),
        threads=st.sampled_from(["", "1", "2", "1,2"]),
        devices=st.sampled_from(["", "0", "1", "0,1"]),
        streams=st.sampled_from(["", "7", "9"]),
        inside=st.sampled_from(["", "linear", "relu", "kernel", "gemm", "Step"]),
    )
)
def test_equals_a_walk_event_by_event(selection: Selection) -> None:
    assert selected(TRACE, selection).tolist() == _naively_kept(TRACE, selection)


@pytest.mark.parametrize(
    "selection", [Selection(steps="4"), Selection(devices="1"), Selection(inside="relu_kernel"), Selection(threads="1")]
)
def test_device_time_of_operators_is_that_of_the_kept_work(selection: Selection) -> None:
    kept = selected(TRACE, selection)
    times = operator_times(TRACE, kept)
    work = kept & np.isin(TRACE.events.kind, DEVICE_KINDS)
    duration = TRACE.events.end_ns - TRACE.events.start_ns
    assert int(times.device_self_ns.sum()) + times.not_attributed_ns == int(duration[work].sum())


def test_a_dimension_has_its_collectives_and_what_leads_to_them(tmp_path: Path) -> None:
    trace = read(SimulatedJob(tensor=2, data=2, stages=2, n_micro=2, n_steps=2).write(tmp_path)[1])
    table, by = collectives(trace), by_dimension(trace)
    is_work = np.isin(trace.events.kind, DEVICE_KINDS)
    for name in ("tensor", "pipeline", "data"):
        kept = selected(trace, Selection(dimension=name))
        its = {row for row, of in zip(table.row.tolist(), by.of.tolist(), strict=False) if by.names[of] == name and row != NONE}
        assert len(its) > 0
        assert set(np.flatnonzero(kept & is_work).tolist()) == its
        above = {chain for row in its for chain in _chain(trace, int(trace.events.launch[row]))}
        assert set(np.flatnonzero(kept & ~is_work).tolist()) == above


def _chain(trace: Trace, row: int) -> list[int]:
    return [] if row == NONE else [row, *_chain(trace, int(trace.events.nest_parent[row]))]


def test_what_can_be_chosen() -> None:
    found = choices(TRACE)
    assert [(step.number, step.complete) for step in found.steps] == [(4, True), (5, True)]
    assert [(device.index, device.streams) for device in found.devices] == [(0, [7]), (1, [9])]
    assert [(thread.id, thread.name) for thread in found.threads] == [("1", "thread 1 main"), ("2", "thread 2")]


def test_a_module_has_its_calls_what_they_launched_and_the_modules_in_it() -> None:
    trace = trace_from_text(
        """
        thread 1 | nn.Module: Net_0 0-50 | nn.Module: Linear_0 10-30 | aten::linear 12-28 | aten::relu 35-40
        stream 7 | gemm 40-60 <- aten::linear | relu_kernel 70-80 <- aten::relu
        """
    )
    assert _names(Selection(module="Net_0/Linear_0"), trace) >= {"aten::linear", "gemm"}
    assert not _names(Selection(module="Net_0/Linear_0"), trace) & {"aten::relu", "relu_kernel"}
    assert _names(Selection(module="Net_0"), trace) >= {"aten::linear", "gemm", "aten::relu", "relu_kernel"}
    with pytest.raises(NotFoundError, match="module=Nothing_0: there is no such module in this profile"):
        selected(trace, Selection(module="Nothing_0"))
