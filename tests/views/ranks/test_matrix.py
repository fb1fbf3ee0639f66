"""Measures of all ranks as a matrix: the same figures as in the tables, laid out by steps, hosts, places and kinds."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.job.links.host_set import HostSet
from tb_plugin.trace.collectives import kinds
from tb_plugin.views.ranks.basis import analysed as analysed_module
from tb_plugin.views.ranks.basis.of_job import analysed_of
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.map import matrix as matrix_module
from tb_plugin.views.ranks.map.matrix import MatrixParams, RanksMatrix, matrix, table, text
from tb_plugin.views.ranks.result import RanksParams, RanksTable
from tests.job.recorded import member
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

Members = list["Member[RankSummary]"]


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Members:
    job = Job(n_ranks=8, ranks_per_node=4, slow={5: 1.25}, offset_ns={1: 5_000_000})
    return [member(path) for path in job.write(tmp_path_factory.mktemp("job"))]


@pytest.fixture(scope="module")
def tables(members: Members) -> RanksTable:
    return join(members, RanksParams())


def shown(members: Members, **params: Any) -> RanksMatrix:
    return matrix(members, MatrixParams(**params))


def test_over_steps_it_is_what_the_steps_say(members: Members, tables: RanksTable) -> None:
    excess = shown(members)
    assert excess.columns == [str(step.number) for step in tables.steps]
    assert [list(column) for column in zip(*excess.values, strict=True)] == [step.excess_ns for step in tables.steps]
    waits = shown(members, measure="wait")
    assert [list(column) for column in zip(*waits.values, strict=True)] == [step.wait_ns for step in tables.steps]
    assert excess.ranks == [[rank] * 3 for rank in range(8)]


@pytest.mark.parametrize("measure", ["own", "step", "wait", "transfer", "computation", "copy", "idle", "loader"])
def test_a_host_has_the_means_of_its_ranks(members: Members, tables: RanksTable, measure: Any) -> None:
    reply = shown(members, measure=measure, axes="host")
    assert (reply.rows, reply.ranks) == (["node0", "node1"], [[0, 1, 2, 3], [4, 5, 6, 7]])
    means = [getattr(row, f"{measure}_ns") for row in tables.ranks]
    assert [value for row in reply.values for value in row] == means
    ordered = sorted(means)
    assert reply.middle == [pytest.approx((ordered[3] + ordered[4]) / 2, abs=1)] * 4


def test_what_a_rank_causes_sums_to_the_table(members: Members, tables: RanksTable) -> None:
    for row, of in zip(shown(members, measure="caused").values, tables.ranks, strict=True):
        assert sum(value or 0 for value in row) / 3 == pytest.approx(of.caused_least_ns, abs=2)


def test_kinds_sum_to_the_collectives_of_all_ranks(members: Members, tables: RanksTable) -> None:
    reply = shown(members, measure="transfer", axes="kind")
    assert reply.columns == ["all-reduce"]
    total = 3 * sum(row[0] or 0 for row in reply.values)
    assert total == pytest.approx(sum(row.exposed_transfer_ns or 0 for row in tables.collectives), abs=3 * 8)
    with pytest.raises(UsageError, match="wait, transfer, untold, rate"):
        shown(members, axes="kind")


def test_dimensions_have_the_same_of_each_rank_as_maps_of_one_of_them(members: Members, tables: RanksTable) -> None:
    for measure in ("wait", "transfer"):
        reply = shown(members, measure=measure, axes="dimension")
        assert sorted(reply.columns) == sorted(row.name for row in tables.dimensions)
        for at, name in enumerate(reply.columns):
            alone = np.array(shown(members, measure=measure, dimensions=name).values, float)
            assert [row[at] for row in reply.values] == pytest.approx(alone.mean(axis=1), abs=2)
    one = shown(members, measure="wait", axes="dimension", dimensions="tp")
    assert one.columns == ["tensor"]


def test_the_bus_rate_of_a_rank_is_the_median_of_its_collectives(members: Members, tables: RanksTable) -> None:
    """Two of eight in a tensor group, all of them in the other: each rate as in the table of collectives."""
    reply = shown(members, measure="rate", axes="dimension")
    assert (reply.unit, len(reply.rows)) == ("bytes_per_s", 8)
    of = analysed_of(members, MatrixParams())[1]
    assert of is not None
    told = {row.dimension: row.bus_bytes_per_s for row in tables.collectives}
    for at, name in enumerate(reply.columns):
        assert [row[at] for row in reply.values] == pytest.approx([told[name]] * 8, rel=0.02)
        place = of.dimensions.names.index(name)
        for rank in (0, 5):
            rows = np.flatnonzero((of.job.rows.rank == rank) & (of.dimensions.of_rows(of.job.rows.group) == place))
            rates = of.links.bandwidth[of.job.matched.of[rows]]
            assert reply.values[rank][at] == round(float(np.nanmedian(rates)))
    assert shown(members, measure="rate", axes="kind").columns == ["all-reduce"]
    assert "GB/s" in text(reply)
    assert table(reply).columns[1:] == [f"{name}_bytes_per_s" for name in reply.columns]
    with pytest.raises(UsageError, match="of collectives of one kind or dimension"):
        shown(members, measure="rate")


def test_the_memory_peak_is_that_of_each_step_and_the_most_of_a_rank(tmp_path: Path) -> None:
    Job(n_ranks=4, memory={0: 1 << 30, 1: 3 << 30, 2: 1 << 30}).write(tmp_path)
    some = [member(path) for path in sorted(tmp_path.iterdir())]
    own, taken = 1 << 20, [1 << 30, 3 << 30, 1 << 30]
    reply = shown(some, measure="memory")
    assert reply.unit == "bytes"
    assert reply.values == [*([own + bytes_] * 3 for bytes_ in taken), [None] * 3]
    assert reply.middle == reply.hundred == [own + (1 << 30)] * 3
    most = [None if row.peak_bytes is None else row.peak_bytes - own for row in join(some, RanksParams()).ranks]
    assert most == [*taken, None]
    assert shown(some, measure="memory", axes="host").values == [[own + taken[0], own + taken[1]], [own + taken[2], None]]
    assert "3.00 GiB" in text(reply)


def test_a_hundred_percent_are_the_median_and_of_what_is_more_than_peers_own_time(members: Members) -> None:
    own = shown(members, measure="own")
    assert own.hundred == own.middle
    excess = shown(members)
    assert excess.hundred == own.middle != excess.middle
    assert shown(members, axes="host").hundred == shown(members, measure="own", axes="host").middle


def test_a_kind_that_a_rank_has_none_of_is_not_told_to_be_nothing(tmp_path: Path) -> None:
    Job(n_ranks=2, slow={1: 1.5}).write(tmp_path)
    of_last = sorted(tmp_path.glob("rank1*"))[0]
    of_last.write_bytes(gzip.compress(gzip.decompress(of_last.read_bytes()).replace(b'"allreduce"', b'"broadcast"')))
    reply = shown([member(path) for path in sorted(tmp_path.glob("*.gz"))], measure="transfer", axes="kind")
    assert reply.columns == ["all-reduce", "broadcast"]
    assert [[value is None for value in row] for row in reply.values] == [[False, True], [True, False]]


def test_kinds_that_run_at_once_sum_to_what_nothing_hides(tmp_path: Path) -> None:
    PipelineJob(send_ns=900_000).write(tmp_path)
    stages = [member(path) for path in sorted(tmp_path.iterdir())]
    reply = shown(stages, measure="transfer", axes="kind")
    assert reply.columns == ["send", "recv"]
    assert [sum(value or 0 for value in row) for row in reply.values] == [
        row.transfer_ns for row in join(stages, RanksParams()).ranks
    ]


def test_a_pipeline_is_laid_out_by_replica_and_stage(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("pipeline")
    PipelineJob().write(folder)
    stages = [member(path) for path in sorted(folder.iterdir())]
    reply = shown(stages, measure="bubble", axes="place")
    assert [name.split()[0] for name in reply.columns] == [f"s{stage}" for stage in range(len(reply.columns))]
    assert {rank for row in reply.ranks for rank in row} == set(range(len(stages)))
    means = {row.rank: row.bubble_ns for row in join(stages, RanksParams()).ranks}
    cells = zip((rank for row in reply.ranks for rank in row), (value for row in reply.values for value in row), strict=True)
    assert dict(cells) == means


def test_the_longest_bubble_of_a_stage_is_one_of_a_rank_in_a_step(tmp_path: Path) -> None:
    PipelineJob().write(tmp_path)
    stages = [member(path) for path in sorted(tmp_path.iterdir())]
    found, every = join(stages, RanksParams()), shown(stages, measure="bubble", axes="step")
    of_rank = {row.rank: row for row in found.ranks}
    cells = [
        (value or 0, of[0] or 0, step)
        for values, of in zip(every.values, every.ranks, strict=True)
        for value, step in zip(values, found.steps, strict=True)
    ]
    assert len(found.stages) > 1
    for stage in found.stages:
        value, rank, step = max((cell for cell in cells if of_rank[cell[1]].stage == stage.stage), key=lambda cell: cell[0])
        assert stage.most_bubble_ns == pytest.approx(value, abs=1)
        assert (stage.most_bubble_rank, stage.most_bubble_step) == (rank, step.number)
        assert stage.most_bubble_replica == [row.rank for row in found.ranks if row.replica == of_rank[rank].replica]
        assert stage.most_bubble_ns >= stage.bubble_ns - 1


def test_a_host_names_its_lowest_rank(tables: RanksTable) -> None:
    for host in tables.hosts:
        assert host.first_rank == min(row.rank for row in tables.ranks if row.host == host.host)
    assert len({host.first_rank for host in tables.hosts}) == len(tables.hosts) > 1


def test_every_rank_has_a_cell_whatever_tells_ranks_apart(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight ranks: two replicas of two tensor ranks, with two context ranks each, or with nothing that tells these apart."""
    of, at = analysed_of(members, MatrixParams())[1], np.arange(8)
    assert of is not None
    for context, last in ((at % 2, "t1 c1"), (np.full(8, NONE), "t1 #2")):
        place = replace(of.layout, replica=at // 4, tensor=at // 2 % 2, context=context, stage=np.full(8, NONE))
        changed = replace(of, layout=place)
        monkeypatch.setattr(matrix_module, "analysed_of", lambda _members, _params, changed=changed: (None, changed))
        reply = shown(members, measure="own", axes="place")
        assert reply.columns[-1] == last
        assert reply.ranks == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_two_hosts_have_the_slowest_of_the_sets_that_both_stand_in(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    of = analysed_of(members, MatrixParams())[1]
    assert of is not None

    def between(hosts: tuple[int, ...], of_usual: float | None) -> HostSet:
        return HostSet(
            dimension="world", kind=kinds.ALL_REDUCE, hosts=hosts, n_ranks=2, instances=(), bandwidth=1e9, of_usual=of_usual
        )

    sets = (between((0, 1), 1.01), between((0, 1), 0.25), between((0,), 0.98), between((1,), None))
    changed = replace(of, links=replace(of.links, sets=sets))
    monkeypatch.setattr(matrix_module, "analysed_of", lambda _members, _params: (None, changed))
    reply = shown(members, measure="link", axes="link")
    assert (reply.rows, reply.columns, reply.unit) == (["node0", "node1"], ["node0", "node1"], "percent")
    assert reply.values == [[98, 25], [25, None]]
    assert (reply.ranks, reply.middle) == ([[0, 0], [4, 4]], [100, 100])
    assert text(reply).splitlines()[-1].split() == ["node1", "25", "%", "-"]
    assert table(reply).columns == ["host", "node0_percent", "node1_percent"]
    with pytest.raises(UsageError, match="links have one measure"):
        shown(members, measure="link")


def test_hosts_stand_in_the_order_of_their_names(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    of = analysed_of(members, MatrixParams())[1]
    assert of is not None
    one = HostSet(dimension="world", kind=kinds.ALL_REDUCE, hosts=(0, 1), n_ranks=2, instances=(), bandwidth=1e9, of_usual=0.25)
    named = replace(of.job, of=replace(of.job.of, hosts=("r10-node0001", "r2-node0001")))
    changed = replace(of, job=named, links=replace(of.links, sets=(one,)))
    monkeypatch.setattr(matrix_module, "analysed_of", lambda _members, _params: (None, changed))
    reply = shown(members, measure="own", axes="host")
    assert (reply.rows, reply.ranks) == (["r2-node0001", "r10-node0001"], [[4, 5, 6, 7], [0, 1, 2, 3]])
    links = shown(members, measure="link", axes="link")
    assert (links.columns, links.ranks) == (["r2-node0001", "r10-node0001"], [[4, 4], [0, 0]])


@pytest.mark.parametrize("measure", ["wait", "transfer"])
def test_of_dimensions_each_has_its_share(members: Members, tables: RanksTable, measure: Any) -> None:
    """They add up to what all have."""
    names = [row.name for row in tables.dimensions]
    assert len(names) == 2
    for axes in ("step", "host", "kind"):
        parts = [np.array(shown(members, measure=measure, axes=axes, dimensions=name).values, float) for name in names]
        whole = np.array(shown(members, measure=measure, axes=axes).values, float)
        assert np.sum(parts, axis=0) == pytest.approx(whole, abs=2)
        assert all((part < whole).any() for part in parts)
    of = {row.name: getattr(row, f"exposed_{measure}_ns") for row in tables.dimensions}
    assert np.mean(np.array(shown(members, measure=measure, dimensions="tp").values, float)) == pytest.approx(of["tensor"], abs=2)
    assert shown(members, measure=measure, dimensions="\n".join(names)).values == shown(members, measure=measure).values


def test_links_are_those_of_the_dimensions_that_are_asked_for(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    of = analysed_of(members, MatrixParams())[1]
    assert of is not None
    slow = HostSet(dimension="tensor", kind=kinds.ALL_REDUCE, hosts=(0, 1), n_ranks=2, instances=(), bandwidth=1e9, of_usual=0.25)
    sets = (slow, replace(slow, dimension="world", of_usual=1.0))
    changed = replace(of, links=replace(of.links, sets=sets))
    monkeypatch.setattr(matrix_module, "analysed_of", lambda _members, _params: (None, changed))
    for asked, share in (("", 25), ("tensor", 25), ("world", 100), ("tp\nworld", 25)):
        assert shown(members, measure="link", axes="link", dimensions=asked).values == [[None, share], [share, None]]
    with pytest.raises(UsageError, match="no such dimension; there is tensor, world"):
        shown(members, measure="link", axes="link", dimensions="data")
    with pytest.raises(UsageError, match="of dimensions there is wait, transfer, untold, rate and link"):
        shown(members, measure="own", dimensions="tp")


def test_what_is_not_there_says_why(members: Members, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert shown(members, measure="bubble").reason == "none: no pipeline"
    assert "all-to-alls" in text(shown(members, measure="received"))
    assert "profile_memory=True" in (shown(members, measure="memory").reason or "")
    assert shown(members, measure="untold", axes="kind").reason == "none: 0 for every rank"
    none = "none: no link between two hosts has another of its kind to compare with"
    inside = "; what moves inside of hosts is compared, in the table of links"
    assert shown(members, measure="link", axes="link").reason == none + inside
    assert any(row.of_usual_share is not None for row in join(members, RanksParams()).links)
    folder = tmp_path_factory.mktemp("alone")
    Job(n_ranks=1).write(folder)
    alone = [member(path) for path in folder.iterdir()]
    assert "could be matched" in (shown(alone).reason or "")
    assert shown(alone, measure="computation").values[0][0] is not None


def test_the_shell_and_csv_have_its_rows(members: Members) -> None:
    reply = shown(members)
    assert table(reply).columns == ["rank", "10_ns", "11_ns", "12_ns"]
    assert [row[0] for row in table(reply).rows] == reply.rows
    assert len(text(reply).splitlines()) == 10


def test_the_next_question_about_the_same_ranks_neither_sorts_nor_reads_them_again(
    members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = matrix(members, MatrixParams(measure="own"))
    monkeypatch.setattr(analysed_module, "recordings", lambda _found: pytest.fail("sorted into jobs again"))
    monkeypatch.setattr(analysed_module, "_digest", lambda _summary: pytest.fail("read again"))
    assert matrix(members, MatrixParams(measure="own")) == found
    with pytest.raises(pytest.fail.Exception, match="again"):
        matrix(members[1:], MatrixParams(measure="own"))
