"""What the roofline view is asked and answers; the wire format of `view/roofline`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.trace.scope.selection import Selection
from tb_plugin.trace.work.device_peaks import PeakText
from tb_plugin.trace.work.taxonomy import CategoryId

RateType = Literal["fp4", "fp8", "fp16", "bf16", "tf32", "fp32", "fp64"]


class RooflineParams(Selection, frozen=True, kw_only=True):
    """Which device work, and the peaks that the device is held against."""

    peak: PeakText = ""


class RooflineRow(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of an operator with the same shapes and types, or the kernels of a name where no such call is known."""

    name: Annotated[str, Figure("Operator or kernel", "text")]
    shapes: Annotated[str | None, Figure("Shapes", "text", absent="–")] = None  # JSON texts, as recorded
    types: Annotated[str | None, Figure("Types", "text", absent="–")] = None
    category: Annotated[CategoryId | None, Figure("Category", "text", absent="several")] = None
    is_call: Annotated[bool, NO_COLUMN]  # False: the name is a kernel's
    example: Annotated[int, NO_COLUMN]  # an event row of a device
    count: Annotated[int, Figure("Kernels", "count", sums=True)]
    total_ns: Annotated[int, Figure("Device time", "ns", sums=True)]
    share: Annotated[float, Figure("Share", "share", sums=True)]  # of total_ns of all rows, 0 to 1
    lost_ns: Annotated[int | None, Figure("Lost", "ns", sums=True, absent="unknown")] = None
    roof_share: Annotated[float | None, Figure("Of roof", "share", absent="unknown")] = None  # above 1: over the roof
    bound: Annotated[Literal["compute", "memory"] | None, Figure("Bound by", "text", absent="unknown")] = None
    flops: Annotated[int | None, Figure("FLOPs", "flops", sums=True, absent="unknown")] = None
    bytes: Annotated[int | None, Figure("Bytes", "bytes", sums=True, absent="unknown")] = None
    flops_per_s: Annotated[float | None, Figure("FLOP/s", "flops_per_s", absent="unknown")] = None
    bytes_per_s: Annotated[float | None, Figure("Bandwidth", "bytes_per_s", absent="unknown")] = None
    flops_per_byte: Annotated[float | None, Figure("FLOP / byte", "number", absent="unknown")] = None
    rate_type: Annotated[RateType | None, Figure("Roof", "text", absent="–")] = None
    # FLOPs or bytes are the most that they can be
    is_most: Annotated[bool, NO_COLUMN] = False
    # as total_ns, where of n that run on a device at once each has 1/n of the time: the area of the row's point
    wall_ns: Annotated[int, NO_COLUMN]
    # time of kernels whose launch is in no file and whose work is a twin's
    twin_ns: Annotated[int, NO_COLUMN] = 0


class Roof(msgspec.Struct, frozen=True, kw_only=True):
    """FLOP/s of a type that products of the file have. `best_flops_per_s`: of their best row; None: none is known exactly."""

    rate_type: RateType
    flops_per_s: float | None
    best_flops_per_s: float | None


class Roofline(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by time lost, most first; then those of unknown loss by time. Without collectives, whose roof is the network's."""

    rows: list[RooflineRow]
    count: int
    total_ns: int
    known_ns: int
    twin_ns: int
    paged_ns: int  # of what is not known: attention over a paged cache
    coverage: float | None  # known_ns over total_ns; None: nothing ran
    lost_ns: int | None
    roofs: list[Roof]
    bytes_per_s: float | None
    peak: str | None  # the device and the source of its peaks; None: unknown device
    is_guess: bool  # the file has no name of the device: told by its units and memory
    has_shapes: bool
    covers: Literal["steps", "recording"]  # chosen steps, or all that the file holds, under the other filters
