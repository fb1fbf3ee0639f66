"""The rules of the event tree on drawn events, on random ones against `build_tree` written out, and on real device traces."""

from __future__ import annotations

import dataclasses
import gzip
import heapq
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tb_plugin
from tb_plugin.torch_api.tree.event_tree import EventTree
from tb_plugin.torch_api.tree.fields import EventType
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Live
from tests.profiles import GPUS, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_HOST_CATEGORIES = (
    "cpu_op",
    "user_annotation",
    "python_function",
    "cuda_runtime",
    "cuda_driver",
    "hip_runtime",
    "cpu_instant_event",
)
_DEVICE_CATEGORIES = ("kernel", "gpu_memcpy", "gpu_memset")


def profile_of(folder: Path, *events: dict[str, Any]) -> tb_plugin.Profile:
    path = folder / "made.json"
    path.write_text(json.dumps({"schemaVersion": 1, "baseTimeNanoseconds": 0, "traceEvents": events}))
    return tb_plugin.load(path)


def event(name: str, start: float, length: float, category: Any = "cpu_op", **args: Any) -> dict[str, Any]:
    tid = args.pop("tid", 1)
    pid = 0 if category in _DEVICE_CATEGORIES else 100
    timed = {"ph": "i", "s": "t"} if category == "cpu_instant_event" else {"ph": "X", "dur": length}
    return {"name": name, "cat": category, "pid": pid, "tid": tid, "ts": start, "args": args, **timed}


def drawn(tree: EventTree) -> list[str]:
    """Names, indented by depth, in torch's order."""
    lines: list[str] = []
    waiting = [(node, 0) for node in reversed(tree)]
    while waiting:
        node, depth = waiting.pop()
        lines.append("  " * depth + node.name)
        waiting += [(child, depth + 1) for child in reversed(node.children)]
    return lines


# Device work


def test_launches_hang_on_the_operator_they_name_and_kernels_on_their_launch(tmp_path: Path) -> None:
    arrow = {"cat": "ac2g", "name": "ac2g", "ts": 20, "pid": 100, "tid": 1}
    tree = profile_of(
        tmp_path,
        event("aten::linear", 0, 100, **{"External id": 1}),
        event("aten::t", 1, 4, **{"External id": 2}),
        event("aten::mm", 10, 80, **{"External id": 3}),
        event("cudaLaunchKernel", 20, 9, "cuda_runtime", correlation=50, **{"External id": 3}),
        event("cuLaunchKernel", 21, 5, "cuda_driver", correlation=51, **{"External id": 3}),
        event("cudaDeviceSynchronize", 60, 5, "cuda_runtime", correlation=52),
        event("cudaStreamSynchronize", 200, 5, "cuda_runtime", correlation=53),
        event("gemm", 40, 30, "kernel", tid=7, correlation=50, **{"External id": 3}),
        event("named its operator alone", 75, 5, "kernel", tid=7, correlation=99, **{"External id": 1}),
        event("of nobody", 90, 5, "kernel", tid=7, correlation=98),
        arrow | {"ph": "s", "id": 50},
        arrow | {"ph": "f", "id": 50, "bp": "e", "pid": 0, "tid": 7, "ts": 40},
    ).tree()
    assert drawn(tree) == [
        "aten::linear",
        "  named its operator alone",  # torch adds what is linked before it replays the rest
        "  aten::t",
        "  aten::mm",
        "    cudaLaunchKernel",
        "      gemm",
        "    cuLaunchKernel",
        "    cudaDeviceSynchronize",
        "cudaStreamSynchronize",
    ]
    by_name = {node.name: node for node in tree.nodes()}
    assert "of nobody" not in by_name
    assert by_name["gemm"].tag is EventType.Kineto
    assert [by_name[name].correlation_id for name in ("gemm", "aten::mm", "cuLaunchKernel")] == [50, 3, 51]
    assert by_name["gemm"].extra_fields.activity == "kernel"  # type: ignore[union-attr]


