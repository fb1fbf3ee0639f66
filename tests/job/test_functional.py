"""Functional collectives on CPUs: who waits in `wait_tensor` waits, though it is an operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tb_plugin.formats.reader import read
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import operator
from tests.job.recorded import changed, member, recorded
from tests.job_files import rank_file

if TYPE_CHECKING:
    from pathlib import Path

STEPS = (10, 11, 12)
WAIT = "_c10d_functional::wait_tensor"


def written(folder: Path, *, without_range: tuple[int, ...] = ()) -> list[Path]:
    """Three ranks whose rank 1 stands still for 30 ms; all wait from 2 ms before their gloo begins to 1 ms after it."""
    ran, begun = {rank: list[dict[str, Any]]() for rank in range(3)}, 1000.0
    for step in STEPS:
        came = {rank: begun + 10_000 + (30_000 if rank == 1 else 0) + 10 * rank for rank in ran}
        end = max(came.values()) + 3000
        for rank, mine in ran.items():
            mine.append(operator("aten::mm", begun + 5, 9000.0 + 10 * rank, [[64, 64]]))
            mine.append(operator(WAIT, came[rank], end + 1000 - came[rank], []))
            if rank not in without_range:
                row = operator("gloo:all_reduce", came[rank] + 2000, end - came[rank] - 2000, [])
                mine.append({**row, "cat": "user_annotation", "tid": 10})
            mine.append({**operator(f"ProfilerStep#{step}", begun, end + 1030 - begun, []), "cat": "user_annotation"})
        begun = end + 1040
    return [rank_file(folder, rank, 3, mine) for rank, mine in ran.items()]


def test_who_comes_late_to_a_functional_collective_is_told(tmp_path: Path) -> None:
    """Those who wait for it were blamed for computing longer in `wait_tensor`."""
    (one,) = join([member(path) for path in written(tmp_path)], RanksParams()).blamed
    assert one.name == "rank 1"
    assert "stands still in one gap without any event" in one.sentence


def test_what_is_exposed_adds_up_where_a_host_waits_beside_the_range(tmp_path: Path) -> None:
    found = analysed(recorded(written(tmp_path)))
    for rank, shares in zip(found.job.of.ranks, found.exposed.shares, strict=True):
        assert shares.sum(axis=(1, 2)).tolist() == rank.work["exposed"].tolist()
        assert rank.work["computation"].tolist() == [9_000_000 + 10_000 * rank.number] * len(STEPS)
    waits = {0: 34_010_000, 1: 4_000_000, 2: 33_990_000}
    assert [rank.work["exposed"].tolist() for rank in found.job.of.ranks] == [[waits[each]] * len(STEPS) for each in waits]


def test_operators_in_which_a_rank_waits_are_not_told_as_slower_ones(tmp_path: Path) -> None:
    shapes = [summarise(read(path)).names for path in written(tmp_path)]
    assert shapes == [["aten::mm"]] * 3


def test_a_wait_whose_range_is_not_in_the_file_is_no_own_time(tmp_path: Path) -> None:
    found = analysed(recorded(written(tmp_path, without_range=(2,))))
    at = [rank.number for rank in found.job.of.ranks].index(2)
    assert found.exposed.shares[at][:, :, 2].sum(axis=1).tolist() == found.job.of.ranks[at].work["exposed"].tolist()


def test_a_summary_without_such_waits_is_read_as_it_was(tmp_path: Path) -> None:
    profiles = recorded(written(tmp_path))
    older = [changed(one, host_waits=None) for one in profiles]
    assert len(analysed(older).job.matched) == len(STEPS)


def test_who_is_held_up_in_the_calls_of_sends_and_receives_is_not_late_for_itself(tmp_path: Path) -> None:
    """Rank 1 of a pipeline of two waits 10 ms in each call, and its peer next to nothing."""
    begun, files = 1000.0, list[list[dict[str, Any]]]()
    for rank in range(2):
        mine = list[dict[str, Any]]()
        for nth, step in enumerate(STEPS):
            at = start = begun + 100_000 * nth
            for name in ("recv", "send") * 4:
                mine.append(operator("aten::mm", at, 1000.0, [[64, 64]]))
                call, length = at + 1010, 10_000.0 if rank else 40.0
                mine.append(operator(f"c10d::{name}{'_' * (name == 'recv')}", call, length, []))
                row = operator(f"gloo:{name}", call + length - 1, 11_050 - length, [])
                mine.append({**row, "cat": "user_annotation"})
                at = call + 11_060
            reduces = {**operator("gloo:all_reduce", at + 1000 + rank, 2000.0 - rank, []), "cat": "user_annotation", "tid": 10}
            mine += [operator("aten::add", at, 900.0 + rank, [[64]]), reduces]
            mine.append({**operator(f"ProfilerStep#{step}", start, at + 3000 - start, []), "cat": "user_annotation"})
        files.append(mine)
    found = analysed(recorded([rank_file(tmp_path, rank, 2, mine) for rank, mine in enumerate(files)]))
    assert found.stragglers == []
    untold = [float(shares[:, :, 2].sum(axis=1).mean()) for shares in found.exposed.shares]
    assert untold[1] > 0.95 * untold[0] > 0
