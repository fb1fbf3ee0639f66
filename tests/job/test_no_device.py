"""A rank whose file has what its host launched and no work of its device, where others have both."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.told.blame import Means
from tb_plugin.views.ranks.told.replayed import replayed
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member
from tests.job_files import GEMM_NS, Job

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


@pytest.mark.parametrize("gone", [set(), {5}])
def test_where_it_is_the_late_one_it_is_to_be_looked_at_first_and_its_file_is_not_called_missing(
    tmp_path: Path, gone: set[int]
) -> None:
    paths, _ = written(tmp_path, 3, slow={3: 1.3}, n_steps=4)
    said = join([member(path) for rank, path in enumerate(paths) if rank not in gone], RanksParams()).sentences
    (first,) = [each for each in said if "Look at" in each]
    assert "is nearly all in collectives with rank 3, whose file has no device work: rank 2 is in these 7" in first
    assert first.endswith(" us a step longer than others in theirs. Look at rank 3 first.")
    (nobody,) = [each for each in said if each.startswith("No rank")]
    which = "rank 5, which is not here, or rank 3" if gone else "rank 3"
    assert f"it was late for having waited for {which}, of whose device nothing is recorded, cannot be told." in nobody
    assert said.index(first) < said.index(nobody)


def test_in_one_group_of_all_it_may_be_it_or_who_has_no_file(tmp_path: Path) -> None:
    paths, _ = written(tmp_path, 3, slow={3: 1.6}, n_steps=4, tensor=8)
    for gone, which, lack, at in (
        ((), "rank 3", "file has no device work", "rank 3"),
        ((5,), "ranks 3, 5", "files are missing or have no device work", "ranks 3, 5"),
    ):
        said = join([member(path) for rank, path in enumerate(paths) if rank not in gone], RanksParams()).sentences
        (first,) = [each for each in said if "Look at" in each]
        assert f"waiting for {which} or moving data, is nearly all in collectives with {which}, whose {lack}: rank " in first
        assert first.endswith(f"Look at {at} first.")


def test_where_it_takes_as_long_as_others_it_is_not_to_be_looked_at(tmp_path: Path) -> None:
    said = join([member(path) for path in written(tmp_path, 3, n_steps=4)[0]], RanksParams()).sentences
    assert not any("Look at" in each for each in said)


@pytest.mark.parametrize("lack", [4, 5, 7])
def test_where_all_others_of_its_host_are_late_the_host_is_named_once(tmp_path: Path, lack: int) -> None:
    paths, _ = written(tmp_path, lack, slow=dict.fromkeys((4, 5, 6, 7), 2.0), n_steps=4)
    table = join([member(path) for path in paths], RanksParams())
    (host,) = table.blamed
    assert (host.name, host.ranks, host.steps) == (
        "host node1",
        [rank for rank in (4, 5, 6, 7) if rank != lack],
        [10, 11, 12, 13],
    )
    assert host.excess_ns == pytest.approx(6 * GEMM_NS, rel=0.02)
    assert sum("rank" in said and "computes" in said for said in table.sentences) == 1
    assert sum(said.startswith(f"Rank {lack}: no device work in its file;") for said in table.sentences) == 1


def test_what_would_bring_nothing_or_nobody_knows_what_is_no_gain(tmp_path: Path) -> None:
    """Of two that hide each other, beside collectives that lack the rank without a device."""
    paths, _ = written(tmp_path, 7, slow={1: 2.0, 4: 2.0}, n_steps=4)
    table = join([member(path) for path in paths], RanksParams())
    assert sorted(one.name for one in table.blamed) == ["rank 1", "rank 4"]
    said = [each for each in table.sentences if each.startswith(("Rank 1", "Rank 4"))]
    assert all(" Without it alone a step would take as long: rank " in each for each in said)
    assert not any("+0 %" in each for each in said)
    assert replayed(Means(was=100_000, would_be=99_900, least=93_000), "Without it a step") == ""
    assert "(-7 % to -2 %;" in replayed(Means(was=100_000, would_be=98_000, least=93_000), "Without it a step")
