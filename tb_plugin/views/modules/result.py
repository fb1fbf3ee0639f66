"""What the modules view is asked and answers; the wire format of `view/modules`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from tb_plugin.question.effects import EffectRows
from tb_plugin.question.figure import NO_COLUMN, Figure, FigurePart
from tb_plugin.trace.scope.selection import Selection


class ModulesParams(Selection, frozen=True, kw_only=True):
    """What is a row: a module, all modules of a class, or those of a class under the same parent.

    None: all modules of a class where instances repeat, else each module.
    """

    group_by: Literal["instance", "class", "class_path"] | None = None
    effects: EffectRows = 0


class PhaseTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Times of one row on the host or on the device.

    What is in no module has no forward pass, and of "not attributed" neither phase is known: None.
    """

    forward_self_ns: Annotated[int | None, Figure("fwd self", "ns", sums=True, absent="–")]
    forward_total_ns: Annotated[int | None, Figure("fwd", "ns", sums=True, absent="–")]
    backward_self_ns: Annotated[int | None, Figure("bwd self", "ns", sums=True, absent="–")]
    backward_total_ns: Annotated[int | None, Figure("bwd", "ns", sums=True, absent="–")]
    self_ns: Annotated[int, Figure("self", "ns", sums=True, absent="–")]
    total_ns: Annotated[int, Figure("total", "ns", sums=True, absent="–")]


class MemoryBytes(msgspec.Struct, frozen=True, kw_only=True):
    """Memory of one row, of the host or of all devices. Net is allocated minus released: it may be negative."""

    allocated_self_bytes: Annotated[int, Figure("allocated self", "bytes", sums=True, absent="–")]
    allocated_total_bytes: Annotated[int, Figure("allocated", "bytes", sums=True, absent="–")]
    net_self_bytes: Annotated[int, Figure("net memory self", "bytes", sums=True, absent="–")]
    net_total_bytes: Annotated[int, Figure("net memory", "bytes", sums=True, absent="–")]


class ModuleRow(msgspec.Struct, frozen=True, kw_only=True):
    """One path or class of modules, or what is in none. Totals are self values with those of all modules inside, each once."""

    id: Annotated[int, NO_COLUMN]  # place in `rows`
    parent: Annotated[int | None, NO_COLUMN]
    depth: Annotated[int, NO_COLUMN]
    kind: Annotated[Literal["module", "outside", "not_attributed"], NO_COLUMN]
    name: Annotated[str, Figure("Module", "text")]  # "Conv2d_5"
    class_name: Annotated[str, Figure("Class", "text", absent="–")]  # "Conv2d"; empty where kind is no module
    # "layer1.0.conv1"; empty where the profile does not say
    qualified: Annotated[str, Figure("In the model", "text", absent="–")]
    path: Annotated[str, NO_COLUMN]  # "ResNet_0/Sequential_1/Conv2d_5"
    # modules that are this row; 0 where kind is no module
    instances: Annotated[int, Figure("Instances", "count", absent="–")]
    # in the forward pass; None where calls are not recorded (TorchScript)
    calls: Annotated[int | None, Figure("Calls", "count", absent="–")]
    recomputed: Annotated[int | None, Figure("Recomputed", "count", absent="–")]  # calls in the backward pass (checkpointing)
    operators_self: Annotated[int, Figure("Operators self", "count", sums=True)]
    operators_total: Annotated[int, Figure("Operators", "count", sums=True)]
    kernels_self: Annotated[int, Figure("Kernels self", "count", sums=True)]
    kernels_total: Annotated[int, Figure("Kernels", "count", sums=True)]
    host: Annotated[PhaseTimes | None, FigurePart("Host", "host_")]  # None for "not attributed"
    device: Annotated[PhaseTimes, FigurePart("Device", "device_")]
    host_memory: Annotated[MemoryBytes | None, FigurePart("Host", "host_")]  # None where none was recorded
    device_memory: Annotated[MemoryBytes | None, FigurePart("Device", "device_")]
    # of the first call and of the longest
    first_start_ns: Annotated[int | None, Figure("First call", "ns", absent="–")]
    first_end_ns: Annotated[int | None, NO_COLUMN]
    longest_start_ns: Annotated[int | None, NO_COLUMN]
    longest_end_ns: Annotated[int | None, NO_COLUMN]
    calls_pattern: Annotated[str, NO_COLUMN]  # finds the calls by name; empty where there are none
    # of the step, if the row were 10 % faster, by replay; None: not among those that were looked at, or `no_effect` says why
    effect_ns: Annotated[int | None, Figure("Gain of 10 %", "ns", absent="–")] = None
    effect_share: Annotated[float | None, Figure("Effect of 10 %", "share", absent="–")] = None  # 0 to 1

    DERIVED: ClassVar[dict[str, Figure]] = {
        "device_self_share": Figure("Self of device", "share", sums=True, absent="–"),
        "host_self_share": Figure("Self of host", "share", sums=True, absent="–"),
        "device_share": Figure("Of device", "share", sums=True, absent="–"),
        "host_share": Figure("Of host", "share", sums=True, absent="–"),
        "device_mean_ns": Figure("Device per call", "ns", absent="–"),
        "host_mean_ns": Figure("Host per call", "ns", absent="–"),
    }


class ModuleTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What the self columns of all rows add up to."""

    host_ns: int  # time in which anything was open on the threads that run modules or autograd
    device_ns: int  # every kernel, copy and set, attributed or not
    kernels: int
    not_attributed_ns: int


class Modules(msgspec.Struct, frozen=True, kw_only=True):
    """Rows with parents before children, children by first call, classes by self time; rows that are no modules last."""

    group_by: Literal["instance", "class", "class_path"]
    has_device: bool
    has_backward: bool  # whether any backward operator could be linked to a module
    has_calls: bool
    has_qualified: bool
    has_host_memory: bool
    has_device_memory: bool
    no_effect: str | None  # why no row has an effect of 10 %, where they were asked for
    rows: list[ModuleRow]
    totals: ModuleTotals
