"""Above device work a call tree counts the calls that launched what lies in the area, and leads to the one that launched most."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, Kind
from tb_plugin.views.timeline import details
from tb_plugin.views.timeline.compute import calls, event
from tb_plugin.views.timeline.result import CallsParams, EventParams, TimelineCalls
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.result import CallFrames

TRACE = trace_from_text(
    """
    thread 1 | train.py(3): train 0-95 | aten::linear 5-45 | aten::mm 10-20 | aten::mm 25-35
    thread 1 | aten::linear 50-70 | aten::mm 55-60 | aten::linear 80-90 | aten::mm 81-82
    stream 7 | gemm 30-110 <- aten::mm | small 110-120 <- aten::mm | gemm 120-180 <- aten::mm
    """
)
FRAMES: dict[CallFrames, tuple[Kind, ...]] = {
    "all": HOST_KINDS,
    "operators": (Kind.OPERATOR, Kind.ANNOTATION, *LAUNCH_KINDS),
    "python": (Kind.PYTHON,),
}


def _asked(trace: Trace, t0_ns: int, t1_ns: int, frames: CallFrames = "all", *, inverted: bool = False) -> TimelineCalls:
    """Of streams alone, as one draws over them."""
    streams = ",".join(map(str, np.flatnonzero(trace.tracks.device != NONE)))
    asked = CallsParams(t0_ns=t0_ns, t1_ns=t1_ns, tracks=streams, side="device", frames=frames, inverted=inverted, top=20_000)
    return calls(trace, asked)


@pytest.mark.parametrize(
    ("t0_us", "t1_us", "starts_us"),
    [
        (0, 200, {"aten::linear": 5, "aten::mm": 25, "gemm": 30}),
        (100, 200, {"aten::linear": 80, "aten::mm": 81, "gemm": 120}),
        (60, 112, {"aten::linear": 5, "aten::mm": 25, "small": 110, "gemm": 30}),
    ],
)
def test_the_longest_is_the_call_that_devices_worked_most_for(t0_us: int, t1_us: int, starts_us: dict[str, int]) -> None:
    first = TRACE.info.start_ns
    found = _asked(TRACE, first + t0_us * 1000, first + t1_us * 1000, "operators")
    told = {node.name: (node.longest.start_ns - first) // 1000 for node in found.nodes}
    assert told.items() >= starts_us.items()


@pytest.mark.parametrize(
    ("t0_us", "t1_us", "counts"),
    [
        (0, 200, {"train.py(3): train": 1, "aten::linear": 2, "aten::mm": 2, "gemm": 2}),
        (105, 122, {"train.py(3): train": 1, "aten::linear": 2, "aten::mm": 2, "small": 1}),
        (115, 118, {"train.py(3): train": 1, "aten::linear": 1, "aten::mm": 1, "small": 1}),
    ],
)
def test_calls_are_those_that_launched_what_lies_in_the_area(t0_us: int, t1_us: int, counts: dict[str, int]) -> None:
    first = TRACE.info.start_ns
    found = _asked(TRACE, first + t0_us * 1000, first + t1_us * 1000)
    assert {node.name: node.count for node in found.nodes}.items() >= counts.items()


def _own_ns(trace: Trace, row: int, t0_ns: int, t1_ns: int) -> int:
    """What of an event lies in the area and is not taken by one of its track that begins later."""
    events = trace.events
    free = np.ones(max(min(int(events.end_ns[row]), t1_ns) - max(int(events.start_ns[row]), t0_ns), 0), np.bool_)
    from_ns = max(int(events.start_ns[row]), t0_ns)
    later = row + 1
    while later < len(events) and events.track[later] == events.track[row] and events.start_ns[later] < events.end_ns[row]:
        if events.kind[later] in DEVICE_KINDS:
            free[max(int(events.start_ns[later]) - from_ns, 0) : max(int(events.end_ns[later]) - from_ns, 0)] = False
        later += 1
    return int(free.sum())


def _naive(trace: Trace, t0_ns: int, t1_ns: int, frames: CallFrames) -> dict[tuple[str, ...], dict[int, int]]:
    """By path of host calls: each of its calls that launched work in the area with the time of that, walked up one by one."""
    events = trace.events
    found: dict[tuple[str, ...], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    inside = (events.start_ns < t1_ns) & (events.end_ns > t0_ns) & (trace.tracks.device[events.track] != NONE)
    for row in np.flatnonzero(inside & np.isin(events.kind, DEVICE_KINDS)).tolist():
        above, at = [], int(events.owner[row])
        while at != NONE:
            if events.kind[at] in FRAMES[frames] and events.end_ns[at] > events.start_ns[at]:
                above.append(at)
            at = int(events.nest_parent[at])
        time_ns = _own_ns(trace, row, t0_ns, t1_ns)
        path: tuple[str, ...] = ()
        for at in reversed(above):
            name = trace.text(int(events.name_id[at]))
            kind = Kind(int(events.kind[at])).name.lower()
            path = (*path, f"{kind} {'ProfilerStep*' if name.startswith('ProfilerStep#') else name}")
            if time_ns:
                found[path][at] += time_ns
    return found


@pytest.mark.parametrize("frames", FRAMES)
@over(SAMPLES + real("h100_bert_small", "a100_nccl", "mi300_sglang_decode"))
def test_of_an_area_the_longest_call_of_each_node_is_that_of_a_walk(path: Path, frames: CallFrames) -> None:
    trace = trace_of(path)
    first, length = trace.info.start_ns, trace.info.end_ns - trace.info.start_ns
    t0_ns, t1_ns = first + length * 55 // 100, first + length * 75 // 100
    found = _asked(trace, t0_ns, t1_ns, frames)
    naive = _naive(trace, t0_ns, t1_ns, frames)
    paths: list[tuple[str, ...]] = []
    for node in found.nodes:
        paths.append((*(paths[node.parent] if node.parent is not None else ()), f"{node.kind} {node.name}"))
    above = [(each, node) for each, node in zip(paths, found.nodes, strict=True) if not node.self_ns and each in naive]
    assert len(above) == sum(node.kind not in {kind.name.lower() for kind in DEVICE_KINDS} for node in found.nodes)
    for each, node in above:
        assert naive[each][node.longest.row] == max(naive[each].values())
        assert (node.time_ns, node.count) == (sum(naive[each].values()), len(naive[each]))


@over(SAMPLES + real("h100_bert_small", "a100_nccl"))
def test_what_devices_did_leads_to_the_one_with_most_of_it_in_the_area_from_the_callees(path: Path) -> None:
    trace, events = trace_of(path), trace_of(path).events
    first, length = trace.info.start_ns, trace.info.end_ns - trace.info.start_ns
    t0_ns, t1_ns = first + length * 55 // 100, first + length * 75 // 100
    part = np.minimum(events.end_ns, t1_ns) - np.maximum(events.start_ns, t0_ns)
    work = (part > 0) & np.isin(events.kind, DEVICE_KINDS) & (trace.tracks.device[events.track] != NONE)
    most: dict[str, int] = defaultdict(int)
    for row in np.flatnonzero(work).tolist():
        name = trace.text(int(events.name_id[row]))
        most[name] = max(most[name], int(part[row]))
    roots = [node for node in _asked(trace, t0_ns, t1_ns, inverted=True).nodes if node.parent is None]
    assert {node.name: int(part[node.longest.row]) for node in roots} == {node.name: most[node.name] for node in roots}


def test_work_says_how_long_after_its_launch_it_began() -> None:
    names = [TRACE.text(each) for each in TRACE.events.name_id.tolist()]
    kernel = event(TRACE, EventParams(row=names.index("gemm")))
    assert kernel.launch is not None
    assert kernel.after_launch_ns == kernel.start_ns - kernel.launch.start_ns > 0
    assert event(TRACE, EventParams(row=names.index("aten::mm"))).after_launch_ns is None
    # Clocks that disagree are no kernel that runs before it was asked for.
    start = TRACE.events.start_ns.copy()
    start[kernel.launch.row] = kernel.start_ns + 3
    early = dataclasses.replace(TRACE, events=dataclasses.replace(TRACE.events, start_ns=start))
    assert event(early, EventParams(row=kernel.row)).after_launch_ns == 0


def _of_one_launch(trace: Trace) -> tuple[Trace, int]:
    """All device work is of the first launch: drawings launch a kernel a call."""
    launch, owner = np.full_like(trace.events.launch, NONE), np.full_like(trace.events.owner, NONE)
    graph = [trace.text(each) for each in trace.events.name_id.tolist()].index("cudaLaunchKernel")
    launch[np.isin(trace.events.kind, DEVICE_KINDS)] = graph
    return dataclasses.replace(trace, events=dataclasses.replace(trace.events, launch=launch, owner=owner)), graph


def test_all_that_a_graph_launches_is_listed_part_by_part() -> None:
    trace, graph = _of_one_launch(TRACE)
    whole = event(trace, EventParams(row=graph))
    assert whole.n_launched == len(whole.launched) == 3
    rest = event(trace, EventParams(row=graph, launched_from=1))
    assert (rest.launched, rest.n_launched) == (whole.launched[1:], whole.n_launched)
    assert event(trace, EventParams(row=graph, launched_from=9999)).launched == []
    second = whole.launched[1]
    for at in (whole.launched[0].start_ns + whole.launched[0].duration_ns + 1, second.start_ns + second.duration_ns):
        assert event(trace, EventParams(row=graph, launched_at_ns=at)).launched == whole.launched[1:]
    to = event(trace, EventParams(row=graph, launched_at_ns=0, launched_to_ns=second.start_ns))
    assert (to.launched, to.n_launched) == (whole.launched[:2], whole.n_launched)


def test_of_more_than_is_told_at_once_some_are_spread_over_the_time_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(details, "_MOST_LINKS", 3)
    kernels = "\n".join(f"stream 7 | gemm_{n} {10 * n + 10}-{10 * n + 15} <- aten::mm" for n in range(8))
    trace, graph = _of_one_launch(trace_from_text(f"thread 1 | aten::mm 0-5\n{kernels}"))

    def names(t0_us: int, t1_us: int | None) -> list[str]:
        to_ns = None if t1_us is None else t1_us * 1000
        found = event(trace, EventParams(row=graph, launched_at_ns=t0_us * 1000, launched_to_ns=to_ns))
        return [each.name for each in found.launched]

    assert names(0, None) == ["gemm_0", "gemm_1", "gemm_2"]
    assert names(0, 90) == ["gemm_0", "gemm_4", "gemm_7"]
    assert names(27, 69) == ["gemm_2", "gemm_4", "gemm_5"]
    assert names(27, 43) == ["gemm_2", "gemm_3"]
