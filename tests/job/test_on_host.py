"""A job on CPUs: gloo, and operators where others have kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.formats.reader import read
from tb_plugin.job.ranks.no_device import lack_device
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank, text
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import N_LAYERS, operator, written
from tests.job.recorded import changed, member, recorded
from tests.job_files import LOADER, rank_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("slow", "cause", "why"),
    [
        (dict.fromkeys(("aten::mm", "aten::add"), 1.3), "slow_kernels", "computes 30 % longer at the same operators"),
        ({"aten::mm": 1.4}, "some_kernels", "computes 40 % longer at some operators, first aten::mm"),
    ],
)
def test_a_slow_rank_on_cpus_is_told_by_its_operators(tmp_path: Path, slow: dict[str, float], cause: str, why: str) -> None:
    paths = written(tmp_path, slow)
    table = join([member(path) for path in paths], RanksParams())
    (one,) = table.blamed
    assert (one.name, one.cause) == ("rank 1", cause)
    assert one.sentence.startswith(f"Rank 1 (node0) {why} in all 3 steps")
    assert one.factor == pytest.approx(max(slow.values()), abs=0.005)
    reply = one_rank([member(path) for path in paths], OneRankParams(rank=1))
    slower = reply.kernels
    assert "\noperators that cost more than on its peers\n" in text(reply)
    assert {row.kernel for row in slower} == set(slow)  # and not what these call
    assert slower[0].n_calls == 3 * N_LAYERS


@pytest.mark.parametrize(
    ("add", "which"),
    [(11.5, "12 x as long at operators of the same names"), (6.0, "10 x as long at some operators, first aten::mm")],
)
def test_without_shapes_a_larger_batch_and_a_slower_processor_are_not_told_apart(tmp_path: Path, add: float, which: str) -> None:
    paths = written(tmp_path, {"aten::mm": 12.0, "aten::add": add}, has_inputs=False)
    table = join([member(path) for path in paths], RanksParams())
    (one,) = table.blamed
    assert f"Rank 1 (node0) computes {which} (whether they got more rows or are slower is not recorded:" in one.sentence
    assert "same operators" not in " ".join([one.sentence, *table.doubts])


def test_without_shapes_many_more_calls_are_more_work_though_they_are_longer_ones(tmp_path: Path) -> None:
    members = [member(path) for path in written(tmp_path, {}, has_inputs=False, n_more=40)]
    (one,) = join(members, RanksParams()).blamed
    assert (one.cause, one.kernels[0]) == ("more_work", "aten::mm")
    # With each product one `aten::empty`.
    assert "has more work: 80 operators more a step, first aten::mm (46 against 6 on its peers) and aten::empty (" in one.sentence
    first = one_rank(members, OneRankParams(rank=1)).kernels[0]
    assert (first.kernel, first.n_calls, first.peers_calls) == ("aten::mm", 3 * 46, 3 * 6)
    assert first.more_ns == pytest.approx(3 * 40 * 2_700_000, rel=0.01)
    assert first.peers_median_ns == pytest.approx(900_000, rel=0.01)


def test_operators_that_take_next_to_nothing_on_the_peers_tell_how_long_they_take_and_no_factor(tmp_path: Path) -> None:
    (one,) = join([member(path) for path in written(tmp_path, {"aten::view": 400.0}, tiny=6.0)], RanksParams()).blamed
    told = "computes longer at few operators, first aten::view (14.4 ms a step against 36.1 us on its peers) in all 3 steps"
    assert told in one.sentence


def test_a_larger_batch_is_told_by_the_shapes_of_its_inputs(tmp_path: Path) -> None:
    paths = written(tmp_path, {"aten::mm": 12.0, "aten::add": 6.0}, rows=1024)
    (one,) = join([member(path) for path in paths], RanksParams()).blamed
    assert one.cause == "more_work"
    shapes = "first aten::mm ([1024, 64] against [64, 64] on its peers) and aten::add ([1024] against [128])"
    assert f"has more work: the same operators with other shapes, {shapes} in all 3 steps" in one.sentence


def test_operators_of_a_name_are_apart_where_their_inputs_are(tmp_path: Path) -> None:
    """Numbers that are equal on all ranks, though each file numbers its texts for itself."""
    first, *others = [summarise(read(path)) for path in written(tmp_path, {})]
    shapes = unpacked(first.shapes)
    median = {(first.names[name], took) for name, took in zip(shapes["name"].tolist(), shapes["median"].tolist(), strict=True)}
    assert median == {("aten::mm", 900_000), ("aten::add", 200_000), ("aten::add", 400_000), ("aten::empty", 20_000)}
    for other in others:
        assert np.array_equal(np.unique(unpacked(other.shapes)["shape"]), np.unique(shapes["shape"]))


@pytest.mark.parametrize("lacking", [(1,), (0, 2, 3)])
def test_where_nothing_says_what_ran_the_reason_is_not_told(tmp_path: Path, lacking: tuple[int, ...]) -> None:
    profiles = recorded(written(tmp_path, dict.fromkeys(("aten::mm", "aten::add"), 1.3)))
    for place in lacking:
        summary = profiles[place].summary
        none = packed({name: column[:0] for name, column in unpacked(summary.shapes).items()})
        profiles[place] = replace(profiles[place], summary=msgspec.structs.replace(summary, shapes=none))
    ((one, why, _),) = analysed(profiles).stragglers
    assert (one.number, why.id, why.confidence) == (1, "kernels", "maybe")


def test_whose_threads_come_late_each_time_is_on_no_clock_of_his_own(tmp_path: Path) -> None:
    """Steps, which a clock would move too, begin together; these do not come at even times."""
    profiles = recorded(written(tmp_path, {}))
    for place, one in enumerate(profiles):
        rows = unpacked(one.summary.collectives)
        later = np.array([0, 3_000_000, 12_000_000], np.int64)
        rows["start"], rows["end"] = rows["start"] + later, rows["end"] + later + 2_000_000 * (place == 1)
        profiles[place] = changed(one, collectives=packed(rows))
    found = analysed(profiles).job
    assert (found.places.off, found.places.may_differ, found.clock_refused) == ((), (), None)
    assert len(found.matched) == 3


def test_a_rank_that_loads_in_operators_waits_for_its_loader(tmp_path: Path) -> None:
    """Rank 1 makes its rows longer; and one third of what it has more is enough where nothing else is of one name."""
    members = [member(path) for path in loading(tmp_path)]
    (one,) = join(members, RanksParams()).blamed
    assert (one.name, one.cause) == ("rank 1", "input")
    beside = "stands still in several gaps without any event (45.0 ms more)"
    assert f"waits for its data loader (30.0 ms more) and {beside} in all 3 steps" in one.sentence


def loading(folder: Path) -> list[Path]:
    """Three ranks; in each step all make rows in their loader, rank 1 for 31 ms, and it stands still three times for 15 ms."""
    ran, begun = {rank: list[dict[str, Any]]() for rank in range(3)}, 1000.0
    for step in (10, 11, 12):
        end = {}
        for rank, mine in ran.items():
            took = 31_000.0 if rank == 1 else 1_000.0
            mine.append({**operator(LOADER, begun + 10, took, None), "cat": "user_annotation"})
            mine.append(operator("aten::randn", begun + 15, took - 10, [[256, 256]]))
            now = begun + 10 + took + 5
            begins = [now + 5010 * turn + (15_000 * min(turn, 3) if rank == 1 else 0) for turn in range(N_LAYERS)]
            mine += [operator("aten::mm", each, 5000.0 + rank, [[64, 64], [64, 64]]) for each in begins]
            end[rank] = begins[-1] + 5010
        last = max(end.values()) + 800
        for rank, mine in ran.items():
            mine.append({**operator("gloo:all_reduce", end[rank], last - end[rank], []), "cat": "user_annotation", "tid": 10})
            mine.append({**operator(f"ProfilerStep#{step}", begun, last + 30 - begun, []), "cat": "user_annotation"})
        begun = last + 40
    return [rank_file(folder, rank, 3, mine) for rank, mine in ran.items()]


@pytest.mark.parametrize("backend", ["cpu:gloo,cuda:nccl", "nccl"])
def test_a_backend_of_both_lacks_no_devices_where_the_hosts_carry_out_its_collectives(tmp_path: Path, backend: str) -> None:
    asked = [member(path) for path in written(tmp_path, {"aten::mm": 1.4})]
    said = [replace(one, answer=msgspec.structs.replace(one.answer, backend=backend)) for one in asked if one.answer]
    table, plain = (join(some, RanksParams()) for some in (said, asked))
    if backend == "nccl":
        assert (table.blamed, table.job_step_ns) == ([], None)
    else:
        assert (table.blamed, table.sentences, table.notes) == (plain.blamed, plain.sentences, plain.notes)
        assert [one.name for one in table.blamed] == ["rank 1"]


def test_a_backend_of_both_says_devices_where_no_collective_is_in_any_file(tmp_path: Path) -> None:
    asked = [member(path) for path in written(tmp_path, {})]
    summaries = [msgspec.structs.replace(one.answer, backend="cpu:gloo,cuda:nccl") for one in asked if one.answer]
    none = packed({name: column[:0] for name, column in unpacked(summaries[0].collectives).items()})
    without = [msgspec.structs.replace(one, collectives=none) for one in summaries]
    assert [lack_device(some) for some in (summaries, without)] == [[False] * 4, [True] * 4]
