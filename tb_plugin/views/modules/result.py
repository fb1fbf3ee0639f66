"""What the modules view is asked and answers; the wire format of `view/modules`."""

from __future__ import annotations

from typing import Literal

import msgspec


class ModulesParams(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing to choose yet."""


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


class ModuleRow(msgspec.Struct, frozen=True, kw_only=True):
    """One path of modules, or what is in none. Totals are the self values of the row and of all rows below it."""

    id: int  # place in `rows`
    parent: int | None
    depth: int
    kind: Literal["module", "outside", "not_attributed"]
    name: str  # "Conv2d_5"
    class_name: str  # "Conv2d"; empty where kind is no module
    path: str  # "ResNet_0/Sequential_1/Conv2d_5"
    calls: int  # in the forward pass
    recomputed: int  # calls in the backward pass (checkpointing)
    kernels_self: int
    kernels_total: int
    host: PhaseTimes | None  # None for "not attributed"
    device: PhaseTimes
    first_start_ns: int | None  # of the first call
    first_end_ns: int | None


class ModuleTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What the self columns of all rows add up to."""

    host_ns: int  # time in which anything was open on the threads that run modules or autograd
    device_ns: int  # every kernel, copy and set, attributed or not
    kernels: int
    not_attributed_ns: int


class Modules(msgspec.Struct, frozen=True, kw_only=True):
    """Rows with parents before children, children by first call; rows that are no modules last."""

    has_device: bool
    has_backward: bool  # whether any backward operator could be linked to a module
    rows: list[ModuleRow]
    totals: ModuleTotals
