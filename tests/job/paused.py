"""Files of a job of which a rank stands still, to be changed before they are read."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

STEPS = (10, 11, 12)


def length_of(folder: Path, **more: Any) -> float:
    """Of the second and third step of the job as it truly was."""
    job = Job(n_ranks=8, ranks_per_node=4, **more)
    job.write(folder)
    ends = [max(met.end for met in job.met if met.step == step) for step in STEPS]
    return float(np.diff(ends).mean())


def file_of(folder: Path, rank: int) -> str:
    return next(path.name for path in folder.iterdir() if path.name.startswith(f"rank{rank}."))


def changed(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    data = json.loads(gzip.decompress(path.read_bytes()))
    change(data["traceEvents"])
    path.write_bytes(gzip.compress(json.dumps(data).encode(), 1))


def marked(stops: dict[tuple[int, int, int], int]) -> dict[tuple[int, int, int], Sequence[tuple[str, str]]]:
    """An event in each of these, to be found again."""
    return {stop: [("cpu_op", "marker")] for stop in stops}
