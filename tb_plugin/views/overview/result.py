"""What the overview is asked and answers; the wire format of `view/overview`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.findings.verdict import Verdict
from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.question import UpTo200
from tb_plugin.trace.scope.selection import Selection
from tb_plugin.trace.work.device_peaks import PeakText


class OverviewParams(Selection, frozen=True, kw_only=True):
    """What counts, and how long the short lists are."""

    top: UpTo200 = 10  # rows in the short lists
    peak: PeakText = ""


class Breakdown(msgspec.Struct, frozen=True, kw_only=True):
    """Where time went, each instant counted once, for the first of these that was active. Sums to the window."""

    kernel: int
    copy: int
    set: int
    communication: int
    runtime: int
    data_loader: int
    other_host: int
    python: int  # of the main thread
    unknown_queue: int
    idle: int


class DeviceUse(msgspec.Struct, frozen=True, kw_only=True):
    """How a device spent a window: it worked, or why it did not. Several devices: their mean. Sums to the window."""

    busy: int
    launch_gap: int
    blocked: int
    unknown: int
    synchronisation: int
    waiting_for_host: int


class Communication(msgspec.Struct, frozen=True, kw_only=True):
    """Time of collective kernels in a window, ns. Several devices: their mean."""

    exposed: int
    overlapped: int


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One `ProfilerStep#N`. `duration_ns` reaches to the end of the step's device work where `steps_end` says so."""

    name: str
    number: int
    start_ns: int
    duration_ns: int
    host_ns: int  # length of the host's own range
    complete: bool  # False: the recording ended inside it
    selected: bool  # by the filter for steps; all, without one
    breakdown_ns: Breakdown
    operators_ns: dict[str, int]  # `other_host` by category of the operators; empty where a device works
    device_use_ns: DeviceUse | None  # None without device activity
    communication_ns: Communication | None
    mfu: float | None  # 0 to 1; None: not known


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of time without a name: the average step, or the whole recording."""

    start_ns: int  # of the average: where the first step counted begins
    duration_ns: int
    breakdown_ns: Breakdown
    operators_ns: dict[str, int]
    device_use_ns: DeviceUse | None
    communication_ns: Communication | None


class StepTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How long the selected steps took, and how far apart they are. Complete ones, or all where none is complete."""

    count: int
    median_ns: int
    p5_ns: int
    p95_ns: int
    min_ns: int
    max_ns: int


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True):
    """Of the steps that count; without steps of the recording. `busy_ns` is the union of kernels, copies and sets."""

    index: Annotated[int, Figure("Device", "number")]
    name: Annotated[str | None, NO_COLUMN]
    memory_bytes: Annotated[int | None, NO_COLUMN]
    busy_ns: Annotated[int, NO_COLUMN]
    busy_outside_ns: Annotated[int, NO_COLUMN]  # before, between and after these steps
    window_ns: Annotated[int, NO_COLUMN]
    utilization: Annotated[float, Figure("Device busy", "share")]  # busy_ns / window_ns
    computation_ns: Annotated[int, NO_COLUMN]  # union of kernels that are no collectives
    communication_exposed_ns: Annotated[int, NO_COLUMN]  # union of collective kernels outside computation
    communication_overlapped_ns: Annotated[int, NO_COLUMN]
    copy_ns: Annotated[int, NO_COLUMN]  # unions
    set_ns: Annotated[int, NO_COLUMN]
    streams: Annotated[int, NO_COLUMN]
    sm_efficiency: Annotated[float | None, Figure("SM efficiency", "share")]  # None where a kernel's blocks were not recorded
    occupancy_percent: Annotated[float | None, Figure("Occupancy", "percent")]
    matrix_core_share: Annotated[float | None, Figure("Tensor core use", "share")]  # of kernel time; None without kernels
    matrix_core_unknown_share: Annotated[float | None, NO_COLUMN]  # of kernel time: the kernel's name does not tell


class CommunicationPart(msgspec.Struct, frozen=True, kw_only=True):
    """A dimension of the job or a module, its exposed time and what else is known of its collectives."""

    name: Annotated[str, Figure("Of", "text")]
    exposed_ns: Annotated[int, Figure("Exposed", "ns", sums=True)]
    hidden_ns: Annotated[int, Figure("Hidden", "ns", sums=True)]
    count: Annotated[int, Figure("Collectives", "count", sums=True)]
    bytes: Annotated[int | None, Figure("Messages", "bytes")]
    n_unsized: Annotated[int, NO_COLUMN]  # of their messages, those of which the size is not known: `bytes` is without them
    told: Annotated[Literal["described", "by_use", "module", "nothing", "others"], NO_COLUMN]  # what tells whose it is


