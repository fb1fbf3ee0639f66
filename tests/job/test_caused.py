"""What who comes last makes the others wait, against a reading instant by instant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.job.why.caused import Caused, caused

if TYPE_CHECKING:
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.own_time import OwnTime

STEPS = (10, 11)
ARRIVALS = st.lists(st.integers(0, 30), min_size=2, max_size=4, unique=True)
MET = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(STEPS), ARRIVALS), max_size=8)


def found(met: list[tuple[int, int, list[int]]]) -> Caused:
    """Each: (place of who came last, its step, when each of them came); a step lies 100 behind the one before."""

    def column(values: list[Any]) -> np.ndarray[Any, Any]:
        return np.array(values, np.int64)

    came = [sorted(100 * (step - STEPS[0]) + t for t in arrivals) for _, step, arrivals in met]
    rows = SimpleNamespace(
        rank=column([rank for rank, _, _ in met]),
        step=column([step for _, step, _ in met]),
        is_between_two=np.zeros(len(met), np.bool_),
    )
    instances = SimpleNamespace(
        has_last=np.ones(len(met), np.bool_),
        n_members=column([len(arrivals) for _, _, arrivals in met]),
        last_arrival=column([each[-1] for each in came]),
        second_arrival=column([each[-2] for each in came]),
        others_arrival=np.array([np.median(each[:-1]) for each in came]),
    )
    job = SimpleNamespace(
        instances=instances,
        rows=rows,
        of=SimpleNamespace(ranks=[None] * 3),
        waits=SimpleNamespace(is_last=np.ones(len(met), np.bool_)),
        matched=SimpleNamespace(of=np.arange(len(met))),
    )
    return caused(cast("Job", job), cast("OwnTime", SimpleNamespace(number=np.array(STEPS))))


@given(met=MET)
def test_an_instant_in_which_several_wait_for_one_counts_once(met: list[tuple[int, int, list[int]]]) -> None:
    reply = found(met)
    for rank in range(3):
        for place, number in enumerate(STEPS):
            its = [sorted(arrivals) for who, step, arrivals in met if (who, step) == (rank, number)]
            waited = {t for arrivals in its for t in range(arrivals[-2], arrivals[-1])}
            assert reply.least_ns[rank, place] == len(waited)
            most = {t for arrivals in its for t in range(int(np.rint(np.median(arrivals[:-1]))), arrivals[-1])}
            assert reply.most_ns[rank, place] == len(most)
