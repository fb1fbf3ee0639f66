"""Files of a small simulated pipeline as torch's own runs it: sends and receives are issued as batches, one kernel for each.

    stage 0    F0 >  F1 >  [F2 ><]  B0  [><] B1  <  B2          1F1B: in the middle a stage sends and receives in one kernel
    stage 1    < F0 [B0 ><] F1 ...

A batch begins when its stage has come to it, and ends when the last of its messages is over, 20 us after both sides of it have
begun; the kernels after it wait for it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.job_files import launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_NCCL = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
_ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SEND_NS = 20_000
FORWARD_NS, BACKWARD_NS = 200_000, 400_000
_FIRST_STEP = 7

Part = tuple[str, int]  # send or recv, and the stage on the other side
Doing = int | tuple[Part, ...]  # ns of a kernel, or a batch; a batch of nothing is an all-reduce of all stages


@dataclass(kw_only=True)
class BatchJob:
    """`slow`: factor on a stage's kernels; `slow_links`: on what is sent from the one to the other; `varies`: by up to so many
    times a message takes longer by chance. Truth after `write`: `begun` and `ended` of all that each stage does, in ns from the
    step's begin, and `step_ns`, until the last stage is done.
    """

    n_stages: int = 3
    n_micro: int = 5
    n_steps: int = 3
    slow: dict[int, float] = field(default_factory=dict)
    slow_links: dict[tuple[int, int], float] = field(default_factory=dict)
    varies: float = 0.0
    seed: int = 1
    late_ns: int = 2000  # from the end of a batch to the kernel that waits for it
    per_host: int | None = None  # stages; all of them
    step_ns: int = 0
    begun: list[list[int]] = field(default_factory=list)
    ended: list[list[int]] = field(default_factory=list)

    def does(self, stage: int) -> Sequence[Doing]:
        """In one step."""
        forward, backward = (int(each * self.slow.get(stage, 1.0)) for each in (FORWARD_NS, BACKWARD_NS))
        before, after = stage - 1, stage + 1 if stage + 1 < self.n_stages else -1
        n_first = min(self.n_stages - stage - 1, self.n_micro)
        found: list[Doing] = []

        def batch(*parts: Part) -> None:
            there = tuple(part for part in parts if part[1] >= 0)
            if there:
                found.append(there)

        for _ in range(n_first):
            batch(("recv", before))
            found.append(forward)
            batch(("send", after))
        for micro in range(self.n_micro - n_first):
            if micro == 0:
                batch(("recv", before))
            found.append(forward)
            batch(("send", after), ("recv", after))
            found.append(backward)
            batch(("send", before), *([("recv", before)] if micro + n_first + 1 < self.n_micro else []))
        for _ in range(n_first):
            batch(("recv", after))
            found.append(backward)
            batch(("send", before))
        return found

    def write(self, folder: Path) -> list[Path]:
        self._run([self.does(stage) for stage in range(self.n_stages)])
        return [self._write(folder, stage) for stage in range(self.n_stages)]

    def _run(self, programs: Sequence[Sequence[Doing]]) -> None:
        """Everything begins as soon as it can."""
        self.begun, self.ended = [[] for _ in programs], [[] for _ in programs]
        posted: dict[tuple[int, int, int], int] = {}  # (sender, receiver, how many before it), of either side: when it came
        counts = [dict[Part, int]() for _ in programs]
        while any(len(ended) < len(program) for ended, program in zip(self.ended, programs, strict=True)):
            for stage, program in enumerate(programs):
                if len(self.ended[stage]) == len(program):
                    continue
                doing = program[len(self.ended[stage])]
                free = self.ended[stage][-1] + self.late_ns if self.ended[stage] else 100_000
                if len(self.begun[stage]) == len(self.ended[stage]):
                    self.begun[stage].append(free)
                    for part in doing if isinstance(doing, tuple) else ():
                        posted[self._message(stage, part, counts[stage])] = free
                if isinstance(doing, int):
                    self.ended[stage].append(free + doing)
                    continue
                if not doing:
                    place = len(self.ended[stage])
                    if all(len(begun) > place for begun in self.begun):
                        self.ended[stage].append(max(begun[place] for begun in self.begun) + SEND_NS)
                    continue
                messages = [self._message(stage, part, counts[stage]) for part in doing]
                if any(self._other(message) not in posted for message in messages):
                    continue
                self.ended[stage].append(
                    max(max(free, posted[self._other(message)]) + self.takes_ns(*message) for message in messages)
                )
                for part in doing:
                    counts[stage][part] = counts[stage].get(part, 0) + 1
        self.step_ns = max(ended[-1] for ended in self.ended)

    def takes_ns(self, sender: int, receiver: int, nth: int) -> int:
        """As long on both sides."""
        by_chance = random.Random(f"{self.seed} {sender} {receiver} {abs(nth)}").random()
        return int(SEND_NS * self.slow_links.get((sender, receiver), 1.0) * (1 + self.varies * by_chance))

    def _message(self, stage: int, part: Part, counts: dict[Part, int]) -> tuple[int, int, int]:
        """As this side sees it: what is received has a minus."""
        what, other = part
        nth = 1 + counts.get(part, 0)
        return (stage, other, nth) if what == "send" else (other, stage, -nth)

    def _other(self, message: tuple[int, int, int]) -> tuple[int, int, int]:
        return (*message[:2], -message[2])

    def _write(self, folder: Path, stage: int) -> Path:
        host = {"ph": "X", "pid": 9, "tid": 9}
        events: list[dict[str, Any]] = []
        number = 0
        for nth in range(self.n_steps):
            base = nth * (self.step_ns / 1000 + 200)
            for place, doing in enumerate(self.does(stage)):
                number += 1
                at = base + 4.0 * (place + 1)
                ts, end = base + self.begun[stage][place] / 1000, base + self.ended[stage][place] / 1000
                if isinstance(doing, int):
                    events += launch_rows(number, at, ts, end, "aten::mm", "sgemm_128x64_nn", 7, {})
                    continue
                for nth_part, (what, other) in enumerate(doing):
                    said = said_of(what, range(self.n_stages), "default_pg", "0")
                    said["Dst Rank" if what == "send" else "Src Rank"] = other
                    call = {"name": "record_param_comms", "ts": at - 3.9 + 0.3 * nth_part, "dur": 0.2, "args": said}
                    events.append({**host, "cat": "cpu_op", **call})
                if not doing:
                    said = {**said_of("allreduce", range(self.n_stages), "default_pg", "0"), "Seq": nth}
                    events += launch_rows(number, at, ts, end, "record_param_comms", _ALL_REDUCE, 20, said)
                    events[-3]["args"].update(said)
                    continue
                range_, launch, kernel = launch_rows(number, at, ts, end, "nccl:coalesced", _NCCL, 20, {})
                events += [{**range_, "cat": "user_annotation"}, launch, kernel]
            at = base + 4.0 * (len(self.begun[stage]) + 1)
            wait = {"name": "cudaDeviceSynchronize", "ts": at, "dur": base + self.ended[stage][-1] / 1000 + 5 - at, "args": {}}
            step = {"name": f"ProfilerStep#{_FIRST_STEP + nth}", "ts": base, "dur": self.ended[stage][-1] / 1000 + 100}
            events += [{**host, "cat": "cuda_runtime", **wait}, {**host, "cat": "user_annotation", **step}]
        return rank_file(folder, stage, self.n_stages, events, f"node{stage // (self.per_host or self.n_stages)}")
