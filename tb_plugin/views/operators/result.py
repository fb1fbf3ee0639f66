"""What the operators view is asked and answers; the wire format of `view/operators`."""

from __future__ import annotations

from typing import Literal

import msgspec

from tb_plugin.trace.selection import Selection

GroupBy = Literal["name", "shapes", "call_site", "module", "category"]
OperatorKind = Literal["operator", "annotation", "launch", "call_site", "module", "category", "none", "not_attributed"]
Eligible = Literal["yes", "some", "no", "unknown"]


class OperatorsParams(Selection, frozen=True, kw_only=True):
    """What makes calls one row: the name, the name and input shapes, where in Python they come from, the module, the category."""

    group_by: GroupBy = "name"


class OperatorRow(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one group. Host times are None for the row "not attributed".

    Grouped by name and by shapes, an operator inside one of its own name counts twice in the totals, as in torch. In all other
    groups what is inside a call of the same group is part of it.
    """

    name: str  # operator, call site, module path or category
    kind: OperatorKind
    input_shapes: str | None = None  # JSON text of the file; None when not grouped by them or not recorded
    count: int  # calls; kernels, copies and sets for "not attributed"
    host_self_ns: int | None
    host_total_ns: int | None
    device_self_ns: int
    device_total_ns: int
    flops: int | None = None  # None: no formula, or shapes were not recorded
    flops_per_s: float | None = None
    input_bytes: int | None = None  # None: the sizes of none of its calls are known
    input_bytes_per_s: float | None = None  # None also where they are known of some calls only
    rates_over: Literal["device", "host"] | None = None  # whose total time the rates are over
    matrix_core_share: float | None = None  # of its own kernels' time, 0 to 1; None: no kernel of its own
    matrix_core_unknown_share: float | None = None  # of its own kernels' time: kernels whose names do not tell
    matrix_core_eligible: Eligible | None = None  # of operators with device work; None: there are none


class OperatorTotals(msgspec.Struct, frozen=True, kw_only=True):
    """Sums that the rows add up to: self times are disjoint, so their sum is all host and all device time."""

    count: int  # calls
    host_self_ns: int
    device_self_ns: int  # every kernel, copy and set, attributed or not
    not_attributed_ns: int
    flops: int | None = None


class Operators(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by device self time, then host self time, largest first."""

    group_by: GroupBy
    has_device: bool
    has_shapes: bool
    not_recorded: str | None = None  # why there is nothing to group by, and the option that records it
    rows: list[OperatorRow]
    totals: OperatorTotals
