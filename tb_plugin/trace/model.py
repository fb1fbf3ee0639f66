"""The Trace: one profile as frozen columns. Rows are indices, never objects; strings are ids into one table.

    trace.events      one row per event with a place in time           trace.strings   text of every *_id column
    trace.work        launch shapes, copies' sizes (sparse, by row)     trace.tracks    threads and streams
    trace.memory      allocations (sparse, by row)                      trace.steps     ProfilerStep# ranges
    trace.flows       arrows as the file has them                       trace.live      what only the live profiler knew
    trace.tensors     tensors that operators and frames name            trace.frames    callers and objects of Python frames
    trace.args        everything else, undecoded, by row                trace.info      what, where, how it was recorded
    trace.issues      what was odd while reading

All times are int64 nanoseconds since `info.base_ns` (Unix epoch). `NONE` (-1) in an integer column and NaN in a float
column mean "not recorded".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.table import T, Table, column

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int32Array, Int64Array, IntArray
    from tb_plugin.trace.args import ArgsStore


@dataclass(frozen=True, kw_only=True)
class Events(Table):
    """One row per event, sorted by (track, start_ns, -end_ns, order).

    row  track  start_ns  end_ns  kind        name_id          parent  nest_parent  depth  launch  owner  step
      0      0         0  90_000  ANNOTATION  ProfilerStep#2       -1           -1      0      -1     -1     0
      1      0     1_000  20_000  OPERATOR    aten::mm             -1            0      1      -1     -1     0
      2      0     5_000   9_000  RUNTIME     cudaLaunchKernel      1            1      2      -1     -1     0
      3      1    12_000  60_000  KERNEL      sgemm_128x64         -1           -1      0       2      1     0
    """

    name: ClassVar[str] = "events"
    start_ns: Int64Array = column(np.int64)
    end_ns: Int64Array = column(np.int64)  # equals start_ns for instants
    name_id: Int32Array = column(np.int32)
    category_id: IntArray = column(np.int32, least=np.int16)  # the file's own `cat`
    kind: npt.NDArray[np.uint8] = column(np.uint8, Kind.UNKNOWN)
    track: IntArray = column(np.int32, least=np.int16)
    parent: Int32Array = column(np.int32)  # torch's tree (replay), host rows only
    nest_parent: Int32Array = column(np.int32)  # EventList's nesting, host rows only
    depth: IntArray = column(np.int32, least=np.int16)  # number of nest_parent steps to the root
    correlation: IntArray = column(np.int64, least=np.int32, seldom=True)
    external_id: IntArray = column(np.int64, least=np.int32, seldom=True)
    sequence: IntArray = column(np.int64, least=np.int32, seldom=True)  # autograd's sequence number
    forward_thread: IntArray = column(np.int64, least=np.int32, seldom=True)  # "Fwd thread id" of backward operators
    launch: Int32Array = column(np.int32)  # device rows: row of the call that started it
    owner: Int32Array = column(np.int32)  # device rows: row of the operator (or annotation, or bare launch) it belongs to
    step: IntArray = column(np.int32, least=np.int16)  # row in `steps`; device rows have their launch's, ranges there the host's
    shapes_id: Int32Array = column(np.int32, seldom=True)  # "Input Dims" as JSON text
    types_id: Int32Array = column(np.int32, seldom=True)  # "Input type" as JSON text
    order: Int32Array = column(np.int32)  # place in the source, and in `args`

    def duration_ns(self, rows: npt.NDArray[np.integer]) -> Int64Array:
        """Of each of these rows."""
        lengths: Int64Array = self.end_ns[rows] - self.start_ns[rows]
        return lengths


@dataclass(frozen=True, kw_only=True)
class Tracks(Table):
    """One row per (pid, tid) of the file: a host thread, a device stream, or something else that holds events."""

    name: ClassVar[str] = "tracks"
    pid_id: Int32Array = column(np.int32)  # text of the file's pid and tid
    tid_id: Int32Array = column(np.int32)
    process_name_id: Int32Array = column(np.int32)
    thread_name_id: Int32Array = column(np.int32)
    device: Int32Array = column(np.int32)  # device index where the track is a stream, else NONE
    stream: Int64Array = column(np.int64)
    sort_index: Int64Array = column(np.int64)  # of the process, as the file wishes


@dataclass(frozen=True, kw_only=True)
class Work(Table):
    """How device work was launched: one row per event that says so, sorted by row.

    row  grid        block      registers  shared_bytes  blocks_per_sm  occupancy_percent   bytes
      3  (128,1,1)   (256,1,1)         32         16384           1.19                 48      -1
      9  (-1,-1,-1)  (-1,-1,-1)        -1            -1            nan                nan  602112
    """

    name: ClassVar[str] = "work"
    row: Int32Array = column(np.int32)
    grid: IntArray = column(np.int64, width=3, least=np.int32, seldom=True)
    block: IntArray = column(np.int64, width=3, least=np.int16, seldom=True)
    registers: IntArray = column(np.int32, least=np.int16, seldom=True)
    shared_bytes: IntArray = column(np.int64, least=np.int32, seldom=True)
    blocks_per_sm: npt.NDArray[np.float64] = column(np.float64, np.nan, seldom=True)
    warps_per_sm: npt.NDArray[np.float64] = column(np.float64, np.nan, seldom=True)
    occupancy_percent: npt.NDArray[np.float64] = column(np.float64, np.nan, seldom=True)
    bytes: Int64Array = column(np.int64, seldom=True)


@dataclass(frozen=True, kw_only=True)
class Memory(Table):
    """One row per [memory] event, sorted by row. `bytes` is negative for a release."""

    name: ClassVar[str] = "memory"
    row: Int32Array = column(np.int32)
    device_type: IntArray = column(np.int32, least=np.int16)  # c10::DeviceType: 0 CPU, 1 CUDA, 6 HIP, 12 XPU, 20 PrivateUse1
    device_index: IntArray = column(np.int32, least=np.int16)
    address: Int64Array = column(np.int64)
    bytes: Int64Array = column(np.int64, 0)
    total_allocated: Int64Array = column(np.int64)
    total_reserved: Int64Array = column(np.int64)
    tensor_id: IntArray = column(np.int64, least=np.int32)  # torch's own ids (see Tensors); only our trace handler has them
    allocation_id: IntArray = column(np.int64, least=np.int32)


@dataclass(frozen=True, kw_only=True)
class Flows(Table):
    """One row per end of an arrow, in file order: phase 0 start, 1 step, 2 finish; ends of one arrow share (category, id)."""

    name: ClassVar[str] = "flows"
    phase: npt.NDArray[np.uint8] = column(np.uint8, 0)
    category_id: IntArray = column(np.int32, least=np.int16, seldom=True)
    flow_id: IntArray = column(np.int64, least=np.int32, seldom=True)
    time_ns: Int64Array = column(np.int64, seldom=True)
    track: IntArray = column(np.int32, least=np.int16, seldom=True)


@dataclass(frozen=True, kw_only=True)
class Steps(Table):
    """One row per `ProfilerStep#N` of the host, by start. Incomplete: cut by the recording's end."""

    name: ClassVar[str] = "steps"
    number: Int64Array = column(np.int64)
    row: Int32Array = column(np.int32)
    start_ns: Int64Array = column(np.int64)
    end_ns: Int64Array = column(np.int64)
    complete: BoolArray = column(np.bool_, 1)


