"""S is not 1.00 where what is late is in no replay, and whose groups are not recorded is named."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.told.blame import Means
from tb_plugin.views.ranks.told.replayed import maybe_shorter
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tb_plugin.views.ranks.what_if.what_if import text as what_if_text
from tests.job.recorded import member
from tests.job.step_gone import take_steps_out
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def test_nothing_is_told_to_cost_nothing_of_a_step_that_no_replay_has(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, n_steps=5, slow={3: 1.3}, slow_steps=[14]).write(tmp_path)
    whole = join([member(path) for path in paths], RanksParams())
    assert whole.slowdown is not None
    assert whole.slowdown > 1.01
    trace = json.loads(gzip.decompress(paths[5].read_bytes()))
    (begun,) = (event["ts"] for event in trace["traceEvents"] if event["name"] == "ProfilerStep#14")
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event["ts"] < begun]
    paths[5].write_bytes(gzip.compress(json.dumps(trace).encode()))
    found = [member(path) for path in paths]
    table = join(found, RanksParams())
    assert [(one.name, one.steps, one.step_without_ns) for one in table.blamed] == [("rank 3", [14], None)]
    assert (table.slowdown, table.ideal_ns) == (None, None)
    assert "make no step longer" not in text(table)
    edited = what_if(found, RanksWhatIfParams(what_if="ideal"))
    assert edited.slowdown is None
    assert not any("nothing to gain" in note for note in edited.notes)


@pytest.mark.parametrize("rank", [0, 5])
def test_a_rank_whose_collectives_name_no_group_is_named(tmp_path: Path, rank: int) -> None:
    paths = Job(n_ranks=8, ranks_per_node=8, tensor=8).write(tmp_path)
    trace = json.loads(gzip.decompress(paths[rank].read_bytes()))
    for event in trace["traceEvents"]:
        for name in [name for name in event.get("args", {}) if name.startswith("Process Group") or name == "Seq"]:
            del event["args"][name]
    paths[rank].write_bytes(gzip.compress(json.dumps(trace).encode()))
    table = join([member(path) for path in paths], RanksParams())
    assert any(note.startswith(f"Dimension: not recorded of rank {rank} (") for note in table.notes)
    said = text(table)
    assert f"to which rank {rank}, whose groups are not recorded, may have come last" in said


def test_of_some_steps_it_says_which(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, n_steps=4, slow={3: 1.3}).write(tmp_path)
    take_steps_out(paths[5], [11, 13])
    found = [member(path) for path in paths]
    table = join(found, RanksParams())
    assert (table.ideal_steps, table.is_slowdown_least) == ("steps 10, 12", False)
    said = f"a step takes {table.slowdown:.2f} x that of a job all of whose ranks and links are like most (S, in steps 10, 12)"
    assert f" · {said} · " in text(table)
    edited = what_if(found, RanksWhatIfParams(what_if="rank=3"))
    assert f"As it was, {said}." in what_if_text(edited)


def test_with_a_rank_missing_it_is_at_least_that(tmp_path: Path) -> None:
    """What a collective without it takes may be waiting for it."""
    paths = Job(n_ranks=8, ranks_per_node=4, n_steps=4, slow={3: 1.3}).write(tmp_path)
    whole, lacking = (join([member(path) for path in some], RanksParams()) for some in (paths, paths[:-1]))
    for table, least in ((whole, ""), (lacking, "at least ")):
        assert f" · a step takes {least}{table.slowdown:.2f} x that of a job" in text(table)
        assert (table.is_slowdown_least, table.ideal_steps) == (least != "", None)
    assert None not in (whole.slowdown, lacking.slowdown)


def test_where_who_is_late_may_be_who_is_missing_a_step_is_not_said_to_be_no_longer(tmp_path: Path) -> None:
    """What others are left with in collectives without it may be waiting for it: of S 1.00 only the least is known."""
    paths = Job(n_ranks=8, ranks_per_node=4, n_steps=4, tensor=4, slow={7: 1.05}).write(tmp_path)
    table = join([member(path) for path in paths[:-1]], RanksParams())
    assert table.slowdown == pytest.approx(1, abs=0.005)
    assert "no step longer" not in text(table)
    assert " · a step takes at least 1.00 x that of a job" in text(table)


def test_what_may_be_as_long_or_much_shorter_is_told_as_both() -> None:
    said = maybe_shorter(Means(was=39_600_000, would_be=39_450_000, least=36_700_000), "Without it a step")
    assert said.startswith(" Without it a step would take 36.7 ms to 39.5 ms instead of 39.6 ms (at most 7.3 % less; ")
