"""Two hosts of which one's clock is set while they record: what each rank needs for itself depends on no clock of another."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.basis.of_job import analysed_of
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.map.measures import measured
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

SET_US = 5000.0


def stepped(folder: Path, within_us: float = 0.0, **fault: Any) -> list[Member[RankSummary]]:
    """Ranks 4 to 7 are on another host, whose clock goes forward so long into the middle step of five."""
    found = []
    job = Job(n_ranks=8, ranks_per_node=4, tensor=8, n_steps=5, **fault)
    for rank, path in enumerate(job.write(folder)):
        trace = json.loads(gzip.decompress(path.read_bytes()))
        (middle,) = (event for event in trace["traceEvents"] if event["name"] == "ProfilerStep#12")
        at = middle["ts"] - 1 + within_us
        for event in trace["traceEvents"] if rank >= 4 else ():
            if event["ts"] >= at:
                event["ts"] += SET_US
            elif event["ts"] + event["dur"] > at + 1:
                event["dur"] += SET_US
        path.write_bytes(gzip.compress(json.dumps(trace).encode()))
        found.append(member(path))
    return found


def test_who_computes_longer_is_told_with_how_much(tmp_path: Path) -> None:
    found = stepped(tmp_path, slow={3: 1.3}, slow_steps=[13])
    table = join(found, RanksParams())
    (note,) = (note for note in table.notes if note.startswith("Clocks: "))
    assert note.endswith(" What each rank needs for itself, and waits inside one host, stand.")
    (one,) = table.blamed
    assert (one.name, one.steps, one.cause) == ("rank 3", [13], "slow_kernels")
    assert one.excess_ns == pytest.approx(0.3 * 6 * 400_000, rel=0.02)
    assert any(sentence.startswith(one.sentence) for sentence in table.sentences)
    assert all(row.own_ns is not None and row.excess_ns is not None and row.wait_ns is None for row in table.ranks)
    assert [(row.n_last, row.transfer_ns, row.caused_least_ns) for row in table.ranks] == [(None, None, None)] * 8
    assert (table.slowdown, table.path, one.step_without_ns) == (None, [], None)
    row = next(row for row in one_rank(found, OneRankParams(rank=3)).steps if row.number == 13)
    assert row.excess_ns == one.excess_ns
    assert row.own_ns is not None
    _, of = analysed_of(found, RanksParams())
    assert of is not None
    assert not isinstance(measured(of, "own"), str)
    assert isinstance(measured(of, "wait"), str)


@pytest.mark.parametrize("within_us", [0.0, 1000.0, 1250.0])
def test_nobody_is_blamed_for_what_the_clock_makes_of_a_step(tmp_path: Path, within_us: float) -> None:
    table = join(stepped(tmp_path, within_us), RanksParams())
    assert any(note.startswith("Clocks: ") for note in table.notes)
    assert table.blamed == []
