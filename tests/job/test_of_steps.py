"""A stage of a pipeline that has more work in some steps only: that is no layout, and nothing to spread."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable

_LATER: int = 100_000


def in_turn(folder: Path, jobs: list[PipelineJob]) -> RanksTable:
    """A job of which each of these is a step."""
    whole: dict[str, dict[str, Any]] = {}
    begins = 0.0
    for nth, job in enumerate(jobs):
        (folder / str(nth)).mkdir(parents=True)
        for path in job.write(folder / str(nth)):
            file = json.loads(gzip.decompress(path.read_bytes()))
            for event in file["traceEvents"]:
                _move(event, begins, nth)
            if path.name in whole:
                whole[path.name]["traceEvents"] += file["traceEvents"]
            else:
                whole[path.name] = file
        begins += job.ended_ns / 1000 + 1000
    for name, file in whole.items():
        (folder / name).write_bytes(gzip.compress(json.dumps(file).encode()))
    return join([member(folder / name) for name in sorted(whole)], RanksParams())


def _move(event: dict[str, Any], begins: float, nth: int) -> None:
    if "ts" in event:
        event["ts"] += begins
    event["name"] = event["name"].replace("ProfilerStep#7", f"ProfilerStep#{7 + nth}")
    for key in {"correlation", "External id"} & set(event.get("args", {})):
        event["args"][key] += nth * _LATER
    if event["ph"] in "sf":
        event["id"] += nth * _LATER


def test_more_work_in_some_steps_is_held_against_the_others(tmp_path: Path) -> None:
    """What a step without is is known: that of the other steps. Spread, even the least would be more."""
    table = in_turn(tmp_path / "job", [PipelineJob(n_kernels={2: 2} if nth in (0, 2) else {}, syncs=True) for nth in range(4)])
    healthy = in_turn(tmp_path / "healthy", [PipelineJob(syncs=True) for _ in range(4)]).job_step_ns
    (one,) = table.blamed
    assert (one.name, one.cause, one.steps) == ("rank 2", "more_work", [7, 9])
    assert healthy is not None
    assert one.step_without_least_ns == pytest.approx(healthy, rel=0.01)
    (said,) = (said for said in table.sentences if said.startswith("Rank 2"))
    assert "Without it such a step would take" in said
    assert "spread evenly" not in said


def test_more_work_in_all_steps_is_spread(tmp_path: Path) -> None:
    table = in_turn(tmp_path, [PipelineJob(n_kernels={2: 2}, syncs=True) for _ in range(3)])
    (said,) = (said for said in table.sentences if said.startswith("Rank 2"))
    assert "With its work spread evenly over the stages a step would take" in said
