"""What the operators view is asked and answers; the wire format of `view/operators`."""

from __future__ import annotations

from typing import Literal

import msgspec

OperatorKind = Literal["operator", "annotation", "launch", "not_attributed"]


class OperatorsParams(msgspec.Struct, frozen=True, kw_only=True):
    """What makes calls one row: the name, or name and input shapes."""

    group_by: Literal["name", "shapes"] = "name"


class OperatorRow(msgspec.Struct, frozen=True, kw_only=True):
    """One operator name, or name and input shapes. Host times are None for the row "not attributed"."""

    name: str
    kind: OperatorKind
    input_shapes: str | None = None  # JSON text of the file; None when grouped by name or not recorded
    count: int  # calls; kernels, copies and sets for "not attributed"
    host_self_ns: int | None
    host_total_ns: int | None
    device_self_ns: int
    device_total_ns: int


class OperatorTotals(msgspec.Struct, frozen=True, kw_only=True):
    """Sums that the rows add up to: self times are disjoint, so their sum is all host and all device time."""

    count: int  # calls
    host_self_ns: int
    device_self_ns: int  # every kernel, copy and set, attributed or not
    not_attributed_ns: int


class Operators(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by device self time, then host self time, largest first."""

    group_by: Literal["name", "shapes"]
    has_device: bool
    has_shapes: bool
    rows: list[OperatorRow]
    totals: OperatorTotals
