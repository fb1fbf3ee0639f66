"""Files of a job made from programs: what the host of each rank launches, in order, and what waits for what. Times follow.

rank 0    loader | kernel | meet | kernel after the meet | step
device    a kernel begins after its launch, the one before on its stream, and all that it is `after`
meet      begins on a member likewise, and ends on all of them so long after the last has begun
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.job_files import LOADER, launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_KERNELS: Final = {
    "allreduce": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "_allgather_base": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "_reduce_scatter_base": "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "send": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
    "recv": "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
}
_START_NS, _NEXT_NS, _RETURN_NS = 4_000, 1_000, 2_000


@dataclass(kw_only=True)
class Op:
    """`ns`: of a host's time, of a kernel, or of a meeting from its last arrival on."""

    what: str  # host, kernel, meet, sync, step
    ns: int = 0
    name: str = ""
    stream: int = 7
    after: Sequence[Op] = ()
    group: tuple[int, ...] = ()
    of: str = ""
    number: int = 0
    times: int = 1
    host: int = -1  # when it was launched, or over
    start: int = -1
    end: int = -1


@dataclass(kw_only=True)
class Program:
    """Of one rank."""

    rank: int
    launch_ns: int = 7_000
    ops: list[Op] = field(default_factory=list)

    def _add(self, op: Op) -> Op:
        self.ops.append(op)
        return op

    def loader(self, ns: int) -> Op:
        return self._add(Op(what="host", ns=ns, name=LOADER))

    def unseen(self, ns: int) -> Op:
        """In which its host does what no event tells."""
        return self._add(Op(what="host", ns=ns))

    def kernel(self, ns: int, after: Sequence[Op] = (), name: str = "sgemm_128x64_nn", stream: int = 7) -> Op:
        return self._add(Op(what="kernel", ns=ns, name=name, stream=stream, after=after))

    def meet(
        self, kind: str, group: Sequence[int], of: str, ns: int, after: Sequence[Op] = (), stream: int = 20, times: int = 1
    ) -> Op:
        """`times` as large as others."""
        return self._add(Op(what="meet", ns=ns, name=kind, group=tuple(group), of=of, stream=stream, after=after, times=times))

    def sync(self, *after: Op) -> Op:
        """With what it is given; else with all."""
        return self._add(Op(what="sync", after=after or tuple(op for op in self.ops if op.what in ("kernel", "meet"))))

    def step(self, number: int) -> Op:
        """Ends here."""
        return self._add(Op(what="step", number=number))