def test_an_arrow_goes_before_the_id_and_without_arrows_the_id_decides(tmp_path: Path) -> None:
    arrow = {"cat": "ac2g", "name": "ac2g", "pid": 100, "tid": 1, "ph": "s"}
    events = [
        event("aten::a", 0, 50, **{"External id": 1}),
        event("aten::b", 60, 50, **{"External id": 2}),
        event("cudaLaunchKernel", 10, 5, "cuda_runtime", correlation=50, **{"External id": 1}),
        event("cudaGraphLaunch", 70, 5, "cuda_runtime", correlation=51, **{"External id": 2}),
        event("ka", 20, 5, "kernel", tid=7, correlation=50, **{"External id": 2}),
        event("kb", 80, 5, "kernel", tid=7, correlation=51, **{"External id": 2}),
    ]
    with_arrow = profile_of(tmp_path, *events, arrow | {"id": 50, "ts": 10}).tree()
    assert drawn(with_arrow) == ["aten::a", "  cudaLaunchKernel", "    ka", "aten::b", "  cudaGraphLaunch", "  kb"]
    without = profile_of(tmp_path, *events).tree()
    assert drawn(without) == ["aten::a", "  cudaLaunchKernel", "    ka", "aten::b", "  cudaGraphLaunch", "    kb"]


def test_what_a_linked_launch_holds_hangs_on_what_holds_the_launch(tmp_path: Path) -> None:
    tree = profile_of(
        tmp_path,
        event("aten::empty", 0, 100, **{"External id": 1}),
        event("cudaMalloc", 20, 50, "cuda_runtime", correlation=5, **{"External id": 1}),
        event("[memory]", 30, 0, "cpu_instant_event", **{"Device Type": 1, "Bytes": 512, "Addr": 9}),
    ).tree()
    assert drawn(tree) == ["aten::empty", "  cudaMalloc", "  [memory]"]


@over(GPUS + real("h100_bert_small", "mi300_qwen", "mi300_sglang_decode", "a100_2ranks_rank0", "v100_resnet50_workers0_a"))
def test_device_work_hangs_where_the_rules_say(path: Path) -> None:
    wanted = _links_of(json.loads(gzip.decompress(path.read_bytes()))["traceEvents"])
    tree = tb_plugin.load(path).tree()
    found: dict[tuple[str, int], int] = {}
    for node in tree.nodes():
        if node.tag is not EventType.Kineto or tree.trace.events.kind[node.id] not in (
            Kind.KERNEL,
            Kind.COPY,
            Kind.SET,
            Kind.RUNTIME,
        ):
            continue
        parent = node.parent
        place = tree.trace.events.order[node.id]
        found[node.name, int(place)] = int(tree.trace.events.order[parent.id]) if parent else -1
    linked = {key: parent for key, parent in wanted.items() if parent is not None}
    assert len(linked) >= 30
    assert {key: found.get(key) for key in linked} == linked
    assert not [key for key, parent in wanted.items() if parent is None and key in found and key[0].endswith("kernel")]
    assert _is_a_tree(tree)


def _links_of(events: list[dict[str, Any]]) -> dict[tuple[str, int], int | None]:
    """(name, place in the file) of device work, and of launches that name an operator, with the place of its parent."""
    operators: dict[int, int] = {}
    calls: dict[int, int] = {}
    arrows = {e["id"] for e in events if e.get("ph") == "s" and e.get("cat") in ("ac2g", "async_cpu_to_gpu", "async")}
    work = [
        (place, e) for place, e in enumerate(events) if str(e.get("cat", "")).lower() in (*_DEVICE_CATEGORIES, "memcpy", "memset")
    ]
    # In files of 2022 and 2023 the External id is the correlation id.
    names_operators = any(_number(e, "External id", "external id") != _number(e, "correlation") for _, e in work)
    for place, e in enumerate(events):
        category = str(e.get("cat", "")).lower()
        if category in ("cpu_op", "operator", "user_annotation") and e.get("ph") == "X":
            operators.setdefault(_number(e, "External id", "external id"), place)
        elif category.endswith(("runtime", "driver")):
            correlation = _number(e, "correlation")
            known = calls.get(correlation)
            if known is None or (e["ts"], -place) < (events[known]["ts"], -known):
                calls[correlation] = place
    found: dict[tuple[str, int], int | None] = {}
    for place, e in enumerate(events):
        category = str(e.get("cat", "")).lower()
        named = operators.get(_number(e, "External id", "external id")) if names_operators else None
        if category in (*_DEVICE_CATEGORIES, "memcpy", "memset"):
            correlation = _number(e, "correlation")
            by_arrow = calls.get(correlation) if correlation in arrows or not arrows else None
            found[e["name"], place] = by_arrow if by_arrow is not None else named
        elif category.endswith("runtime") and named is not None:
            found[e["name"], place] = named
    return found


