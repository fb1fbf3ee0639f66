"""Ranks of CPU jobs, of which no replay tells: what would go without each, and who is waited for more than who is blamed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import operator
from tests.job.recorded import member, real_job
from tests.job_files import rank_file
from tests.program_files import Program, ProgramJob

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def _said(folder: Path, own_ms: Sequence[Sequence[float]], loads: dict[tuple[int, int], float] | None = None) -> list[str]:
    """Of ranks that compute for so long in each step before an all-reduce of 800 us; `loads`: and load, by (rank, step)."""
    now, ran = [1000.0] * len(own_ms), [list[dict[str, Any]]() for _ in own_ms]
    for step in range(len(own_ms[0])):
        begun = list(now)
        for rank, mine in enumerate(ran):
            loader = 1000 * (loads or {}).get((rank, step), 0.1)
            mine.append({**operator(_LOADER, now[rank], loader, []), "cat": "user_annotation"})
            now[rank] += loader + 3
            length = 1000 * own_ms[rank][step] / 10
            for _ in range(10):
                mine.append(operator("aten::mm", now[rank], length - 3, [[64, 64], [64, 64]]))
                now[rank] += length
        end = max(now) + 800
        for rank, mine in enumerate(ran):
            mine.append({**operator("gloo:all_reduce", now[rank], end - now[rank], []), "cat": "user_annotation", "tid": 10})
            mine.append(
                {**operator(f"ProfilerStep#{10 + step}", begun[rank], end + 30 - begun[rank], []), "cat": "user_annotation"}
            )
            now[rank] = end + 40
    members = [member(rank_file(folder, rank, len(ran), mine)) for rank, mine in enumerate(ran)]
    return join(members, RanksParams()).sentences


@pytest.mark.parametrize("n_after", [2, 0])
def test_of_two_who_are_late_in_a_step_each_is_told_what_would_go_with_it_alone(tmp_path: Path, n_after: int) -> None:
    late = {1: 60.0, 2: 30.0}
    own = [[20 + 0.1 * rank] * 3 + [late.get(rank, 20 + 0.1 * rank)] + [20 + 0.1 * rank] * n_after for rank in range(6)]
    said = _said(tmp_path, own)
    first, second = (next(text for text in said if text.startswith(f"Rank {rank} ")) for rank in late)
    assert "39.6 ms more" in first
    assert "At most about 30.0 ms of such a step would go with it (49.2 %" in first
    assert second.endswith("Without it alone such a step would take as long: rank 1 needs more.")


def test_who_is_waited_for_more_than_who_is_blamed_costs_is_named_first(tmp_path: Path) -> None:
    """Steps and ranks differ too much to blame it."""
    own = [[44.7, 25.6, 45.5, 19.9], [82.8, 32.7, 60.1, 30.8], [41.9, 30.8, 37.4, 23.7], [9.4, 20.1, 45.5, 18.6]]
    said = _said(tmp_path, own, {(2, 0): 8.35})
    loader = next(at for at, text in enumerate(said) if "Rank 2 (node0) waits for its data loader in step 10" in text)
    assert said[loader - 1].startswith("Most needs rank 1, ")
    assert (
        "The others wait most for rank 1 to come: by more than 20.0 us it was last in 4 of its 4 collectives." in said[loader - 1]
    )
    assert said[loader].endswith("Without it alone such a step would take as long: rank 1 needs more.")


def test_of_two_who_need_as_long_none_is_said_to_need_more(tmp_path: Path) -> None:
    said = _said(tmp_path, [[own + 0.1 * step for step in range(4)] for own in (60.8, 20, 60.0, 20.1, 20.2, 20.3)])
    alone = {rank: next(text for text in said if text.startswith(f"Rank {rank} ")) for rank in (0, 2)}
    assert alone[0].endswith("Without it alone a step would take as long: rank 2 is late then, too.")
    assert alone[2].endswith("Without it alone a step would take as long: rank 0 is late then, too.")


def test_where_no_host_is_recorded_a_device_that_idles_may_wait_for_who_is_late(tmp_path: Path) -> None:
    """Rank 3 stands still as long as rank 0 computes, for what no file has: all that rank 0 needs more may go."""
    programs = [Program(rank=rank) for rank in range(4)]
    for one in programs:
        for step in range(4):
            last = one.kernel(9_000_000 if one.rank == 0 else 3_000_000 + 10_000 * one.rank)
            one.sync(last)
            if one.rank == 3:
                one.unseen(6_000_000)
            one.sync(one.meet("allreduce", range(4), "DATA_PARALLEL_GROUP", 500_000, [last]))
            one.step(10 + step)
    said = join([member(path) for path in ProgramJob(programs=programs, has_host=False).write(tmp_path)], RanksParams()).sentences
    (first,) = (text for text in said if text.startswith("Rank 0 "))
    told = re.search(r"At most about ([0-9.]+) ms of a step would go with it", first)
    assert told is not None, first
    assert float(told[1]) == pytest.approx(6.0, rel=0.02)


def test_what_others_move_while_they_wait_for_who_is_late_is_hidden_without_it(tmp_path: Path) -> None:
    """Gradients are reduced beside the pass of which they are; the rank that computes longer hides them, the others wait."""

    def programs(more: float) -> list[Program]:
        found = [Program(rank=rank) for rank in range(4)]
        for one in found:
            for step in range(4):
                kernels = [one.kernel(int(1_000_000 * (1.0 + more * (one.rank == 2)))) for _ in range(8)]
                reduced = [one.meet("allreduce", range(4), "DATA_PARALLEL_GROUP", 900_000, [each], stream=20) for each in kernels]
                one.sync(reduced[-1])
                one.step(10 + step)
        return found

    job = ProgramJob(programs=programs(0.2), has_host=False)
    said = join([member(path) for path in job.write(tmp_path)], RanksParams()).sentences
    (late,) = (text for text in said if text.startswith("Rank 2 "))
    told = re.search(r"At most about ([0-9.]+) ms of a step would go with it", late)
    assert told is not None, late
    assert float(told[1]) == pytest.approx(1.6, rel=0.05)


def test_most_of_a_production_job_s_step_may_go_with_its_slow_worker() -> None:
    """Of 64 ranks 16 are here, without hosts; the study's step is 46.6 s, 23.5 s without it."""
    folder = real_job("ar16_of_64_kineto")
    said = join([member(path) for path in sorted(folder.glob("*.json*"))], RanksParams()).sentences
    (first,) = (text for text in said if text.startswith("Rank 0 "))
    told = re.search(r"At most about ([0-9.]+) s of a step would go with it", first)
    assert told is not None, first
    assert 23.1 < float(told[1]) < 26.0


def test_of_who_stands_still_and_is_late_for_more_no_more_would_go_than_it_stands_still() -> None:
    """It sleeps 300 ms a step; its peers have gaps, too, and it computes longer by what no cause tells."""
    folder = real_job("rec_fsdp2_2nodes")
    said = join([member(path) for path in sorted(folder.glob("*.trace.json.gz"))], RanksParams()).sentences
    (late,) = [text for text in said if text.startswith("Rank 3 ")]
    more, part, gone = (
        float(ms) for ms in re.findall(r"(\d+) ms (?:a step more than|of that for this|of a step would go)", late)
    )
    assert more > 330
    assert 270 < part < 305
    assert gone == part