class CommunicationParts(msgspec.Struct, frozen=True, kw_only=True):
    """Communication of the steps that count by dimension and module, the largest exposed time first; each sums to both times."""

    exposed_ns: int  # of all devices, as `devices` has it
    hidden_ns: int
    window_ns: int  # what shares are of: these steps, of each device
    on_host: bool  # without a device: collectives on threads of the host
    steps: str  # those that count, as the filter takes them: `count` is of what they started; empty without steps
    dimensions: list[CommunicationPart]
    modules: list[CommunicationPart]  # the first ones, and `others`
    modules_lack: str | None  # why there are none, in one sentence


class MemoryPeak(msgspec.Struct, frozen=True, kw_only=True):
    """The most that was taken of one device's memory, in the selected steps or the recording."""

    id: str  # "cuda:0", as the memory view names it
    title: str
    peak_allocated_bytes: int
    peak_ns: int  # when
    peak_reserved_bytes: int | None
    capacity_bytes: int | None


class CategoryTime(msgspec.Struct, frozen=True, kw_only=True):
    """What the devices are busy with: of the steps that count, as the sentence says it. Sums to their `busy_ns`."""

    category: str  # "matmul"
    category_title: str  # "Matrix multiply"
    time_ns: int
    share: float  # of the devices' window_ns, 0 to 1


class TopRow(msgspec.Struct, frozen=True, kw_only=True):
    """One name of a short list."""

    name: Annotated[str, Figure("Name", "text")]
    count: Annotated[int, Figure("Calls", "count")]
    # device self time of operators and modules where there is a device, else host self; total time of kernels
    time_ns: Annotated[int, Figure("Time", "ns")]
    share: Annotated[float, Figure("Share", "share")]  # of all rows, 0 to 1


class TopModule(TopRow, frozen=True, kw_only=True):
    """A path of modules, or where instances repeat all modules of a class. `count` is that of its operators."""

    instances: Annotated[int, NO_COLUMN]


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a profile may hold, whether this one does, and the option that switches it on."""

    id: str  # of `trace.scope.recorded`
    what: str
    recorded: bool  # it is there, or its option was on
    how: str
    instead: str | None  # why `how` is not what is lacking: "the file is cut off"
    lack: str | None  # why it is not there, in one sentence; None where it is


class IssueRow(msgspec.Struct, frozen=True, kw_only=True):
    """Something odd in the file, how often, and where first."""

    kind: str
    count: int
    text: str
    first: str


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The profile's own description. None is "not recorded"."""

    file: str
    format: str
    n_events: int
    base_ns: int | None  # Unix time of time 0, ns; None where the file's clock is not Unix time
    rank: int | None
    world_size: int | None
    host: str | None
    backend: str | None
    torch_version: str | None
    cycle: int | None


class ModelFlops(msgspec.Struct, frozen=True, kw_only=True):
    """Model FLOPs over what the devices could do in the steps that count. `reason`: why it is not known; else None."""

    mfu: float | None
    hfu: float | None
    reason: str | None
    note: str | None  # a step or all together did more than the peak allows
    mix: dict[str, int]  # FLOPs of products by type, in these steps; the first is the type whose peak it is


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """`average` is over complete selected steps (all of them when none is complete); None without steps."""

    verdict: Verdict
    steps: list[StepRow]
    steps_end: Literal["with_device_work", "with_host_range"]  # host range where no device work belongs to a step
    step_notes: list[str]  # sentences that have to stand beside the step time; most often none
    step_time: StepTimes | None
    model_flops: ModelFlops
    average: Window | None
    whole: Window
    not_recorded: list[str]  # categories of the breakdown that this profile cannot know: their 0 means nothing
    not_filtered: list[str]  # parts that do not follow the filters that are set
    devices: list[DeviceRow]
    communication_parts: CommunicationParts | None  # None without collectives in the steps that count
    communication_parts_lack: str | None  # why there are none although the host communicates, in one sentence
    memory: list[MemoryPeak]
    device_time_ns: int  # sum of kernels, copies and sets
    not_attributed_ns: int  # of device_time_ns: no launch found in the file
    categories: list[CategoryTime]
    top_operators: list[TopRow]
    top_operators_by: Literal["device_self", "host_self"]
    top_kernels: list[TopRow]
    top_modules: list[TopModule]
    recorded: list[Recorded]
    issues: list[IssueRow]
    source: Source
