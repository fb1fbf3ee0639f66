"""The call tree of an area adds up, follows the threads, and hangs device work below the operators it was done for."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, Kind
from tb_plugin.views.timeline.compute import area, calls
from tb_plugin.views.timeline.result import AreaParams, CallsParams, TimelineCalls
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.result import CallFrames, Side

TRACE = trace_from_text(
    """
    thread 1 | train.py(3): train 0-100 | aten::linear 10-40 | aten::addmm 15-35 | aten::linear 50-90 | aten::addmm 60-70
    stream 7 | gemm 30-55 <- aten::addmm | gemm 65-75 <- aten::addmm
    """
)


def _tree(side: Side, frames: CallFrames = "all", t0_us: int = 0, t1_us: int = 200, trace: Trace = TRACE) -> TimelineCalls:
    first = trace.info.start_ns
    return calls(trace, CallsParams(t0_ns=first + t0_us * 1000, t1_ns=first + t1_us * 1000, side=side, frames=frames))


def _paths(found: TimelineCalls) -> dict[str, tuple[float, float]]:
    """Total and self time of each path, us."""
    paths: list[str] = []
    for node in found.nodes:
        paths.append(node.name if node.parent is None else f"{paths[node.parent]} > {node.name}")
    return {path: (node.time_ns / 1000, node.self_ns / 1000) for path, node in zip(paths, found.nodes, strict=True)}


def test_calls_of_one_path_are_one_node() -> None:
    assert _paths(_tree("host")) == {
        "train.py(3): train": (100, 30),
        "train.py(3): train > aten::linear": (70, 40),
        "train.py(3): train > aten::linear > aten::addmm": (30, 30),
    }


def test_what_is_no_frame_is_part_of_the_one_around_it() -> None:
    assert _paths(_tree("host", "python")) == {"train.py(3): train": (100, 100)}
    assert _paths(_tree("host", "operators"))["aten::linear"] == (70, 40)


def test_device_work_lies_below_the_operator_it_was_done_for() -> None:
    found = _tree("device", "operators")
    assert _paths(found) == {
        "aten::linear": (35, 0),
        "aten::linear > aten::addmm": (35, 0),
        "aten::linear > aten::addmm > gemm": (35, 35),
    }
    assert found.nodes[-1].longest.duration_ns == 25_000
    assert found.other_side_ns > 0


def test_device_work_that_no_operator_launches_lies_below_the_python_frame_that_does() -> None:
    trace = trace_from_text(
        """
        thread 1 | train.py(3): train 0-100 | aten::mm 5-15 | triton.py(9): run 20-60
        stream 7 | gemm 20-30 <- aten::mm | triton_k 50-70 <- triton.py(9): run
        """
    )
    assert _paths(_tree("device", trace=trace)) == {
        "train.py(3): train": (30, 0),
        "train.py(3): train > aten::mm": (10, 0),
        "train.py(3): train > aten::mm > gemm": (10, 10),
        "train.py(3): train > triton.py(9): run": (20, 0),
        "train.py(3): train > triton.py(9): run > triton_k": (20, 20),
    }
    assert set(_paths(_tree("device", "python", trace=trace))) == {
        "train.py(3): train",
        "train.py(3): train > gemm",
        "train.py(3): train > triton.py(9): run",
        "train.py(3): train > triton.py(9): run > triton_k",
    }


def test_only_what_lies_inside_counts() -> None:
    assert _paths(_tree("host", "operators", 20, 60)) == {"aten::linear": (30, 15), "aten::linear > aten::addmm": (15, 15)}


def test_a_short_list_still_is_a_tree_of_what_takes_most() -> None:
    first = TRACE.info.start_ns
    found = calls(TRACE, CallsParams(t0_ns=first, t1_ns=first + 200_000, top=2))
    assert [(node.name, node.parent) for node in found.nodes] == [("train.py(3): train", None), ("aten::linear", 0)]
    assert found.n_nodes == 3


STEPS = trace_from_text(
    """
    thread 1 | train.py(3): train 0-100 | ProfilerStep#8 0-40 | aten::mm 10-30 | save#1 42-43
    thread 1 | ProfilerStep#9 50-92 | aten::mm 60-80 | save#2 95-96
    stream 7 | gemm 30-40 <- aten::mm | gemm 80-90 <- aten::mm
    """
)


@pytest.mark.parametrize(
    ("frames", "side", "wanted"),
    [
        (
            "all",
            "host",
            {"train.py(3): train > ProfilerStep*": (2, 82), "train.py(3): train > ProfilerStep* > aten::mm": (2, 40)},
        ),
        (
            "operators",
            "host",
            {"ProfilerStep*": (2, 82), "ProfilerStep* > aten::mm": (2, 40), "save#1": (1, 1), "save#2": (1, 1)},
        ),
        ("operators", "device", {"ProfilerStep* > aten::mm > gemm": (2, 20)}),
        ("python", "host", {"train.py(3): train": (1, 100)}),
    ],
)
def test_all_steps_are_calls_of_one_name(frames: CallFrames, side: Side, wanted: dict[str, tuple[int, int]]) -> None:
    found = _tree(side, frames, trace=STEPS)
    told = dict(zip(_paths(found), ((node.count, node.time_ns // 1000) for node in found.nodes), strict=True))
    assert told.items() >= wanted.items()
    assert not [path for path in told if "ProfilerStep#" in path]


def test_from_the_callees_all_steps_are_one_caller() -> None:
    first = STEPS.info.start_ns
    asked = CallsParams(t0_ns=first, t1_ns=first + 200_000, frames="operators", inverted=True)
    found = calls(STEPS, asked)
    assert _paths(found) == {
        "aten::mm": (40, 40),
        "aten::mm > ProfilerStep*": (40, 0),
        "ProfilerStep*": (42, 42),
        "save#1": (1, 1),
        "save#2": (1, 1),
    }
    assert {node.name: node.count for node in found.nodes if node.parent is None} == {
        "ProfilerStep*": 2,
        "aten::mm": 2,
        "save#1": 1,
        "save#2": 1,
    }


def test_the_call_of_all_steps_leads_to_the_longest_step_inside_the_area() -> None:
    whole, begun = (_tree("host", "operators", 0, t1_us, STEPS).nodes[0].longest for t1_us in (200, 60))
    assert [(step.name, step.duration_ns) for step in (whole, begun)] == [("ProfilerStep#9", 42_000), ("ProfilerStep#8", 40_000)]


def _inverted(found: TimelineCalls) -> dict[tuple[str, ...], tuple[int, int, int]]:
    """Time, count and longest call of each chain with time, from what has time of its own to its callers, walked up one by one:
    all calls of a name, also those without time of their own.
    """
    timed = {(leaf.kind, leaf.name) for leaf in found.nodes if leaf.self_ns}
    chains: dict[tuple[str, ...], tuple[int, int, int]] = {}
    for leaf in found.nodes:
        chain: tuple[str, ...] = ()
        at: int | None = found.nodes.index(leaf) if (leaf.kind, leaf.name) in timed else None
        while at is not None:
            chain, at = (*chain, f"{found.nodes[at].kind} {found.nodes[at].name}"), found.nodes[at].parent
            time_ns, count, longest = chains.get(chain, (0, 0, 0))
            chains[chain] = time_ns + leaf.self_ns, count + leaf.count, max(longest, leaf.longest.duration_ns)
    return {chain: told for chain, told in chains.items() if told[0]}


@over(SAMPLES + real("h100_bert_small", "a100_nccl"))
def test_from_the_callees_each_chain_has_the_time_of_its_first_name(path: Path) -> None:
    trace = trace_of(path)
    for side in ("host", "device"):
        asked = CallsParams(t0_ns=trace.info.start_ns, t1_ns=trace.info.end_ns, side=side, frames="operators", top=20_000)
        upright, found = calls(trace, asked), calls(trace, msgspec.structs.replace(asked, inverted=True))
        assert len(upright.nodes) == upright.n_nodes
        assert len(found.nodes) == found.n_nodes
        chains: list[tuple[str, ...]] = []
        for node in found.nodes:
            chains.append((*(chains[node.parent] if node.parent is not None else ()), f"{node.kind} {node.name}"))
        told = ((node.time_ns, node.count, node.longest.duration_ns) for node in found.nodes)
        assert dict(zip(chains, told, strict=True)) == _inverted(upright)
        assert found.time_ns == sum(node.time_ns for node in found.nodes if node.parent is None) == upright.time_ns
        assert all(node.self_ns == (node.time_ns if node.parent is None else 0) for node in found.nodes)


def test_from_the_callees_what_a_short_list_leaves_out_is_what_is_small() -> None:
    """Cut before it is inverted, the first two nodes would have no self time of the third."""
    first = TRACE.info.start_ns
    found = calls(TRACE, CallsParams(t0_ns=first, t1_ns=first + 200_000, inverted=True, top=2))
    assert _paths(found) == {"aten::linear": (40, 40), "aten::linear > train.py(3): train": (40, 0)}
    assert (found.time_ns, found.n_nodes) == (100_000, 6)


def test_an_empty_area_is_an_error_of_the_asker() -> None:
    with pytest.raises(UsageError, match="ends after"):
        calls(TRACE, CallsParams(t0_ns=5, t1_ns=5))


FRAMES: dict[CallFrames, tuple[Kind, ...]] = {
    "all": HOST_KINDS,
    "operators": (Kind.OPERATOR, Kind.ANNOTATION, *LAUNCH_KINDS),
    "python": (Kind.PYTHON,),
}


def _name(trace: Trace, row: int) -> str:
    name = trace.text(int(trace.events.name_id[row]))
    return "ProfilerStep*" if name.startswith("ProfilerStep#") else name


def _naive(trace: Trace, side: Side, frames: CallFrames) -> dict[tuple[str, ...], int]:
    """Events by path, walked up one by one."""
    events = trace.events
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    for row in np.flatnonzero(np.isin(events.kind, FRAMES[frames] if side == "host" else DEVICE_KINDS)).tolist():
        if events.end_ns[row] == events.start_ns[row]:
            continue
        path, at = [_name(trace, row)], int((events.nest_parent if side == "host" else events.owner)[row])
        while at != NONE:
            if events.kind[at] in FRAMES[frames]:
                path.append(_name(trace, at))
            at = int(events.nest_parent[at])
        counts[tuple(reversed(path))] += 1
    return counts


@pytest.mark.parametrize("frames", FRAMES)
@over(SAMPLES + real("h100_bert_small", "a100_nccl"))
def test_counts_are_those_of_a_walk_and_times_add_up(path: Path, frames: CallFrames) -> None:
    trace = trace_of(path)
    t0_ns, t1_ns = trace.info.start_ns, trace.info.end_ns
    for side in ("host", "device"):
        found = calls(trace, CallsParams(t0_ns=t0_ns, t1_ns=t1_ns, side=side, frames=frames, top=20_000))
        below: dict[int, int] = defaultdict(int)
        paths: list[tuple[str, ...]] = []
        counted: dict[tuple[str, ...], int] = defaultdict(int)
        for node in found.nodes:
            paths.append((*(paths[node.parent] if node.parent is not None else ()), node.name))
            if node.self_ns:
                counted[paths[-1]] += node.count
            if node.parent is not None:
                below[node.parent] += node.time_ns
        if found.n_nodes == len(found.nodes):
            assert all(node.time_ns == node.self_ns + below[place] for place, node in enumerate(found.nodes))
        naive = _naive(trace, side, frames)
        assert all(naive[each] == count for each, count in counted.items())
        whole = area(trace, AreaParams(t0_ns=t0_ns, t1_ns=t1_ns))
        kinds = {kind.name.lower() for kind in (HOST_KINDS if side == "host" else DEVICE_KINDS)}
        if frames == "all":
            assert found.time_ns == sum(row.self_ns or 0 for row in whole.rows if row.kind in kinds)


@pytest.mark.parametrize("inverted", [True, False])
@pytest.mark.parametrize("name", SAMPLES)
def test_a_cut_tree_has_its_first_level_whole_and_then_what_takes_most(name: str, *, inverted: bool) -> None:
    trace = trace_of(name)
    asked = CallsParams(t0_ns=trace.info.start_ns, t1_ns=trace.info.end_ns, inverted=inverted, top=20_000)
    whole = calls(trace, asked)
    n_roots = sum(node.parent is None for node in whole.nodes)
    top = 2 * n_roots + 3
    cut = calls(trace, msgspec.structs.replace(asked, top=top))
    assert len(cut.nodes) == min(top, whole.n_nodes)
    assert all(node.parent is None or node.parent < place for place, node in enumerate(cut.nodes))
    assert sum(node.time_ns for node in cut.nodes if node.parent is None) == whole.time_ns
    below = sorted((node.time_ns for node in whole.nodes if node.parent is not None), reverse=True)
    assert [node.time_ns for node in cut.nodes if node.parent is not None] == below[: top - n_roots]
