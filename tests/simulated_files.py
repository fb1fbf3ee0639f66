"""Files of a simulated job of some steps, with the truth beside them: hosts launch ahead of their devices and wait for these at
the end of a step, or stand still on the way there.

    host     loader |launches forward, backward, ..| pause |norm, optimizer| waits for the device
    device     |forward, backward|   idle   |norm: all-reduce of all|optimizer|

Ranks are tensor groups within replicas within stages. Stages run 1F1B; what they receive is posted behind the work before it, as
torch does. A replica's gradients are reduced beside the last backward, under the later layers.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from tests.job_files import FIRST_STEP, LOADER, launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_ALL_REDUCE: Final = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_SEND_RECV: Final = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
_COMPUTE: Final = 7
_TRANSFER_US: Final = {"TENSOR_MODEL_PARALLEL_GROUP": 60.0, "DATA_PARALLEL_GROUP": 600.0, "default_pg": 20.0}
_SEND_US: Final = 50.0
_SMALL_US: Final = 40.0


class _Row(NamedTuple):
    """From the end of one node to that of another."""

    what: Literal["kernel", "loader", "frames", "sync", "step"]
    start: int
    end: int
    name: str
    stream: int = 0
    launched: int = 0
    said: dict[str, Any] | None = None
    frames: Sequence[str] = ()


@dataclass(kw_only=True)
class SimulatedJob:
    """`slow`: factor on a rank's kernels; `head_us`: of a kernel that the last stage has more a forward, twice in a backward;
    `host`: factor on a rank's launches; `late_input`: us of its loader; `pause`: (rank, step, place) to us and the frames around
    it, where a place is `begin`, before its loader, `middle`, in the first forward, `norm`, before that, or `end`; `lost`: (rank,
    description of a group): of these collectives the rank's file has nothing. Truth: `step_us`.
    """

    tensor: int = 1
    data: int = 4
    stages: int = 1
    n_micro: int = 1
    n_steps: int = 5
    n_layers: int | Sequence[int] = 4  # or of each stage
    ranks_per_node: int = 8
    nodes: Sequence[int] | None = None  # of each rank; None: so many ranks each
    gemm_us: float = 400.0
    launch_us: float = 8.0
    slow: dict[int, float] = field(default_factory=dict)
    slow_steps: Sequence[int] | None = None
    head_us: float = 0.0
    host: dict[int, float] = field(default_factory=dict)
    late_input: dict[int, float] = field(default_factory=dict)
    pause: Mapping[tuple[int, int, str], tuple[float, Sequence[str]]] = field(default_factory=dict)
    lost: set[tuple[int, str]] = field(default_factory=set)
    waits_by: str = "cudaDeviceSynchronize"  # or a copy to the host that its call waits for, or another call that waits
    jitter: float = 0.01  # of each kernel
    step_jitter: float = 0.005  # of a rank's kernels of a step
    seed: int = 1
    step_us: list[float] = field(default_factory=list)

    @property
    def n_ranks(self) -> int:
        return self.tensor * self.data * self.stages

    def layers_of(self, stage: int) -> int:
        return self.n_layers if isinstance(self.n_layers, int) else self.n_layers[stage]

    def write(self, folder: Path) -> list[Path]:
        """One file a rank."""
        folder.mkdir(parents=True, exist_ok=True)
        self._after, self._length = list[list[int]](), list[float]()
        self._met: dict[tuple[object, ...], int] = {}
        rows = [_Program(self, rank).run() for rank in range(self.n_ranks)]
        time = self._times()
        ends = [[time[row.end] for row in its if row.what == "step"] for its in rows]
        until = [max(each) for each in zip(*ends, strict=True)]
        self.step_us = [end - begun for begun, end in zip([0.0, *until], until, strict=False)]
        return [self._write(folder, rank, its, time) for rank, its in enumerate(rows)]

    def node(self, after: Sequence[int | None], length: float = 0.0) -> int:
        """That ends so long after the last of these."""
        self._after.append([each for each in after if each is not None])
        self._length.append(length)
        return len(self._length) - 1

    def meet(self, key: tuple[object, ...], arrived: int, length: float) -> int:
        """Where all that meet there are done."""
        if key not in self._met:
            self._met[key] = self.node([], length)
        self._after[self._met[key]].append(arrived)
        return self._met[key]

    def _times(self) -> list[float]:
        then = defaultdict[int, list[int]](list)
        for node, after in enumerate(self._after):
            for before in after:
                then[before].append(node)
        left = [len(after) for after in self._after]
        time, ready = [0.0] * len(left), [node for node, n in enumerate(left) if n == 0]
        while ready:
            node = ready.pop()
            time[node] = max((time[before] for before in self._after[node]), default=0.0) + self._length[node]
            for each in then[node]:
                left[each] -= 1
                ready += [each] if left[each] == 0 else []
        return time

    def _write(self, folder: Path, rank: int, rows: list[_Row], time: list[float]) -> Path:
        events: list[dict[str, Any]] = []
        for number, row in enumerate(rows):
            ts, end = (round(1000 + time[node], 3) for node in (row.start, row.end))
            span = {"ph": "X", "pid": 9, "tid": 9, "ts": ts, "dur": end - ts, "args": {}}
            if row.what == "kernel":
                if row.said is not None and (rank, row.said["Process Group Description"]) in self.lost:
                    continue
                operator = "aten::mm" if row.said is None else "record_param_comms"
                each = launch_rows(number, 1000 + time[row.launched], ts, end, operator, row.name, row.stream, row.said or {})
                each[0]["args"].update(row.said or {})
                for call in each[:2]:  # what launches takes longer, begins sooner and ends where it did
                    longer = self.host.get(rank, 1.0) - 1
                    call.update(ts=round(call["ts"] - longer, 3), dur=call["dur"] + longer)
                events += each
            elif row.what == "frames":
                inside = [{**span, "ts": ts + depth, "dur": end - ts - 2 * depth} for depth in range(len(row.frames))]
                frames = zip(row.frames, inside, strict=True)
                events += [{**each, "cat": "python_function", "name": name} for name, each in frames]
            elif row.what == "sync":
                link = {"correlation": number + 1, "External id": number + 1}
                events.append({**span, "cat": "cuda_runtime", "name": row.name, "args": link})
                if row.name == "cudaMemcpyAsync":
                    copy = {
                        "ph": "X",
                        "pid": 0,
                        "tid": _COMPUTE,
                        "ts": end - 2.5,
                        "dur": 2,
                        "args": {"device": 0, "stream": 7} | link,
                    }
                    events.append({**copy, "cat": "gpu_memcpy", "name": "Memcpy DtoH (Device -> Pageable)"})
            else:
                events.append({**span, "cat": "user_annotation", "name": row.name})
        node = rank // self.ranks_per_node if self.nodes is None else self.nodes[rank]
        return rank_file(folder, rank, self.n_ranks, events, f"node{node}")


class _Program:
    """What the host of a rank does."""

    def __init__(self, job: SimulatedJob, rank: int) -> None:
        self._job, self._rank = job, rank
        self._tensor, self._replica = rank % job.tensor, rank // job.tensor % job.data
        self._stage = rank // (job.tensor * job.data)
        self._rng = random.Random(job.seed * 1000 + rank)
        self._host, self._step, self._times = job.node([]), 0, 1.0
        self._last: dict[int, int] = {}
        self._rows = list[_Row]()
        self._count: dict[object, int] = defaultdict(int)

    def run(self) -> list[_Row]:
        for step in range(FIRST_STEP, FIRST_STEP + self._job.n_steps):
            self._step = step
            self._times = 1 + self._rng.gauss(0, self._job.step_jitter)
            begun = self._host
            self._pause("begin")
            self._takes("loader", 100.0 + self._job.late_input.get(self._rank, 0.0), LOADER)
            self._passes()
            self._pause("norm")
            self._kernel("norm_kernel", _SMALL_US, after=[self._last.get(24)])
            met = self._reduce(range(self._job.n_ranks), "default_pg", 32, 1)
            self._kernel("clip_kernel", _SMALL_US, after=[met])
            self._kernel("adamw_kernel", 4 * _SMALL_US)
            waited = self._host
            self._host = self._job.node([self._host, *self._last.values()], 3.0)
            self._rows.append(_Row("sync", waited, self._host, self._job.waits_by))
            self._pause("end")
            self._host = self._job.node([self._host], 20.0)
            self._rows.append(_Row("step", begun, self._host, f"ProfilerStep#{self._step}"))
            self._host = self._job.node([self._host], 5.0)
        return self._rows

    def _passes(self) -> None:
        n_ahead = min(self._job.stages - 1 - self._stage, self._job.n_micro)
        for micro in range(self._job.n_micro + n_ahead):
            if micro < self._job.n_micro:
                self._receive(-1, "F", micro)
                self._forward(micro)
                self._send(1, "F", micro)
            if micro >= n_ahead:
                self._receive(1, "B", micro - n_ahead)
                self._backward(is_last=micro - n_ahead == self._job.n_micro - 1)
                self._send(-1, "B", micro - n_ahead)

    def _forward(self, micro: int) -> None:
        for layer in range(self._job.layers_of(self._stage)):
            self._kernel("layer_norm_kernel", _SMALL_US)
            self._kernel("sgemm_qkv_128", 1.6 * self._job.gemm_us)
            self._in_tensor_group()
            self._kernel("sgemm_mlp_128", 1.3 * self._job.gemm_us)
            if micro == 0 and layer == self._job.layers_of(self._stage) // 2:
                self._pause("middle")
        self._head("sgemm_head_256", self._job.head_us)

    def _backward(self, *, is_last: bool) -> None:
        self._head("sgemm_head_backward_256", 2 * self._job.head_us)
        for layer in range(self._job.layers_of(self._stage)):
            self._kernel("sgemm_mlp_backward_128", 2.6 * self._job.gemm_us)
            self._in_tensor_group()
            self._kernel("sgemm_qkv_backward_128", 3.2 * self._job.gemm_us)
            if is_last and layer % 2 == 1:
                first = self._rank - self._replica * self._job.tensor
                replicas = range(first, first + self._job.data * self._job.tensor, self._job.tensor)
                self._reduce(replicas, "DATA_PARALLEL_GROUP", 24)

    def _head(self, name: str, length: float) -> None:
        if length and self._stage == self._job.stages - 1:
            self._kernel(name, length)

    def _in_tensor_group(self) -> None:
        met = self._reduce(range(self._rank - self._tensor, self._rank - self._tensor + self._job.tensor), *_TENSOR)
        if met is not None:
            self._kernel("add_kernel", _SMALL_US, after=[met])

    def _kernel(self, name: str, length: float, after: Sequence[int | None] = ()) -> None:
        is_slow = self._job.slow_steps is None or self._step in self._job.slow_steps
        times = self._job.slow.get(self._rank, 1.0) if is_slow else 1.0
        took = length * times * self._times * max(0.5, 1 + self._rng.gauss(0, self._job.jitter))
        launched, start = self._launched(_COMPUTE, after)
        self._last[_COMPUTE] = self._job.node([start], took)
        self._rows.append(_Row("kernel", start, self._last[_COMPUTE], name, _COMPUTE, launched))

    def _launched(self, stream: int, after: Sequence[int | None]) -> tuple[int, int]:
        """When it is launched, and when it begins: not before the last of its stream and what it comes `after`."""
        self._host = self._job.node([self._host], self._job.launch_us * self._job.host.get(self._rank, 1.0))
        before = [self._job.node([each], 1.5) for each in (self._last.get(stream), *after) if each is not None]
        return self._host, self._job.node([*before, self._job.node([self._host], 3.0)])

    def _reduce(self, ranks: Sequence[int], group: str, stream: int, elements: int = 1 << 22) -> int | None:
        if len(ranks) < 2:
            return None
        number = self._numbered(group)
        launched, start = self._launched(stream, [self._last.get(_COMPUTE)])
        met = self._job.meet((group, *ranks, number), start, _TRANSFER_US[group])
        said = said_of("allreduce", ranks, group, f"{group[0]}{ranks[0]}", elements) | {"Seq": number, "In msg nelems": elements}
        return self._communicates(_ALL_REDUCE, launched, start, met, stream, said)

    def _receive(self, to: int, what: str, micro: int) -> None:
        if (said := self._said("recv", to)) is not None:
            launched, start = self._launched(40, [self._last.get(_COMPUTE)])
            met = self._job.meet((what, self._step, micro, said["Src Rank"], self._rank), start, _SEND_US)
            self._kernel("cat_kernel", 5.0, [self._communicates(_SEND_RECV, launched, start, met, 40, said)])

    def _send(self, to: int, what: str, micro: int) -> None:
        if (said := self._said("send", to)) is not None:
            launched, start = self._launched(44, [self._last.get(_COMPUTE)])
            met = self._job.meet((what, self._step, micro, self._rank, said["Dst Rank"]), start, _SEND_US)
            self._communicates(_SEND_RECV, launched, start, met, 44, said)

    def _said(self, what: str, to: int) -> dict[str, Any] | None:
        if not 0 <= self._stage + to < self._job.stages:
            return None
        of_stage = self._job.tensor * self._job.data
        pipeline = range(self._rank % of_stage, self._job.n_ranks, of_stage)
        said = said_of(what, pipeline, "PIPELINE_MODEL_PARALLEL_GROUP", f"pp{pipeline[0]}")
        return said | {"Dst Rank" if what == "send" else "Src Rank": self._rank + to * of_stage, "Seq": self._numbered("pp")}

    def _communicates(self, name: str, launched: int, start: int, met: int, stream: int, said: dict[str, Any]) -> int:
        self._last[stream] = self._job.node([met], self._rng.random())
        self._rows.append(_Row("kernel", start, self._last[stream], name, stream, launched, said))
        return self._last[stream]

    def _numbered(self, group: str) -> int:
        self._count[group] += 1
        return self._count[group]

    def _pause(self, place: str) -> None:
        length, frames = self._job.pause.get((self._rank, self._step, place), (0.0, ()))
        if length:
            self._takes("frames", length, "", frames)

    def _takes(self, what: Literal["loader", "frames"], length: float, name: str, frames: Sequence[str] = ()) -> None:
        begun, self._host = self._host, self._job.node([self._host], length)
        self._rows.append(_Row(what, begun, self._host, name, frames=frames))


_TENSOR: Final = ("TENSOR_MODEL_PARALLEL_GROUP", 20)