@dataclass(kw_only=True)
class ProgramJob:
    """`jitter_ns`: at most more of each kernel and end. `offset_ns`, `drift_ppm`: of a node's clock. `has_host`: else files hold
    steps and kernels alone.

    Truth after `write`: `computed_ns`, by step when the last device has computed what was launched in it.
    """

    programs: Sequence[Program]
    ranks_per_node: int = 4
    jitter_ns: int = 1000
    has_host: bool = True
    seed: int = 1
    offset_ns: dict[int, int] = field(default_factory=dict)
    drift_ppm: dict[int, float] = field(default_factory=dict)
    computed_ns: dict[int, int] = field(default_factory=dict)

    def write(self, folder: Path) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        self._run()
        return [self._write(folder, one) for one in self.programs]

    def _run(self) -> None:
        rng = random.Random(self.seed)
        met: dict[tuple[Any, ...], list[Op]] = defaultdict(list)
        for one in self.programs:
            count = defaultdict[tuple[Any, ...], int](int)
            for op in one.ops:
                if op.what == "meet":
                    key = (op.group, op.of) if op.name in ("send", "recv") else (op.group, op.of, op.name)
                    met[key, count[key]].append(op)
                    count[key] += 1
        of = {id(op): members for members in met.values() for op in members}
        ends: dict[int, int] = {}
        waiting = [(one, 0, 0, dict[int, Op](), list[Op]()) for one in self.programs]
        while any(at < len(one.ops) or left for one, at, _, _, left in waiting):
            was = sum(at for _, at, *_ in waiting), sum(len(left) for *_, left in waiting)
            waiting = [self._advance(one, at, host, last, left, of, ends, rng) for one, at, host, last, left in waiting]
            assert was != (sum(at for _, at, *_ in waiting), sum(len(left) for *_, left in waiting)), "it hangs"
        for one in self.programs:
            end = 0
            for op in one.ops:
                end = max(end, op.end) if op.what == "kernel" else end
                if op.what == "step":
                    self.computed_ns[op.number] = max(self.computed_ns.get(op.number, 0), end)

    def _advance(
        self,
        one: Program,
        at: int,
        host: int,
        last: dict[int, Op],
        left: list[Op],
        of: dict[int, list[Op]],
        ends: dict[int, int],
        rng: random.Random,
    ) -> tuple[Program, int, int, dict[int, Op], list[Op]]:
        """As far as is known."""
        still = []
        for op in left:
            self._resolve(op, of, ends, rng)
            still += [op] if op.end < 0 else []
        while at < len(one.ops):
            op = one.ops[at]
            if op.what == "sync" and any(each.end < 0 for each in op.after):
                break
            at += 1
            if op.what in ("kernel", "meet"):
                host += one.launch_ns
                op.host, before = host, last.get(op.stream)
                op.after = [*op.after, *([before] if before is not None else [])]
                last[op.stream] = op
                self._resolve(op, of, ends, rng)
                still += [op] if op.end < 0 else []
                continue
            op.start = host
            if op.what == "sync":
                host = max([host + 1000, *(each.end + _RETURN_NS for each in op.after)])
            else:
                host += op.ns
            op.host = op.end = host
        return one, at, host, last, still

    def _resolve(self, op: Op, of: dict[int, list[Op]], ends: dict[int, int], rng: random.Random) -> None:
        if op.start < 0:
            if any(each.end < 0 for each in op.after):
                return
            op.start = max([op.host + _START_NS, *(each.end + _NEXT_NS for each in op.after)])
        if op.what == "kernel":
            op.end = op.start + op.ns + rng.randrange(self.jitter_ns)
        elif all(each.start >= 0 for each in of[id(op)]):
            op.end = max(each.start for each in of[id(op)]) + max(each.ns for each in of[id(op)]) + rng.randrange(self.jitter_ns)

    def _local(self, rank: int, true_ns: int) -> float:
        node = rank // self.ranks_per_node
        return (5_000_000 + true_ns + self.offset_ns.get(node, 0) + int(true_ns * self.drift_ppm.get(node, 0) * 1e-6)) / 1000

    def _write(self, folder: Path, one: Program) -> Path:
        events: list[dict[str, Any]] = []
        begun, sequence = 0, defaultdict[tuple[Any, ...], int](int)
        for number, op in enumerate(one.ops):
            host, start, end = (self._local(one.rank, each) for each in (op.host, op.start, op.end))
            span = {"ph": "X", "pid": 9, "tid": 9, "ts": start, "dur": host - start, "args": {}}
            if op.what == "step":
                first = self._local(one.rank, begun)
                name = f"ProfilerStep#{op.number}"
                events.append({**span, "cat": "user_annotation", "name": name, "ts": first, "dur": host - first})
                begun = op.host
            elif op.what == "host":
                events += [{**span, "cat": "user_annotation", "name": op.name}] if op.name else []
            elif op.what == "sync":
                events.append({**span, "cat": "cuda_runtime", "name": "cudaStreamSynchronize"})
            elif op.what == "kernel":
                events += launch_rows(number, host, start, end, "aten::mm", op.name, op.stream, {})
            else:
                elements = op.times << 20
                if "gather" in op.name:
                    elements *= len(op.group)
                said = said_of(op.name, op.group, op.of, f"{op.of} {op.group}", elements)
                said["In msg nelems"] *= op.times
                if op.name in ("send", "recv"):
                    (other,) = (rank for rank in op.group if rank != one.rank)
                    said["Dst Rank" if op.name == "send" else "Src Rank"] = other
                else:
                    sequence[op.group, op.of] += 1
                    said["Seq"] = sequence[op.group, op.of]
                rows = launch_rows(number, host, start, end, "record_param_comms", _KERNELS[op.name], op.stream, said)
                rows[0]["args"].update(said)
                events += rows
        if not self.has_host:
            events = [event for event in events if event["cat"] in ("kernel", "user_annotation")]
        return rank_file(folder, one.rank, len(self.programs), events, f"node{one.rank // self.ranks_per_node}")
