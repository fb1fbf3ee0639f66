"""`FunctionEvent`: one event of an `EventList`, read from its columns when an attribute is asked for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tb_plugin.base.units import NONE
from tb_plugin.torch_api import event_arguments
from tb_plugin.torch_api.device import ON_DEVICE
from tb_plugin.torch_api.flows import Flow
from tb_plugin.torch_api.formatted_times import FormattedTimes
from tb_plugin.trace.device_types import DeviceType
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import without_overload

if TYPE_CHECKING:
    from tb_plugin.torch_api.event_arguments import EventMetadata
    from tb_plugin.torch_api.event_data import EventData

_OF_WORK: Final = (*ON_DEVICE, Kind.RUNTIME, Kind.DRIVER)
_OF_MEMORY: Final = (Kind.MEMORY, Kind.OUT_OF_MEMORY)
_OF_RANGES: Final = (Kind.OPERATOR, Kind.ANNOTATION)


class Interval(NamedTuple):
    """Times in µs since the profiler started."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """The length, µs."""
        return self.end - self.start


class Kernel(NamedTuple):
    """Device work that an operator launched; µs."""

    name: str
    device: int
    duration: float


class FunctionEvent(FormattedTimes):
    """One event. The same attributes as torch's; made anew each time, so compare by `place`."""

    count = 1
    node_id = -1
    is_remote = False
    is_legacy = False
    self_cpu_percent = total_cpu_percent = total_device_percent = -1

    def __init__(self, events: EventData, place: int) -> None:
        self._events = events
        self.place = place

    def __getattr__(self, name: str) -> Any:
        """Sums of times, bytes and FLOPs."""
        if name.startswith("_"):
            raise AttributeError(name)
        return None if name == "flops" and self._is_memory else self._events.column(name)[self.place].item()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionEvent) and other._events is self._events and other.place == self.place

    def __hash__(self) -> int:
        return hash((id(self._events), self.place))

    @property
    def _row(self) -> int:
        return int(self._events.columns.row[self.place])

    @property
    def _is_memory(self) -> bool:
        """Of an allocation outside of operators torch knows time, thread and bytes: all else is None."""
        return self._of_trace("kind") in _OF_MEMORY

    def _of_trace(self, column: str) -> int:
        return int(getattr(self._events.trace.events, column)[self._row])

    @property
    def name(self) -> str:
        return self._events.columns.texts[int(self._events.columns.name[self.place])]

    @property
    def key(self) -> str:
        return self.name

    @property
    def trace_name(self) -> str | None:
        """The name with the number of a step; None for an allocation, which torch leaves out of a Chrome trace."""
        if self._is_memory:
            return None
        return without_overload(self._events.trace.text(self._of_trace("name_id")))

    @property
    def overload_name(self) -> str:
        overload = int(self._events.columns.overload[self.place])
        return "" if overload == NONE else self._events.columns.texts[overload]

    @property
    def id(self) -> int:
        """The correlation id; 0 for what has none."""
        return next((found for found in (self._of_trace("correlation"), self._of_trace("external_id")) if found > 0), 0)

    @property
    def external_id(self) -> int:
        return max(self._of_trace("external_id"), 0)

    @property
    def time_range(self) -> Interval:
        return Interval(float(self._events.columns.start_us[self.place]), float(self._events.columns.end_us[self.place]))

    @property
    def thread(self) -> int:
        """The profiler's own number where the profile has it, else the system's."""
        return int(self._events.columns.thread[self.place])

    @property
    def fwd_thread(self) -> int:
        return self.thread if self._is_memory else max(self._of_trace("forward_thread"), 0)

    @property
    def sequence_nr(self) -> int:
        return self._of_trace("sequence")

    @property
    def scope(self) -> int:
        return int(self._events.columns.scope[self.place])

    @property
    def is_async(self) -> bool:
        return bool(self._events.columns.is_async[self.place])

    @property
    def is_user_annotation(self) -> bool:
        return bool(self._events.columns.is_user_annotation[self.place])

    @property
    def is_python_function(self) -> bool:
        return self._of_trace("kind") == Kind.PYTHON

    @property
    def activity_type(self) -> str | None:
        if self._is_memory:
            return None
        return self._events.trace.text(self._of_trace("category_id"))

    @property
    def use_device(self) -> str | None:
        return self._events.columns.use_device

    @property
    def device_type(self) -> DeviceType:
        return DeviceType(int(self._events.columns.device_type[self.place]))

    @property
    def device_index(self) -> int:
        """Of the host its process, as torch has it."""
        if self._is_memory:
            return 0
        tracks, track = self._events.trace.tracks, self._of_trace("track")
        return int(tracks.device[track]) if tracks.device[track] != NONE else self._number(int(tracks.pid_id[track]))

    @property
    def device_resource_id(self) -> int:
        """The stream; of the host the system's number of the thread."""
        if self._is_memory:
            return self.thread
        tracks, track = self._events.trace.tracks, self._of_trace("track")
        return int(tracks.stream[track]) if tracks.stream[track] != NONE else self._number(int(tracks.tid_id[track]))

    def _number(self, text_id: int) -> int:
        text = self._events.trace.text(text_id)
        return int(text) if text.isdecimal() else 0

    @property
    def linked_correlation_id(self) -> int:
        """Of device work and launches the operator's id; 0 for what is itself an operator, range or frame."""
        return self.external_id if self._of_trace("kind") in _OF_WORK else 0

    @property
    def _flow(self) -> Flow:
        return self._events.flows.get(self._row, Flow())

    @property
    def flow_id(self) -> int | None:
        """Of the arrow that begins or ends here; 0 without one."""
        if self._is_memory:
            return None
        return self._flow.id

    @property
    def flow_type(self) -> int | None:
        """1: forward to backward, 2: launch to device work, 0: none."""
        if self._is_memory:
            return None
        return self._flow.type

    @property
    def flow_start(self) -> bool | None:
        if self._is_memory:
            return None
        return self._flow.start

    @property
    def kernels(self) -> list[Kernel]:
        columns, trace = self._events.columns, self._events.trace
        rows = columns.kernel_row[columns.kernel_place == self.place].tolist()
        starts, ends, tracks = trace.events.start_ns, trace.events.end_ns, trace.events.track
        return [
            Kernel(
                trace.text(int(trace.events.name_id[row])),
                max(int(trace.tracks.device[tracks[row]]), 0),
                float(ends[row] - starts[row]) / 1000,
            )
            for row in rows
        ]

    @property
    def has_parent(self) -> bool:
        return bool(self._events.columns.parent[self.place] != NONE)

    @property
    def cpu_parent(self) -> FunctionEvent | None:
        parent = int(self._events.columns.parent[self.place])
        return None if parent == NONE else FunctionEvent(self._events, parent)

    @property
    def cpu_children(self) -> list[FunctionEvent]:
        order, begin = self._events.children
        return [FunctionEvent(self._events, int(place)) for place in order[begin[self.place] : begin[self.place + 1]]]

    @property
    def input_shapes(self) -> list[list[int]]:
        return self._events.shapes[self._of_trace("shapes_id")]

    @property
    def structured_input_shapes(self) -> list[Any] | None:
        """As `input_shapes`, with the shapes of a list of tensors in a list."""
        if self._is_memory:
            return None
        return self._list_argument("Input Dims")

    @property
    def structured_input_strides(self) -> list[Any] | None:
        if self._is_memory:
            return None
        return self._list_argument("Input Strides")

    @property
    def input_dtypes(self) -> list[str] | None:
        if self._is_memory:
            return None
        return self._list_argument("Input type")

    def _list_argument(self, key: str) -> list[Any]:
        value = self.args.get(key)
        return value if isinstance(value, list) else []

    @property
    def concrete_inputs(self) -> list[Any] | None:
        """Values of inputs that are no tensors; None for those that are, and for what was not recorded."""
        if self._is_memory:
            return None
        return event_arguments.concrete_inputs(self.args)

    @property
    def kwinputs(self) -> dict[str, Any] | None:
        if self._is_memory:
            return None
        return event_arguments.keyword_inputs(self.args) if self._of_trace("kind") in _OF_RANGES else {}

    @property
    def event_metadata(self) -> EventMetadata | None:
        """What torch has with `expose_kineto_event_metadata=True`, whether the option was on or not."""
        return event_arguments.metadata(self.args, of_work=self._of_trace("kind") in _OF_WORK)

    @property
    def metadata_json(self) -> str | None:
        _deprecated("metadata_json", "Use `event_metadata` instead")
        if self._is_memory:
            return None
        if self.is_python_function:
            return ""
        return event_arguments.metadata_json(self.args, of_work=self._of_trace("kind") in _OF_WORK)

    @property
    def python_id(self) -> int:
        """Of a Python frame; -1 for all else."""
        return self._python("Python id")

    @property
    def python_parent_id(self) -> int:
        return self._python("Python parent id")

    @property
    def python_module_id(self) -> int:
        """The number in `nn.Module: Linear_0`."""
        return self._python("Python module id")

    def _python(self, key: str) -> int:
        found = self.args.get(key) if self.is_python_function else None
        return found if isinstance(found, int) else NONE

    @property
    def cuda_time_total(self) -> float:
        _deprecated("cuda_time_total", "Use `device_time_total` instead")
        return self.device_time_total

    @property
    def self_cuda_time_total(self) -> float:
        _deprecated("self_cuda_time_total", "Use `self_device_time_total` instead")
        return self.self_device_time_total

    @property
    def self_cuda_memory_usage(self) -> int:
        _deprecated("self_cuda_memory_usage", "Use `self_device_memory_usage` instead")
        return int(self.self_device_memory_usage)

    @property
    def stack(self) -> list[str]:
        return self._events.stacks.of(self.place)

    @property
    def args(self) -> dict[str, Any]:
        """Everything the file says of it, decoded now: concrete inputs, keyword inputs, Python ids, launch shapes."""
        text = self._events.arguments(self._of_trace("order"))
        found = msgspec.json.decode(text) if text else {}
        return found if isinstance(found, dict) else {}

    def __repr__(self) -> str:
        device = self.use_device
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]!s} {device}_time={self.device_time_str} "
            f"name={self.name} thread={self.thread} input_shapes={self.input_shapes!s} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage} "
            f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


def _deprecated(name: str, instead: str) -> None:
    warnings.warn(f"`{name}` is deprecated. {instead}.", FutureWarning, stacklevel=3)
