"""Jobs of which a rank is not here: what is waited for it is neither wait nor transfer of those that are."""

from __future__ import annotations

import dataclasses
import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.beside import BesideParams, beside
from tb_plugin.views.ranks.collectives.one_collective import CollectiveParams, one_collective
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.map.matrix import MatrixParams, matrix
from tb_plugin.views.ranks.map.measures import measured
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tb_plugin.views.ranks.what_if.what_if import text as what_if_text
from tests.job.recorded import member, real_job, recorded
from tests.job_files import TRANSFER_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
N = 8
ABSENT = pytest.mark.parametrize("absent", [{6}, {0}, {1, 2, 3}, set(range(1, 8))])


def without(folder: Path, absent: set[int], **fault: Any) -> tuple[list[Path], Analysed]:
    paths = [path for rank, path in enumerate(Job(n_ranks=N, ranks_per_node=N, **fault).write(folder)) if rank not in absent]
    return paths, analysed(recorded(paths))


def plain(paths: list[Path]) -> dict[int, tuple[int, int, int]]:
    """(wait, transfer, not told apart) of each rank, ns, from the files as they are: one clock, and nothing runs beside."""
    met: dict[tuple[str, int], dict[int, tuple[int, int]]] = {}
    for path in paths:
        trace = json.loads(gzip.decompress(path.read_bytes()))
        rank = trace["distributedInfo"]["rank"]
        for event in trace["traceEvents"]:
            if event["cat"] == "kernel" and "Seq" in event["args"]:
                key = (event["args"]["Process Group Ranks"], event["args"]["Seq"])
                start = round(event["ts"] * 1000)
                met.setdefault(key, {})[rank] = start, start + round(event["dur"] * 1000)
    found = {json.loads(gzip.decompress(path.read_bytes()))["distributedInfo"]["rank"]: [0, 0, 0] for path in paths}
    for (group, _), members in met.items():
        last = max(start for start, _ in members.values())
        is_whole = set(members) == set(json.loads(group))
        for rank, (start, end) in members.items():
            is_alone = len(members) == 1
            found[rank][0] += 0 if is_alone else last - start
            found[rank][1 if is_whole else 2] += end - (start if is_alone else last)
    return {rank: (wait, transfer, untold) for rank, (wait, transfer, untold) in found.items()}


@ABSENT
def test_each_rank_has_what_its_file_says(tmp_path: Path, absent: set[int]) -> None:
    paths, of = without(tmp_path, absent, slow={6: 1.5})
    for place, (number, wanted) in enumerate(sorted(plain(paths).items())):
        assert of.job.of.numbers[place] == number
        mine = of.job.rows_of(place)
        rows = tuple(int(column[mine].sum()) for column in (of.job.waits.wait, of.job.waits.transfer, of.job.waits.untold))
        exposed = tuple(int(column[mine].sum()) for column in (of.exposed.wait, of.exposed.transfer, of.exposed.untold))
        assert rows == pytest.approx(wanted, abs=50)
        assert exposed == pytest.approx(wanted, abs=50)
        assert tuple(of.exposed.shares[place].sum(axis=(0, 1)).tolist()) == pytest.approx(wanted, abs=50)


@ABSENT
def test_the_parts_are_the_step_and_the_row_to_the_nanosecond(tmp_path: Path, absent: set[int]) -> None:
    _, of = without(tmp_path, absent, slow={6: 1.5})
    waits, own = of.job.waits, of.own
    assert (waits.wait + waits.transfer + waits.untold == of.job.rows.duration).all()
    for place, rank in enumerate(of.job.of.ranks):
        assert of.exposed.shares[place].sum(axis=(1, 2)).tolist() == rank.work["exposed"].tolist()
    if of.job.has_waits:
        known = sum(own.parts[name] for name in ("computation", "transfer", "copy", "idle"))
        np.testing.assert_array_equal(known, own.own)
        np.testing.assert_array_equal(own.own + own.wait + own.untold, own.step)
    else:
        assert np.isnan(own.wait).all()
        communication = own.step - own.parts["computation"] - own.parts["copy"] - own.parts["idle"]
        np.testing.assert_array_equal(own.untold, communication)


def test_own_time_holds_nothing_that_is_waited_for_who_is_not_here(tmp_path: Path) -> None:
    paths, of = without(tmp_path, {6}, slow={6: 2.0})
    partner = of.job.of.numbers.index(7)
    peers = np.delete(of.own.own, partner, axis=0)
    assert (of.own.untold[partner] > 5 * TRANSFER_NS).all()
    assert (of.own.own[partner] <= peers.max(axis=0)).all()
    table = join([member(path) for path in paths], RanksParams())
    assert table.blamed == []
    row = next(row for row in table.ranks if row.rank == 7)
    assert row.untold_ns == round(float(of.own.untold[partner].mean()))
    assert "not told apart" in text(table)
    said = one_rank([member(path) for path in paths], OneRankParams(rank=7)).sentences[0]
    assert said.endswith("of its step is waiting or moving data, not told apart, and not in this.")
    whole = join([member(path) for path in Job(n_ranks=N).write(tmp_path)], RanksParams())
    assert "not told apart" not in text(whole)


