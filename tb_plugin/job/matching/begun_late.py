"""Recordings that begin within their first step: what a rank had issued before is in no file.

step        10         11        12
rank 0      0 1 2 3    4 5 6 7   8 9 10 11
rank 1          2 3    4 5 6 7   8 9 10 11     fewer in its first step, in all others as many: the first are missing

Told of a group, or of who sends to whom, by ranks whose host is recorded: there what is lost of a device is in the table as
issued, and lowers no count. What a device still had to do as the recording began, launched before, is of no step that began then:
of a rank that began late it is the last of what is missing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.job.ranks.steps import all_steps

if TYPE_CHECKING:
    from collections.abc import Collection

    from tb_plugin.job.ranks.ranks import Rank, Ranks
    from tb_plugin.job.ranks.rows import CollectiveRows


def not_here(rows: CollectiveRows, of: Ranks, lane: Int64Array) -> Int64Array:
    """Of each row how many of its rank, group and lane (`positions.py`) are missing before its first; 0 of one that has all."""
    found = _missing(rows, of, lane)
    if found is None:
        return np.zeros(len(rows), np.int64)
    left: Int64Array = np.maximum(found.n_unlaunched - found.n_there, 0)[rows.rank, found.key]
    return left


def begun_late(rows: CollectiveRows, of: Ranks, lane: Int64Array) -> dict[int, int]:
    """By place of a rank whose file begins within its first step: how many collectives of one group were launched before it."""
    found = _missing(rows, of, lane)
    most = found.n_unlaunched.max(axis=1, initial=0) if found is not None else np.zeros(0, np.int64)
    return {place: int(most[place]) for place in np.flatnonzero(most).tolist()}


class _Missing(NamedTuple):
    """[rank, key]: launched before its file begins; of these, in it as what the device still had to do. `key`: of each row."""

    n_unlaunched: Int64Array
    n_there: Int64Array
    key: Int64Array


def _missing(rows: CollectiveRows, of: Ranks, lane: Int64Array) -> _Missing | None:
    """None where no rank has fewer than another."""
    is_launched = (rows.stream == NONE) | (rows.issued != rows.start)
    inside = np.flatnonzero((rows.step != NONE) & is_launched)
    if len(inside) == 0:
        return None
    keys = group_by(np.where(rows.is_between_two, NONE, rows.group), lane)
    its = group_by(rows.rank[inside], keys.of[inside])
    rank, key = rows.rank[inside][its.first], keys.of[inside][its.first]
    n, most = np.bincount(its.of), np.zeros(len(keys), np.int64)
    np.maximum.at(most, key, n)
    if (n == most[key]).all():
        return None
    every = all_steps(of)
    has, of_key = np.zeros((len(its), len(every)), np.int64), np.zeros((len(keys), len(every)), np.int64)
    np.add.at(has, (its.of, np.searchsorted(every, rows.step[inside])), 1)
    np.maximum.at(of_key, key, has)
    first, is_later = _steps(of, every)
    is_as_long = ((has == of_key[key]) | ~is_later[rank]).all(axis=1) & is_later[rank].any(axis=1)
    n_unlaunched, n_there = (np.zeros((len(of.ranks), len(keys)), np.int64) for _ in range(2))
    lacks = (of_key[key] - has)[np.arange(len(its)), first[rank]]
    n_unlaunched[rank, key] = np.where(is_as_long, np.maximum(lacks, 0), 0)
    at = np.flatnonzero(~is_launched & (rows.step != NONE) & (rows.step == every[first][rows.rank]))
    np.add.at(n_there, (rows.rank[at], keys.of[at]), 1)
    return _Missing(n_unlaunched, n_there, keys.of)


def _steps(of: Ranks, every: Int64Array) -> tuple[Int64Array, BoolArray]:
    """(column of each rank's first step; [rank, step] whether it is a later one that is whole)."""
    first, is_later = np.zeros(len(of.ranks), np.int64), np.zeros((len(of.ranks), len(every)), np.bool_)
    for place, rank in enumerate(of.ranks):
        columns = np.searchsorted(every, rank.steps["number"])
        if len(columns) and rank.has_host:
            first[place] = columns[0]
            is_later[place, columns[1:]] = rank.steps["complete"][1:] > 0
    return first, is_later


def with_part_of_first(of: Ranks, late: Collection[int]) -> Ranks:
    """The first step of these ranks, by place, is not whole in their files."""
    if not late:
        return of
    return replace(of, ranks=tuple(_in_part(rank) if place in late else rank for place, rank in enumerate(of.ranks)))


def _in_part(rank: Rank) -> Rank:
    complete = rank.steps["complete"].copy()
    complete[0] = 0
    return replace(rank, steps={**rank.steps, "complete": complete})
