"""Files of a small simulated job that shards its layers (FSDP): gathered one ahead in both passes, gradients scattered behind.

forward     gather 0 | gather 1 | kernels 0 | gather 2 | kernels 1 ...
backward    gather n-1 | gather n-2 | kernels n-1 | scatter n-1 | gather n-3 | kernels n-2 | scatter n-2 ... | optimizer
device      kernels of a layer wait for its gather, a scatter for the kernels before it, the optimizer for the last scatter

Gathers and scatters run one after the other: each ends on all ranks `gather_ns` or `scatter_ns` after the last has begun. What a
host launches late its device does late.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from tests.job_files import launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from pathlib import Path

_KERNEL_OF: Final = {
    "gather": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "scatter": "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
}
_CALLED: Final = {"gather": "_allgather_base", "scatter": "_reduce_scatter_base"}
_LAUNCH_NS, _START_NS, _LOADER_NS = 7_000, 4_000, 50_000


class _Launch(NamedTuple):
    what: Literal["gather", "kernel", "scatter"]
    layer: tuple[str, int] | None  # that it is of; None: the optimizer
    length_ns: int


@dataclass(kw_only=True)
class ShardedJob:
    """`pause`: (rank, step, nth launch of the step) to ns of its host; `launch`: factor on a rank's launches, and on how long
    after them something begins; `items`: of a rank before which launches of a step its host waits for its kernels, as in
    `.item()`. Truth after `write`: `step_ns`, of steps 1, 2 ...
    """

    n_ranks: int = 4
    n_steps: int = 3
    n_layers: int = 4
    n_kernels: int = 4
    kernel_ns: int = 100_000
    gather_ns: int = 200_000
    scatter_ns: int = 200_000
    has_one_stream: bool = True  # of collectives, as one process group has; else gathers and scatters each one
    pause: dict[tuple[int, int, int], int] = field(default_factory=dict)
    launch: dict[int, float] = field(default_factory=dict)
    items: dict[int, tuple[int, ...]] = field(default_factory=dict)
    n_micro: int = 1  # batches a step
    seed: int = 1
    step_ns: list[int] = field(default_factory=list)

    def write(self, folder: Path) -> list[Path]:
        rngs = [random.Random(100 * self.seed + rank) for rank in range(self.n_ranks)]
        events: list[list[dict[str, Any]]] = [[] for _ in rngs]
        begun, ends = [0] * self.n_ranks, [0]
        for step in range(self.n_steps):
            launched = [self._launched(rank, step, begun[rank], rng) for rank, rng in enumerate(rngs)]
            for rank, times in enumerate(self._run(begun, launched, rngs, events)):
                begun[rank] = self._record(events[rank], rank, step, begun[rank], launched[rank], times)
            ends.append(max(begun))
        self.step_ns = [after - before for before, after in pairwise(ends)]
        return [rank_file(folder, rank, self.n_ranks, events[rank]) for rank in range(self.n_ranks)]

    def order(self) -> list[_Launch]:
        """What a host launches in a step."""
        return self._passes() * self.n_micro + [_Launch("kernel", None, self.kernel_ns)] * 3

    def _passes(self) -> list[_Launch]:
        found = [_Launch("gather", ("forward", 0), self.gather_ns)]
        for layer in range(self.n_layers):
            if layer + 1 < self.n_layers:
                found.append(_Launch("gather", ("forward", layer + 1), self.gather_ns))
            found += [_Launch("kernel", ("forward", layer), self.kernel_ns)] * self.n_kernels
        found.append(_Launch("gather", ("backward", self.n_layers - 1), self.gather_ns))
        for layer in reversed(range(self.n_layers)):
            if layer > 0:
                found.append(_Launch("gather", ("backward", layer - 1), self.gather_ns))
            found += [_Launch("kernel", ("backward", layer), 2 * self.kernel_ns)] * self.n_kernels
            found.append(_Launch("scatter", ("backward", layer), self.scatter_ns))
        return found

    def _launched(self, rank: int, step: int, begun: int, rng: random.Random) -> list[int]:
        host, found = begun + _LOADER_NS, []
        for nth in range(len(self.order())):
            host += int(self.launch.get(rank, 1.0) * (_LAUNCH_NS + rng.randrange(500))) + self.pause.get((rank, step, nth), 0)
            found.append(host)
        return found

    def _run(
        self, begun: list[int], launched: list[list[int]], rngs: list[random.Random], events: list[list[dict[str, Any]]]
    ) -> list[list[tuple[int, int]]]:
        """(start, end) of each launch, of each rank. Who waits for its device in between launches all that follows later."""
        ranks = range(self.n_ranks)
        free = {stream: list(begun) for stream in (7, 26, 30)}
        gathered: dict[tuple[str, int], list[int]] = {}
        last_scatter = list(begun)
        times: list[list[tuple[int, int]]] = [[] for _ in ranks]
        for nth, (what, layer, length) in enumerate(self.order()):
            stream = self._stream(what)
            for rank in (rank for rank in ranks if nth in self.items.get(rank, ())):
                self._wait(events[rank], launched[rank], nth, free[7][rank])
            ready = [max(launched[rank][nth] + self._start_ns(rank), free[stream][rank] + 1000) for rank in ranks]
            if what == "kernel":
                needed = last_scatter if layer is None else gathered[layer]
                start = [max(ready[rank], needed[rank] + 1000) for rank in ranks]
                end = [start[rank] + length + rngs[rank].randrange(1500) for rank in ranks]
            else:
                start = [max(ready[rank], free[7][rank] + 1000) for rank in ranks] if what == "scatter" else ready
                end = [max(start) + length + rngs[rank].randrange(1000) for rank in ranks]
            if what == "gather" and layer is not None:
                gathered[layer] = end
            if what == "scatter":
                last_scatter = end
            free[stream] = end
            for rank in ranks:
                times[rank].append((start[rank], end[rank]))
        return times

    def _wait(self, events: list[dict[str, Any]], launched: list[int], nth: int, is_done: int) -> None:
        """From the launch before until the kernels before are done."""
        begun = launched[nth - 1] + 2000
        back = max(is_done, begun) + 8000
        for name, kind, inside in (("aten::item", "cpu_op", 0), ("cudaStreamSynchronize", "cuda_runtime", 1000)):
            when = {"ts": (begun + inside) / 1000, "dur": (back - begun - 2 * inside) / 1000}
            events.append({"ph": "X", "pid": 9, "tid": 9, "cat": kind, "name": name, "args": {}, **when})
        later = max(back + _LAUNCH_NS - launched[nth], 0)
        launched[nth:] = [each + later for each in launched[nth:]]

    def _start_ns(self, rank: int) -> int:
        return int(_START_NS * self.launch.get(rank, 1.0))

    def _lasting(self, rank: int, rows: list[Any]) -> list[Any]:
        """A slow launch lasts; it returns when it does."""
        if rank in self.launch:
            returns, lasts = rows[1]["ts"] + rows[1]["dur"], self.launch[rank] * _LAUNCH_NS / 2000
            rows[1].update(ts=returns - lasts, dur=lasts)
        return rows

    def _stream(self, what: str) -> int:
        return 7 if what == "kernel" else 26 if what == "gather" or self.has_one_stream else 30

    def _record(
        self, events: list[dict[str, Any]], rank: int, step: int, begun: int, launched: list[int], times: list[tuple[int, int]]
    ) -> int:
        """Its end: when the host, which waits for the device, ends the step."""
        for (what, _, _), host, (start, end) in zip(self.order(), launched, times, strict=True):
            number, when = len(events), (host / 1000, start / 1000, end / 1000)
            if what == "kernel":
                events += self._lasting(rank, launch_rows(number, *when, "aten::mm", "sgemm_128x64_nn", 7, {}))
                continue
            ranks = range(self.n_ranks)
            said = said_of(_CALLED[what], ranks, "DATA_PARALLEL_GROUP", elements_out=self.n_ranks << 20)
            rows = launch_rows(number, *when, "record_param_comms", _KERNEL_OF[what], self._stream(what), said)
            rows[0]["args"].update(said)
            events += self._lasting(rank, rows)
        host, done = launched[-1] + 2000, max(end for _, end in times) + 1000
        wait = {
            "cat": "cuda_runtime",
            "name": "cudaDeviceSynchronize",
            "args": {},
            "ts": host / 1000,
            "dur": (done - host) / 1000,
        }
        span = {
            "cat": "user_annotation",
            "name": f"ProfilerStep#{step + 1}",
            "ts": begun / 1000,
            "dur": (done + 2000 - begun) / 1000,
        }
        events += [{"ph": "X", "pid": 9, "tid": 9, **each} for each in (wait, span)]
        return done + 2000
