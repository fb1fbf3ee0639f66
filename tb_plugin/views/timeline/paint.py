"""Which colour an event has: its kind, of kernels their category, of data loaders and collectives on the host their name.

Of a recording of the host alone the operators have the colours of their categories: there they are the work.

The page only maps it to a hue, the one that its category has in tables and bars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.trace.kinds import DATA_LOADER_NAME, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE
from tb_plugin.trace.work.collective_names import COLLECTIVE_RANGE
from tb_plugin.trace.work.taxonomy import CATEGORIES, Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_OF_WORK: Final = (
    Category.MATMUL,
    Category.CONVOLUTION,
    Category.ATTENTION,
    Category.NORMALISATION,
    Category.ELEMENTWISE,
    Category.REDUCTION,
    Category.INDEXING,
    Category.FUSED,
)

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
    *(CATEGORIES[category].id for category in _OF_WORK),
)
"""What the windows' `paint` column means. "kernel" is one whose category no rule knows."""

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


def paint_of(trace: Trace) -> npt.NDArray[np.uint8]:
    """Index in PAINTS for each row. Judges each distinct name once."""
    by_kind = np.zeros(256, np.uint8)
    for kind, paint in _OF_KIND.items():
        by_kind[kind] = PAINTS.index(paint)
    found: npt.NDArray[np.uint8] = by_kind[trace.events.kind]
    works, named = (
        (Kind.KERNEL, _OF_WORK) if DEVICE.is_there(trace) else (Kind.OPERATOR, (*_OF_WORK, Category.COPY, Category.SET))
    )
    working = np.flatnonzero(trace.events.kind == works)
    of_category = np.full(len(CATEGORIES), PAINTS.index(_OF_KIND[works]), np.uint8)
    for category in (*named, Category.COMMUNICATION):
        of_category[category] = PAINTS.index(CATEGORIES[category].id)
    found[working] = of_category[category_by_row(trace)[working]]
    ranges = np.flatnonzero(is_kind(trace.events.kind, (Kind.ANNOTATION, Kind.DEVICE_ANNOTATION, Kind.OPERATOR)))
    found[ranges[rows_named(trace, ranges, DATA_LOADER_NAME.match)]] = PAINTS.index("data_loader")
    found[ranges[rows_named(trace, ranges, COLLECTIVE_RANGE.match)]] = PAINTS.index("communication")
    return found
