"""What waits for a send: told by times, by the file, or not at all. The truth is the same job simulated with other sends."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.replay.direct import untold_sends
from tb_plugin.job.what_if.what_if_asked import Edited, steps_if
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.sends import NOT_TOLD
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.doubts import on_sends
from tests.job.recorded import member, recorded
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

US = 1000
LONG: dict[str, Any] = {"schedule": "GPipe", "syncs": True, "send_ns": 300 * US}
NOT_WHICH: list[dict[str, Any]] = [{"says_waits": True, "n_unknown": number} for number in (math.inf, 10)]
"""Rows of streams that wait with -1 in the place of the record."""


def made(folder: Path, **more: Any) -> tuple[PipelineJob, Analysed]:
    job = PipelineJob(**more)
    return job, analysed(recorded(job.write(folder)))


def sooner_ns(of: Analysed, *edits: str) -> float:
    assert of.replay is not None
    edited = Edited(of.replay, of.job, of.own, of.layout, of.dimensions, of.links, of.faults)
    (was,), (would_be,) = steps_if(edited, [])[0].values(), steps_if(edited, edits)[0].values()
    return was - would_be


def awaited_sends(of: Analysed) -> int:
    """Edges out of the end of a send into the start of a kernel."""
    assert of.replay is not None
    source, target = of.replay.source, of.replay.target
    inside = (source < 3 * len(of.replay.rank)) & (target < 3 * len(of.replay.rank)) & (source % 3 == 2) & (target % 3 == 1)
    row, to = source[inside] // 3, target[inside] // 3
    row = row[of.replay.is_collective[row] & of.replay.is_chunk[to]]
    return int((of.job.rows.kind[of.replay.what[row]] == kinds.SEND).sum())


@pytest.mark.parametrize(
    "more",
    [{}, {"says_waits": True, "after_send_ns": 6 * US}, {"blocking": "F"}, *NOT_WHICH],
    ids=["by times", "as the file says", "those to later stages only", "no row says which event", "not all rows say it"],
)
def test_a_send_that_blocks_is_an_edge(tmp_path: Path, more: dict[str, Any]) -> None:
    job, of = made(tmp_path, **LONG, blocks=True, **more)
    quick, _ = made(tmp_path, **{**LONG, "send_ns": 100 * US}, blocks=True, **more)
    gain = job.ended_ns - quick.ended_ns
    assert gain > 1_000 * US
    assert sooner_ns(of, f"transfer={1 / 3}") == pytest.approx(gain, rel=0.02)
    (path,) = of.paths
    gaps = sum(piece.end - piece.start for piece in path.pieces if piece.what == "gap")
    assert gaps < 0.02 * path.length


@pytest.mark.parametrize("more", [{}, NOT_WHICH[0]])
def test_a_send_that_runs_beside_kernels_is_none(tmp_path: Path, more: dict[str, Any]) -> None:
    job, of = made(tmp_path, **LONG, **more)
    quick, _ = made(tmp_path, **{**LONG, "send_ns": 100 * US})
    assert awaited_sends(of) == 0
    assert sooner_ns(of, f"transfer={1 / 3}") == pytest.approx(job.ended_ns - quick.ended_ns, rel=0.02)
    assert untold_sends(of.job) == 0


def test_sends_of_which_only_some_were_seen_to_hold_a_kernel_up_are_none(tmp_path: Path) -> None:
    """The kernel after a send begins 120 us after its end: nothing explains that, and no row of the file says it."""
    _, of = made(tmp_path, **LONG, blocks=True, after_send_ns=120 * US)
    assert awaited_sends(of) == 0
    assert np.all(of.job.waits.is_known)


def test_where_nothing_tells_it_is_said(tmp_path: Path) -> None:
    _, of = made(tmp_path, **LONG, blocks=True)
    assert on_sends(of) == []
    for rank in of.job.of.ranks:
        rank.needs["is_sure"] = np.full(len(rank.needs["is_sure"]), NOT_TOLD)
    of = replace(of, job=replace(of.job))  # what a job keeps of its sends is not kept of the other files
    n = int((of.job.rows.kind == kinds.SEND).sum())
    (said,) = on_sends(of)
    assert said.startswith(f"Whether kernels wait for {n} sends cannot be told from these files")


@pytest.mark.parametrize("n_stages", [2, 3])
def test_sends_that_do_not_say_to_whom_are_counted_with_whose_they_are(tmp_path: Path, n_stages: int) -> None:
    """As of 2024, without a name that says it; of two the other side is known."""
    paths = PipelineJob(n_stages=n_stages).write(tmp_path)
    n = {"send": 0, "recv": 0}
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        for event in [one for one in trace["traceEvents"] if "Collective name" in one.get("args", {})]:
            n[event["args"]["Collective name"]] += event["cat"] == "kernel"
            for name in ("Dst Rank", "Src Rank", "Seq"):
                event["args"].pop(name, None)
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
    reply = join([member(path) for path in paths], RanksParams())
    said = [note for note in reply.notes if "do not say with whom" in note]
    begins = f"{n['send']} sends and {n['recv']} receives of ranks 0-2 do not say with whom: not matched, "
    assert [note.startswith(begins) for note in said] == ([] if n_stages == 2 else [True])
