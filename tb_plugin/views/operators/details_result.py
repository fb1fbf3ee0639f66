"""What is asked and answered about one row of operators; the wire format of `view/operators/details`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.listed_event import ListedEvent
from tb_plugin.trace.times.spread import Spread
from tb_plugin.views.operators.result import OperatorKind, OperatorsParams

RelatedKind = Literal["operator", "annotation", "launch", "python", "top", "rest"]


class OperatorDetailsParams(OperatorsParams, frozen=True, kw_only=True):
    """The row: its `name`, `kind` and `input_shapes` as `view/operators` gives them under the same filters and grouping."""

    name: str
    kind: OperatorKind = "operator"
    input_shapes: str | None = None


class RelatedOperator(msgspec.Struct, frozen=True, kw_only=True):
    """Operators, ranges or calls of one name. `top`: nothing around. `python`: all Python functions. `rest`: all others."""

    name: Annotated[str, Figure("Name", "text")]
    kind: Annotated[RelatedKind, NO_COLUMN]
    count: Annotated[int, Figure("Calls", "count")]
    host_ns: Annotated[int, Figure("Host", "ns")]
    # None: of launch calls and Python functions, whose work is the operator's own
    device_ns: Annotated[int | None, Figure("Device", "ns", absent="–")]


class OperatorKernel(msgspec.Struct, frozen=True, kw_only=True):
    """Device work of one name."""

    name: Annotated[str, Figure("Name", "text")]
    kind: Annotated[Literal["kernel", "copy", "set", "rest"], NO_COLUMN]
    count: Annotated[int, Figure("Count", "count")]
    self_ns: Annotated[int, Figure("Self", "ns")]  # launched from the row's own calls
    total_ns: Annotated[int, Figure("Total", "ns")]  # and from what they call


class OperatorStack(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that come from the same place. Frames innermost first; none where no stack is known."""

    frames: list[str]
    is_rest: bool = False
    count: int
    host_ns: int
    device_ns: int


class OperatorModule(msgspec.Struct, frozen=True, kw_only=True):
    """Calls from one module. `path` None: from no module; `is_rest`: from all others."""

    path: Annotated[str | None, Figure("Module", "text")]
    is_rest: Annotated[bool, NO_COLUMN] = False
    count: Annotated[int, Figure("Calls", "count")]
    host_ns: Annotated[int, Figure("Host", "ns")]
    device_ns: Annotated[int, Figure("Device", "ns")]


class OperatorPair(msgspec.Struct, frozen=True, kw_only=True):
    """Forward operators of one name and the backward operators that autograd made for them."""

    forward: str
    backward: str
    forward_count: int
    backward_count: int
    forward_host_ns: int
    forward_device_ns: int
    backward_host_ns: int
    backward_device_ns: int


class OperatorCall(ListedEvent, frozen=True, kw_only=True):
    """One call to look at in the timeline."""

    device_ns: Annotated[int | None, Figure("Device", "ns", absent="–")]  # None: it is device work itself


class OperatorDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Lists by time, largest first; what is beyond the 40th is one row, the rest, so that every list adds up."""

    count: int  # calls; 0 when the filters leave none
    host: Spread | None  # time of each call with all it calls
    device: Spread | None  # device time of each call with all it calls; of "not attributed" each device event
    operators: list[RelatedOperator]  # self times by name; where the row is no single name
    callers: list[RelatedOperator]
    callees: list[RelatedOperator]
    kernels: list[OperatorKernel]
    stacks: list[OperatorStack]
    modules: list[OperatorModule]
    pairs: list[OperatorPair]
    longest: list[OperatorCall]  # by device time where there is some, else by host time
    no_stacks: str | None  # why no stack is known
    has_modules: bool
