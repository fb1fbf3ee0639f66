"""Ranks of a job of devices whose files hold their hosts alone: cut off before the devices' rows, or recorded without them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, TypeAlias

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tests.job.recorded import member, real_job
from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable

    Spoil: TypeAlias = Callable[[Path], None]

_DEVICE = ("kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation")
_ALSO_LAUNCHES = (*_DEVICE, "cuda_runtime", "cuda_driver")


def cut_before_device(path: Path, *, before: tuple[str, ...] = _DEVICE) -> None:
    """As torch writes a file: host first. It ends in mid-event, where the first event of `before` would begin."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    events = [event for event in trace["traceEvents"] if event.get("cat") not in before]
    whole = json.dumps({**trace, "traceEvents": events})
    path.write_bytes(gzip.compress(whole[: whole.rindex(", {") + 20].encode(), 1))


def without_device(path: Path) -> None:
    """As with activities=[ProfilerActivity.CPU]."""
    trace = json.loads(gzip.decompress(path.read_bytes()))
    trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") not in _ALSO_LAUNCHES]
    path.write_bytes(gzip.compress(json.dumps(trace).encode(), 1))


def cut_before_launches(path: Path) -> None:
    cut_before_device(path, before=_ALSO_LAUNCHES)


def joined(paths: list[Path]) -> RanksTable:
    return join([member(path) for path in paths], RanksParams())


_CUT = "Rank 6: its file is cut off before any device work; "
_ALONE = "Rank 6: its file has activities of the CPU alone, and no device work; "


@pytest.mark.parametrize(("spoil", "said"), [(cut_before_device, _CUT), (cut_before_launches, _CUT), (without_device, _ALONE)])
@pytest.mark.parametrize("slow", [{}, {3: 1.15}])
def test_it_is_in_no_figure_and_the_rest_is_as_without_its_file(
    tmp_path: Path, spoil: Spoil, said: str, slow: dict[int, float]
) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, slow=slow).write(tmp_path)
    others = [path for rank, path in enumerate(paths) if rank != 6]
    plain = joined(others)
    spoil(paths[6])
    table = joined(paths)
    assert [(one.name, one.excess_ns, one.step_without_ns) for one in table.blamed] == [
        (one.name, one.excess_ns, one.step_without_ns) for one in plain.blamed
    ]
    assert [one.name for one in table.blamed] == [f"rank {rank}" for rank in slow]
    assert (table.job_step_ns, table.parts, table.dimensions) == (plain.job_step_ns, plain.parts, plain.dimensions)
    assert [row for row in table.ranks if row.rank != 6] == plain.ranks
    (row,) = (row for row in table.ranks if row.rank == 6)
    assert (row.n_steps, row.step_ns, row.computation_ns, row.all_computation_ns, row.excess_ns) == (0, None, None, None, None)
    assert table.sentences[1] == f"{said}it is in no figure of a step, and all else is told as if it is missing."
    assert not any("CPU job" in note or "is not whole in it" in note for note in table.notes)
    assert one_rank([member(path) for path in paths], OneRankParams(rank=6)).sentences[0].startswith(said)


@pytest.mark.parametrize("spoil", [cut_before_device, without_device])
def test_where_it_is_the_late_one_it_is_to_be_looked_at_first(tmp_path: Path, spoil: Spoil) -> None:
    paths = Job(n_ranks=8, ranks_per_node=4, slow={6: 1.5}, n_steps=4).write(tmp_path)
    spoil(paths[6])
    table = joined(paths)
    assert table.blamed == []
    (first,) = [said for said in table.sentences if "Look at" in said]
    lacks = "is cut off before any device work" if spoil is cut_before_device else "has no device work"
    assert f"is nearly all in collectives with rank 6, whose file {lacks}: rank 7 is in these" in first
    assert first.endswith(" Look at rank 6 first.")


@pytest.mark.parametrize("spoil", [cut_before_device, cut_before_launches, without_device])
def test_where_every_file_is_so_nothing_is_told_of_steps_and_it_is_no_job_on_cpus(tmp_path: Path, spoil: Spoil) -> None:
    paths = Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    for path in paths:
        spoil(path)
    table = joined(paths)
    assert (table.parts, table.blamed, table.job_step_ns) == (None, [], None)
    assert {(row.computation_ns, row.idle_ns, row.all_computation_ns) for row in table.ranks} == {(None, None, None)}
    why = "activities of the CPU alone" if spoil is without_device else "cut off before any device work"
    assert why in table.sentences[1]
    assert table.sentences[1].endswith("; how long a step is, who is late and why is not recorded.")
    assert "CPU job" not in text(table)


@pytest.mark.parametrize("n_bytes", [20_000, 30_000, 40_000])
def test_where_no_collective_names_its_group_one_that_is_cut_is_a_member_that_is_not_here(tmp_path: Path, n_bytes: int) -> None:
    """Before its device's rows, before the first collective, after four: all of the others are matched, and none is whole."""
    paths = [tmp_path / path.name for path in sorted(real_job("dlrm8_v100_2023").glob("worker*.gz"))]
    for path in paths:
        raw = (real_job("dlrm8_v100_2023") / path.name).read_bytes()
        path.write_bytes(raw[:n_bytes] if path.name.startswith("worker2_") else raw)
    table, plain = joined(paths), joined([path for path in paths if not path.name.startswith("worker2_")])
    assert (table.n_matched, table.n_complete, len(table.hosts)) == (8, 0, 1)
    assert table.blamed == []
    assert table.parts == plain.parts
    assert {row.transfer_ns for row in table.ranks} == {None}
    (row,) = (row for row in table.ranks if row.rank == 2)
    assert (row.own_ns, row.computation_ns, row.excess_ns) == (None, None, None)
    assert any("for having waited for rank 2, " in said for said in table.sentences)
