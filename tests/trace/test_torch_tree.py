"""The call tree of a stored profile is torch's own `experimental_event_tree()`, recorded live."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.formats.kineto import kineto_json
from tb_plugin.trace.check import check
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

torch = pytest.importorskip("torch", reason="needs torch to record a profile")

_TREE_KINDS = (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON, Kind.MEMORY)


def record(tmp_path: Path, **options: Any) -> tuple[Any, Trace]:
    """A training step of a small model, with nested and partly overlapping ranges: the profiler and its stored profile."""
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], **options) as profiler:
        for _ in range(3):
            with torch.profiler.record_function("outer"), torch.profiler.record_function("inner"):
                loss = model(torch.randn(2, 3, 8, 8)).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    path = tmp_path / "live.pt.trace.json"
    profiler.export_chrome_trace(str(path))
    trace = kineto_json.read(path)
    check(trace)
    return profiler, trace


def torch_edges(profiler: Any, base_ns: int) -> Counter[tuple[tuple[str, int], tuple[str, int] | None]]:
    edges: Counter[tuple[tuple[str, int], tuple[str, int] | None]] = Counter()
    stack: list[tuple[Any, tuple[str, int] | None]] = [
        (node, None) for node in profiler.profiler.kineto_results.experimental_event_tree()
    ]
    while stack:
        node, parent = stack.pop()
        key = (node.name, node.start_time_ns - base_ns)
        edges[key, parent] += 1
        stack += [(child, key) for child in node.children]
    return edges


def our_edges(trace: Trace) -> Counter[tuple[tuple[str, int], tuple[str, int] | None]]:
    events = trace.events
    edges: Counter[tuple[tuple[str, int], tuple[str, int] | None]] = Counter()
    for row in range(len(events)):
        if events.kind[row] in _TREE_KINDS:
            parent = int(events.parent[row])
            key = (trace.text(events.name_id[row]), int(events.start_ns[row]))
            edges[key, (trace.text(events.name_id[parent]), int(events.start_ns[parent])) if parent >= 0 else None] += 1
    return edges


@pytest.mark.parametrize(
    "options", [{}, {"with_stack": True}, {"with_stack": True, "profile_memory": True, "record_shapes": True}]
)
def test_parents_are_those_of_torchs_event_tree(tmp_path: Path, options: dict[str, Any]) -> None:
    profiler, trace = record(tmp_path, **options)
    wanted = torch_edges(profiler, trace.info.base_ns)
    assert sum(wanted.values()) > 100
    assert our_edges(trace) == wanted


def test_nesting_is_that_of_eventlist(tmp_path: Path) -> None:
    profiler, trace = record(tmp_path, with_stack=True)
    wanted = Counter(
        (event.trace_name, event.cpu_parent.trace_name if event.cpu_parent else None)
        for event in profiler.profiler.function_events
    )
    events = trace.events
    found = Counter(
        (
            trace.text(events.name_id[row]),
            trace.text(events.name_id[events.nest_parent[row]]) if events.nest_parent[row] >= 0 else None,
        )
        for row in range(len(events))
        if events.kind[row] in (Kind.OPERATOR, Kind.ANNOTATION)
    )
    operators = {name for name, _ in found}
    # EventList leaves some bookkeeping calls out and merges an only child of the same name; the rest is equal.
    assert {edge: n for edge, n in wanted.items() if edge[0] in operators and edge[1] in operators} == {
        edge: n for edge, n in found.items() if edge in wanted and edge[1] in operators
    }
