"""Who hangs a job, from flight-recorder dumps, and pickles that would run something: checks 23 and 24."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ranks_jobs import Line, held

from tb_plugin.formats.pickled.flight_recorder import rank_of
from tb_plugin.job.hangs.hang import frontiers
from tb_plugin.job.hangs.hang_numbers import comparable
from tb_plugin.runs.dumps import find_dumps, read_dumps

if TYPE_CHECKING:
    from collections.abc import Sequence

HANGS = {  # set: (who, group, collective, number), as in the README beside them
    "flight16_missing": (4, "default_pg", "_all_gather_base", 40),
    "flight16_mismatch": (1, "default_pg", "_all_gather_base", 40),
    "rec_hang_skip6": (6, "default_pg", "all_reduce", 4),
}
HEALTHY = ("rec_ddp_slow5", "rec_fsdp2_2nodes", "rec_pp4_dp2", "rec_tp4_dp2")


def hangs(folder: Path) -> list[Line]:
    """The verdict of each set of dumps, with all of them and with each of the innocent ones taken away; and of healthy jobs."""
    found = []
    for name, (who, group, collective, number) in HANGS.items():
        paths = next(iter(find_dumps(folder / name)), [])
        wrong = [] if paths else ["no dump was found"]
        for left_out in (None, *(path for path in paths if rank_of(path) != who)):
            found_now = _verdict([path for path in paths if path != left_out])
            if found_now != ((who,), group, collective, number):
                wrong.append("all" if left_out is None else left_out.name)
        asked = f"rank {who}, {collective} {number} of {group}"
        ours = f"the same with {len(paths)} dumps and {len(paths) - 1} times one less; wrong: {', '.join(wrong) or 'none'}"
        found.append(held(23, "who hangs the job", name, asked, ours, good=not wrong))
    for name in HEALTHY:
        paths = next(iter(find_dumps(folder / name)), [])
        n_open = len(frontiers(comparable(read_dumps(paths)[0]))) if paths else 0
        ours = f"{n_open} hangs in {len(paths)} dumps"
        found.append(held(23, "a job that ran through", name, "no hang", ours, good=n_open == 0 < len(paths)))
    return found


def _verdict(paths: Sequence[Path]) -> tuple[tuple[int, ...], str, str, int] | None:
    for first in frontiers(comparable(read_dumps(list(paths))[0])):
        return first.at_fault, first.group, first.collective.partition(":")[2], first.sequence
    return None


def hostile() -> list[Line]:
    """Two pickles that would run a command: as the whole, and inside of what a dump holds."""
    with tempfile.TemporaryDirectory() as name:
        marker = Path(name) / "was_run"
        call = b"cposix\nsystem\n(V" + f"touch {marker}".encode() + b"\ntR"
        (Path(name) / "nccl_trace_rank_0").write_bytes(call + b".")
        (Path(name) / "nccl_trace_rank_1").write_bytes(b"\x80\x02}X\x07\x00\x00\x00entries" + call + b"s.")
        dumps, broken = read_dumps(sorted(Path(name).glob("nccl_trace_rank_*")))
        ours = f"{len(broken)} of 2 refused, {'something' if marker.exists() else 'nothing'} was run"
        good = not dumps and len(broken) == 2 and not marker.exists()
    return [held(24, "hostile pickles", "made here", "refused, nothing run", ours, good=good)]
