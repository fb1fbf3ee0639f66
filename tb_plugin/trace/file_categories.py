"""Which category of a Kineto file is what kind of event, as data.

A new category is a row here, or in the record of its vendor (`trace/vendors`). A category that is not listed and that no
suffix rule knows becomes `UNKNOWN`: it is shown and counted, never dropped.
"""

from __future__ import annotations

from typing import Final

from tb_plugin.trace import vendors
from tb_plugin.trace.kinds import STEP_NAME, Kind
from tb_plugin.trace.memory.names import HELD_BEFORE, MEMORY

_BY_CATEGORY: Final[dict[str, Kind]] = {
    "operator": Kind.OPERATOR,
    "cpu_op": Kind.OPERATOR,
    "user_annotation": Kind.ANNOTATION,
    "python": Kind.PYTHON,
    "python_function": Kind.PYTHON,
    "runtime": Kind.RUNTIME,
    "driver": Kind.DRIVER,
    "kernel": Kind.KERNEL,
    "concurrent_kernel": Kind.KERNEL,
    "memcpy": Kind.COPY,
    "gpu_memcpy": Kind.COPY,
    "memset": Kind.SET,
    "gpu_memset": Kind.SET,
    "gpu_user_annotation": Kind.DEVICE_ANNOTATION,
    "cpu_instant_event": Kind.INSTANT,
    "overhead": Kind.OVERHEAD,
    "trace": Kind.SPAN,
} | {category: kind for vendor in vendors.ALL for category, kind in vendor.categories.items()}
"""Those that Kineto writes for any device, and each vendor's own."""

_BY_SUFFIX: Final[tuple[tuple[str, Kind], ...]] = (
    ("_runtime", Kind.RUNTIME),
    ("_driver", Kind.DRIVER),
    ("_kernel", Kind.KERNEL),
    ("_memcpy", Kind.COPY),
    ("_memset", Kind.SET),
)

_BY_NAME: Final = {at: kind for vendor in vendors.ALL for at, kind in vendor.kinds_by_name.items()}
"""Where a category holds several kinds, by category and name."""


def kind_of(category: str, phase: str, name: str) -> Kind:
    """The kind of an event with this `cat` (any spelling since 2021), `ph` and `name`."""
    if name in (MEMORY, HELD_BEFORE):
        return Kind.MEMORY
    if name == "[OutOfMemory]":
        return Kind.OUT_OF_MEMORY
    if phase == "C":
        return Kind.COUNTER
    if not category and phase in ("X", "B"):
        return Kind.OPERATOR  # EventList.export_chrome_trace writes no `cat`
    lowered = category.lower()
    kind = _BY_NAME.get((lowered, name)) or _BY_CATEGORY.get(lowered)
    if kind is None:
        kind = next((k for suffix, k in _BY_SUFFIX if lowered.endswith(suffix)), None)
    if kind is None and phase in ("i", "I", "R"):
        return Kind.INSTANT
    if kind is Kind.OPERATOR and STEP_NAME.match(name):
        return Kind.ANNOTATION  # 2021 files have one category for both
    return Kind.UNKNOWN if kind is None else kind
