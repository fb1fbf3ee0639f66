"""What the operators view is asked and answers; the wire format of `view/operators`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from tb_plugin.question.effects import EffectRows
from tb_plugin.question.figure import Figure
from tb_plugin.trace.groupings.grouping import GroupingChoice
from tb_plugin.trace.scope.selection import Selection

GroupBy = Literal["name", "shapes", "call_site", "module", "category"]
OperatorKind = Literal["operator", "annotation", "launch", "call_site", "module", "category", "none", "not_attributed"]
Eligible = Literal["yes", "some", "no", "unknown"]


class OperatorsParams(Selection, frozen=True, kw_only=True):
    """What makes calls one row: the name, the name and input shapes, where in Python they come from, the module, the category."""

    group_by: GroupBy = "name"
    effects: EffectRows = 0


class OperatorRow(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one group. Host times are None for the row "not attributed".

    Grouped by name and by shapes, an operator inside one of its own name counts twice in the totals, as in torch. In all other
    groups what is inside a call of the same group is part of it.
    """

    name: Annotated[str, Figure("Operator", "text")]  # operator, call site, module path or category
    kind: Annotated[OperatorKind, Figure("Kind", "text")]
    # JSON text of the file; None when not grouped by them or not recorded
    input_shapes: Annotated[str | None, Figure("Input shapes", "text")] = None
    count: Annotated[int, Figure("Calls", "count", sums=True)]  # kernels, copies and sets for "not attributed"
    host_self_ns: Annotated[int | None, Figure("Host self", "ns", sums=True, absent="–")] = None
    host_total_ns: Annotated[int | None, Figure("Host total", "ns", absent="–")] = None
    device_self_ns: Annotated[int, Figure("Device self", "ns", sums=True)]
    device_total_ns: Annotated[int, Figure("Device total", "ns")]
    # None: no formula, or shapes were not recorded
    flops: Annotated[int | None, Figure("FLOPs", "flops", sums=True, absent="–")] = None
    flops_per_s: Annotated[float | None, Figure("FLOP/s", "flops_per_s", absent="–")] = None
    # None: the sizes of none of its calls are known; per second also where they are known of some calls only
    input_bytes: Annotated[int | None, Figure("Input bytes", "bytes", absent="unknown")] = None
    input_bytes_per_s: Annotated[float | None, Figure("Input bytes/s", "bytes_per_s", absent="unknown")] = None
    # whose total time the rates are over
    rates_over: Annotated[Literal["device", "host"] | None, Figure("Rates over", "text", absent="–")] = None
    # of its own kernels' time, 0 to 1, and of it kernels whose names do not tell; None: no kernel of its own
    matrix_core_share: Annotated[float | None, Figure("Tensor cores", "share", absent="no kernel")] = None
    matrix_core_unknown_share: Annotated[float | None, Figure("Tensor cores unknown", "share", absent="no kernel")] = None
    # of operators with device work; None: there are none
    matrix_core_eligible: Annotated[Eligible | None, Figure("Eligible", "text", absent="–")] = None
    # of the step, if the row were 10 % faster, by replay; None: not among those that were looked at, or `no_effect` says why
    effect_ns: Annotated[int | None, Figure("Gain of 10 %", "ns", absent="–")] = None
    effect_share: Annotated[float | None, Figure("Effect of 10 %", "share", absent="–")] = None  # 0 to 1

    DERIVED: ClassVar[dict[str, Figure]] = {
        "device_self_share": Figure("Of device", "share", sums=True, absent="–"),
        "host_self_share": Figure("Of host", "share", sums=True, absent="–"),
        "host_self_mean_ns": Figure("Host self / call", "ns", absent="–"),
        "device_self_mean_ns": Figure("Device self / call", "ns", absent="–"),
    }


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
    no_shapes: str | None  # why there are none
    groupings: list[GroupingChoice]
    no_effect: str | None  # why no row has an effect of 10 %, where they were asked for
    rows: list[OperatorRow]
    totals: OperatorTotals
