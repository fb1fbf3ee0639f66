"""Files of a small simulated job whose hosts never wait for their devices; recorded from some step on.

host     | 7 | 8 | 9 | 10 | 11 |                       loader, then launches
device   |   7   |   8   |   9   |   10   |   11   |   kernels one after the other, an all-reduce of all ranks at the end
file                 |------------------------------   launches from step 10 on; kernels of 8 and 9 without theirs
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.job_files import LOADER, launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from pathlib import Path

_NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_LAUNCH_NS, _TRANSFER_NS = 5_000, 200_000


@dataclass(kw_only=True)
class QueuedJob:
    """`slow`: factor on a rank's kernels; `late_input`: ns more in its loader; `tail_ns`: after the last step another range, as
    `profile()` without a schedule leaves one, in which the host waits for its device and so long for the profiler to stop.
    Truth after `write`: `ended_ns`, by step when the last device was done with it.
    """

    n_ranks: int = 4
    first_step: int = 10  # recorded
    n_steps: int = 6  # recorded
    n_layers: int = 20
    ahead: int = 3  # steps that are launched before the first that is recorded
    gemm_ns: int = 500_000
    loader_ns: int = 300_000
    slow: dict[int, float] = field(default_factory=dict)
    late_input: dict[int, int] = field(default_factory=dict)
    tail_ns: int | None = None
    ended_ns: dict[int, int] = field(default_factory=dict)

    def write(self, folder: Path) -> list[Path]:
        rng = random.Random(1)
        host, device = [1_000_000] * self.n_ranks, [0] * self.n_ranks
        events: list[list[dict[str, Any]]] = [[] for _ in host]
        since = list(host)
        number = 0
        for step in range(self.first_step - self.ahead, self.first_step + self.n_steps):
            is_recorded = step >= self.first_step
            for rank in range(self.n_ranks):
                begun = host[rank]
                since[rank] = begun if step == self.first_step else since[rank]
                loads = self.loader_ns + self.late_input.get(rank, 0)
                events[rank] += [_span(LOADER, begun, begun + loads)] if is_recorded else []
                host[rank] += loads
                for layer in range(self.n_layers + 1):
                    host[rank] += _LAUNCH_NS
                    start = max(device[rank] + 1000, host[rank] + _LAUNCH_NS)
                    length = int((self.gemm_ns + rng.randrange(2000)) * self.slow.get(rank, 1.0))
                    number += 1
                    if layer < self.n_layers:
                        device[rank] = start + length
                        events[rank] += _rows(number, host[rank], start, device[rank], is_recorded=is_recorded)
                    else:
                        device[rank] = start  # of its all-reduce
                events[rank] += [_span(f"ProfilerStep#{step}", begun, host[rank])] if is_recorded else []
            end = self.ended_ns[step] = max(device) + _TRANSFER_NS
            for rank in range(self.n_ranks):
                said = said_of("allreduce", range(self.n_ranks), "default_pg", "0") | {"Seq": step}
                number += 1
                events[rank] += _rows(number, host[rank], device[rank], end, said, is_recorded=is_recorded)
                device[rank] = end
        if self.tail_ns is not None:
            until = max(device) + self.tail_ns
            for rank, its in enumerate(events):
                its.append(_span(f"ProfilerStep#{self.first_step + self.n_steps}", host[rank], until))
                sync = _span("cudaDeviceSynchronize", host[rank] + 1000, max(device) + 5000)
                its.append({**sync, "cat": "cuda_runtime", "args": {}})
        kept = ([each for each in its if (each["ts"] + each["dur"]) * 1000 > since[rank]] for rank, its in enumerate(events))
        return [rank_file(folder, rank, self.n_ranks, its) for rank, its in enumerate(kept)]


def _span(name: str, start_ns: int, end_ns: int) -> dict[str, Any]:
    at = {"ts": start_ns / 1000, "dur": (end_ns - start_ns) / 1000}
    return {"ph": "X", "pid": 9, "tid": 9, "cat": "user_annotation", "name": name, **at}


def _rows(
    number: int, launched: int, start: int, end: int, said: dict[str, Any] | None = None, *, is_recorded: bool
) -> list[dict[str, Any]]:
    operator, kernel, stream = ("aten::mm", "sgemm_128x64_nn", 7) if said is None else ("record_param_comms", _NCCL, 20)
    rows = launch_rows(number, launched / 1000, start / 1000, end / 1000, operator, kernel, stream, said or {})
    rows[0]["args"].update(said or {})
    return rows if is_recorded else rows[-1:]
