"""Is a stored profile's tree torch's own? Walks both side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tb_plugin.torch_api.tree.fields import EventType, TensorMetadata

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tb_plugin.torch_api.tree.event_tree import EventTree, TreeNode

# torch's enum lacks these two, and shows them as "???".
_NAMELESS = (EventType.OutOfMemory, EventType.PythonGC)


def torch_roots(profiler: Any) -> list[Any]:
    roots = profiler.profiler.kineto_results.experimental_event_tree()
    assert isinstance(roots, list)
    return roots


def pairs(ours: Iterable[TreeNode], of_torch: Iterable[Any]) -> Iterator[tuple[TreeNode, Any]]:
    """Nodes in the same place of both trees; each node has as many children in both, in the same order."""
    ours, of_torch = list(ours), list(of_torch)
    waiting = [(ours, of_torch)]
    while waiting:
        left, right = waiting.pop()
        assert [(node.name, node.start_time_ns) for node in left] == [(node.name, node.start_time_ns) for node in right]
        for node, wanted in zip(left, right, strict=True):
            yield node, wanted
            waiting.append((node.children, wanted.children))


def assert_same_shape(tree: EventTree, profiler: Any) -> int:
    """Parents, order, names, times, kinds, threads (a stock file has other numbers) and ids; gives the number of nodes."""
    n_nodes = 0
    thread: dict[int, int] = {}
    for node, wanted in pairs(tree, torch_roots(profiler)):
        n_nodes += 1
        assert node.end_time_ns == wanted.end_time_ns, node
        assert node.duration_time_ns == wanted.duration_time_ns
        assert (node.parent is None) == (wanted.parent is None)
        if node.parent:
            assert (node.parent.name, node.parent.start_time_ns) == (wanted.parent.name, wanted.parent.start_time_ns)
        assert node.correlation_id == wanted.correlation_id, node
        assert str(wanted.tag) == "_EventType." + ("???" if node.tag in _NAMELESS else node.tag.name), node
        assert thread.setdefault(node.start_tid, wanted.start_tid) == wanted.start_tid
    assert n_nodes == tree.n_nodes
    assert len(set(thread.values())) == len(thread)
    return n_nodes


def tensor(value: Any) -> Any:
    """One of torch's or of ours in the same words; what is no tensor stays as it is."""
    if isinstance(value, list):
        return [tensor(each) for each in value]
    if isinstance(value, TensorMetadata):
        return (
            *(value.id, value.allocation_id, value.impl_ptr, value.storage_data_ptr),
            *(value.sizes, value.strides, value.dtype, value.device, value.layout),
        )
    if hasattr(value, "storage_data_ptr"):
        words = (str(word).removeprefix("torch.") for word in (value.dtype, value.device, value.layout))
        ids = (value.id, value.allocation_id, value.impl_ptr, value.storage_data_ptr)
        return (*ids, tuple(value.sizes), tuple(value.strides), *words)
    return value


def without_ids(value: Any) -> Any:
    """Sizes, strides and type of tensors alone: what a stock file has (not the type of those in a list)."""
    if isinstance(value, list):
        return [each[4:6] for each in value]
    return value[4:7] if isinstance(value, tuple) else value


def frame(state: Any) -> Any:
    return None if state is None else (state.file_name, state.line_number, state.function_name)


def assert_same_fields(tree: EventTree, profiler: Any) -> dict[str, int]:
    """Everything that torch's Python shows of nodes; gives how often each was compared."""
    n = dict.fromkeys(("tensors", "modules", "optimizers", "allocations", "frames"), 0)
    for node, wanted in pairs(tree, torch_roots(profiler)):
        if node.tag in _NAMELESS:
            continue
        tag, fields = node.typed
        known = wanted.extra_fields
        of_ours: Any = fields
        if tag == EventType.TorchOp:
            for name in ("name", "sequence_number", "allow_tf32_cublas"):
                assert getattr(of_ours, name) == getattr(known, name), (node, name)
            assert of_ours.scope.name == known.scope.name
            assert tensor(of_ours.inputs) == tensor(known.inputs), node
            n["tensors"] += len(known.inputs)
        elif tag == EventType.Allocation:
            for name in ("ptr", "id", "allocation_id", "alloc_size", "total_allocated", "total_reserved"):
                assert getattr(of_ours, name) == getattr(known, name), (node, name)
            assert of_ours.device == str(known.device)
            n["allocations"] += 1
        elif tag in (EventType.PyCall, EventType.PyCCall):
            assert frame(of_ours.caller) == frame(known.caller), node
            n["frames"] += 1
        if tag == EventType.PyCall:
            assert frame(of_ours.callsite) == frame(known.callsite), node
            n["modules"] += _same_module(of_ours.module, known.module)
            n["optimizers"] += _same_optimizer(of_ours.optimizer, known.optimizer)
    return n


def _same_module(ours: Any, known: Any) -> bool:
    assert (ours is None) == (known is None)
    if known is not None:
        assert (ours.self_ptr, ours.cls_ptr, ours.cls_name) == (known.self_ptr, known.cls_ptr, known.cls_name)
        assert [(name, tensor(p), tensor(g)) for name, p, g in ours.parameters] == [
            (name, tensor(p), tensor(g)) for name, p, g in known.parameters
        ]
    return known is not None


def _same_optimizer(ours: Any, known: Any) -> bool:
    assert (ours is None) == (known is None)
    if known is not None:
        assert ours.self_ptr == known.self_ptr
        assert [(tensor(p), tensor(g), [(name, tensor(s)) for name, s in states]) for p, g, states in ours.parameters] == [
            (tensor(p), tensor(g), [(name, tensor(s)) for name, s in states]) for p, g, states in known.parameters
        ]
    return known is not None


def assert_same_fields_without_ids(tree: EventTree, profiler: Any) -> None:
    """What a stock file says of inputs, allocations and frames."""
    for node, wanted in pairs(tree, torch_roots(profiler)):
        if node.tag in _NAMELESS:
            continue
        of_ours: Any = node.extra_fields
        known = wanted.extra_fields
        if node.tag == EventType.TorchOp:
            assert of_ours.sequence_number == known.sequence_number
            assert [without_ids(tensor(value)) for value in of_ours.inputs] == [
                without_ids(tensor(value)) for value in known.inputs
            ], node
        elif node.tag == EventType.Allocation:
            assert (of_ours.ptr, of_ours.alloc_size, of_ours.total_allocated) == (
                known.ptr,
                known.alloc_size,
                known.total_allocated,
            )
            assert of_ours.id is None
        elif node.tag == EventType.PyCall:
            assert (of_ours.module is None) == (known.module is None)
            if of_ours.module is None:
                assert frame(of_ours.callsite) == frame(known.callsite)
