"""Files of a small simulated job, with the truth beside them: ranks in tensor groups of two, on hosts with clocks of their own.

    step    loader | layer 0: gemm, all-reduce of the tensor group | layer 1 ... | all-reduce of all ranks, under nothing
    host    loader | launches all of it, 4 us each | waits for the device

An all-reduce begins on each member when its kernel is done, and ends on all of them `TRANSFER_NS` after the last one has come.
"""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TRANSFER_NS = 60_000
GEMM_NS = 400_000
LOADER_NS = 50_000
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
FIRST_STEP = 10
_UNIX_NS = 1_790_857_026_000_000_000
_NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_SEND = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
_OLD_NCCL = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"
_RCCL = "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"


@dataclass(kw_only=True)
class Met:
    """An all-reduce as it was: true times, ns."""

    group: tuple[int, ...]
    step: int
    arrived: dict[int, int]
    end: int

    @property
    def last(self) -> int:
        return max(self.arrived, key=lambda rank: self.arrived[rank])


@dataclass(kw_only=True)
class Job:
    """`slow`: factor on a rank's kernels; `late_input`: ns more in a rank's loader, `late_once` so in one (rank, step); `pause`:
    (rank, step) to ns of nothing; `longer`: (rank, step, layer) to ns that its kernel there takes more.

    `tensor`: how many ranks a tensor group has; of one each of `sends`, (from, to), is a message after each layer.

    `stops`: (rank, step, layer) to ns in which a rank's device has nothing to do before that layer, as its host launches nothing.

    `stops_in`: categories and names of the host's events during such a stop, each inside the one before.

    `unseen`: a rank whose last kernel of a step begins no sooner than that of another, by no event of its file.
    """

    n_ranks: int = 4
    n_steps: int = 3
    n_layers: int = 6
    ranks_per_node: int = 2
    tensor: int = 2
    sends: Sequence[tuple[int, int]] = ()
    form: str = "2025"  # or "2023", "rccl"
    slow: dict[int, float] = field(default_factory=dict)
    slow_layers: int = 1000  # of a slow rank the first so many layers of a step are slow
    slow_steps: Sequence[int] | None = None  # of a slow rank only these are slow
    late_input: dict[int, int] = field(default_factory=dict)
    late_once: dict[tuple[int, int], int] = field(default_factory=dict)
    pause: dict[tuple[int, int], int] = field(default_factory=dict)
    pause_at_end: dict[tuple[int, int], int] = field(default_factory=dict)  # the same after the last all-reduce
    longer: dict[tuple[int, int, int], int] = field(default_factory=dict)
    stops: dict[tuple[int, int, int], int] = field(default_factory=dict)
    stops_in: dict[tuple[int, int, int], Sequence[tuple[str, str]]] = field(default_factory=dict)
    unseen: dict[int, int] = field(default_factory=dict)
    offset_ns: dict[int, int] = field(default_factory=dict)  # by node
    drift_ppm: dict[int, float] = field(default_factory=dict)
    lost: set[tuple[int, int]] = field(default_factory=set)  # (rank, place among its collectives): no kernel in the file
    transfer_ns: int = TRANSFER_NS
    slow_groups: dict[tuple[int, ...], float] = field(default_factory=dict)  # how many times as long their transfers take
    slow_meets: dict[tuple[tuple[int, ...], int, int], float] = field(default_factory=dict)  # so one: (group, step, place in it)
    memory: dict[int, int] = field(default_factory=dict)  # bytes that a rank takes for each step, beyond 1 MiB of its own
    norm_ns: int = 0  # at the end of a step another all-reduce of all ranks, which takes so long
    jitter_ns: int = 1000
    seed: int = 1
    met: list[Met] = field(default_factory=list)

    def write(self, folder: Path) -> list[Path]:
        """One file a rank."""
        rows = self._run()
        return [self._write(folder, rank, rows[rank]) for rank in range(self.n_ranks)]

    def _run(self) -> dict[int, list[tuple[str, int, int, dict[str, Any]]]]:
        """(what, start, end, more) of each rank, in true ns."""
        rng = random.Random(self.seed)
        now = dict.fromkeys(range(self.n_ranks), 0)
        rows: dict[int, list[tuple[str, int, int, dict[str, Any]]]] = {rank: [] for rank in now}
        self.met.clear()
        for step in range(FIRST_STEP, FIRST_STEP + self.n_steps):
            begun = dict(now)
            for rank in now:
                self._do(
                    rows, now, rank, "loader", LOADER_NS + self.late_input.get(rank, 0) + self.late_once.get((rank, step), 0)
                )
                now[rank] += self.pause.get((rank, step), 0)
            for layer in range(self.n_layers):
                is_slow = layer < self.slow_layers and (self.slow_steps is None or step in self.slow_steps)
                slow = self.slow if is_slow else {}
                if layer == self.n_layers - 1:
                    now.update({rank: max(now[rank], now[other]) for rank, other in self.unseen.items()})
                for rank in now:
                    stop = self.stops.get((rank, step, layer), 0)
                    held = {"events": self.stops_in.get((rank, step, layer), ())}
                    rows[rank].append(("held", now[rank], now[rank] + stop, held))
                    now[rank] += stop
                    length = int(GEMM_NS * slow.get(rank, 1.0)) + rng.randrange(2000) + self.longer.get((rank, step, layer), 0)
                    self._do(rows, now, rank, "gemm", length, is_behind=stop > 0)
                for first in range(0, self.n_ranks, self.tensor):
                    self._meet(rows, now, rng, tuple(range(first, min(first + self.tensor, self.n_ranks))), step)
                for pair in self.sends:
                    self._meet(rows, now, rng, pair, step)
            self._meet(rows, now, rng, tuple(range(self.n_ranks)), step)
            if self.norm_ns:
                self._meet(rows, now, rng, tuple(range(self.n_ranks)), step, self.norm_ns)
            for rank in now:
                now[rank] += 20_000 + self.pause_at_end.get((rank, step), 0)
                rows[rank].append(("step", begun[rank], now[rank], {"step": step}))
        return rows

    def _do(
        self, rows: dict[int, Any], now: dict[int, int], rank: int, what: str, length: int, *, is_behind: bool = False
    ) -> None:
        rows[rank].append((what, now[rank], now[rank] + length, {"is_behind": is_behind}))
        now[rank] += length + 5000

    def _meet(
        self,
        rows: dict[int, Any],
        now: dict[int, int],
        rng: random.Random,
        group: tuple[int, ...],
        step: int,
        takes_ns: int | None = None,
    ) -> None:
        if len(group) < 2:
            return
        place = sum(one.group == group and one.step == step for one in self.met)
        times = self.slow_groups.get(group, 1.0) * self.slow_meets.get((group, step, place), 1.0)
        end = max(now[rank] for rank in group) + int((takes_ns or self.transfer_ns) * times)
        self.met.append(Met(group=group, step=step, arrived={rank: now[rank] for rank in group}, end=end))
        for rank in group:
            done = end + rng.randrange(max(self.jitter_ns, 1))
            rows[rank].append(("meet", now[rank], done, {"group": group}))
            now[rank] = done + 5000

    def _local(self, rank: int, true_ns: int) -> int:
        node = rank // self.ranks_per_node
        drifted = int(true_ns * self.drift_ppm.get(node, 0.0) * 1e-6)
        return 1_000_000 + true_ns + self.offset_ns.get(node, 0) + drifted

    def _write(self, folder: Path, rank: int, rows: list[tuple[str, int, int, dict[str, Any]]]) -> Path:
        events: list[dict[str, Any]] = []
        sequence: dict[tuple[int, ...], int] = {}
        n_met, launched, until = 0, 0.0, 0.0
        for number, (what, start_ns, end_ns, more) in enumerate(sorted(rows, key=lambda row: (row[1], -row[2]))):
            ts, end = self._local(rank, start_ns) / 1000, self._local(rank, end_ns) / 1000
            span = {"ph": "X", "pid": 9, "tid": 9, "ts": ts, "dur": end - ts}
            if what == "held":
                for depth, (category, name) in enumerate(more["events"]):
                    inside = {"ts": ts + depth, "dur": end - ts - 5 - 2 * depth}
                    events.append({**span, **inside, "cat": category, "name": name, "args": {}})
                continue
            # All of a step is launched when its first kernel begins: the host is far ahead of the device, but where it stops.
            is_first = launched == 0.0 or more.get("is_behind")
            launched = 0.0 if what in ("step", "loader") else ts if is_first else launched + 4
            if what == "step":
                until = end - 10
                events += _memory(ts, end, self.memory.get(rank))
                events.append({**span, "cat": "user_annotation", "name": f"ProfilerStep#{more['step']}"})
            elif what == "loader":
                events.append({**span, "cat": "user_annotation", "name": LOADER})
            elif what == "gemm":
                events += launch_rows(number, launched, ts, end, "aten::mm", "sgemm_128x64_nn", 7, {})
            else:
                group = more["group"]
                sequence[group] = sequence.get(group, 0) + 1
                is_lost = (rank, n_met) in self.lost
                if group in self.sends:
                    events += _send(number, launched, ts, end, group, rank)[: -1 if is_lost else None]
                else:
                    events += self._collective(number, launched, ts, end, group, sequence[group], is_lost=is_lost)
                n_met += 1
                if n_met % (self.n_layers + 1 + (self.norm_ns > 0)) == 0:  # the last of the step
                    sync = {"cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "args": {}}
                    events.append({**span, **sync, "ts": launched + 1, "dur": until - launched - 1})
        host = None if self.form == "2023" else f"node{rank // self.ranks_per_node}"
        return rank_file(folder, rank, self.n_ranks, events, host)

    def _collective(
        self, number: int, launched: float, ts: float, end: float, group: tuple[int, ...], sequence: int, *, is_lost: bool
    ) -> list[dict[str, Any]]:
        is_tensor = len(group) < self.n_ranks
        of = ("TENSOR_MODEL_PARALLEL_GROUP", str(group[0])) if is_tensor else ("default_pg", "0")
        said = said_of("allreduce", group, *of)
        if self.form == "2025":
            said["Seq"] = sequence
        name = {"2025": _NCCL, "rccl": _RCCL}.get(self.form, _OLD_NCCL)
        stream = 24 if is_tensor and self.form == "2023" else 20
        events = launch_rows(number, launched, ts, end, "record_param_comms", name, stream, said if self.form == "2025" else {})
        events[0]["args"].update({} if self.form == "2023" else said)
        events.insert(1, {**events[0], "cat": "user_annotation", "name": "nccl:all_reduce", "args": {}})
        return events[:-1] if is_lost else events


def _memory(ts: float, end: float, taken: int | None) -> list[dict[str, Any]]:
    """Taken as a step begins and given back before its end."""
    event = {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 9, "tid": 9}
    args = {"Device Type": 1, "Device Id": 0, "Addr": 64, "Total Reserved": 1 << 30}
    return [
        {**event, "ts": at, "args": {**args, "Bytes": change, "Total Allocated": (1 << 20) + max(change, 0)}}
        for at, change in (() if taken is None else ((ts + 1, taken), (end - 1, -taken)))
    ]


def _send(number: int, launched: float, ts: float, end: float, pair: tuple[int, int], rank: int) -> list[dict[str, Any]]:
    is_sender = rank == pair[0]
    said = said_of("send" if is_sender else "recv", pair, "PIPELINE_MODEL_PARALLEL_GROUP", str(pair[0]))
    said["Dst Rank" if is_sender else "Src Rank"] = pair[1] if is_sender else pair[0]
    events = launch_rows(number, launched, ts, end, "record_param_comms", _SEND, 20, said)
    events[0]["args"].update(said)
    return events


def rank_file(folder: Path, rank: int, n_ranks: int, events: list[dict[str, Any]], host: str | None = "node0") -> Path:
    """Its file, as the ranks of one job are found."""
    has_device = any(event.get("cat") in ("kernel", "gpu_memcpy", "cuda_runtime") for event in events)
    head = {
        "distributedInfo": {"backend": "nccl" if has_device else "gloo", "rank": rank, "world_size": n_ranks},
        **({} if host is None else {"host_name": host}),
        "baseTimeNanoseconds": _UNIX_NS,
    }
    path = folder / f"rank{rank}.{1_795_284_134_000_000_000 + rank}.pt.trace.json.gz"
    path.write_bytes(gzip.compress(json.dumps({**head, "traceEvents": events}).encode(), 1))
    return path


def said_of(what: str, group: Sequence[int], description: str, name: str = "1", elements_out: int = 1 << 20) -> dict[str, Any]:
    """What torch says of a collective of these ranks."""
    return {
        "Collective name": what,
        "In msg nelems": 1 << 20,
        "Out msg nelems": elements_out,
        "Group size": len(group),
        "dtype": "BFloat16",
        "Process Group Name": name,
        "Process Group Description": description,
        "Process Group Ranks": str(list(group)),
    }


def launch_rows(
    number: int, launched: float, ts: float, end: float, operator: str, kernel: str, stream: int, args: dict[str, Any]
) -> list[Any]:
    """An operator of 3 us, the launch in it, and the kernel."""
    host = {"ph": "X", "pid": 9, "tid": 9}
    link = {"correlation": number + 1, "External id": number + 1}
    return [
        {**host, "cat": "cpu_op", "name": operator, "ts": launched - 3, "dur": 2.5, "args": {"External id": number + 1}},
        {**host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": launched - 2, "dur": 1, "args": link},
        {
            "ph": "X",
            "cat": "kernel",
            "name": kernel,
            "pid": 0,
            "tid": stream,
            "ts": ts,
            "dur": end - ts,
            "args": {"device": 0, "stream": stream, "grid": [8, 1, 1], "block": [128, 1, 1], **link, **args},
        },
    ]
