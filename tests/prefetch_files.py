"""Files of a small simulated job that shards its layers: every layer is gathered ahead of its kernels, by one as here
or more, in two passes a step.

host        loader | gather 0 | gather 1 | kernels of layer 0 | gather 2 | kernels of layer 1 ... | the second pass | waits
gathers     one after the other, beside the kernels: each begins on a rank when launched, and ends `GATHER_NS` after the last
kernels     of a layer wait for its own gather
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from tests.job_files import LOADER, launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from pathlib import Path

_NCCL = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_LAUNCH_NS, _START_NS = 7_000, 4_000


@dataclass(kw_only=True)
class PrefetchJob:
    """`launch`, `slow`: factors on a rank's launches and kernels; `begin`: on how long after its launch something begins.
    `gather_ns`: of each layer; `loader_ns`: of each step, before all, an event of the host if `has_loader`. `pause`: (rank, step,
    nth of what its host launches in it) to ns of nothing.

    Truth after `write`: `step_ns`.
    """

    n_ranks: int = 4
    ranks_per_node: int = 100
    n_steps: int = 3
    n_layers: int = 3
    ahead: int = 1  # layers
    n_kernels: int = 6
    kernel_ns: int = 200_000
    gather_ns: int = 300_000
    loader_ns: int = 50_000
    has_loader: bool = False
    launch: dict[int, float] = field(default_factory=dict)
    slow: dict[int, float] = field(default_factory=dict)
    begin: dict[int, float] = field(default_factory=dict)
    pause: dict[tuple[int, int, int], int] = field(default_factory=dict)
    step_ns: list[int] = field(default_factory=list)

    def write(self, folder: Path) -> list[Path]:
        events: list[list[dict[str, Any]]] = [[] for _ in range(self.n_ranks)]
        ended = [0] * self.n_ranks
        ends = [0]
        for step in range(self.n_steps):
            launched = [self._launched(rank, step, ended[rank] + self.loader_ns) for rank in range(self.n_ranks)]
            gathered = self._gathered(launched)
            for rank in range(self.n_ranks):
                begun = ended[rank]
                ended[rank] = self._step(events[rank], rank, begun, launched[rank], gathered)
                span = {"cat": "user_annotation", "name": f"ProfilerStep#{step + 1}", "ts": begun / 1000}
                events[rank].append({"ph": "X", "pid": 9, "tid": 9, **span, "dur": (ended[rank] - begun) / 1000})
                if self.has_loader:
                    loader = {"cat": "user_annotation", "name": LOADER, "ts": begun / 1000, "dur": self.loader_ns / 1000}
                    events[rank].append({"ph": "X", "pid": 9, "tid": 9, **loader})
            ends.append(max(ended))
        self.step_ns = [after - before for before, after in pairwise(ends)]
        return [
            rank_file(folder, rank, self.n_ranks, events[rank], f"node{rank // self.ranks_per_node}")
            for rank in range(self.n_ranks)
        ]

    def _order(self) -> list[tuple[str, int]]:
        """What a host launches in a step: (gather or kernel, which gather it is or waits for)."""
        order = []
        for first in (0, self.n_layers):
            after = first + self.n_layers
            order += [("gather", layer) for layer in range(first, min(first + self.ahead, after))]
            for layer in range(first, after):
                order += [("gather", layer + self.ahead)] if layer + self.ahead < after else []
                order += [("kernel", layer)] * self.n_kernels
        return order

    def _launched(self, rank: int, step: int, begin: int) -> list[int]:
        took = [self._launch_ns(rank) + self.pause.get((rank, step, nth), 0) for nth in range(len(self._order()))]
        return [begin + until for until in accumulate(took)]

    def _launch_ns(self, rank: int) -> int:
        return int(_LAUNCH_NS * self.launch.get(rank, 1.0))

    def _start_ns(self, rank: int) -> int:
        return int(_START_NS * self.begin.get(rank, 1.0))

    def _gathered(self, launched: list[list[int]]) -> list[tuple[list[int], int]]:
        """Of each gather when it began on each rank, and its end."""
        found: list[tuple[list[int], int]] = []
        for nth, (what, _) in enumerate(self._order()):
            if what == "gather":
                before = found[-1][1] + 1000 if found else 0
                begun = [max(of_rank[nth] + self._start_ns(rank), before) for rank, of_rank in enumerate(launched)]
                found.append((begun, max(begun) + self.gather_ns))
        return found

    def _step(
        self, events: list[dict[str, Any]], rank: int, begun: int, launched: list[int], gathered: list[tuple[list[int], int]]
    ) -> int:
        """Its end: when the device has done all of it."""
        length = int(self.kernel_ns * self.slow.get(rank, 1.0))
        called = self._launch_ns(rank) / 2000
        free = begun
        for (what, layer), host in zip(self._order(), launched, strict=True):
            number = len(events)
            if what == "gather":
                start, end = gathered[layer][0][rank], gathered[layer][1]
                events += self._gather(number, host, start, end)
            else:
                start = max(host + self._start_ns(rank), free + 1000, gathered[layer][1] + 1000)
                end = free = start + length
                rows = launch_rows(number, host / 1000, start / 1000, end / 1000, "aten::mm", "sgemm_128x64_nn", 7, {})
                rows[1].update(ts=rows[1]["ts"] + 1 - called, dur=called)
                events += rows
        host = launched[-1] + 2000
        wait = {"cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "args": {}}
        events.append({"ph": "X", "pid": 9, "tid": 9, **wait, "ts": host / 1000, "dur": (free + 1000 - host) / 1000})
        return free + 3000

    def _gather(self, number: int, host: int, start: int, end: int) -> list[dict[str, Any]]:
        said = said_of("_allgather_base", range(self.n_ranks), "DATA_PARALLEL_GROUP", elements_out=self.n_ranks << 20)
        rows = launch_rows(number, host / 1000, start / 1000, end / 1000, "record_param_comms", _NCCL, 26, said)
        rows[0]["args"].update(said)
        return rows