@ABSENT
def test_tables_sum_to_the_communication(tmp_path: Path, absent: set[int]) -> None:
    paths, of = without(tmp_path, absent)
    table = join([member(path) for path in paths], RanksParams())
    parts = table.parts
    assert parts is not None
    assert (parts.wait_ns or 0) + (parts.transfer_ns or 0) + parts.untold_ns == parts.communication_ns
    assert sum(row.exposed_ns for row in table.dimensions) == parts.communication_ns
    assert table.n_complete <= table.n_matched <= table.n_complete + table.n_incomplete
    assert table.n_incomplete == sum(row.n_incomplete for row in table.dimensions) > 0
    assert table.n_matched == sum(row.n_instances for row in table.dimensions)
    for row in table.dimensions:
        told = (row.exposed_wait_ns or 0) + (row.exposed_transfer_ns or 0)
        assert told + row.exposed_untold_ns == pytest.approx(row.exposed_ns, abs=2)
    every = sum((row.wait_ns or 0) + (row.transfer_ns or 0) + row.untold_ns for row in table.dimensions)
    assert every == int(of.job.rows.duration.sum())
    assert sum((row.wait_ns or 0) + (row.transfer_ns or 0) + row.untold_ns for row in table.collectives) == every
    assert sum(row.exposed_untold_ns for row in table.collectives) == int(of.exposed.untold.sum())


def test_the_critical_path_names_what_is_not_told_apart(tmp_path: Path) -> None:
    _, of = without(tmp_path, {6}, slow={6: 2.0})
    groups = of.job.table.groups
    on_path = [piece for path in of.paths for piece in path.pieces if piece.what in ("transfer", "untold")]
    assert {piece.what for piece in on_path} == {"untold"}  # by way of who waits for rank 6
    for piece in on_path:
        assert 6 in (groups[of.job.rows.group[piece.row]].ranks or ())


def test_a_step_that_hangs_on_who_is_not_here_is_not_told(tmp_path: Path) -> None:
    paths, _ = without(tmp_path, {6}, slow={6: 2.0, 1: 1.3})
    members = [member(path) for path in paths]
    reply = what_if(members, RanksWhatIfParams(what_if="transfer=0"))
    assert [(row.would_be_ns, row.change_ns) for row in reply.rows] == [(None, None)]
    assert "so it cannot be told" in reply.notes[0]
    assert [(one.name, one.step_without_ns) for one in join(members, RanksParams()).blamed] == [("rank 1", None)]
    whole = [member(path) for path in Job(n_ranks=N, slow={1: 1.3}).write(tmp_path)]
    reply = what_if(whole, RanksWhatIfParams(what_if="transfer=0"))
    assert reply.notes == []
    assert reply.rows[0].would_be_ns is not None


def test_a_lost_kernel_leaves_its_own_collective_not_told(tmp_path: Path) -> None:
    _, of = without(tmp_path, set(), lost={(6, 3)})
    lacking = np.flatnonzero(of.job.waits.untold > 0)
    assert [of.job.of.numbers[rank] for rank in of.job.rows.rank[lacking].tolist()] == [7]
    assert np.isnan(of.job.instances.transfer[of.job.matched.of[lacking]]).all()


def test_one_collective_says_what_it_does_not_know(tmp_path: Path) -> None:
    paths, of = without(tmp_path, {6})
    everybody = int(np.flatnonzero(of.job.waits.is_known & (of.job.waits.untold > 0))[0])
    place = int(of.job.rows.rank[everybody])
    asked = CollectiveParams(run="job", worker=of.job.of.ranks[place].of.worker, row=int(of.job.rows.row[everybody]))
    reply = one_collective([member(path) for path in paths], asked)
    assert reply.sentence is not None
    assert "then waited for ranks that are not here or moved data" in reply.sentence
    assert {one.transfer_ns for one in reply.members} == {None}


def test_who_has_all_members_here_has_the_figures_of_the_whole_job(tmp_path: Path) -> None:
    _, part = without(tmp_path, {6})
    whole = analysed(recorded(Job(n_ranks=N, ranks_per_node=N).write(tmp_path)))
    told = part.job.waits.untold == 0
    numbers = np.array(part.job.of.numbers)[part.job.rows.rank]
    same = np.concatenate([np.flatnonzero(np.array(whole.job.of.numbers)[whole.job.rows.rank] == rank) for rank in set(numbers)])
    for name in ("wait", "transfer"):
        np.testing.assert_array_equal(getattr(part.job.waits, name)[told], getattr(whole.job.waits, name)[same][told])
    assert (whole.job.waits.untold == 0).all()


