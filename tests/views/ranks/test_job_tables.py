"""`tb_plugin.load_ranks`: the tables of the view as columns, and one row a matched collective."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

import tb_plugin
from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.views.ranks.job_tables import ColumnTable
from tests.job_files import TRANSFER_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.job_tables import JobTables


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, JobTables]:
    folder: Path = tmp_path_factory.mktemp("job")
    made = Job(n_ranks=4, ranks_per_node=2, slow={1: 1.5}, offset_ns={1: 3_000_000})
    made.write(folder)
    return made, tb_plugin.load_ranks(folder)


def test_columns_are_the_rows_of_the_view(job: tuple[Job, JobTables]) -> None:
    _, tables = job
    assert tables.ranks["rank"].tolist() == [0, 1, 2, 3]
    assert tables.ranks["own_ns"].tolist() == [row.own_ns for row in tables.table.ranks]
    assert np.isnan(tables.ranks["stage"]).all()
    assert tables.steps["number"].tolist() == [10, 11, 12]
    assert tables.clocks["host"].tolist() == ["node0", "node1"]
    assert tables.steps["late"].tolist() == ["rank 1"] * 3
    every = (tables.ranks, tables.steps, tables.collectives, tables.links, tables.clocks, tables.instances)
    assert all(table[name].shape == (len(table),) for table in every for name in table)
    assert set(tables.ranks) >= {"worker", "is_cut_off", "excess_ns"}
    with pytest.raises(NotFoundError, match="no column 'excess'; there is rank"):
        tables.ranks["excess"]


def test_there_is_a_row_for_each_collective_that_was(job: tuple[Job, JobTables]) -> None:
    made, tables = job
    found = tables.instances
    assert len(found) == len(made.met)
    by_last = Counter(found["last_ranks"][found["n_members"] == 2].tolist())
    assert by_last["1"] == sum(met.last == 1 for met in made.met if len(met.group) == 2)
    assert found["transfer_ns"] == pytest.approx(TRANSFER_NS, abs=5_000)
    assert sorted(set(found["step"].tolist())) == [10, 11, 12]
    assert (found["first_arrival_ns"] <= found["last_arrival_ns"]).all()
    assert (found["last_arrival_ns"] < found["last_end_ns"]).all()


def test_a_collective_is_told_by_its_group_number_and_members(tmp_path: Path) -> None:
    made = Job(n_ranks=4, ranks_per_node=4, sends=[(0, 2), (3, 1)])
    made.write(tmp_path)
    found = tb_plugin.load_ranks(tmp_path).instances
    told = [(members, kind) for members, kind in zip(found["members"], found["kind"], strict=True)]
    was = [",".join(map(str, sorted(met.group))) for met in made.met]
    assert sorted(members for members, _ in told) == sorted(was)
    assert sorted(kind for _, kind in told if kind != "all-reduce") == ["send and receive"] * 2 * 3 * made.n_layers
    of_pair = (found["members"] == "0,1") & (found["kind"] == "all-reduce")
    assert sorted(found["sequence"][of_pair].tolist()) == list(range(1, len(found["step"][of_pair]) + 1))
    assert len(set(found["group"][of_pair].tolist())) == 1
    assert found["group"][of_pair][0] != ""
    assert (found["first_end_ns"] > found["last_arrival_ns"]).all()
    assert (found["first_end_ns"] <= found["last_end_ns"]).all()


def test_questions_of_the_view_are_its_methods(job: tuple[Job, JobTables]) -> None:
    _, tables = job
    assert [one.name for one in tables.stragglers()] == ["rank 1"]
    assert tables.rank(1).sentences[0].startswith("Rank 1 ")
    (row,) = tables.what_if("rank=1").rows
    assert row.change_ns is not None
    assert row.change_ns < 0
    with pytest.raises(UsageError, match="not understood"):
        tables.what_if("nonsense")
    assert repr(tables).startswith("<ranks of run ")
    assert "ranks 4, steps 3" in repr(tables)


def test_a_table_prints_as_its_columns_and_not_as_their_values(job: tuple[Job, JobTables]) -> None:
    _, tables = job
    first, *columns = repr(tables.instances).split("\n")
    assert first == f"<{len(tables.instances)} rows of {len(columns)} columns:"
    assert columns[0] == "  dimension: object"
    assert "  transfer_ns: float64" in columns


def test_what_a_notebook_prints_of_a_member_is_short_and_another_one_of_another_answer(job: tuple[Job, JobTables]) -> None:
    _, tables = job
    answers = [one.answer for one in tables.members if one.answer is not None]
    assert len(repr(tables.members)) < 4 * 500
    assert repr(answers[2]).startswith("<rank 2 of 4 on node1: 3 steps, 21 collectives, ")
    steps = msgspec.structs.replace(answers[2].steps, data=answers[1].steps.data)
    assert repr(msgspec.structs.replace(answers[2], steps=steps)) != repr(answers[2]) == repr(msgspec.structs.replace(answers[2]))


def test_a_table_of_arrow_has_whole_numbers_and_what_is_absent_is_null(job: tuple[Job, JobTables]) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    _, tables = job
    for table in (tables.ranks, tables.steps, tables.collectives, tables.links, tables.clocks, tables.instances):
        assert table.to_arrow().num_rows == len(table)
    ranks, links, instances = tables.ranks.to_arrow(), tables.links.to_arrow(), tables.instances.to_arrow()
    assert ranks.schema.field("stage").type == arrow.int64()
    assert ranks["stage"].to_pylist() == [None] * 4
    assert ranks["own_ns"].to_pylist() == tables.ranks["own_ns"].tolist()
    assert links.schema.field("pair").type == arrow.string()
    assert instances["first_arrival_ns"].to_pylist() == tables.instances["first_arrival_ns"].tolist()
    assert instances.schema.field("sequence").type == arrow.int64()
    emptied = ColumnTable({"step": np.array([10, -1])}, or_none=frozenset({"step"})).to_arrow()
    assert emptied["step"].to_pylist() == [10, None]
