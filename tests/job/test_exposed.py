"""Whose an instant is that no kernel hides, against a reading instant by instant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.intervals import intersect, union
from tb_plugin.job.own.exposed import Exposed, exposed_by

if TYPE_CHECKING:
    from tb_plugin.job.job import Job

STEPS = [(0, 20), (20, 40)]
N_PARTS = 3


class Row(NamedTuple):
    """A collective of a rank: it waits, then moves data, or nobody can tell."""

    part: int
    start: int
    wait: int
    rest: int
    is_untold: bool = False

    @property
    def end(self) -> int:
        return self.start + self.wait + self.rest

    def kind(self, t: int) -> int:
        return 0 if t < self.start + self.wait else 2 if self.is_untold else 1


ROWS = st.builds(Row, st.integers(0, N_PARTS - 1), st.integers(0, 35), st.integers(0, 9), st.integers(0, 9), st.booleans())
KERNELS = st.lists(st.tuples(st.integers(0, 38), st.integers(1, 6)), max_size=8)
RANKS = st.lists(st.tuples(KERNELS, st.lists(ROWS, max_size=8)), min_size=1, max_size=3)


def job_of(ranks: list[tuple[list[tuple[int, int]], list[Row]]]) -> tuple[Job, np.ndarray[Any, Any]]:
    rows = [(place, row) for place, (_, its) in enumerate(ranks) for row in its]

    def column(values: list[int]) -> np.ndarray[Any, Any]:
        return np.array(values, np.int64)

    of = []
    for kernels, its in ranks:
        computing = union(column([t for t, _ in kernels]), column([t + n for t, n in kernels]))
        communicating = union(column([row.start for row in its]), column([row.end for row in its]))
        busy = intersect(computing, communicating)  # all that is kept of it
        steps = {"start": column([t for t, _ in STEPS]), "end": column([t for _, t in STEPS])}
        summary = SimpleNamespace(base_ns=0)
        of.append(
            SimpleNamespace(summary=summary, computing={"start": busy.start, "end": busy.end}, host_waits=None, steps=steps)
        )
    job = SimpleNamespace(
        of=SimpleNamespace(ranks=of),
        table=SimpleNamespace(base_ns=0),
        rows=SimpleNamespace(
            rank=column([place for place, _ in rows]),
            start=column([row.start for _, row in rows]),
            end=column([row.end for _, row in rows]),
            is_there=np.ones(len(rows), np.bool_),
        ),
        waits=SimpleNamespace(
            wait=column([row.wait for _, row in rows]), untold=column([row.rest * row.is_untold for _, row in rows])
        ),
    )
    return cast("Job", job), column([row.part for _, row in rows])


def found(ranks: list[tuple[list[tuple[int, int]], list[Row]]]) -> Exposed:
    return exposed_by(*job_of(ranks), N_PARTS)


def by_instant(kernels: list[tuple[int, int]], rows: list[Row]) -> np.ndarray[Any, Any]:
    """[step, part, (wait, transfer, not told apart)], in parts of an instant."""
    computes = {t for start, n in kernels for t in range(start, start + n)}
    shares = np.zeros((len(STEPS), N_PARTS, 3))
    resumed = _resumed(computes, {t for row in rows for t in range(row.start, row.end)})
    for step, (t0, t1) in enumerate(STEPS):
        for t in range(t0, t1):
            active = [row for row in rows if row.start <= t < row.end]
            if t in computes or not active:
                continue
            resumes = min((each for each in resumed if each > t), default=10**9)
            holding = [row for row in active if row.end <= resumes] or active
            kind = min(row.kind(t) for row in holding)
            parts = {row.part for row in holding if row.kind(t) == kind}
            for part in parts:
                shares[step, part, kind] += 1 / len(parts)
    return shares


def _resumed(computes: set[int], communicates: set[int]) -> set[int]:
    """Less what is a tenth as long as what is communicated, and no kernel hides, right before and behind it."""
    parts: list[list[int]] = []
    for t in sorted(computes):
        if parts and parts[-1][-1] == t - 1:
            parts[-1].append(t)
        else:
            parts.append([t])

    def beside(t: int, way: int) -> int:
        return next(n for n in range(99) if t + way * n in computes or t + way * n not in communicates)

    short = [part for part in parts if 10 * len(part) <= min(beside(part[0] - 1, -1), beside(part[-1] + 1, 1))]
    return computes - {t for part in short for t in part}


@given(ranks=RANKS)
def test_every_instant_belongs_to_what_held_the_rank_up(ranks: list[tuple[list[tuple[int, int]], list[Row]]]) -> None:
    for share, (kernels, rows) in zip(found(ranks).shares, ranks, strict=True):
        expected = by_instant(kernels, rows)
        assert np.abs(share - expected).max() <= 20  # what does not divide goes to the first
        np.testing.assert_allclose(share.sum(axis=1), expected.sum(axis=1), atol=1e-6)


def test_a_receive_that_was_posted_early_takes_nothing_from_what_held_the_rank_up() -> None:
    receive, all_reduce = Row(0, start=2, wait=25, rest=3), Row(1, start=5, wait=1, rest=6)
    (share,) = found([([(0, 5), (12, 5)], [receive, all_reduce])]).shares
    # From 17 on it computes nothing until the receive is over: there the receive holds it up.
    assert share[:, :, :2].sum(axis=0).tolist() == [[10, 3], [1, 6], [0, 0]]


def test_a_gradient_that_is_reduced_behind_takes_nothing_from_what_is_waited_for() -> None:
    reduce, receive = Row(1, start=5, wait=0, rest=15), Row(0, start=6, wait=5, rest=1)
    (share,) = found([([(0, 5), (12, 10)], [reduce, receive])]).shares
    assert share[:, :, :2].sum(axis=0).tolist() == [[5, 1], [0, 1], [0, 0]]


def test_a_short_copy_on_another_stream_ends_no_gap() -> None:
    """An all-gather and an all-reduce at once, and a copy behind the one: both held the rank up until it computes again."""
    gather, reduce = Row(0, start=5, wait=0, rest=12), Row(1, start=5, wait=0, rest=30)
    (share,) = found([([(0, 5), (18, 1), (35, 5)], [gather, reduce])]).shares
    assert share[:, :, 1].sum(axis=0).tolist() == [6, 23, 0]