def _number(e: dict[str, Any], *keys: str) -> int:
    return next((int(e["args"][key]) for key in keys if key in e.get("args", {})), -1)


def _is_a_tree(tree: EventTree) -> bool:
    seen = [node.id for root in tree for node in _walk(root)]
    return len(seen) == len(set(seen)) == tree.n_nodes


def _walk(root: Any) -> Any:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


# Host events


def _build_tree(events: list[tuple[int, int, int, int]]) -> list[int]:
    """`build_tree` of collection.cpp on (thread, start, end, forward thread), which are by start: parents, -1 for roots."""
    parents = [-1] * len(events)
    finished = [False] * len(events)
    stacks: dict[int, int] = {}
    queue: list[tuple[int, int]] = []

    def pop(one: int) -> None:
        if finished[one]:
            return
        thread = events[one][0]
        frame = stacks[thread]
        while frame != one:
            finished[frame] = True
            frame = parents[frame]
        finished[one] = True
        del stacks[thread]
        if parents[one] >= 0:
            stacks[thread] = parents[one]

    for one, (thread, start, end, forward_thread) in enumerate(events):
        while queue and queue[0][0] < start:
            pop(heapq.heappop(queue)[1])
        above = stacks.get(thread)
        if above is None and forward_thread > 0:
            above = stacks.get(forward_thread)
        if above is not None:
            parents[one] = above
        if end > start:
            stacks[thread] = one
            heapq.heappush(queue, (end, one))
        else:
            finished[one] = True
    return parents


_EVENTS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(0, 30), st.integers(0, 12), st.sampled_from([0, 0, 1, 2])), min_size=1, max_size=25
)


@settings(max_examples=200)
@given(made=_EVENTS)
def test_any_events_hang_as_build_tree_hangs_them(made: list[tuple[int, int, int, int]]) -> None:
    """Overlaps, events without length, equal starts, a file that is not by time, and backward threads."""
    # A file says an event's thread by the system's number; those of torch are 1, 2, 3.
    events = [
        event(f"e{place}", start / 1000, length / 1000, tid=1000 + thread, **{"External id": place + 1})
        for place, (thread, start, length, _) in enumerate(made)
    ]
    with tempfile.TemporaryDirectory() as folder:
        trace = profile_of(Path(folder), *events).trace
    tree = EventTree(_with_threads(trace, made))
    by_start = sorted(range(len(made)), key=lambda place: made[place][1])
    of_torch = _build_tree([(made[k][0], made[k][1], made[k][1] + made[k][2], made[k][3]) for k in by_start])
    wanted = {
        f"e{place}": f"e{by_start[parent]}" if parent >= 0 else "" for place, parent in zip(by_start, of_torch, strict=True)
    }
    assert {node.name: node.parent.name if node.parent else "" for node in tree.nodes()} == wanted
    assert [node.name for node in tree.nodes()] == [f"e{place}" for place in by_start]
    assert _is_a_tree(tree)


def _with_threads(trace: Trace, made: list[tuple[int, int, int, int]]) -> Trace:
    places = [int(trace.text(i)[1:]) for i in trace.events.name_id.tolist()]
    thread = np.array([made[place][0] for place in places])
    live = {"row": np.arange(len(places)), "start_thread": thread, "end_thread": thread, "true_end_ns": trace.events.end_ns}
    events = dataclasses.replace(trace.events, forward_thread=np.array([made[place][3] for place in places]))
    return dataclasses.replace(trace, events=events, live=Live.from_columns(live))


def test_rounded_times_nest_instead(tmp_path: Path) -> None:
    # Whole microseconds: the replay would make a range that ends when the next begins its parent.
    path = tmp_path / "old.json"
    events = [event("aten::a", 0, 10), event("aten::b", 10, 5), event("aten::c", 10, 5)]
    events += [event("[memory]", time, 0, "cpu_instant_event", Bytes=1) for time in (4, 15, 16)]
    path.write_text(json.dumps({"traceEvents": [e | {"ts": 1_600_000_000_000_000 + e["ts"]} for e in events]}))
    trace = trace_of(path)
    assert trace.info.resolution_ns == 1000
    assert drawn(EventTree(trace)) == ["aten::a", "  [memory]", "aten::b", "  aten::c", "    [memory]", "[memory]"]


