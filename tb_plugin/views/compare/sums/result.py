"""What one profile says of itself so that others can be compared with it: whole numbers a step, that add up to the step."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from tb_plugin.trace.scope.recorded_as import RecordedAs

Unit = Literal["step", "range", "recording"]
Basis = Literal["device", "host"]

OTHERS: Final = "(other places)"
"""Of the host, together."""

Text = Annotated[str, msgspec.Meta(max_length=400)]


class SumsParams(msgspec.Struct, frozen=True, kw_only=True):
    """`per`: the name of a range whose occurrences are compared; empty: steps, or without steps the recording."""

    per: Text = ""


class OneStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step, occurrence, or the recording. `parts` (PARTS of the overview) sum to it; so do `uses`."""

    number: int
    kind: int  # 0: the most frequent kind of step, then the others
    start_ns: int
    duration_ns: int
    parts: list[int]
    uses: list[int]  # busy, then why not (USES of the overview); on the host: in operators, and not
    exposed_communication_ns: int


class KernelSums(msgspec.Struct, frozen=True, kw_only=True):
    """Device work of one name within a call. `wall_ns`: of each step, an instant shared by n counts 1/n."""

    name: str
    category: str
    count: int  # in all steps
    total_ns: int  # plain sum of durations
    wall_ns: list[int]


class CallSums(msgspec.Struct, frozen=True, kw_only=True):
    """An outermost operator with the same module, shapes and types; without operator: work whose launch is not in the file."""

    module: str
    operator: str  # by `alike_operator`
    name: str  # as the file has it
    shapes: str
    types: str
    calls: list[int]  # of each step, those with work in it
    first_ns: int  # since its step began, of the first: the order in which they come
    longest_ns: int  # when the longest work of all began
    longest_for_ns: int
    flops: int | None  # in all steps; None: not known of all
    bytes: int | None
    kernels: list[KernelSums]


class LineSums(msgspec.Struct, frozen=True, kw_only=True):
    """A place of the host that the devices waited for: a line of Python, or without stacks an operator or a range."""

    text: str
    inside: str  # what was called there at the bottom; empty where that says nothing new
    idle_ns: list[int]  # of each step, mean of the devices
    longest_ns: int | None  # when the event began under which they waited longest
    longest_for_ns: int | None


class ProfileSums(msgspec.Struct, frozen=True, kw_only=True):
    """The wall shares of all calls in a step sum to the first of its `uses`."""

    recorded: RecordedAs
    unit: Unit
    per: str
    basis: Basis  # what `calls` are of: time on devices, or where nothing worked, in operators of the host
    n_incomplete: int  # steps that the recording cut, left out
    not_recorded: list[str]  # parts that are 0 because nothing tells them
    steps: list[OneStep]
    calls: list[CallSums]
    lines: list[LineSums]  # sum to the time of each step that devices waited for the host; none where no host was recorded
    n_folded: int  # calls that are one row, since there are too many
    undisturbed_ns: int | None = None  # a step's work, each call as fast as in any step; None: kept before this was asked
