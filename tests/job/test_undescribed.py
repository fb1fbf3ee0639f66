"""Groups that a program makes itself: torch describes each of them as "undefined", whatever they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.program_files import Op, Program, ProgramJob

if TYPE_CHECKING:
    from pathlib import Path

_TENSOR, _DATA = ((0, 1), (2, 3)), ((0, 2), (1, 3))


def _job(tensor: str, data: str, world: str) -> ProgramJob:
    """Two by two; gradients are reduced beside the pass, layers wait for each other, and a norm of all for
    the last gradients. Rank 2 computes longer."""
    programs = [Program(rank=rank) for rank in range(4)]
    for one in programs:
        its, across = (next(group for group in groups if one.rank in group) for groups in (_TENSOR, _DATA))
        for step in range(4):
            reduced, before = list[Op](), list[Op]()
            for layer in range(16):
                last = one.kernel(1_200_000 if one.rank == 2 else 1_000_000, before)
                before = [one.meet("allreduce", its, tensor, 100_000, [last], stream=20)]
                if layer >= 4:  # of the last micro-batch
                    reduced.append(one.meet("allreduce", across, data, 600_000, [last], stream=21))
            last = one.kernel(200_000, before)
            norm = one.meet("allreduce", range(4), world, 20_000, [last, reduced[-1]], stream=28)
            one.sync(one.kernel(300_000, [norm]))
            one.step(10 + step)
    return ProgramJob(programs=programs)


def test_what_each_is_for_is_told_by_its_use_and_not_of_all_together(tmp_path: Path) -> None:
    told = {
        name: join([member(path) for path in _job(*said).write(tmp_path / name)], RanksParams())
        for name, said in {
            "said": ("TENSOR_MODEL_PARALLEL_GROUP", "DATA_PARALLEL_GROUP", "default_pg"),
            "not": ("undefined",) * 3,
        }.items()
    }
    assert [each.ranks for each in told["not"].blamed] == [[2]] == [each.ranks for each in told["said"].blamed]
    assert told["not"].blamed[0].step_without_ns == told["said"].blamed[0].step_without_ns
    assert told["not"].path == told["said"].path
