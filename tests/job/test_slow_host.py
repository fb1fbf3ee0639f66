"""A rank that shares its core is held up wherever it is: one sentence tells it, and not one for each operator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import operator
from tests.job.recorded import member
from tests.job_files import rank_file

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("aten::mm", "aten::add", "aten::relu", "aten::sum", "aten::mul", "aten::view")
STEPS = range(10, 16)


def written(folder: Path, held: dict[int, tuple[str, float]], gap: dict[int, float], between: float = 0.0) -> list[Path]:
    """Three ranks that run each of NAMES four times a step, 200 us each, the last for 1 us. Of rank 1 in a step (an operator
    whose third call takes so much longer, us), and what it stands still before the last four;
    `between`: what lies after each of its operators. All are in a range.
    """
    ran, begun = {rank: list[dict[str, Any]]() for rank in range(3)}, 1000.0
    for step in STEPS:
        end = {}
        for rank, mine in ran.items():
            now = begun + 10
            for name in NAMES:
                now += gap.get(step, 0.0) if (rank, name) == (1, NAMES[-1]) else 0.0
                for turn in range(4):
                    which, more = held.get(step, ("", 0.0))
                    usual = (1.0 if name == NAMES[-1] else 200.0) + rank / 10
                    took = usual + (more if (rank, which, turn) == (1, name, 2) else 0.0)
                    mine.append(operator(name, now, took, [[64, 64]]))
                    now += took + 5 + (between if rank == 1 else 0.0)
            mine.append({**operator("augment", begun + 5, now - begun - 4, []), "cat": "user_annotation"})
            end[rank] = now
        last = max(end.values()) + 300
        for rank, mine in ran.items():
            mine.append({**operator("gloo:all_reduce", end[rank], last - end[rank], []), "cat": "user_annotation", "tid": 10})
            mine.append({**operator(f"ProfilerStep#{step}", begun, last + 30 - begun, []), "cat": "user_annotation"})
        begun = last + 40
    return [rank_file(folder, rank, 3, mine) for rank, mine in ran.items()]


def test_who_is_held_up_at_something_else_in_each_step_has_a_slow_host(tmp_path: Path) -> None:
    held = {10 + nth: (name, 4200.0) for nth, name in enumerate(NAMES[:4])}
    (one,) = join([member(path) for path in written(tmp_path, held, {14: 4200.0, 15: 4200.0})], RanksParams()).blamed
    assert (one.name, one.cause, one.steps) == ("rank 1", "slow_kernels", list(STEPS))
    assert one.factor == pytest.approx(2.0, abs=0.1)
    assert one.sentence.startswith("Rank 1 (node0) takes 2.0 x as long for all that its host does (as on a slower processor")


def test_who_is_held_up_at_one_operator_is_told_by_it(tmp_path: Path) -> None:
    (one,) = join(
        [member(path) for path in written(tmp_path, dict.fromkeys(STEPS, ("aten::mm", 4200.0)), {})], RanksParams()
    ).blamed
    assert (one.cause, one.kernels) == ("long_call", ["aten::mm"])


def test_of_a_call_that_is_usually_short_it_is_told_how_long_and_not_how_many_times(tmp_path: Path) -> None:
    (one,) = join([member(path) for path in written(tmp_path, {12: ("aten::view", 4200.0)}, {})], RanksParams()).blamed
    assert "one call of aten::view, which takes 4.20 ms, against 1.00 us as usual in step 12" in one.sentence.replace(
        "1.10 us", "1.00 us"
    )


def test_time_between_operators_is_told_by_the_range_around_them(tmp_path: Path) -> None:
    (one,) = join([member(path) for path in written(tmp_path, {}, {}, between=150.0)], RanksParams()).blamed
    assert (one.name, one.cause, one.steps) == ("rank 1", "idle", list(STEPS))
    assert "is 3.60 ms longer in `augment` without an operator (Python, or what is not recorded) in all 6 steps" in one.sentence
