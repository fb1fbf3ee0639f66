"""Values of nodes of the event tree: torch's `_ExtraFields_*`, `_TensorMetadata` and what hangs on them, with its names.

None is "not recorded": a stock JSON has no ids of tensors, no callers, no parameters. Types and devices are text
(`float32`, `cuda:0`), since no torch is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class EventType(IntEnum):
    """`torch._C._profiler._EventType`; the last two have no name in torch's Python."""

    TorchOp = 0
    Backend = 1
    Vulkan = 2
    Allocation = 3
    OutOfMemory = 4
    PyCall = 5
    PyCCall = 6
    Kineto = 7
    PythonGC = 8


class RecordScope(IntEnum):
    """`torch._C._profiler.RecordScope`."""

    FUNCTION = 0
    BACKWARD_FUNCTION = 1
    TORCHSCRIPT_FUNCTION = 2
    KERNEL_FUNCTION_DTYPE = 3
    CUSTOM_CLASS = 4
    BUILD_FEATURE = 5
    LITE_INTERPRETER = 6
    USER_SCOPE = 7
    STATIC_RUNTIME_OP = 8
    STATIC_RUNTIME_MODEL = 9


@dataclass(frozen=True, kw_only=True)
class TensorMetadata:
    """A tensor that an event names. `id` is the tensor's over the whole profile, `allocation_id` its memory's."""

    impl_ptr: int | None = None
    storage_data_ptr: int | None = None
    id: int | None = None
    allocation_id: int | None = None
    layout: str | None = None
    device: str | None = None
    dtype: str | None = None
    sizes: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()

    @property
    def dim(self) -> int:
        return len(self.sizes)


Input = TensorMetadata | list[TensorMetadata] | bool | int | float | complex | None


@dataclass(frozen=True, kw_only=True)
class FrameState:
    """A line of Python."""

    file_name: str
    line_number: int
    function_name: str


@dataclass(frozen=True, kw_only=True)
class ModuleInfo:
    """Whose call a frame `nn.Module: X_k` is. `parameters`: (name, parameter, gradient)."""

    self_ptr: int | None
    cls_ptr: int | None
    cls_name: str
    parameters: list[tuple[str, TensorMetadata, TensorMetadata | None]]


Optimized = tuple[TensorMetadata, TensorMetadata | None, list[tuple[str, TensorMetadata]]]
"""A parameter, its gradient, and (name, tensor) of each state."""


@dataclass(frozen=True, kw_only=True)
class OptimizerInfo:
    """Whose step a frame is."""

    self_ptr: int | None
    parameters: list[Optimized]


@dataclass(frozen=True, kw_only=True)
class TorchOpFields:
    """An operator or a `record_function` range."""

    name: str
    inputs: list[Input]
    scope: RecordScope
    sequence_number: int
    allow_tf32_cublas: bool | None


@dataclass(frozen=True, kw_only=True)
class AllocationFields:
    """`alloc_size` is negative for a release."""

    ptr: int | None
    id: int | None
    allocation_id: int | None
    alloc_size: int
    total_allocated: int | None
    total_reserved: int | None
    device: str | None


@dataclass(frozen=True, kw_only=True)
class OutOfMemoryFields:
    """What could not be allocated."""

    alloc_size: int | None
    total_allocated: int | None
    total_reserved: int | None
    device: str | None


@dataclass(frozen=True, kw_only=True)
class PyCallFields:
    """A Python frame: where its function begins, and the line that called it."""

    callsite: FrameState | None
    caller: FrameState | None
    module: ModuleInfo | None
    optimizer: OptimizerInfo | None


@dataclass(frozen=True, kw_only=True)
class PyCCallFields:
    """A call of a built-in, and the line that called it."""

    caller: FrameState | None


@dataclass(frozen=True, kw_only=True)
class KinetoFields:
    """Runtime calls and device work: `activity` is the file's own category, `cuda_runtime` for example."""

    activity: str


@dataclass(frozen=True, kw_only=True)
class NoFields:
    """Of kinds that have none: garbage collection."""


Fields = TorchOpFields | AllocationFields | OutOfMemoryFields | PyCallFields | PyCCallFields | KinetoFields | NoFields
