"""Places of collectives in the order in which a rank issued them, alike on all ranks.

step      10      11      12      13           counted from the first step that all ranks have, here 10
rank 0    0 1 2   3 4 5   6 7 8   9 10 11
rank 1    0 1 2   3 4 5           9 10 11      after steps that only others have, as many more as these have there
rank 2    0 1 2     ?     6 7 8                its file is cut off or has a hole, and it has fewer in a step: each step by itself
rank 3        2   3 4 5   6 7 8                its file begins within its first step (`begun_late.py`)

A file holds what a thread did after what another one did (gloo): what a cut took from it need not be the last. Which of a step's
is gone nobody knows; they are nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.job.matching.begun_late import not_here
from tb_plugin.job.ranks.steps import all_steps, begun_after_gap
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.job.ranks.ranks import Ranks
    from tb_plugin.job.ranks.rows import CollectiveRows, JobRows

NOWHERE: Final = int(np.iinfo(np.int64).min)
_RANKS: Final = 1 << 24
_WHOLE, _BY_STEP, _LACKING = 0, 1, 2


def lanes(job: JobRows) -> Int64Array:
    """Those of a nameless group are told by kind and channel, on the host by their size too: gloo's threads run two at once."""
    rows = job.rows
    is_nameless = np.array([*(not group.name for group in job.groups), False], np.bool_)[rows.group] & ~rows.is_between_two
    found = np.full(len(rows), NONE, np.int64)
    mine = np.flatnonzero(is_nameless)
    if len(mine):
        size = np.where(rows.sequence == NONE, np.maximum(rows.size, 0), 0)
        found[mine] = -2 - group_by(rows.kind[mine], rows.channel[mine], size[mine]).of
    return found


def lanes_and_pairs(job: JobRows, of: Ranks) -> Int64Array:
    """`lanes`, and of sends and receives who sends to whom."""
    rows = job.rows
    own = np.array(of.numbers, np.int64)[rows.rank]
    sender, receiver = np.where(rows.kind == kinds.SEND, (own, rows.peer), (rows.peer, own))
    return np.where(rows.is_between_two, sender * _RANKS + receiver, lanes(job))


def positions(rows: CollectiveRows, of: Ranks, lane: Int64Array) -> Int64Array:
    """Place of each row among those of its rank, group and lane, 0 for the first in the first common step; or NOWHERE."""
    group = np.where(rows.is_between_two, NONE, rows.group)
    order = np.lexsort((lane, group, rows.rank))  # stable: as issued within each
    runs = run_starts(rows.rank[order], group[order], lane[order])
    holed = _holed(rows, of, group, lane)[order]
    parts = _parts(of, rows.rank[order], rows.step[order], runs, holed != _WHOLE)
    place = np.arange(len(order)) - parts.first
    begins = np.full(len(order), len(order), np.int64)
    is_later = rows.step[order] >= parts.counted_from
    np.minimum.at(begins, parts.first[is_later], place[is_later])
    length = np.bincount(parts.first, minlength=len(order)).astype(np.int64)
    n_before = np.where(begins == len(order), length, begins)[parts.first] if len(order) else place
    found = np.empty(len(order), np.int64)
    missing = np.where(parts.counted_from == _first_steps(of)[rows.rank[order]], not_here(rows, of, lane)[order], 0)
    found[order] = place - n_before + _until(rows, of, group, lane, parts.counted_from, order) + missing
    found[order[_is_nowhere(of, rows.rank[order], rows.step[order], runs) | (holed == _LACKING)]] = NOWHERE
    return found


def run_starts(*columns: Int64Array) -> Int64Array:
    """For each row of sorted columns the first row that is equal to it."""
    n = len(columns[0])
    is_new = np.ones(n, np.bool_)
    if n:
        is_new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    starts: Int64Array = np.maximum.accumulate(np.where(is_new, np.arange(n), 0)) if n else np.zeros(0, np.int64)
    return starts


def _is_nowhere(of: Ranks, rank: Int64Array, step: Int64Array, runs: Int64Array) -> BoolArray:
    n_steps = len(all_steps(of))
    lacks = np.array([0 < len(each.steps["number"]) < n_steps for each in of.ranks])
    begun = np.full(len(rank), len(rank))
    np.minimum.at(begun, runs[step != NONE], np.flatnonzero(step != NONE))
    found: BoolArray = lacks[rank] & (step == NONE) & (np.arange(len(rank)) > begun[runs])
    return found


def _first_steps(of: Ranks) -> Int64Array:
    """The number of each rank's; NOWHERE of a rank without."""
    return np.array([int(rank.steps["number"][0]) if len(rank.steps["number"]) else NOWHERE for rank in of.ranks], np.int64)


