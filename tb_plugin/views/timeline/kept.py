"""What filters and a search keep of a profile, as a picture of its own: the page draws it over the whole one, which it dims.

Blocks of all events cannot say what of them is kept, so what is kept has a pyramid of its own, in the same lanes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute import pyramid
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.scope.selection import filters_of, is_all, selected
from tb_plugin.views.timeline.search import matching_names
from tb_plugin.views.timeline.strip import density

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.scope.selection import Selection
    from tb_plugin.views.timeline.index import Index
    from tb_plugin.views.timeline.result import Density, LitParams

_PICTURES_KEPT: Final = 2  # at most as large as the whole one


class Shown(NamedTuple):
    """The pyramid's own rows are places in `rows`; None: they are the trace's."""

    pyramid: pyramid.Pyramid
    rows: npt.NDArray[np.intp] | None
    density: list[Density] | None = None
    """The strip of what is kept; None: it is that of all."""


def shown(trace: Trace, index: Index, only: Selection, q: str = "", *, regex: bool = False) -> Shown:
    """What these filters keep of what is sought. Errors as `selected` and the search."""
    if is_all(only) and not q:
        return Shown(index.pyramid, None)
    return _pictures(trace).get((*filters_of(only), q, str(regex)), lambda: _shown(trace, index, only, q, regex=regex))


@once_per_trace
def _pictures(_trace: Trace) -> LastAnswers[tuple[str, ...], Shown]:
    return LastAnswers(_PICTURES_KEPT)


def _shown(trace: Trace, index: Index, only: Selection, q: str, *, regex: bool) -> Shown:
    events = trace.events
    kept = _rows(trace, only, q, regex=regex)
    rows = np.flatnonzero(kept)
    lane = index.track_lane_first[events.track[rows]] + index.depth[rows]
    n_lanes = int(index.track_lane_first[-1])
    picture = pyramid.build(lane, n_lanes, events.start_ns[rows], events.end_ns[rows], index.paint[rows])
    return Shown(picture, rows, density(trace, kept))


def filtered_rows(trace: Trace, only: Selection) -> BoolArray | None:
    """For every event row: do filters keep it? None: all. Errors as in `shown`."""
    return None if is_all(only) else selected(trace, only)


def kept_rows(trace: Trace, only: LitParams) -> BoolArray | None:
    """For every event row: does it count, and is it sought? None: all are. Errors as in `shown`."""
    return None if is_all(only) and not only.q else _rows(trace, only, only.q, regex=only.regex)


def _rows(trace: Trace, only: Selection, q: str, *, regex: bool) -> BoolArray:
    kept = selected(trace, only)
    return kept & matching_names(trace, q, regex=regex)[trace.events.name_id] if q else kept
