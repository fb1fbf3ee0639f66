"""Names are judged once each, not once per row: a trace has 10^6 events and 10^3 names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tb_plugin.trace.kinds import COLLECTIVE_NAME, Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace


def rows_named(trace: Trace, rows: npt.NDArray[np.integer], is_wanted: Callable[[str], object]) -> BoolArray:
    """For each of these event rows: does its name satisfy the predicate (a compiled pattern's `search`, for example)?"""
    ids = trace.events.name_id[rows]
    # One place more than there are strings: NONE (-1) falls on it.
    seen = np.zeros(len(trace.strings) + 1, np.bool_)
    seen[ids] = True
    wanted = np.zeros(len(trace.strings) + 1, np.bool_)
    for name_id in np.flatnonzero(seen[:-1]).tolist():
        wanted[name_id] = bool(is_wanted(trace.strings[name_id]))
    result: BoolArray = wanted[ids]
    return result


def collective_kernels(trace: Trace) -> BoolArray:
    """For every event row: is it a kernel that is communication?"""
    result = np.zeros(len(trace.events), np.bool_)
    kernels = np.flatnonzero(trace.events.kind == Kind.KERNEL)
    result[kernels] = rows_named(trace, kernels, COLLECTIVE_NAME.search)
    return result
