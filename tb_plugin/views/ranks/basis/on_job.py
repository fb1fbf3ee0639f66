"""Times of a rank on the job's clock, and the stretch of it that a picture of some ranks shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.job.ranks.rows import shift_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job

Stretches = dict[int | None, tuple[int, int]]
"""Where each step begins and ends, and under None the whole recording."""


def in_profile(job: Job, place: int, at_ns: int) -> int:
    """A time on the job's clock as a rank's own profile has it. `place`: of the rank."""
    shift = int(job.shift(place, np.array([at_ns]))[0])
    return at_ns + shift - shift_of(job.of.ranks[place], job.table.base_ns)


def on_job(job: Job, place: int, times: Int64Array) -> Int64Array:
    """A rank's own times on the job's clock, since the job's base."""
    rank = job.of.ranks[place]
    local = times + shift_of(rank, job.table.base_ns)
    found: Int64Array = local - job.shift(place, local)
    return found


def stretches(job: Job) -> list[Stretches]:
    """Of each rank, on the job's clock. Steps of one number, as of a profiler that was started again, are one stretch."""
    ranks, base = job.of.ranks, job.table.base_ns
    numbers = [[None, *rank.steps["number"].tolist()] for rank in ranks]
    place = np.repeat(np.arange(len(ranks)), [len(of) for of in numbers])
    begins = np.concatenate([np.append(rank.summary.start_ns, rank.steps["start"]) + shift_of(rank, base) for rank in ranks])
    ends = np.concatenate([np.append(rank.summary.end_ns, rank.steps["end"]) + shift_of(rank, base) for rank in ranks])
    times = zip((begins - job.shift(place, begins)).tolist(), (ends - job.shift(place, ends)).tolist(), strict=True)
    found: list[Stretches] = [{} for _ in ranks]
    for of, named in zip(found, numbers, strict=True):
        for number, (begin, end) in zip(named, times, strict=False):
            first, last = of.get(number, (begin, end))
            of[number] = min(first, begin), max(last, end)
    return found


def window(of: Iterable[Stretches], step: int | None) -> tuple[int, int]:
    """From where the first of some ranks begins the step, or recording, to where the last ends. UsageError where none has it."""
    found = [one[step] for one in of if step in one]
    if not found:
        raise UsageError(f"step {step}: none of these ranks has it")
    return min(begin for begin, _ in found), max(end for _, end in found)
