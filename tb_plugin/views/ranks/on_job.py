"""Times of a rank on the job's clock, and the stretch of it that a picture of some ranks shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.job.rows import shift_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job

Stretches = dict[int | None, tuple[int, int]]
"""Where each step begins and ends, and under None the whole recording."""


def on_job(job: Job, place: int, times: Int64Array) -> Int64Array:
    """A rank's own times on the job's clock, since the job's base."""
    rank = job.of.ranks[place]
    local = times + shift_of(rank, job.table.base_ns)
    found: Int64Array = local - job.clocks.shift(np.full(len(local), rank.host), local)
    return found


def stretches(job: Job, place: int) -> Stretches:
    """Of a rank, on the job's clock. Steps of one number, as of a profiler that was started again, are one stretch."""
    rank = job.of.ranks[place]
    numbers = [None, *rank.steps["number"].tolist()]
    begins = on_job(job, place, np.append(rank.summary.start_ns, rank.steps["start"])).tolist()
    ends = on_job(job, place, np.append(rank.summary.end_ns, rank.steps["end"])).tolist()
    found: Stretches = {}
    for number, begin, end in zip(numbers, begins, ends, strict=True):
        first, last = found.get(number, (begin, end))
        found[number] = min(first, begin), max(last, end)
    return found


def window(job: Job, step: int | None, places: Sequence[int]) -> tuple[int, int]:
    """Of the step, or of all that was recorded, on these ranks. UsageError where none has it."""
    return common([stretches(job, place) for place in places], step)


def common(of: Sequence[Mapping[int | None, tuple[int, int]]], step: int | None) -> tuple[int, int]:
    """From where the first of them begins it to where the last ends."""
    found = [one[step] for one in of if step in one]
    if not found:
        raise UsageError(f"step {step}: none of these ranks has it")
    return min(begin for begin, _ in found), max(end for _, end in found)
