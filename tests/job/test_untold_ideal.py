"""S is not 1.00 where what is late is in no replay, and whose groups are not recorded is named."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member
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
