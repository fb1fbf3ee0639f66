"""Files of a small simulated pipeline whose hosts launch one kernel after the other, `launch_ns` each: 1F1B or GPipe, one rank a
stage, `n_kernels` a pass, and at the end an all-reduce of all stages.

host     |F F F F|F F F F|B B B B|        never waits before the end: while its device waits for a neighbour it launches on
device       |F F F F|      |B B B B|     each kernel after its launch, the one before, and what it receives
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.job_files import launch_rows, rank_file, said_of
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

_ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_SEND_RECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
_PASS_NS = {"F": 200_000, "B": 400_000}
_AFTER_NS = 1000


@dataclass(kw_only=True)
class LaunchedPipeline(PipelineJob):
    """Truth after `write`: `ended_ns`, when the step is over."""

    launch_ns: int = 4000
    kernels: int = 10

    def write(self, folder: Path) -> list[Path]:
        stages = range(self.n_stages)
        self._host, self._device, place = ([0] * self.n_stages for _ in range(3))
        self._events: list[list[dict[str, Any]]] = [[] for _ in stages]
        self._handed: dict[tuple[str, int, int], tuple[int, int]] = {}  # (pass, micro-batch, stage): made, send launched
        orders = [self._order(stage) for stage in stages]
        while any(place[stage] < len(order) for stage, order in enumerate(orders)):
            for stage, order in enumerate(orders):
                while place[stage] < len(order) and self._runs(stage, *order[place[stage]][:2]):
                    place[stage] += 1
        launched = [self._launch(stage) for stage in stages]
        arrived = [max(self._device[stage], launched[stage]) for stage in stages]
        self.ended_ns = max(arrived) + 50_000
        said = said_of("allreduce", stages, "default_pg", "0") | {"Seq": 1}
        for stage in stages:
            self._communicates(stage, launched[stage], arrived[stage], self.ended_ns, _ALL_REDUCE, 22, said)
            span: dict[str, Any] = {"ph": "X", "pid": 9, "tid": 9, "args": {}}
            since = self._host[stage] / 1000 + 2
            sync = {"cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "ts": since, "dur": self.ended_ns / 1000 + 5 - since}
            step = {"cat": "user_annotation", "name": "ProfilerStep#7", "ts": -5, "dur": self.ended_ns / 1000 + 20}
            self._events[stage] += [{**span, **sync}, {**span, **step}]
        return [rank_file(folder, stage, self.n_stages, self._events[stage]) for stage in stages]

    def _runs(self, stage: int, what: str, micro: int) -> bool:
        """False where what it needs is not made yet."""
        source, target = (stage - 1, stage + 1) if what == "F" else (stage + 1, stage - 1)
        if 0 <= source < self.n_stages:
            if (what, micro, source) not in self._handed:
                return False
            launched, (made, sent) = self._launch(stage), self._handed[what, micro, source]
            posted, begun = max(self._device[stage], launched), max(made, sent)
            arrived = max(posted, begun) + self.send_ns
            for rank, at, start, name, stream, other in (
                (stage, launched, posted, "recv", 21, source),
                (source, sent, begun, "send", 20, stage),
            ):
                said = said_of(name, range(self.n_stages), "PIPELINE_MODEL_PARALLEL_GROUP")
                said["Dst Rank" if name == "send" else "Src Rank"] = other
                self._communicates(rank, at, start, arrived, _SEND_RECV, stream, said)
            self._device[stage] = arrived + _AFTER_NS
        each = int(_PASS_NS[what] * self.slow.get(stage, 1.0)) // self.kernels
        for length in [*[each] * self.kernels, *filter(None, [self.extra.get((stage, what, micro))])]:
            launched = self._launch(stage)
            start = max(self._device[stage], launched)
            self._row(stage, launched, start, start + length, "aten::mm", "sgemm_128x64_nn", 7, {})
            self._device[stage] = start + length + _AFTER_NS
        if 0 <= target < self.n_stages:
            self._handed[what, micro, stage] = self._device[stage], self._launch(stage)
        return True

    def _launch(self, stage: int) -> int:
        self._host[stage] += self.launch_ns
        return self._host[stage]

    def _communicates(
        self, rank: int, launched: int, start: int, end: int, kernel: str, stream: int, said: dict[str, Any]
    ) -> None:
        self._row(rank, launched, start, end, "record_param_comms", kernel, stream, said)
        self._events[rank][-3]["args"].update(said)

    def _row(
        self, rank: int, launched: int, start: int, end: int, operator: str, kernel: str, stream: int, said: dict[str, Any]
    ) -> None:
        number, times = launched // self.launch_ns, (launched / 1000, start / 1000, end / 1000)
        self._events[rank] += launch_rows(number, *times, operator, kernel, stream, said)