# Kinds


def test_every_kind_has_torchs_name_and_fields(tmp_path: Path) -> None:
    out_of_memory: dict[str, Any] = {"Device Type": 1, "Device Id": 0, "Bytes": 4096, "Total Allocated": 7, "Total Reserved": 8}
    freed: dict[str, Any] = {
        "Device Type": 0,
        "Device Id": -1,
        "Bytes": -64,
        "Addr": 4711,
        "Total Allocated": 0,
        "Total Reserved": 0,
    }
    inputs: dict[str, Any] = {
        "Input type": ["float", "TensorList", "Scalar", "Scalar", "ScalarList", "", "c10::BFloat16", "strange"],
        "Input Dims": [[2, 3], [[4], []], [], [], [], [], [], [1]],
        "Input Strides": [[3, 1], [[1], []], [], [], [], [], [], [1]],
        "Concrete Inputs": ["", "", "True", "1.+2.j", "[3]", "", "", ""],
    }
    tree = profile_of(
        tmp_path,
        event("train.py(7): main", 0, 100, "python_function"),
        event("nn.Module: My_Net_12", 1, 60, "python_function"),
        event("<built-in method run_backward of object at 0x1>", 2, 40, "python_function"),
        event("aten::cat", 5, 30, **{"External id": 9, "Sequence number": 4}, **inputs),
        event("[OutOfMemory]", 6, 0, "cpu_instant_event", **out_of_memory),
        event("[memory]", 7, 0, "cpu_instant_event", **freed),
        event("Python GC", 70, 5, "python_function"),
        event("my range", 80, 5, "user_annotation", **{"External id": 10}),
    ).tree()
    by_name: dict[str, Any] = {node.name: node for node in tree.nodes()}
    assert [node.tag.name for node in tree.nodes()] == [
        *("PyCall", "PyCall", "PyCCall", "TorchOp", "OutOfMemory", "Allocation", "PythonGC", "TorchOp"),
    ]
    operator = by_name["aten::cat"].extra_fields
    tensor, listed, flag, number, *others, last, strange = operator.inputs
    assert (tensor.sizes, tensor.strides, tensor.dtype, tensor.id) == ((2, 3), (3, 1), "float32", None)
    assert [(one.sizes, one.strides) for one in listed] == [((4,), (1,)), ((), ())]
    assert (flag, number, others, strange) == (True, 1 + 2j, [None, None], None)
    assert (last.sizes, last.dtype, last.dim) == ((), "bfloat16", 0)
    assert (operator.scope.name, operator.sequence_number, operator.allow_tf32_cublas) == ("FUNCTION", 4, None)
    assert by_name["my range"].extra_fields.scope.name == "USER_SCOPE"
    assert by_name["my range"].typed == (EventType.TorchOp, by_name["my range"].extra_fields)
    failed, release = by_name["[OutOfMemory]"].extra_fields, by_name["[memory]"].extra_fields
    assert (failed.alloc_size, failed.total_allocated, failed.total_reserved, failed.device) == (4096, 7, 8, "cuda:0")
    assert (release.ptr, release.alloc_size, release.id, release.device) == (4711, -64, None, "cpu")
    main, module = by_name["train.py(7): main"].extra_fields, by_name["nn.Module: My_Net_12"].extra_fields
    assert (main.callsite.file_name, main.callsite.line_number, main.callsite.function_name) == ("train.py", 7, "main")
    assert (main.module, main.caller, module.callsite) == (None, None, None)
    assert (module.module.cls_name, module.module.self_ptr, module.module.parameters) == ("My_Net", None, [])


def test_nodes_are_made_when_asked_for_and_equal_when_the_same() -> None:
    tree = EventTree(trace_from_text("thread 1 | aten::a 0-60 | aten::b 20-50 | aten::c 70-80"))
    assert len(tree) == 2
    assert tree.n_nodes == 3
    first, last = tree
    assert (tree[0], tree[-1], tree[1:]) == (first, last, [last])
    assert first.children[0].parent == first != last
    assert len({first, tree[0], tree.node(first.id)}) == 1
    assert first.duration_time_ns == 60_000
    assert "aten::a" in repr(first)
    assert "2 roots, 3 nodes" in repr(tree)
    with pytest.raises(IndexError):
        tree[2]
    assert list(EventTree(trace_from_text(""))) == []