@dataclass(frozen=True, kw_only=True)
class Live(Table):
    """What `kineto_results` knows and the JSON does not, for rows that our trace handler could match. Sorted by row."""

    name: ClassVar[str] = "live"
    row: Int32Array = column(np.int32)
    scope: npt.NDArray[np.int16] = column(np.int16)  # at::RecordScope
    is_async: BoolArray = column(np.bool_, 0)
    true_end_ns: Int64Array = column(np.int64)  # JSON stretches open ranges to the end of the window
    end_thread: Int64Array = column(np.int64)
    start_thread: Int64Array = column(np.int64)  # torch's own numbers of threads
    allow_tf32: npt.NDArray[np.int8] = column(np.int8)  # operators: 0 or 1
    parent_elsewhere: Int32Array = column(np.int32)  # torch's parent where that is an event of another thread


class TensorPart(IntEnum):
    """What a tensor is to the event that names it. Stored as uint8; numbers are never reused."""

    INPUT = 0  # argument of an operator
    MODULE_PARAMETER = 1  # of the nn.Module whose call the frame is
    MODULE_GRADIENT = 2  # of that parameter
    OPTIMIZER_PARAMETER = 3  # of the optimizer whose step the frame is
    OPTIMIZER_GRADIENT = 4
    OPTIMIZER_STATE = 5


@dataclass(frozen=True, kw_only=True)
class Tensors(Table):
    """Which tensors an event names, by torch's ids: one row per tensor, sorted by (row, place, part, item).

    row  part              place  item  name     tensor_id  allocation_id  dtype    sizes
      7  INPUT                 0    -1  -               12             14  float32  [2,3]
      7  INPUT                 1     0  -               13             15  float32  [2,3]     first of a list
      9  MODULE_PARAMETER      0    -1  weight           3              3  float32  [5,3]
      9  MODULE_GRADIENT       0    -1  weight           8              9  float32  [5,3]
     20  OPTIMIZER_STATE       0     1  exp_avg         21             30  float32  [5,3]

    `tensor_id` is one number as long as tensor and storage belong together, though addresses are used again;
    `allocation_id` one number for each time that memory was taken. Only our trace handler has them.
    """

    name: ClassVar[str] = "tensors"
    row: Int32Array = column(np.int32)
    part: npt.NDArray[np.uint8] = column(np.uint8, TensorPart.INPUT)
    place: IntArray = column(np.int32, least=np.int16)  # of the argument, or of the parameter in its module or optimizer
    item: IntArray = column(np.int32, least=np.int16)  # in a list of tensors, or in the states of a parameter
    name_id: Int32Array = column(np.int32)  # of a module's parameter and its gradient, or of an optimizer's state
    tensor_id: IntArray = column(np.int64, least=np.int32)
    allocation_id: IntArray = column(np.int64, least=np.int32)
    impl: Int64Array = column(np.int64)  # address of the TensorImpl
    storage: Int64Array = column(np.int64)  # address of the data
    device_type: npt.NDArray[np.int16] = column(np.int16)  # c10::DeviceType, as in Memory
    device_index: npt.NDArray[np.int16] = column(np.int16)
    dtype_id: Int32Array = column(np.int32)  # "float32"
    layout_id: Int32Array = column(np.int32)  # "strided"
    sizes_id: Int32Array = column(np.int32)  # JSON text: "[2,3]"
    strides_id: Int32Array = column(np.int32)


