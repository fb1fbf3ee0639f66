"""What the modules view is asked and answers; the wire format of `view/modules`."""

from __future__ import annotations

from typing import Literal

import msgspec

from tb_plugin.trace.selection import Selection


class ModulesParams(Selection, frozen=True, kw_only=True):
    """Whether each module is a row, or all modules of a class under the same parent together."""

    group_by: Literal["instance", "class"] = "instance"


class PhaseTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Times of one row on the host or on the device.

    What is in no module has no forward pass, and of "not attributed" neither phase is known: None.
    """

    forward_self_ns: int | None
    forward_total_ns: int | None
    backward_self_ns: int | None
    backward_total_ns: int | None
    self_ns: int
    total_ns: int


class MemoryBytes(msgspec.Struct, frozen=True, kw_only=True):
    """Memory of one row, of the host or of all devices. Net is allocated minus released: it may be negative."""

    allocated_self_bytes: int
    allocated_total_bytes: int
    net_self_bytes: int
    net_total_bytes: int


class ModuleRow(msgspec.Struct, frozen=True, kw_only=True):
    """One path of modules, or what is in none. Totals are the self values of the row and of all rows below it."""

    id: int  # place in `rows`
    parent: int | None
    depth: int
    kind: Literal["module", "outside", "not_attributed"]
    name: str  # "Conv2d_5"
    class_name: str  # "Conv2d"; empty where kind is no module
    qualified: str  # "layer1.0.conv1"; empty where the profile does not say
    path: str  # "ResNet_0/Sequential_1/Conv2d_5"
    instances: int  # modules that are this row; 0 where kind is no module
    calls: int | None  # in the forward pass; None where calls are not recorded (TorchScript)
    recomputed: int | None  # calls in the backward pass (checkpointing)
    operators_self: int
    operators_total: int
    kernels_self: int
    kernels_total: int
    host: PhaseTimes | None  # None for "not attributed"
    device: PhaseTimes
    host_memory: MemoryBytes | None  # None where none was recorded
    device_memory: MemoryBytes | None
    first_start_ns: int | None  # of the first call
    first_end_ns: int | None
    longest_start_ns: int | None  # of the longest call
    longest_end_ns: int | None
    calls_pattern: str  # finds the calls by name; empty where there are none


class ModuleTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What the self columns of all rows add up to."""

    host_ns: int  # time in which anything was open on the threads that run modules or autograd
    device_ns: int  # every kernel, copy and set, attributed or not
    kernels: int
    not_attributed_ns: int


class Modules(msgspec.Struct, frozen=True, kw_only=True):
    """Rows with parents before children, children by first call; rows that are no modules last."""

    group_by: Literal["instance", "class"]
    has_device: bool
    has_backward: bool  # whether any backward operator could be linked to a module
    has_calls: bool
    has_qualified: bool
    has_host_memory: bool
    has_device_memory: bool
    rows: list[ModuleRow]
    totals: ModuleTotals
