"""Steps that a rank lacks and others of its job have: it began to record later, stopped earlier, or its file lost them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.rank.order import STEP

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.ranks.ranks import Ranks


def all_steps(of: Ranks) -> Int64Array:
    """Numbers of the steps that a rank has at least, in order."""
    return distinct(np.concatenate([rank.steps["number"] for rank in of.ranks]))


def begun_after_gap(mine: Int64Array, every: Int64Array) -> Int64Array:
    """Of a rank's steps those before which it lacks some, but its first. `every`: numbers of all ranks' steps."""
    place = np.searchsorted(every, mine)
    begun: Int64Array = mine[1:][np.diff(place) > 1]
    return begun


class StepEnds(NamedTuple):
    """One row a rank and step of the order of launches: the row that ends it, and the rank's end before that."""

    number: Int64Array
    before: Int64Array
    closing: Int64Array
    is_begun: BoolArray  # the one before is where it begins: the rank lacks no step between


def step_ends(kind: Int64Array, what: Int64Array, rank: Int64Array) -> StepEnds:
    """Of the rows of all ranks, each rank's in its order."""
    ends = np.flatnonzero(kind == STEP)
    follows = rank[ends[1:]] == rank[ends[:-1]]  # the first of a rank is where its first step begins
    before, closing = ends[:-1][follows], ends[1:][follows]
    place = np.searchsorted(distinct(what[closing]), what[closing])
    is_begun = np.ones(len(place), np.bool_)
    is_next = rank[before[1:]] == rank[before[:-1]]
    is_begun[1:] = ~is_next | (np.diff(place) == 1)
    return StepEnds(what[closing], before, closing, is_begun)


def after_gaps(ends: StepEnds, host: Float64Array) -> tuple[Int64Array, Int64Array]:
    """(rows that a rank began after steps that it lacks, where another one ended the last of these): before that row it waited
    for others as these did for each other, and for how long its file does not tell.
    """
    numbers, found = distinct(ends.number), []
    for at in np.flatnonzero(~ends.is_begun).tolist():
        before = int(ends.before[at])
        last = numbers[np.searchsorted(numbers, ends.number[at]) - 1]
        others = ends.closing[ends.number == last]
        others = others[np.argsort(host[others])]
        earlier = others[host[others] <= host[before + 1]]
        if len(earlier) or host[before + 1] - host[before] > (host[others[0]] - host[before]) / 2:
            found.append((before + 1, int(earlier[-1] if len(earlier) else others[0])))
    row, ended = np.array(found, np.int64).reshape(-1, 2).T
    return row, ended
