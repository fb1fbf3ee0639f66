"""Whether collectives that name no group are of one: what is taken for one collective ends on all ranks at once.

A job of 2023 with tensor groups says no more than one without, and its ranks issue as many collectives, in one order. Of an
instance and one of its ranks

    away = |end on the rank's clock - median of the members'|         clock: a line through its ends less another rank's

Those of one group: 2 to 4 us away (FSDP on 2 hosts, DLRM on 8 V100). Those of a group that waits for its own slow rank: as long
as that lasts. Tested by kind and stream, for the gradients of all ranks are few beside what tensor groups exchange. Of gloo
nothing can be told: its members end 10 ms apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import Groups, group_by, max_by, median_by
from tb_plugin.job.causality import MOST_FAILING
from tb_plugin.job.rows import NAMELESS
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.matching import Matched
    from tb_plugin.job.rows import JobRows

_APART_NS: Final = 30_000
_BENT: Final = 1e-5
"""By how much of its length a recording's clock may bend from a line."""

_ENOUGH: Final = 3
"""Through two ends there is always a line."""


def nameless_apart(table: JobRows, found: Matched) -> Int64Array:
    """The place of the nameless group, where it cannot be one group; else none."""
    place = np.flatnonzero([group == NAMELESS for group in table.groups])
    rows = table.rows
    use = np.flatnonzero(
        np.isin(rows.group, place)
        & rows.is_there
        & (rows.stream != NONE)
        & (found.of != NONE)
        & np.isin(rows.kind, kinds.SYNCHRONISING)
    )
    use = use[found.is_matched[found.of[use]]]
    if len(use) == 0:
        return place[:0]
    instances = group_by(found.of[use])
    end = rows.end[use].astype(np.float64)
    aligned = end - _clocks(rows.rank[use], end, instances)
    away = np.rint(np.abs(aligned - median_by(instances, aligned)[instances.of])).astype(np.int64)
    is_away = max_by(instances, away) > _APART_NS + _BENT * float(np.ptp(end))
    first = use[instances.first]
    sorts = group_by(rows.kind[first], rows.stream[first])
    n, n_away = (np.bincount(sorts.of, weights=each, minlength=len(sorts)) for each in (np.ones(len(first)), is_away))
    return place if ((n >= _ENOUGH) & (n_away > MOST_FAILING * n)).any() else place[:0]


def _clocks(rank: Int64Array, end: Float64Array, instances: Groups) -> Float64Array:
    """Of each row by how much its rank's clock is ahead then: a line through how far it ends after the rank that has most."""
    reference = int(np.argmax(np.bincount(rank)))
    its = np.full(len(instances), np.nan)
    its[instances.of[rank == reference]] = end[rank == reference]
    apart, ahead = end - its[instances.of], np.zeros(len(rank))
    for one in distinct(rank).tolist():
        mine = np.flatnonzero(rank == one)
        met = mine[np.isfinite(apart[mine])]
        met = met[np.argsort(end[met], kind="stable")]
        half = len(met) // 2
        slope = 0.0
        if half >= _ENOUGH:
            first, later = met[:half], met[len(met) - half :]
            slope = float(np.median((apart[later] - apart[first]) / np.maximum(end[later] - end[first], 1.0)))
        if len(met):
            ahead[mine] = slope * end[mine] + np.median(apart[met] - slope * end[met])
    return ahead
