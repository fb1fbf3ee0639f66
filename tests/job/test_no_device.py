"""A rank whose file has what its host launched and no work of its device, where others have both."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

NOTE = "Rank 6: no device work in its file; it is in no figure of a step, and all else is told as if it is missing."


def written(folder: Path, rank: int = 6, **fault: Any) -> tuple[list[Path], list[Path]]:
    """(all files, of which that of the rank has no device; those of the others)."""
    paths = Job(n_ranks=8, ranks_per_node=4, **fault).write(folder)
    trace = json.loads(gzip.decompress(paths[rank].read_bytes()))
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") != "kernel"]
    paths[rank].write_bytes(gzip.compress(json.dumps(trace).encode()))
    return paths, [path for at, path in enumerate(paths) if at != rank]


def test_nobody_is_blamed_for_it_and_the_rest_is_as_without_its_file(tmp_path: Path) -> None:
    paths, others = written(tmp_path, slow={3: 1.15})
    table, plain = (join([member(path) for path in some], RanksParams()) for some in (paths, others))
    (one,), (other,) = table.blamed, plain.blamed
    assert (one.name, one.excess_ns, one.step_without_ns) == ("rank 3", other.excess_ns, other.step_without_ns)
    assert one.step_without_ns is not None
    assert (table.job_step_ns, table.parts, table.dimensions) == (plain.job_step_ns, plain.parts, plain.dimensions)
    assert [row for row in table.ranks if row.rank != 6] == plain.ranks
    (row,) = (row for row in table.ranks if row.rank == 6)
    assert (row.n_steps, row.step_ns, row.computation_ns, row.n_last) == (0, None, None, None)
    assert (table.sentences[1], table.notes) == (NOTE, plain.notes)
    assert "tied" not in text(table)


def test_nobody_is_blamed_where_nobody_is_late(tmp_path: Path) -> None:
    table = join([member(path) for path in written(tmp_path, 0, tensor=8)[0]], RanksParams())
    assert table.blamed == []
    assert "to which rank 0, of whose device nothing is recorded, may have come last" in text(table)
    assert not any("CPU" in note for note in table.notes)
    assert any(
        said.startswith("No rank, stage, replica or host whose work is known needs longer for itself") for said in table.sentences
    )


def test_its_panel_and_what_if_it_were_like_others_say_why_they_are_empty(tmp_path: Path) -> None:
    found = [member(path) for path in written(tmp_path)[0]]
    assert one_rank(found, OneRankParams(rank=6)).sentences == [
        f"{NOTE} What a step would be with it like its peers cannot be told."
    ]
    with pytest.raises(UsageError, match="rank=6': cannot be told, since no device work is in the file of rank 6"):
        what_if(found, RanksWhatIfParams(what_if="rank=6"))
