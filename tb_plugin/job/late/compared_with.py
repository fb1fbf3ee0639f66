"""Whom each rank is compared with once it is known who is late, and what it has more: what tables, map and panels show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.job.late.limits import median
from tb_plugin.job.late.peers import from_peers, measure_of, peers_of
from tb_plugin.job.late.stage_level import StageLevels, Stages
from tb_plugin.job.late.stragglers import late_in
from tb_plugin.job.late.unit_excess import more_than
from tb_plugin.job.late.units import outside_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.layout import JobLayout


def excess_of(work: Float64Array, place: JobLayout, found: Sequence[Straggler]) -> Float64Array:
    """[rank, step], ns: what each rank has more than those it is compared with (`compared_with`), in the median."""
    left = _unexplained(work, found)
    is_late = _are_late(work, found)
    excess, taken = from_peers(left, place, is_late), _blamed_ranks(found)
    for unit in _largest_first(found):
        members = [rank for rank in unit.members if rank not in taken]
        taken.update(members)
        level = _stage_level(unit, work, place, found)
        outside, measure = _outside_of_unit(unit, work, found)
        excess[members] = more_than(work[members], measure, level[members], level[outside])
    for one in found:
        if one.level == "rank":
            excess[one.number] = left[one.number] - median(_measure_for(one, left, is_late))
    return excess


class ComparedWith(NamedTuple):
    """Whom a rank is compared with, and what each of these has, [one of them, step]."""

    peers: Int64Array
    work: Float64Array


def compared_with(rank: int, work: Float64Array, place: JobLayout, found: Sequence[Straggler]) -> ComparedWith:
    """Its peers, in the steps in which they are not late themselves, where there are such; of a member of a blamed stage, host or
    replica that is not blamed itself, likewise the ranks outside of that. Not those without steps.

    Of who is blamed beside such a unit what the unit explains is no difference to its peers.
    """
    is_late = _are_late(work, found)
    unit = next((one for one in _largest_first(found) if rank in one.members), None)
    blamed = next((one for one in found if one.level == "rank" and one.number == rank), None)
    if unit is not None and blamed is None:
        level = _stage_level(unit, work, place, found)
        outside, measure = _outside_of_unit(unit, work, found)
        measure = measure * (level[rank] / level[outside])[:, None]
        has_steps = np.isfinite(measure).any(axis=1)
        has_steps |= ~has_steps.any()
        return ComparedWith(outside[has_steps], measure[has_steps])
    peers, left = np.array(blamed.peers) if blamed else peers_of(rank, place), _unexplained(work, found)
    measure = _measure_for(blamed, left, is_late) if blamed else measure_of(left, peers, is_late)
    is_known = np.isfinite(left[peers]).any(axis=1)
    is_usual = np.isfinite(np.where(is_late[peers], np.nan, measure)).any(axis=1)  # in a step at least, where there are such
    is_one = (is_usual if is_usual.any() else np.isfinite(measure).any(axis=1)) | (~is_known & ~is_known.any())
    return ComparedWith(peers[is_one], (measure + (work - left)[rank])[is_one])


def _stage_level(unit: Straggler, work: Float64Array, place: JobLayout, found: Sequence[Straggler]) -> Float64Array:
    """Of each rank. What a blamed stage has more is no part of it: its ranks need that beside others."""
    left = _unexplained(work, [one for one in found if one.level == "stage"])
    return StageLevels(left, Stages(place.stage)).of(np.array(unit.members))


def _outside_of_unit(unit: Straggler, work: Float64Array, found: Sequence[Straggler]) -> tuple[Int64Array, Float64Array]:
    """The ranks outside of a stage, host or replica, and what those have who are not late, for themselves or with another."""
    outside = outside_of(np.array(unit.members), len(work))
    others = [one for one in found if one.level != "rank" and not set(unit.members) <= set(one.members)]
    return outside, measure_of(work, outside, _are_late(work, found) | late_in(work.shape, others))


def _measure_for(one: Straggler, left: Float64Array, is_late: BoolArray) -> Float64Array:
    """Of who is blamed; where all of its peers are late too, less by what they have more."""
    measure = measure_of(left, np.array(one.peers), is_late)
    more_of_all = median(measure) - (left[one.number] - one.excess_ns)
    return measure - np.where(one.excess_ns > 0, more_of_all, 0.0)


def _are_late(work: Float64Array, found: Sequence[Straggler]) -> BoolArray:
    """[rank, step]: who is blamed for itself."""
    return late_in(work.shape, [one for one in found if one.level == "rank"])


def _blamed_ranks(found: Sequence[Straggler]) -> set[int]:
    return {one.number for one in found if one.level == "rank"}


def _largest_first(found: Sequence[Straggler]) -> list[Straggler]:
    return sorted((one for one in found if one.level != "rank"), key=lambda one: -len(one.members))


def _unexplained(work: Float64Array, found: Sequence[Straggler]) -> Float64Array:
    left: Float64Array = work.copy()
    for one in _largest_first(found):
        left[list(one.members)] -= one.explained_ns
    return left
