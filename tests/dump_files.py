"""Dumps of flight recorders, drawn: what each rank issued, in order.

0 | all:1 done, tp:1 done, all:2 started          a rank, its collectives by group and number, and how far each came
1 | all:1 done, tp:1 done
"""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

from tb_plugin.job.hangs.hang import frontiers
from tb_plugin.job.hangs.hang_numbers import comparable
from tb_plugin.runs.dumps import find_dumps, read_dumps
from tb_plugin.views.ranks.hang.hang import hang_report

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.hangs.hang import Frontier

STATES = {"done": "completed", "started": "started", "scheduled": "scheduled"}


def drawn(text: str, groups: dict[str, list[int]], size: dict[tuple[int, str, int], int] | None = None) -> dict[int, Any]:
    """What torch would dump, by rank. `size`: of the message of (rank, group, number), where it is not 8."""
    found = {}
    for line in text.strip().splitlines():
        number, _, rest = line.partition("|")
        rank = int(number)
        entries: list[dict[str, Any]] = []
        for at, word in enumerate(filter(None, (each.strip() for each in rest.split(",")))):
            what, state = word.split()
            group, _, sequence = what.partition(":")
            n = (size or {}).get((rank, group, int(sequence)), 8)
            entries.append(_entry(at, group, int(sequence), state, n, line=10 * len(entries) + 5))
        config = {name: {"name": name, "desc": f"{name} group", "ranks": json.dumps(ranks)} for name, ranks in groups.items()}
        found[rank] = {"version": "2.10", "pg_config": config, "pg_status": {}, "entries": entries}
    return found


def of_gloo(text: str) -> dict[int, Any]:
    """Groups without members; `all` is the default one."""
    dumps = drawn(text, {})
    for entry in (entry for dump in dumps.values() for entry in dump["entries"]):
        group = entry["process_group"][0]
        entry.update(
            profiling_name="gloo:all_reduce",
            state="scheduled",
            process_group=("0", "default_pg") if group == "all" else (group, group),
        )
    return dumps


def _entry(at: int, group: str, sequence: int, state: str, n: int, line: int) -> dict[str, Any]:
    return {
        "frames": [
            {"name": "all_reduce", "filename": "/x/site-packages/torch/distributed/c10d.py", "line": 1},
            {"name": "step", "filename": "train.py", "line": line},
        ],
        "record_id": at,
        "process_group": (group, f"{group} group"),
        "collective_seq_id": sequence,
        "p2p_seq_id": 0,
        "profiling_name": "nccl:all_reduce",
        "input_sizes": [[n]],
        "input_dtypes": ["Float"],
        "state": STATES[state],
        "retired": state == "done",
        "time_created_ns": 1_790_857_026_000_000_000 + 1000 * at,
        "is_p2p": False,
    }


def write(folder: Path, dumps: dict[int, Any], form: str = "pickle") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for rank, dump in dumps.items():
        content = pickle.dumps(dump) if form == "pickle" else json.dumps(dump).encode()
        (folder / f"nccl_trace_rank_{rank}").write_bytes(content)
    return folder


def told(folder: Path, dumps: dict[int, Any]) -> list[Frontier]:
    found, broken = read_dumps(*find_dumps(write(folder, dumps)))
    assert not broken
    return frontiers(comparable(found))


def verdict(folder: Path) -> str | None:
    return hang_report(*read_dumps(*find_dumps(folder))).verdict
