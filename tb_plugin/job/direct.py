"""Which collectives hold up the next kernel, and which wait for the kernel before, told over all ranks of the job.

Where one rank does not tell, the other members of the same instance do, and where none of them does, those of its group's
description and kind. A rank tells nothing where a slow launch, a busy stream or the collective before is reason enough: of what
begins after the kernel before, but not as that ends; of the next kernel, where it begins as launched or as its stream is free.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by, median_by
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE
from tb_plugin.trace.rank.sends import GAP_NS, SAID, SEEN, TIE_NS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job

_KEPT: Final = "_kept direct"
_MOST: Final = 0.5
_MOST_SENDS: Final = 0.95
"""A send runs beside kernels, unless practically all of its kind that tell were waited for."""


class Direct(NamedTuple):
    """Of each of the job's rows."""

    holds_up: BoolArray  # most of those that tell do
    is_told: BoolArray  # one of its group's description and kind at least tells
    runs_ahead: BoolArray  # most of those that tell began before the kernel before had ended
    n_between: Int64Array  # collectives that were launched before the kernel that waited, of those of its instance that tell

    def waits(self, job: Job, place: int) -> tuple[Int64Array, Int64Array]:
        """(collective, row that waits for it) in a rank's order, those that are edges. Of a collective of which its rank does not
        tell which kernels waited, those of the same place as on the ranks that do: a host that is late may launch kernels that
        need none of what was gathered ahead only after it was there.
        """
        rank = job.of.ranks[place]
        collective, row, how = (rank.needs[name] for name in ("collective", "row", "is_sure"))
        of_job = rank.order["what"][collective] + int(np.searchsorted(job.rows.rank, place))
        is_sure = np.where(job.rows.kind[of_job] == kinds.SEND, how == SAID, how >= SEEN)
        kept = is_sure | self.holds_up[of_job]
        moves = kept & ~is_sure & (rank.order["kind"][row] == CHUNK) & (self.n_between[of_job] != NONE)
        row = np.where(moves, _chunk_after(rank.order, collective, self.n_between[of_job]), row)
        kept &= (row != NONE) & (rank.order["start"][row] >= rank.order["end"][collective] - TIE_NS)
        return collective[kept], row[kept]

    def produced(self, job: Job, place: int) -> Int64Array:
        """Rows of a rank's order that wait for the chunk before them."""
        rank = job.of.ranks[place]
        row, before = _after_chunk(rank.order)
        of_job = rank.order["what"][row] + int(np.searchsorted(job.rows.rank, place))
        found: Int64Array = row[(before == AT_ITS_END) | ((before == LATER) & ~self.runs_ahead[of_job])]
        return found


def _n_between(order: Mapping[str, Int64Array], collective: Int64Array, row: Int64Array) -> Int64Array:
    """How many collectives were launched after each of these, and before the row."""
    n = np.cumsum(order["kind"] == COLLECTIVE)
    found: Int64Array = n[row] - n[collective]
    return found


def _chunk_after(order: Mapping[str, Int64Array], collective: Int64Array, n_between: Int64Array) -> Int64Array:
    """The first chunk that has so many collectives between (`_n_between`), or more; NONE without any."""
    chunks = np.flatnonzero(order["kind"] == CHUNK)
    n = np.cumsum(order["kind"] == COLLECTIVE)
    at = np.searchsorted(n[chunks], n[collective] + n_between)
    found: Int64Array = np.append(chunks, NONE)[at]
    return found


BEFORE, AT_ITS_END, LATER = range(3)


def _after_chunk(order: Mapping[str, Int64Array]) -> tuple[Int64Array, Int64Array]:
    """(rows of collectives with a chunk launched before them, when each began: before the chunk ended, as it ended, or later)."""
    is_chunk = order["kind"] == CHUNK
    last = np.maximum.accumulate(np.where(is_chunk, np.arange(len(is_chunk)), NONE))
    row = np.flatnonzero((order["kind"] == COLLECTIVE) & (last != NONE))
    is_close = order["start"][row] - order["end"][last[row]] <= GAP_NS
    return row, np.where(order["after"][row] == NONE, BEFORE, np.where(is_close, AT_ITS_END, LATER))


