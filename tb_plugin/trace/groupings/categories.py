"""By kind of work (`trace.work.taxonomy`), told by names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.trace.groupings.grouping import Grouping, Keys, Part, no_lack
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.work.taxonomy import CATEGORIES, NO_CATEGORY, Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_TITLES: Final = (*(info.title for info in CATEGORIES), "Named ranges", "Launch calls")
"""Categories of work, and what is none: ranges that somebody named, and launch calls outside of all operators."""

_RANGES: Final = len(CATEGORIES)
_LAUNCHES: Final = len(CATEGORIES) + 1


def _categories(trace: Trace, rows: Int64Array) -> Keys:
    place = category_by_row(trace)[rows].astype(np.int64)
    # A range has the category of what its name says ("gloo:all_reduce") or is just a range.
    place[(place == Category.OTHER) & (trace.events.kind[rows] == Kind.ANNOTATION)] = _RANGES
    place[place == NO_CATEGORY] = _LAUNCHES
    return Keys(parts={"name": Part(place, _TITLES.__getitem__)})


CATEGORY: Final = Grouping(id="category", title="category", keys=_categories, lacks=no_lack)
