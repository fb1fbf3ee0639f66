"""The orders of launches of several ranks, one after the other: what is asked of all of them is asked at once.

rank  0  0  0 | 1  1  1  1 | ...        what rows refer to, in `after`, `behind` and in `needs`, are rows of all of these
after .  .  1 | .  3  .  5 |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.rank.order import COLLECTIVE, STEP, SYNC

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job


_ROUNDED_NS: Final = 1_000
"""Some files have times in whole microseconds."""


class Orders(NamedTuple):
    """`order`: the columns of `trace/rank/order.py`, with the place of its `rank`; `what` of a collective is a row of the job."""

    order: Mapping[str, Int64Array]
    needs: Mapping[str, Int64Array]


def orders_of(job: Job, places: Int64Array) -> Orders:
    """Of the ranks at these places, which are in order."""
    ranks = [job.of.ranks[place] for place in places.tolist()]
    lengths = [len(rank.order["kind"]) for rank in ranks]
    begins = np.cumsum([0, *lengths])[:-1]
    names = [name for name in ranks[0].order if all(name in rank.order for rank in ranks)] if ranks else []
    order = {name: np.concatenate([rank.order[name] for rank in ranks]) for name in names}
    order["rank"], begin = np.repeat(places, lengths), np.repeat(begins, lengths)
    first = np.searchsorted(job.rows.rank, places)
    order["what"] = order["what"] + np.where(order["kind"] == COLLECTIVE, np.repeat(first, lengths), 0)
    for name in ("after", "behind"):
        order[name] = np.where(order[name] == NONE, NONE, order[name] + begin)
    if ranks:
        _with_step_first(order)
    needs = {name: np.concatenate([rank.needs[name] for rank in ranks]) for name in ("collective", "row", "is_sure")}
    begin = np.repeat(begins, [len(rank.needs["row"]) for rank in ranks])
    return Orders(order, {**needs, "collective": needs["collective"] + begin, "row": needs["row"] + begin})


def _with_step_first(order: dict[str, Int64Array]) -> None:
    """A host that begins to wait as its step ends waits in the next one, be it before that by the rounding of times: else the
    step and what comes after it would both be as long as that. What is told since the row before stays at its place.
    """
    kind, host = order["kind"], order["host"]
    is_it = (kind[:-1] == SYNC) & (kind[1:] == STEP) & (np.diff(order["rank"]) == 0)
    is_it &= (np.diff(host) <= _ROUNDED_NS) & (order["end"][:-1] > host[1:])
    sync = np.flatnonzero(is_it)
    for name in ("kind", "start", "end", "what"):
        order[name][sync], order[name][sync + 1] = order[name][sync + 1], order[name][sync]
    host[sync] = host[sync + 1]
    order["start"][sync + 1] = host[sync]
