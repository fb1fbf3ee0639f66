"""Files of a job whose host never waits for its device: it launches steps ahead, as far as the device's queue has room.

host    |s10|s11|s12|                      a step of the host lasts as long as its launches
device     |  s10  |  s11  |  s12  |       a step of the device is what it takes
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.job_files import launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from pathlib import Path

_US: Final = 1000
KERNEL_NS: Final = 200 * _US
REDUCE_NS: Final = 300 * _US
LOADER_NS: Final = 100 * _US
N_KERNELS: Final = 20
BEGUN_NS: Final = 1_000_000
_NCCL: Final = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


@dataclass(kw_only=True)
class AheadJob:
    """Kernels, then an all-reduce of all ranks, which the next step waits for.

    `room`: launches that the queue holds. `ahead`: steps after which the host waits for the event of a step's end.
    `copies`: what the kernels made goes to the host, on a stream of its own.

    `pause`: (rank, step) to ns of its host after half of the step's launches.
    """

    n_ranks: int = 4
    n_steps: int = 6
    room: int = 10_000
    ahead: int | None = None
    early_ns: int | None = None  # by so much it begins to wait before its step ends
    slow: dict[int, float] = field(default_factory=dict)
    late_input: dict[int, int] = field(default_factory=dict)
    copies: bool = False
    pause: dict[tuple[int, int], int] = field(default_factory=dict)
    done: list[int] = field(default_factory=list)  # when the last device is done with each step, ns

    def write(self, folder: Path) -> list[Path]:
        """One file a rank."""
        rng = random.Random(1)
        events: dict[int, list[dict[str, Any]]] = {rank: [] for rank in range(self.n_ranks)}
        starts: dict[int, list[int]] = {rank: [] for rank in events}
        host, device = dict.fromkeys(events, BEGUN_NS), dict.fromkeys(events, 0)
        done: dict[int, list[int]] = {rank: [] for rank in events}
        self.done.clear()
        for step in range(10, 10 + self.n_steps):
            begun, arrived, launches = dict(host), {}, {}
            for rank in events:
                if self.ahead is not None and len(self.done) >= self.ahead:
                    asked = host[rank] + 2 * _US if self.early_ns is None else host[rank] - _US - self.early_ns
                    host[rank] = max(asked, done[rank][-self.ahead]) + 2 * _US
                    events[rank].append(_said("cuda_runtime", "cudaEventSynchronize", asked, host[rank]))
                    host[rank] += 2 * _US
                loader = LOADER_NS + self.late_input.get(rank, 0)
                name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
                events[rank].append(_said("user_annotation", name, host[rank], host[rank] + loader))
                host[rank] += loader + 10 * _US
                for nth in range(N_KERNELS):
                    host[rank] += self.pause.get((rank, step), 0) if nth == N_KERNELS // 2 else 0
                    launch = self._launch(rank, host, starts[rank])
                    start = max(launch[1] + 2 * _US, device[rank] + _US)
                    device[rank] = start + int(KERNEL_NS * self.slow.get(rank, 1.0)) + rng.randrange(1000)
                    starts[rank].append(start)
                    events[rank] += _work(len(events[rank]), launch, start, device[rank], "aten::mm", "sgemm_128x64_nn", 7, {})
                if self.copies:
                    begin, launch = device[rank] + _US, self._launch(rank, host, starts[rank])
                    name = "Memcpy DtoH (Device -> Pinned)"
                    copy = _work(len(events[rank]), launch, begin, begin + 10 * _US, "aten::to", name, 9, {})
                    copy[-1]["cat"] = "gpu_memcpy"
                    events[rank] += copy
                    starts[rank].append(begin)
                launches[rank] = self._launch(rank, host, starts[rank])
                arrived[rank] = max(launches[rank][1] + 5 * _US, device[rank] + _US)
                starts[rank].append(arrived[rank])
            end = max(arrived.values()) + REDUCE_NS
            for rank, begin in arrived.items():
                said = {**said_of("allreduce", range(self.n_ranks), "default_pg", "0"), "Seq": step}
                device[rank] = end + rng.randrange(500)
                done[rank].append(device[rank])
                of = "record_param_comms", _NCCL, 20, said
                events[rank] += _work(len(events[rank]), launches[rank], begin, device[rank], *of)
                host[rank] += 5 * _US
                events[rank].append(_said("user_annotation", f"ProfilerStep#{step}", begun[rank], host[rank]))
                host[rank] += _US
            self.done.append(max(device.values()))
        return [rank_file(folder, rank, self.n_ranks, events[rank], f"node{rank // 2}") for rank in events]

    def _launch(self, rank: int, host: dict[int, int], starts: list[int]) -> tuple[int, int]:
        """(begin, end) of the call, which returns when the queue has room for it."""
        begun = host[rank] + 4 * _US
        room = starts[-self.room] if len(starts) >= self.room else 0
        host[rank] = max(begun + _US, room + 2 * _US)
        return begun, host[rank]


def _work(number: int, launch: tuple[int, int], start: int, end: int, *of: Any) -> list[dict[str, Any]]:
    begun, returned = launch
    rows = launch_rows(number, begun / 1000, start / 1000, end / 1000, *of)
    rows[1].update({"ts": begun / 1000, "dur": (returned - begun) / 1000})
    return rows


def _said(category: str, name: str, start: int, end: int) -> dict[str, Any]:
    return {"ph": "X", "pid": 9, "tid": 9, "cat": category, "name": name, "ts": start / 1000, "dur": (end - start) / 1000}