@dataclass(frozen=True, kw_only=True)
class Frames(Table):
    """Who called each Python frame, and whose frame it is. Sorted by row. Only our trace handler has it.

    row  is_c   caller_file  caller_line  caller_function  class   self_pointer  is_optimizer
      4  False  train.py             12   step             Linear  140...16             False
      6  True   train.py             13   step             -       -                    False
    """

    name: ClassVar[str] = "frames"
    row: Int32Array = column(np.int32)
    is_c: BoolArray = column(np.bool_, 0)  # a built-in, torch's PyCCall
    caller_file_id: Int32Array = column(np.int32)
    caller_line: Int32Array = column(np.int32)
    caller_function_id: Int32Array = column(np.int32)
    file_id: Int32Array = column(np.int32)  # of frames whose name does not say it: calls of modules
    line: Int32Array = column(np.int32)
    function_id: Int32Array = column(np.int32)
    class_id: Int32Array = column(np.int32)  # of a module
    class_pointer: Int64Array = column(np.int64)
    self_pointer: Int64Array = column(np.int64)  # id() of the module or optimizer
    is_optimizer: BoolArray = column(np.bool_, 0)


TABLES: tuple[type[Table], ...] = (Events, Tracks, Work, Memory, Flows, Steps, Live, Tensors, Frames)


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of `deviceProperties`. `properties` is that entry as the file has it."""

    index: int
    name: str = ""
    memory_bytes: int | None = None
    multiprocessors: int | None = None
    compute_capability: str | None = None
    properties: dict[str, Any] = {}


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """Where in the schedule a profile was taken: which cycle (from 0), and the step number when the handler ran."""

    cycle: int | None = None
    step_num: int | None = None


MODULE_NAMES = "module_names"
"""Key of `TraceInfo.metadata`, where our trace handler knew the model: {"Conv2d_3": "layer1.0.conv1"}."""

OPERATOR_SCHEMAS = "operator_schemas"
"""Key of `TraceInfo.metadata`, where tensors have ids: what arguments each operator takes, see `trace.operator_schemas`."""


class TraceInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What, where and how. None is "not recorded"."""

    source: str = ""  # file name without its directory
    format: str = ""  # an id of formats/registry.py: what it was first read from
    base_ns: int = 0  # Unix time of time 0, ns (or of the boot clock, for files that say nothing)
    resolution_ns: int = 1  # what the file's times are good to: 1, 250 (double microseconds) or 1000
    start_ns: int = 0  # window over all events
    end_ns: int = 0
    rank: int | None = None
    world_size: int | None = None
    backend: str | None = None
    host: str | None = None
    worker: str | None = None
    torch_version: str | None = None
    trace_id: str | None = None
    schedule: Schedule | None = None
    record_shapes: bool | None = None
    profile_memory: bool | None = None
    with_stack: bool | None = None
    with_flops: bool | None = None
    with_modules: bool | None = None
    activities: tuple[str, ...] = ()
    devices: tuple[Device, ...] = ()
    metadata: dict[str, Any] = {}  # every other top-level key of the file


class Issue(msgspec.Struct, frozen=True, kw_only=True):
    """Something odd in a file: how often, and where first. `text` is a sentence a user can read."""

    kind: str
    count: int = 1
    text: str
    first: str = ""  # "event 120 at byte 45 678"


@dataclass(frozen=True, kw_only=True, eq=False)
class Trace:
    """One worker's profile of one span. See the module's head for the parts. Equal to itself alone: columns are not compared."""

    strings: tuple[str, ...]
    events: Events
    tracks: Tracks
    work: Work
    memory: Memory
    flows: Flows
    steps: Steps
    live: Live
    info: TraceInfo
    issues: tuple[Issue, ...]
    args: ArgsStore
    tensors: Tensors = field(default_factory=lambda: Tensors.from_columns({}))
    frames: Frames = field(default_factory=lambda: Frames.from_columns({}))

    def text(self, string_id: int) -> str:
        """The string of an id; empty for NONE."""
        return self.strings[string_id] if string_id >= 0 else ""

    def table(self, table: type[T]) -> T:
        found = getattr(self, table.name)
        assert isinstance(found, table)
        return found