def test_ranks_alike_are_alike_whoever_is_not_here(tmp_path: Path) -> None:
    """What is compared is what no missing file touches, and one figure in every table: it adds up to what the panel draws."""
    paths, of = without(tmp_path, {6}, slow={6: 1.5})
    work = of.own.parts["computation"] + of.own.parts["copy"] + of.own.parts["idle"]
    wanted = np.stack([work[place] - np.median(np.delete(work, place, axis=0), axis=0) for place in range(len(work))])
    assert np.ptp(of.own.own, axis=0).max() > TRANSFER_NS / 2 > 5 * np.abs(wanted).max()
    members = [member(path) for path in paths]
    table = join(members, RanksParams())
    assert [row.excess_ns for row in table.ranks] == pytest.approx(wanted.mean(axis=1).round().tolist(), abs=1)
    assert [row.excess_ns for row in table.steps] == [pytest.approx(each.tolist(), abs=1) for each in wanted.T]
    by_step = measured(of, "excess")
    assert not isinstance(by_step, str)
    assert float(np.abs(by_step - wanted).max()) < 1
    for place, number in enumerate(of.job.of.numbers):
        for at, row in enumerate(one_rank(members, OneRankParams(rank=number)).steps):
            others = np.delete(work[:, at], place)
            assert row.excess_ns == pytest.approx(wanted[place, at], abs=1)
            more = [(row.work_ns or 0) - (each or 0) for each in (row.peers_work_ns, row.peers_least_ns, row.peers_most_ns)]
            plain_more = [work[place, at] - each for each in (np.median(others), others.min(), others.max())]
            assert more == pytest.approx(plain_more, abs=2)


def test_at_most_is_of_the_steps_that_are_late(tmp_path: Path) -> None:
    paths, of = without(tmp_path, {6}, slow={6: 2.0}, pause={(1, 11): 2 * MS})
    table = join([member(path) for path in paths], RanksParams())
    (one,) = table.blamed
    assert (one.name, one.steps, one.step_without_ns) == ("rank 1", [11], None)
    assert one.excess_ns > 1.5 * MS
    length = float(of.own.step[:, 1].max())
    share = f"{100 * one.excess_ns / length:.1f} % of the {format_ns(length)} that the job takes"
    assert f" of such a step would go with it ({share})" in next(said for said in table.sentences if one.sentence in said)


def test_without_it_is_the_range_that_what_if_gives(tmp_path: Path) -> None:
    paths, _ = without(tmp_path, {6}, slow={1: 1.5})
    members = [member(path) for path in paths]
    reply = what_if(members, RanksWhatIfParams(what_if="rank:kernels=1"))
    (note,), (row,) = reply.notes, reply.rows
    bounds = note.removeprefix("rank:kernels=1: ").partition(";")[0]
    assert row.would_be_least_ns is not None
    assert row.would_be_ns is not None
    assert row.would_be_least_ns < row.would_be_ns - 0.01 * row.was_ns
    assert bounds == f"{format_ns(row.would_be_least_ns)} to {format_ns(row.would_be_ns)}"
    assert "would be, least" in what_if_text(reply)
    table = join(members, RanksParams())
    (one,) = table.blamed
    assert (one.step_was_ns, one.step_without_ns) == (row.was_ns, row.would_be_ns)
    assert one.step_without_least_ns == row.would_be_least_ns
    assert row.would_be_ns == row.was_ns, "rank 6 may be as late"
    said = next(said for said in table.sentences if said.startswith("Rank 1 "))
    assert "At most about " in said
    assert said.endswith("for a rank that is not recorded here may be as late.")


def test_where_all_is_told_apart_the_least_is_the_most(tmp_path: Path) -> None:
    paths, _ = without(tmp_path, set(), slow={1: 1.5})
    members = [member(path) for path in paths]
    reply = what_if(members, RanksWhatIfParams(what_if="rank:kernels=1"))
    (row,), (one,) = reply.rows, join(members, RanksParams()).blamed
    assert row.would_be_least_ns == row.would_be_ns
    assert one.step_without_least_ns == one.step_without_ns is not None
    assert "least" not in what_if_text(reply)


