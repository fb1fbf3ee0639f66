"""Files of a job on CPUs, of which one rank may do more or be slower."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.job_files import rank_file

if TYPE_CHECKING:
    from pathlib import Path

N_LAYERS = 6
OPERATORS = (("aten::mm", 900.0, [[64, 64], [64, 64]]), ("aten::add", 200.0, [[64], [64]]), ("aten::add", 400.0, [[128], [128]]))


def written(
    folder: Path,
    slow: dict[str, float],
    n_ranks: int = 4,
    *,
    has_inputs: bool = True,
    rows: int = 64,
    n_more: int = 0,
    tiny: float = 0.0,
) -> list[Path]:
    """`slow`: factor on rank 1's operators of a name; `rows` of its inputs; `n_more`: so many products more, three times as long.
    `tiny`: how long an operator takes that all run too, us. An all-reduce of all ends each step.
    """
    begun, ran = dict.fromkeys(range(n_ranks), 1000.0), {rank: list[dict[str, Any]]() for rank in range(n_ranks)}
    for step in (10, 11, 12):
        now = dict(begun)
        for rank, mine in ran.items():
            products = [("aten::mm", 2700.0, [[96, 96], [96, 96]])] * (n_more if rank == 1 else 0)
            views = [("aten::view", tiny, [[64]])] * (N_LAYERS if tiny else 0)
            for name, length, shapes in [*OPERATORS * N_LAYERS, *products, *views]:
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
