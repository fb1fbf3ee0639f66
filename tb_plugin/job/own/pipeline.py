"""Bubbles of a pipeline: time in which a rank has nothing to compute because its micro-batches are elsewhere.

    window      from where the first rank begins its forward to where the last ends its backward, on the job's clock
    bubble(r)   window less computation, and less what its tensor, expert and context collectives do with nothing to hide them
                = warm-up (before its first kernel) + steady (between) + drain (after its last)

    stage 0   F F F F . . B . B . B B        F: a send to the next stage follows, B: a receive from it came before
    stage 3   . . . F B F B F B F B .        the last stage takes turns: 1F1B; all F before all B: GPipe

With m micro-batches a schedule without other losses idles (p - 1) / (m + p - 1) of the window; where each stage has v chunks of
layers, m v parts pass through it: (p - 1) / (m v + p - 1) (Narayanan et al. 2021: (p - 1) / (m v) of what is computed). Sends do
not tell 1F1B from schedules that split the backward.

    p = 4, v = 2, m = 8      from a stage to the next, and a gradient back    16 = m v
                             from the last stage to the first, and back        8 = m (v - 1)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct, is_among
from tb_plugin.compute.intervals import Merged, length_within, subtract, union
from tb_plugin.job.ranks.rows import shift_of
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.base.units import BoolArray
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.dimensions import Dimensions
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime

ScheduleName = Literal["GPipe", "1F1B", "interleaved"]

_AS_WORK: Final = ("tensor", "expert", "context")
"""Collectives of a stage's own work: they are no bubble, however long its members wait."""


_LARGEST: Final = 1 << 61


@dataclass(frozen=True, kw_only=True)
class PipelineSchedule:
    """None is "cannot be told"."""

    name: ScheduleName | None
    n_micro_batches: int | None
    n_chunks: int | None  # of a stage
    ideal_share: float | None  # of the window


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """[rank, step], ns, NaN where not known; `begin` (on the job's clock) and `window` of each step. Warm-up, steady, drain and
    busy add up to the window.
    """

    n_stages: int
    begin: Float64Array
    window: Float64Array
    warm_up: Float64Array
    steady: Float64Array
    drain: Float64Array
    computation: Float64Array  # between the rank's first and last kernel of forward and backward
    waiting: Float64Array  # of the bubble what is exposed wait
    schedule: PipelineSchedule

    @property
    def bubble(self) -> Float64Array:
        return self.warm_up + self.steady + self.drain


def pipeline_of(job: Job, of: Dimensions, place: JobLayout, own: OwnTime) -> Pipeline | None:
    """Of the ranks whose clocks are tied. None without a pipeline of two stages, without such a rank of each, or without steps:
    between the steps of a recording that counts as one nobody knows what is a bubble.
    """
    n_stages = place.sizes.get("pipeline", int(place.stage.max(initial=NONE)) + 1)
    if n_stages < 2 or stages_here(job, place) != n_stages or not job.of.have_steps:
        return None
    begun, ended, busy, computed = (np.full(own.step.shape, np.nan) for _ in range(4))
    as_work = [at for at, name in enumerate(of.names) if name in _AS_WORK]
    is_work = job.rows.is_there & np.isin(of.of_rows(job.rows.group), as_work)
    ranks = [job.of.ranks[at] for at in job.tied.tolist()]
    lengths = [len(rank.steps["number"]) for rank in ranks]
    at, by = (np.repeat(each, lengths) for each in (job.tied, _shifts(job, job.tied)))
    number = np.concatenate([rank.steps["number"] for rank in ranks])
    t0, t1, passing = (np.concatenate([rank.work[f"passes_{name}"] for rank in ranks]) for name in ("from", "until", "busy"))
    kept = is_among(number, own.number) & (t0 != NONE)
    at, column, passing = at[kept], np.searchsorted(own.number, number[kept]), passing[kept]
    t0, t1 = (each[kept] + by[kept] for each in (t0, t1))
    begun[at, column], ended[at, column] = t0 - job.shift(at, t0), t1 - job.shift(at, t1)
    computed[at, column] = passing
    busy[at, column] = passing + _own_collectives(job, is_work, at, t0, t1)
    known = np.isfinite(begun[job.tied]).all(axis=0) & np.isfinite(own.step[job.tied]).all(axis=0)
    if not known.any():
        return None
    first, last = (np.where(known, each, np.nan) for each in (begun[job.tied].min(axis=0), ended[job.tied].max(axis=0)))
    return Pipeline(
        n_stages=n_stages,
        begin=first,
        window=last - first,
        warm_up=begun - first,
        steady=np.where(known, ended - begun - busy, np.nan),
        drain=last - ended,
        computation=np.where(known, computed, np.nan),
        waiting=_waiting(job, is_work, own, first, last),
        schedule=_schedule(job, of, place, own, n_stages),
    )


