"""Which colour an event has: its kind, and for kernels and annotations what their name says. The page only maps it to a hue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.trace.kinds import COLLECTIVE_NAME, DATA_LOADER_NAME, Kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    import re

    from tb_plugin.trace.model import Trace

PAINTS: Final = (
    "other",
    "operator",
    "annotation",
    "data_loader",
    "python",
    "runtime",
    "kernel",
    "communication",
    "copy",
    "set",
    "sync",
    "mark",
    "overhead",
)

_OF_KIND: Final[dict[Kind, str]] = {
    Kind.OPERATOR: "operator",
    Kind.ANNOTATION: "annotation",
    Kind.DEVICE_ANNOTATION: "annotation",
    Kind.PYTHON: "python",
    Kind.RUNTIME: "runtime",
    Kind.DRIVER: "runtime",
    Kind.KERNEL: "kernel",
    Kind.COPY: "copy",
    Kind.SET: "set",
    Kind.SYNC: "sync",
    Kind.MEMORY: "mark",
    Kind.OUT_OF_MEMORY: "mark",
    Kind.COUNTER: "mark",
    Kind.INSTANT: "mark",
    Kind.OVERHEAD: "overhead",
}

_BY_NAME: Final[tuple[tuple[Kind, re.Pattern[str], str], ...]] = (
    (Kind.KERNEL, COLLECTIVE_NAME, "communication"),
    (Kind.ANNOTATION, DATA_LOADER_NAME, "data_loader"),
)


def paint_of(trace: Trace) -> npt.NDArray[np.uint8]:
    """Index in PAINTS for each row. Judges each distinct name once."""
    by_kind = np.zeros(256, np.uint8)
    for kind, paint in _OF_KIND.items():
        by_kind[kind] = PAINTS.index(paint)
    found: npt.NDArray[np.uint8] = by_kind[trace.events.kind]
    for kind, pattern, paint in _BY_NAME:
        rows = np.flatnonzero(trace.events.kind == kind)
        found[rows[rows_named(trace, rows, pattern.search)]] = PAINTS.index(paint)
    return found