def test_time_that_may_be_waiting_for_a_rank_without_a_file_is_no_other_rank_s() -> None:
    """Rank 5, the slow one, is not here. Rank 1 waits for it, and is last in 8 of 108: that is chance, and not told."""
    files = sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("rank*.gz"))
    reply = join([member(path) for rank, path in enumerate(files) if rank != 5], RanksParams())
    _, _, lead, nobody, _, path = reply.sentences
    assert lead.endswith(": rank 4 is in these 7.02 ms a step longer than others in theirs. Look at rank 5 first.")
    assert "others wait most for" not in nobody
    assert {row.rank for row in reply.path if row.what.startswith("waiting")} == {None}
    assert "waiting for who is not here or moving data: pipeline 55.6 %" in path
    assert "63.3 % in collectives to which rank 5, which is not here, may have come last: " in path
    assert " on rank 1" not in path


def test_of_a_whole_job_nothing_is_said_of_who_is_not_here() -> None:
    folder = real_job("syn8_tp2_pp2_dp2_slow")
    said = join([member(path) for path in sorted(folder.glob("rank*.gz"))], RanksParams()).sentences
    assert not any("not here" in sentence for sentence in said)


@pytest.mark.parametrize("absent", [{6}, {0}, {1, 2, 3}])
def test_what_nothing_tells_apart_is_no_0(tmp_path: Path, absent: set[int]) -> None:
    """Every collective is of all ranks, and one is not here: of who came last of the rest neither wait nor transfer is told."""
    paths, of = without(tmp_path, absent, tensor=N, slow={7: 1.5}, jitter_ns=1)
    wanted = plain(paths)
    members = [member(path) for path in paths]
    table = join(members, RanksParams())
    assert all(transfer == 0 < untold for _, transfer, untold in wanted.values())
    assert table.parts is not None
    assert (table.parts.transfer_ns, bool(table.parts.wait_ns)) == (None, True)
    told = (table.parts.wait_ns or 0) + table.parts.untold_ns
    assert told == table.parts.communication_ns
    for rows in (table.dimensions, table.collectives):
        assert rows
        assert {(row.exposed_transfer_ns, row.transfer_ns) for row in rows} == {(None, None)}
    assert {row.transfer_ns for row in table.ranks} == {None}
    last = next(row for row in table.ranks if row.rank == 7)
    assert (wanted[7][0], last.wait_ns) == (0, None)
    assert all(row.wait_ns for row in table.ranks if row is not last)
    at = of.job.of.numbers.index(7)
    assert [row.wait_ns[at] for row in table.steps] == [None] * len(table.steps)
    for axes in ("step", "kind"):
        grid = matrix(members, MatrixParams(measure="transfer", axes=axes))
        assert {value for row in grid.values for value in row} <= {None}
    panel = one_rank(members, OneRankParams(rank=7))
    (dimension,) = panel.dimensions
    assert (dimension.exposed_wait_ns, dimension.exposed_transfer_ns, dimension.wait_ns, dimension.transfer_ns) == (None,) * 4
    assert dimension.exposed_untold_ns == pytest.approx(wanted[7][2] / len(panel.steps), abs=50)
    assert {row.wait_ns for row in panel.steps} == {None}
    moved = next(row for row in panel.parts if row.part == "exposed transfer")
    assert (moved.mine_ns, moved.peers_ns, moved.more_ns) == (None, None, None)
    said = text(table)
    assert "waiting for other ranks" in table.sentences[0]
    assert "waiting or moving data, not told apart" in table.sentences[0]
    assert "moving data that nothing hides" not in said


def test_beside_another_recording_what_is_not_told_apart_has_no_change(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    whole.mkdir()
    part.mkdir()
    paths, _ = without(part, {6}, tensor=N)
    asked = [dataclasses.replace(member(path), run="part") for path in paths]
    asked += [dataclasses.replace(member(path), run="whole") for path in Job(n_ranks=N, tensor=N).write(whole)]
    reply = beside(asked, BesideParams(run="part", beside="whole"))
    moved = [row for row in reply.rows if row.time == "exposed transfer"]
    assert moved
    assert {(row.run_ns, row.change_ns) for row in moved} == {(None, None)}
    assert "Transfer of part: not told apart from wait; of no collective all ranks are known." in reply.differs


def test_of_who_meets_nobody_it_is_not_told_how_often_it_came_last(tmp_path: Path) -> None:
    paths, of = without(tmp_path, set(), lost={(6, place) for place in range(21)})
    members = [member(path) for path in paths]
    assert of.job.has_waits
    table = join(members, RanksParams())
    lone = next(row for row in table.ranks if row.rank == 6)
    assert (lone.n_last, lone.caused_least_ns, lone.caused_most_ns) == (None, None, None)
    assert all(row.n_last is not None for row in table.ranks if row is not lone)
    grid = matrix(members, MatrixParams(measure="caused"))
    assert [row[0] is None for row in grid.values] == [number == 6 for number in of.job.of.numbers]