def direct(job: Job) -> Direct:
    """Every rank has its order of launches. Told once of a job, and kept in it."""
    found: Direct = vars(job).get(_KEPT) or vars(job).setdefault(_KEPT, _told(job))
    return found


def _told(job: Job) -> Direct:
    of_row = _classes(job)
    is_send = job.rows.kind == kinds.SEND
    holds, does_not, ahead, behind = (np.zeros(len(of_row)) for _ in range(4))
    between = np.full(len(of_row), np.nan)
    for place, rank in enumerate(job.of.ranks):
        of_job = rank.order["what"] + int(np.searchsorted(job.rows.rank, place))
        kind, needs = rank.order["kind"], rank.needs
        collective = np.flatnonzero(kind == COLLECTIVE)
        collective = collective[collective < np.flatnonzero(kind == CHUNK).max(initial=-1)]
        is_sure = needs["is_sure"] >= SEEN
        told = collective[~np.isin(collective, needs["collective"][~is_sure])]
        waits = is_sure & (kind[needs["row"]] == CHUNK)
        yes = distinct(needs["collective"][waits])
        holds[of_job[yes]] = 1
        between[of_job[needs["collective"][waits]]] = _n_between(rank.order, needs["collective"][waits], needs["row"][waits])
        does_not[of_job[np.setdiff1d(told, yes)]] = 1
        row, began = _after_chunk(rank.order)
        ahead[of_job[row[began == BEFORE]]] = 1
        behind[of_job[row[began == AT_ITS_END]]] = 1
    return Direct(
        holds_up=_most(job, of_row, holds, does_not, is_send),
        is_told=np.bincount(of_row, weights=holds + does_not)[of_row] > 0,
        runs_ahead=_most(job, of_row, ahead, behind, is_send),
        n_between=_of_instance(job, between),
    )


def _of_instance(job: Job, between: Float64Array) -> Int64Array:
    """Of each row what the median of its instance's members says; NONE where none does, and of what is between two."""
    of = np.where(job.rows.is_between_two, NONE, job.matched.of)
    rows = np.flatnonzero(of != NONE)
    members = group_by(of[rows])
    median = median_by(members, between[rows])
    found = np.full(len(of), NONE, np.int64)
    found[rows] = np.where(np.isfinite(median), median, NONE)[members.of]
    return found


def _most(job: Job, of_row: Int64Array, yes: Float64Array, no: Float64Array, is_send: BoolArray) -> BoolArray:
    """Of each row: of those of its instance that tell, most say yes; of its class where they are as many or none. Sender and
    receiver tell nothing of each other.
    """
    instance = np.where(job.rows.is_between_two, NONE, job.matched.of)
    n = len(job.matched) + 1
    members = (np.bincount(instance + 1, weights=yes - no, minlength=n))[instance + 1]
    of_class_yes, of_class = (np.bincount(of_row, weights=each)[of_row] for each in (yes, yes + no))
    most = of_class_yes > of_class * np.where(is_send, _MOST_SENDS, _MOST)
    found: BoolArray = np.where((instance == NONE) | (members == 0), most, members > 0)
    return found


def untold_sends(job: Job) -> int:
    """How many sends there are of which no file tells whether kernels wait for them."""
    sends = job.rows.kind == kinds.SEND
    if not sends.any() or any(len(rank.order["kind"]) == 0 for rank in job.of.ranks):
        return 0
    return int((sends & ~direct(job).is_told).sum())


def _classes(job: Job) -> Int64Array:
    """Of each of the job's rows a number for its group's description, its kind, and of a send whether to a later or an earlier
    rank: what is used alike.
    """
    texts = [group.description or group.name for group in job.table.groups] + [""]
    names = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    of_group = np.array([names[text] for text in texts], np.int64)
    is_later = (job.rows.kind == kinds.SEND) & (job.rows.peer > np.array(job.of.numbers)[job.rows.rank])
    number: Int64Array = (2 * of_group[job.rows.group] + is_later) * len(kinds.KINDS) + job.rows.kind
    return number
