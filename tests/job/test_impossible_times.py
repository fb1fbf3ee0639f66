"""A few bytes of a file are damaged: one event lasts for hours, or stands seconds away. No sentence rests on it."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def spoiled(folder: Path, name: str, nth: int, slow: dict[int, float], **changed: float) -> RanksTable:
    """The job with another time of one event of rank 3: `dur`, or `ts` of so much more."""
    paths = Job(n_steps=4, slow=slow).write(folder)
    trace = json.loads(gzip.decompress(paths[3].read_bytes()))
    event: dict[str, Any] = [each for each in trace["traceEvents"] if each["name"].startswith(name)][nth]
    event["dur"] = changed.get("dur", event["dur"])
    event["ts"] += changed.get("ts", 0.0)
    paths[3].write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    return join([member(path) for path in paths], RanksParams())


@pytest.mark.parametrize("slow", [{}, {1: 1.25}])
@pytest.mark.parametrize(
    ("name", "nth", "changed", "said"),
    [
        ("sgemm", 8, {"dur": 7.2e9}, "the times of a kernel (sgemm_128x64_nn, 7200 s) cannot be"),
        ("sgemm", 8, {"dur": 375_000.0}, "the times of a kernel (sgemm_128x64_nn, 375 ms) cannot be"),
        ("sgemm", 8, {"ts": 5e6}, "the times of a kernel (sgemm_128x64_nn, 401 us) cannot be"),
        ("sgemm", 8, {"ts": -5e6}, "the times of a kernel (sgemm_128x64_nn, 401 us) cannot be"),
        ("ProfilerStep#11", 0, {"dur": 375_000.0}, "rofilerStep#11 cannot last 375 ms: the next one begins in it"),
    ],
)
def test_nobody_is_blamed_for_it_and_its_step_is_not_told_of_its_rank(
    tmp_path: Path, name: str, nth: int, changed: dict[str, float], said: str, slow: dict[int, float]
) -> None:
    table = spoiled(tmp_path, name, nth, slow, **changed)
    assert [(one.name, one.cause, one.steps) for one in table.blamed] == [
        (f"rank {rank}", "slow_kernels", [10, 11, 12, 13]) for rank in slow
    ]
    assert table.parts is not None
    assert table.parts.step_ns < 4_000_000
    assert said in table.sentences[1]
    assert ": step 11 is not whole in it" in table.sentences[1]
    assert {row.n_steps for row in table.ranks if row.rank != 3} == {4}
    assert next(row.n_steps for row in table.ranks if row.rank == 3) == 3
