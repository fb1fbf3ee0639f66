"""A job on CPUs: gloo, and operators where others have kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.formats.reader import read
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.trace.rank.summarise import summarise
from tb_plugin.views.ranks.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank import OneRankParams, one_rank, text
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import changed, member, recorded
from tests.job_files import rank_file

if TYPE_CHECKING:
    from pathlib import Path

N_LAYERS = 6
OPERATORS = (("aten::mm", 900.0, [[64, 64], [64, 64]]), ("aten::add", 200.0, [[64], [64]]), ("aten::add", 400.0, [[128], [128]]))


def written(
    folder: Path, slow: dict[str, float], n_ranks: int = 4, *, has_inputs: bool = True, rows: int = 64, n_more: int = 0
) -> list[Path]:
    """`slow`: factor on rank 1's operators of a name; `rows` of its inputs; `n_more`: so many products more, three times as long.
    An all-reduce of all ends each step.
    """
    begun, ran = dict.fromkeys(range(n_ranks), 1000.0), {rank: list[dict[str, Any]]() for rank in range(n_ranks)}
    for step in (10, 11, 12):
        now = dict(begun)
        for rank, mine in ran.items():
            products = [("aten::mm", 2700.0, [[96, 96], [96, 96]])] * (n_more if rank == 1 else 0)
            for name, length, shapes in [*OPERATORS * N_LAYERS, *products]:
                took = length * (slow.get(name, 1.0) if rank == 1 else 1.0 + 0.001 * rank)
                # What it calls is no part of its self time, and no longer on anybody.
                own = [[rows, *more] for _, *more in shapes] if rank == 1 and rows != 64 else shapes
                mine.append(operator(name, now[rank], took + 20, own if has_inputs else None))
                mine.append(operator("aten::empty", now[rank] + 5, 20, [] if has_inputs else None))
                now[rank] += took + 23
        end = max(now.values()) + 800
        for rank, mine in ran.items():
            mine.append({**operator("gloo:all_reduce", now[rank], end - now[rank], []), "cat": "user_annotation", "tid": 10})
            step_name, length = f"ProfilerStep#{step}", end + 30 - begun[rank]
            mine.append({**operator(step_name, begun[rank], length, []), "cat": "user_annotation"})
            begun[rank] = end + 40
    return [rank_file(folder, rank, n_ranks, ran[rank]) for rank in ran]


def operator(name: str, start: float, length: float, shapes: list[list[int]] | None) -> dict[str, Any]:
    args = {} if shapes is None else {"Input Dims": shapes}
    return {"ph": "X", "pid": 9, "tid": 9, "cat": "cpu_op", "name": name, "ts": start, "dur": length, "args": args}


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


@pytest.mark.parametrize(("add", "which"), [(11.5, "operators of the same names"), (6.0, "some operators, first aten::mm")])
def test_without_shapes_a_larger_batch_and_a_slower_processor_are_not_told_apart(tmp_path: Path, add: float, which: str) -> None:
    paths = written(tmp_path, {"aten::mm": 12.0, "aten::add": add}, has_inputs=False)
    table = join([member(path) for path in paths], RanksParams())
    (one,) = table.blamed
    assert f"longer at {which} (whether they got more rows or are slower is not recorded:" in one.sentence
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


def test_a_larger_batch_is_told_by_the_shapes_of_its_inputs(tmp_path: Path) -> None:
    paths = written(tmp_path, {"aten::mm": 12.0, "aten::add": 6.0}, rows=1024)
    (one,) = join([member(path) for path in paths], RanksParams()).blamed
    assert one.cause == "more_work"
    assert "where inputs are of the same shapes operators take as long, and it has inputs of others" in one.sentence


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
