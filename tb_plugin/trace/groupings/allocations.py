"""Of allocations and releases: by the operator that they happened in, and by what the memory is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.groupings.grouping import Grouping, Keys, Part
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.callers import callers
from tb_plugin.trace.memory.categories import CATEGORIES, memory_categories
from tb_plugin.trace.scope.recorded import HOST, TENSORS

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace


def _operators(trace: Trace, rows: Int64Array) -> Keys:
    found, text = callers(trace, rows), trace.strings.__getitem__
    return Keys(parts={"name": Part(found.name, text), "via": Part(found.via, text)}, missing=_no_operators(trace))


def _no_operators(trace: Trace) -> str | None:
    # A named range is as good as an operator here.
    return None if (trace.events.kind == Kind.ANNOTATION).any() else HOST.lack(trace)


def _categories(trace: Trace, rows: Int64Array) -> Keys:
    """Releases have that of their block."""
    found = memory_categories(trace)
    place = np.full(len(rows), NONE, np.int64)
    if found.is_recorded:
        place = found.of_memory[np.searchsorted(trace.memory.row, rows)].astype(np.int64)
    return Keys(
        parts={"name": Part(place, lambda category: CATEGORIES[category].title)},
        missing=None if found.is_recorded else TENSORS.why_not(trace),
    )


OPERATOR: Final = Grouping(id="operator", title="operator", keys=_operators, lacks=_no_operators)
CATEGORY: Final = Grouping(id="category", title="category", keys=_categories, lacks=TENSORS.lack)