def _waiting(job: Job, is_work: BoolArray, own: OwnTime, first: Float64Array, last: Float64Array) -> Float64Array:
    """[rank, step] within the windows, and within the rank's own step: what none of its kernels hides, and no collective of its
    own work.
    """
    found = np.full(own.step.shape, np.nan)
    of_step, number, t0, t1 = _on_clock(job, job.tied, "steps", ("number", "start", "end"))
    kept = is_among(number, own.number)
    of_step, t0, t1, column = of_step[kept], t0[kept], t1[kept], np.searchsorted(own.number, number[kept])
    from_ns, until_ns = np.maximum(t0, first[column]), np.minimum(t1, last[column])
    is_told = np.isfinite(from_ns) & np.isfinite(until_ns)
    of_step, column, from_ns, until_ns = of_step[is_told], column[is_told], from_ns[is_told], until_ns[is_told]
    start, end = job.waits.start, job.waits.end
    rows = np.flatnonzero(job.rows.is_there & is_among(job.rows.rank, job.tied))
    work, rest = rows[is_work[rows]], rows[~is_work[rows]]
    of_computing, _, computing_from, computing_until = _on_clock(job, job.tied, "computing", ("start", "start", "end"))
    for axis in _axes(job.tied, (start[rows], end[rows], computing_from, computing_until)):
        beside = axis.beside
        waits = subtract(
            subtract(
                union(*beside(job.rows.rank[rest], start[rest], start[rest] + job.waits.wait[rest])),
                Merged(*beside(of_computing, computing_from, computing_until)),
            ),
            union(*beside(job.rows.rank[work], start[work], end[work])),
        )
        mine = is_among(of_step, axis.ranks)
        inside = beside(of_step, from_ns.astype(np.int64), until_ns.astype(np.int64))
        found[of_step[mine], column[mine]] = length_within(waits, inside[0], np.maximum(*inside))
    return found


class _Axis(NamedTuple):
    """One rank after the other, so that all are asked at once."""

    ranks: Int64Array
    low: int
    width: int

    def beside(self, of: Int64Array, *times: Int64Array) -> list[Int64Array]:
        """`of`: the rank of each time; those of others are left out."""
        use = is_among(of, self.ranks)
        lane = np.searchsorted(self.ranks, of[use]) * self.width
        return [lane + np.clip(each[use] - self.low, 0, self.width - 1) for each in times]


