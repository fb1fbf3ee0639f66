"""What nodes of the event tree know beyond name, time and place, found by row in the tables of the Trace."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import NONE
from tb_plugin.torch_api.tree.fields import (
    AllocationFields,
    EventType,
    Fields,
    FrameState,
    KinetoFields,
    ModuleInfo,
    NoFields,
    OptimizerInfo,
    OutOfMemoryFields,
    PyCallFields,
    PyCCallFields,
    RecordScope,
    TorchOpFields,
)
from tb_plugin.torch_api.tree.tensors import TreeTensors, device_name, known
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.call_sites import split_frame

if TYPE_CHECKING:
    from tb_plugin.torch_api.live import LiveFacts
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.table import Table

_TAGS: Final = {
    Kind.OPERATOR: EventType.TorchOp,
    Kind.ANNOTATION: EventType.TorchOp,
    Kind.MEMORY: EventType.Allocation,
    Kind.OUT_OF_MEMORY: EventType.OutOfMemory,
}
_SCOPES: Final = {scope.value: scope for scope in RecordScope}
_OF_PYTHON: Final = re.compile(r"nn\.Module: .*_\d+\Z|.+\(\d+\): ", re.DOTALL)
"""Frames of Python itself; all others are built-ins. Samples: `nn.Module: Linear_0`, `train.py(3): step`."""

_MODULE: Final = re.compile(r"nn\.Module: (.*)_\d+\Z", re.DOTALL)


def tag_of(trace: Trace, row: int, facts: TreeFacts) -> EventType:
    """The kind of a node, in torch's words."""
    kind = int(trace.events.kind[row])
    if kind != Kind.PYTHON:
        return _TAGS.get(Kind(kind), EventType.Kineto)
    name = trace.text(int(trace.events.name_id[row]))
    if name == "Python GC":
        return EventType.PythonGC
    frame = facts.place(trace.frames, row)
    is_c = not _OF_PYTHON.match(name) if frame == NONE else bool(trace.frames.is_c[frame])
    return EventType.PyCCall if is_c else EventType.PyCall


class TreeFacts:
    """Answers by row."""

    def __init__(self, trace: Trace, live: LiveFacts) -> None:
        self._trace = trace
        self._live = live
        self._tensors = TreeTensors(trace)
        # Asking arrays for single numbers takes ten times as long as asking these views of them.
        self._rows = {table.name: table.row.data for table in (trace.live, trace.memory, trace.frames)}

    def place(self, table: Table, row: int) -> int:
        """The place of an event row in a table sorted by row, or NONE."""
        rows = self._rows[table.name]
        place = bisect_left(rows, row)
        return place if place < len(rows) and rows[place] == row else NONE

    def fields(self, row: int, tag: EventType, name: str) -> Fields:
        match tag:
            case EventType.TorchOp:
                return self._operator(row, name)
            case EventType.Allocation:
                return self._allocation(row)
            case EventType.OutOfMemory:
                return self._out_of_memory(row)
            case EventType.PyCall:
                return self._call(row, name)
            case EventType.PyCCall:
                return PyCCallFields(caller=self._caller(row))
            case EventType.Kineto:
                return KinetoFields(activity=self._trace.text(int(self._trace.events.category_id[row])))
            case _:
                return NoFields()

    def _operator(self, row: int, name: str) -> TorchOpFields:
        live = self.place(self._trace.live, row)
        tf32 = NONE if live == NONE else int(self._trace.live.allow_tf32[live])
        return TorchOpFields(
            name=name,
            inputs=self._tensors.inputs(row),
            scope=_SCOPES.get(int(self._live.scope[row]), RecordScope.FUNCTION),
            sequence_number=int(self._trace.events.sequence[row]),
            allow_tf32_cublas=None if tf32 == NONE else bool(tf32),
        )

    def _allocation(self, row: int) -> AllocationFields:
        memory, at = self._trace.memory, self.place(self._trace.memory, row)
        if at == NONE:  # its arguments could not be read
            return AllocationFields(
                ptr=None, id=None, allocation_id=None, alloc_size=0, total_allocated=None, total_reserved=None, device=None
            )
        return AllocationFields(
            ptr=known(memory.address[at]),
            id=known(memory.tensor_id[at]),
            allocation_id=known(memory.allocation_id[at]),
            alloc_size=int(memory.bytes[at]),
            total_allocated=known(memory.total_allocated[at]),
            total_reserved=known(memory.total_reserved[at]),
            device=device_name(memory.device_type[at], memory.device_index[at]),
        )

    def _out_of_memory(self, row: int) -> OutOfMemoryFields:
        args = self._trace.args.get(int(self._trace.events.order[row]))
        device = args.get("Device Type")
        return OutOfMemoryFields(
            alloc_size=args.get("Bytes"),
            total_allocated=args.get("Total Allocated"),
            total_reserved=args.get("Total Reserved"),
            device=device_name(device, args.get("Device Id", NONE)) if isinstance(device, int) else None,
        )

    def _call(self, row: int, name: str) -> PyCallFields:
        frames, at = self._trace.frames, self.place(self._trace.frames, row)
        module = _MODULE.match(name)
        return PyCallFields(
            callsite=self._state(at, "file_id", "line", "function_id") if module else _of_name(name),
            caller=self._caller(row),
            module=ModuleInfo(
                self_ptr=None if at == NONE else known(frames.self_pointer[at]),
                cls_ptr=None if at == NONE else known(frames.class_pointer[at]),
                cls_name=module[1],
                parameters=self._tensors.parameters(row),
            )
            if module
            else None,
            optimizer=OptimizerInfo(self_ptr=known(frames.self_pointer[at]), parameters=self._tensors.optimized(row))
            if at != NONE and frames.is_optimizer[at]
            else None,
        )

    def _caller(self, row: int) -> FrameState | None:
        return self._state(self.place(self._trace.frames, row), "caller_file_id", "caller_line", "caller_function_id")

    def _state(self, at: int, file_id: str, line: str, function_id: str) -> FrameState | None:
        frames, text = self._trace.frames, self._trace.text
        if at == NONE or getattr(frames, file_id)[at] == NONE:
            return None
        return FrameState(
            file_name=text(int(getattr(frames, file_id)[at])),
            line_number=int(getattr(frames, line)[at]),
            function_name=text(int(getattr(frames, function_id)[at])),
        )


def _of_name(name: str) -> FrameState | None:
    try:
        file, line, function = split_frame(name)
    except ValueError:
        return None
    return FrameState(file_name=file, line_number=line, function_name=function)