def _holed(rows: CollectiveRows, of: Ranks, group: Int64Array, lane: Int64Array) -> Int64Array:
    """Of each row: of a rank, group and lane whose file lacks some in a step; and is it in such a step, or in none?"""
    found = np.full(len(rows), _WHOLE)
    may = np.array([rank.summary.is_cut_off or bool(rank.summary.damage) for rank in of.ranks])
    if not may.any() or any(len(each.steps["number"]) == 0 for each in of.ranks):
        return found
    most = _most(rows, of, group, lane)
    every, key = all_steps(of), group_by(group, lane).of
    for place in np.flatnonzero(may).tolist():
        steps = np.searchsorted(every, of.ranks[place].steps["number"])
        mine = np.flatnonzero(rows.rank == place)
        has = np.zeros_like(most)
        inside = mine[rows.step[mine] != NONE]
        np.add.at(has, (key[inside], np.searchsorted(every, rows.step[inside]) + 1), 1)
        lacks = has < most
        n_lacking = np.count_nonzero(lacks[:, steps + 1], axis=1)
        at = np.where(rows.step[mine] == NONE, 0, np.searchsorted(every, rows.step[mine]) + 1)
        found[mine] = np.where(n_lacking[key[mine]] > 0, np.where((at == 0) | lacks[key[mine], at], _LACKING, _BY_STEP), _WHOLE)
    return found


class _Parts(NamedTuple):
    """Of each row: the first row of its part, and the step that this part is counted from."""

    first: Int64Array
    counted_from: Int64Array


def _parts(of: Ranks, rank: Int64Array, step: Int64Array, runs: Int64Array, is_by_step: BoolArray) -> _Parts:
    """A rank's rows of one group and lane are one part; where it lacks steps that others have, another one begins."""
    common, least = first_common_step(of), int(np.iinfo(np.int64).min)
    counted_from = np.full(len(rank), least if common is None else common)
    part = np.zeros(len(rank), np.int64)
    if any(len(each.steps["number"]) == 0 for each in of.ranks):
        return _Parts(runs, counted_from)
    every = all_steps(of)
    for place, one in enumerate(of.ranks):
        begins = begun_after_gap(one.steps["number"], every)
        if len(begins) == 0 and common is not None:
            continue
        mine = slice(*np.searchsorted(rank, (place, place + 1)).tolist())
        # What a rank issued outside of its steps is of the part before.
        part[mine] = np.maximum.accumulate(runs[mine] * (len(begins) + 1) + np.searchsorted(begins, step[mine], "right"))
        part[mine] -= runs[mine] * (len(begins) + 1)
        first = np.concatenate((one.steps["number"][:1], begins))
        if common is not None:
            first[np.searchsorted(begins, common, "right")] = common
        counted_from[mine] = first[part[mine]]
    part, counted_from = np.where(is_by_step, step, part), np.where(is_by_step, step, counted_from)
    return _Parts(run_starts(runs, part), counted_from)


def first_common_step(of: Ranks) -> int | None:
    """None where a rank has no steps, or they share none."""
    sets = [set(rank.steps["number"].tolist()) for rank in of.ranks]
    common = set.intersection(*sets) if sets else set()
    return min(common) if common else None


def _until(
    rows: CollectiveRows, of: Ranks, group: Int64Array, lane: Int64Array, counted_from: Int64Array, order: Int64Array
) -> Int64Array:
    """How many of the same group and lane there are from the first common step to that from which a row is counted, told by the
    rank that has most in each step.
    """
    common = first_common_step(of)
    every = all_steps(of)
    if (counted_from == (np.iinfo(np.int64).min if common is None else common)).all():
        return np.zeros(len(order), np.int64)
    before = np.cumsum(_most(rows, of, group, lane), axis=1)
    origin = 0 if common is None else int(np.searchsorted(every, common))
    key = group_by(group, lane).of[order]
    until: Int64Array = before[key, np.searchsorted(every, counted_from)] - before[key, origin]
    return until


def _most(rows: CollectiveRows, of: Ranks, group: Int64Array, lane: Int64Array) -> Int64Array:
    """[group and lane, 1 + place of the step]: how many the rank has that has most; 0 of the first column."""
    keys, every = group_by(group, lane), all_steps(of)
    inside = np.flatnonzero(rows.step != NONE)
    at = np.searchsorted(every, rows.step[inside])
    met = group_by(rows.rank[inside], keys.of[inside], at)
    most = np.zeros((len(keys), len(every) + 1), np.int64)
    np.maximum.at(most, (keys.of[inside][met.first], at[met.first] + 1), np.bincount(met.of, minlength=len(met)))
    return most