def _axes(ranks: Int64Array, times: Sequence[Int64Array]) -> Iterator[_Axis]:
    """For all of them, as many at once as 64 bits have room for."""
    low = int(min((each.min() for each in times if len(each)), default=0))
    width = int(max((each.max() for each in times if len(each)), default=0)) - low + 2
    at_once = max(_LARGEST // width, 1)
    for begin in range(0, len(ranks), at_once):
        yield _Axis(ranks[begin : begin + at_once], low, width)


def _shifts(job: Job, ranks: Int64Array) -> Int64Array:
    return np.array([shift_of(job.of.ranks[at], job.table.base_ns) for at in ranks.tolist()], np.int64)


def _on_own(job: Job, ranks: Int64Array, table: str, columns: tuple[str, str, str]) -> tuple[Int64Array, ...]:
    """(rank of each row, the first column, two times on the rank's clock) of a table of these ranks."""
    tables = [getattr(job.of.ranks[at], table) for at in ranks.tolist()]
    lengths = [len(one[columns[0]]) for one in tables]
    by = np.repeat(_shifts(job, ranks), lengths)
    plain, begin, end = (np.concatenate([one[name] for one in tables]) for name in columns)
    return np.repeat(ranks, lengths), plain, begin + by, end + by


def _on_clock(job: Job, ranks: Int64Array, table: str, columns: tuple[str, str, str]) -> tuple[Int64Array, ...]:
    """The same on the job's clock."""
    of_row, plain, begin, end = _on_own(job, ranks, table, columns)
    return of_row, plain, begin - job.shift(of_row, begin), end - job.shift(of_row, end)


def stages_here(job: Job, place: JobLayout) -> int:
    """How many stages have a rank whose clock is tied."""
    stage = place.stage[job.tied]
    return len(distinct(stage[stage != NONE]))


def _own_collectives(job: Job, is_work: BoolArray, rank: Int64Array, t0: Int64Array, t1: Int64Array) -> Int64Array:
    """Exposed time of a rank's tensor, expert and context collectives, `is_work`, in each window, on its own clock."""
    found = np.zeros(len(rank), np.int64)
    rows = np.flatnonzero(is_work & is_among(job.rows.rank, job.tied))
    start, end = job.rows.start[rows], job.rows.end[rows]
    of_computing, _, computing_from, computing_until = _on_own(job, job.tied, "computing", ("start", "start", "end"))
    for axis in _axes(job.tied, (start, end, computing_from, computing_until)):
        computing = Merged(*axis.beside(of_computing, computing_from, computing_until))
        shown = subtract(union(*axis.beside(job.rows.rank[rows], start, end)), computing)
        found[is_among(rank, axis.ranks)] = length_within(shown, *axis.beside(rank, t0, t1))
    return found


def _schedule(job: Job, of: Dimensions, place: JobLayout, own: OwnTime, n_stages: int) -> PipelineSchedule:
    """By the sends and receives of a rank of the last stage in a step; every rank and step has to say the same."""
    unknown = PipelineSchedule(name=None, n_micro_batches=None, n_chunks=None, ideal_share=None)
    other = _peer_stage(job, of, place)
    if n_stages > 2 and bool(((other != NONE) & (np.abs(other - place.stage[job.rows.rank]) == n_stages - 1)).any()):
        return _interleaved(job, place, own, other, n_stages)  # the first and the last stage talk to each other
    passed = _passes(job, place, other)
    said = set()
    for rank in np.flatnonzero(place.stage == n_stages - 1).tolist():
        mine = job.rows_of(rank)
        mine = mine[(passed[mine] != NEITHER) & np.isin(job.rows.step[mine], own.number)]
        for step in distinct(job.rows.step[mine]).tolist():
            said.add("".join("FB"[each] for each in passed[mine[job.rows.step[mine] == step]].tolist()))
    if len(said) != 1:
        return unknown
    order = said.pop()
    n_forward = order.count("F")
    if n_forward != order.count("B"):
        return unknown
    name: ScheduleName | None = None
    if order == "FB" * n_forward:
        name = "1F1B"
    elif order == "F" * n_forward + "B" * n_forward:
        name = "GPipe"
    return PipelineSchedule(name=name, n_micro_batches=n_forward, n_chunks=1, ideal_share=_ideal_share(n_stages, n_forward))


def _ideal_share(n_stages: int, n_parts: int) -> float:
    """`n_parts`: that pass through a stage, each forward and backward."""
    return (n_stages - 1) / (n_parts + n_stages - 1)


def _interleaved(job: Job, place: JobLayout, own: OwnTime, other: Int64Array, n_stages: int) -> PipelineSchedule:
    """Its chunks and micro-batches, where in every step each rank of all stages sends as often to the next as to the one before
    and receives as often, and around from the last to the first and back less often.
    """
    mine, sends = place.stage[job.rows.rank], job.rows.kind == kinds.SEND
    around = np.abs(other - mine) == n_stages - 1
    counted = (other != NONE) & (mine != NONE) & np.isin(job.rows.step, own.number)
    steps, ranks = len(own.number), np.flatnonzero(place.stage != NONE)
    said: dict[bool, set[int]] = {True: set(), False: set()}
    for to in (1 - n_stages, -1, 1, n_stages - 1):
        its = ranks[(place.stage[ranks] + to >= 0) & (place.stage[ranks] + to < n_stages)]
        for is_send in (True, False):
            found = counted & (other - mine == to) & (sends == is_send)
            n = np.zeros((len(place.stage), steps), np.int64)
            np.add.at(n, (job.rows.rank[found], np.searchsorted(own.number, job.rows.step[found])), 1)
            said[abs(to) > 1] |= set(distinct(n[its][np.isfinite(own.step[its])]).tolist())
    whole = np.count_nonzero(counted & ~around & (np.abs(other - mine) != 1)) == 0
    told = PipelineSchedule(name="interleaved", n_micro_batches=None, n_chunks=None, ideal_share=None)
    if not whole or [len(said[which]) for which in (True, False)] != [1, 1]:
        return told
    n_around, n_parts = said[True].pop(), said[False].pop()
    n_micro = n_parts - n_around
    if n_micro <= 0 or n_parts % n_micro:
        return told
    share = _ideal_share(n_stages, n_parts)
    return PipelineSchedule(name="interleaved", n_micro_batches=n_micro, n_chunks=n_parts // n_micro, ideal_share=share)


FORWARD, BACKWARD, NEITHER = 0, 1, 2


def passed_on(job: Job, of: Dimensions, place: JobLayout, n_around: int | None = None) -> Int64Array:
    """Of each row FORWARD, BACKWARD or NEITHER. `n_around`: how many stages there are, where the last hands on to the first."""
    return _passes(job, place, _peer_stage(job, of, place), n_around)


def _passes(job: Job, place: JobLayout, other: Int64Array, n_around: int | None = None) -> Int64Array:
    """Of each row: does it hand a micro-batch on in the forward, or its gradient in the backward?

    A receive from the stage before and a send to the stage after are of the forward, the others of the backward.
    """
    mine, sends = place.stage[job.rows.rank], job.rows.kind == kinds.SEND
    after, before = (mine + 1, mine - 1) if n_around is None else ((mine + 1) % n_around, (mine - 1) % n_around)
    later, earlier = (other == after) & (other != NONE), (other == before) & (other != NONE)
    forward, backward = np.where(sends, later, earlier), np.where(sends, earlier, later)
    return np.select([forward, backward], [FORWARD, BACKWARD], NEITHER).astype(np.int64)


def _peer_stage(job: Job, of: Dimensions, place: JobLayout) -> Int64Array:
    """Of each send and receive of the pipeline the stage of the other side; NONE of all other rows."""
    rows = job.rows
    numbers = np.array(job.of.numbers)
    at = np.minimum(np.searchsorted(numbers, rows.peer), len(numbers) - 1)
    of_pipeline: BoolArray = np.array([name == "pipeline" for name in of.names])[of.of_rows(rows.group)]
    known = rows.is_between_two & of_pipeline & (numbers[at] == rows.peer)
    return np.where(known, place.stage[at], NONE)
