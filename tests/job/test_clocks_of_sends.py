"""Hosts whose clocks sends and receives alone tie, and how far apart the two sides of a message may end."""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, real_job, recorded
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
AHEAD = [0, 3 * MS, -2 * MS, MS // 2]
"""Of the clock of each stage's host."""


def on_hosts(folder: Path, early_ns: int, late_ns: int, send_ns: int) -> list[Path]:
    """A host a stage. Senders leave up to `early_ns` before a message is over, receivers up to `late_ns` after."""
    chance = random.Random(3)
    paths = PipelineJob(n_stages=len(AHEAD), n_micro=8, send_ns=send_ns, syncs=True).write(folder)
    for stage, path in enumerate(paths):
        trace = json.loads(gzip.decompress(path.read_bytes()))
        trace["host_name"] = f"node{stage}"
        trace["baseTimeNanoseconds"] += AHEAD[stage]
        for event in trace["traceEvents"]:
            what = event.get("args", {}).get("Collective name") if event.get("cat") == "kernel" else None
            longer = {"send": -early_ns, "recv": late_ns}.get(what or "", 0) / 1000
            if longer:
                event["dur"] = max(event["dur"] + longer * chance.random(), 3)
        path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))
    return paths


@pytest.mark.parametrize(
    ("early_us", "late_us", "send_us"),
    [(0, 0, 500), (200, 0, 500), (0, 200, 20), (200, 200, 500), (400, 400, 500), (700, 500, 20), (700, 500, 500)],
)
def test_clocks_are_tied_with_how_far_apart_messages_end_as_their_error(
    tmp_path: Path, early_us: int, late_us: int, send_us: int
) -> None:
    job = analysed(recorded(on_hosts(tmp_path, early_us * 1000, late_us * 1000, send_us * 1000))).job
    assert job.clock_refused is None
    assert job.clocks.are_by_sends
    assert not job.is_refused.any()
    bar = job.clocks.error_at(np.arange(len(AHEAD)), job.clocks.middle_ns)
    assert (np.abs(job.clocks.offset_ns - AHEAD) <= 2 * bar).all()
    assert bar[1:].min() >= (early_us + late_us) * 1000 / 4


def test_clocks_of_messages_whose_ends_tell_nothing_are_refused_with_the_figure(tmp_path: Path) -> None:
    table = join([member(path) for path in on_hosts(tmp_path, 28 * MS, 0, 30 * MS)], RanksParams())
    (said,) = (note for note in table.notes if note.startswith("Clocks: "))
    assert said.startswith("Clocks: sends and receives end ")
    assert " ms apart between hosts: their clocks cannot be tied. No wait is given across hosts." in said
    assert said.endswith(" What each rank needs for itself, and waits inside one host, stand.")
    assert table.clock_notes == [said]


def test_what_is_not_told_without_tied_clocks_is_said_with_why() -> None:
    """No collective here has members on both hosts."""
    job = real_job("syn8_tp2_pp2_dp2_slow")
    table = join([member(path) for rank in (0, 1, 6, 7) for path in job.glob(f"rank{rank}.*")], RanksParams())
    assert table.clock_notes == [
        (
            "Clocks: the hosts fall into 2 parts that no collective ties. No wait is given across them. What each rank needs for "
            "itself, and waits inside one part, stand."
        ),
        "Pipeline bubbles, the critical path and what a step would be cannot be told: the clocks of the ranks are not tied.",
    ]
