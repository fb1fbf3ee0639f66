"""Files of a small simulated pipeline, one rank a stage: what each computes and when, with the truth beside the files.

    1F1B    stage s begins with (p - s) forwards, then takes turns        GPipe    all forwards, then all backwards

With several chunks each, stage s has virtual stages s, s + p, ..., and all take turns after 2 (p - s - 1) + (v - 1) p forwards, p
micro-batches of a chunk at once (Narayanan et al. 2021). A forward waits for the stage before, a backward for the stage after; a
send takes 20 us from when both are there. Where it blocks, the stage does nothing before it is over; where `says_waits`, that is
also a `cuda_sync` row.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.job_files import LOADER, launch_rows, rank_file, said_of

if TYPE_CHECKING:
    from pathlib import Path

_NCCL = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
_ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_FORWARD_NS, _BACKWARD_NS, _OPTIMIZER_NS = 200_000, 400_000, 50_000


@dataclass(kw_only=True)
class PipelineJob:
    """`slow`: factor on a stage's kernels; `extra`: ns more in a (stage, pass, micro-batch), `idle`: in which nothing runs before
    it; `n_kernels`: how many a stage has a pass; `late_input`: ns of its loader. `syncs`: the host waits for all. GPipe only:
    `blocks`. Truth after `write`: `computed`, (begin, end) of each forward and backward, `waited`, how long its receive
    waits for what it is sent, and `ended_ns`, when the last stage's kernels are done.
    """

    n_stages: int = 3
    n_micro: int = 4
    n_chunks: int = 1  # of 1F1B; n_micro is then a multiple of the stages
    first_rank: int = 0  # beside other pipelines
    n_ranks: int | None = None  # of the job; None: these alone
    data_ns: int = 20_000_000  # where an all-reduce of all pipelines ends, of a job of several
    schedule: str = "1F1B"
    slow: dict[int, float] = field(default_factory=dict)
    extra: dict[tuple[int, str, int], int] = field(default_factory=dict)
    idle: dict[tuple[int, str, int], int] = field(default_factory=dict)
    n_kernels: dict[int, int] = field(default_factory=dict)
    late_input: dict[int, int] = field(default_factory=dict)
    send_ns: int = 20_000
    slow_sends: dict[tuple[int, int], float] = field(default_factory=dict)  # (from, to): how many times as long they take
    blocks: bool = False
    blocking: str = "FB"  # sends of which pass block, where they do
    after_send_ns: int = 1000  # from its end to the next kernel, where it blocks
    says_waits: bool = False
    n_unknown: float = 0  # of a rank's rows of waits, the first that do not know the event
    syncs: bool = False
    ended_ns: int = 0
    computed: list[list[tuple[int, int]]] = field(default_factory=list)
    waited: list[list[int]] = field(default_factory=list)

    def write(self, folder: Path) -> list[Path]:
        orders = [self._order(stage) for stage in range(self.n_stages)]
        now, place = [1_000_000 + self.late_input.get(stage, 0) for stage in range(self.n_stages)], [0] * self.n_stages
        handed: dict[tuple[str, int, int], int] = {}  # (pass, micro-batch, virtual stage that made it) -> when it can be sent
        rows: list[list[tuple[str, int, int, int]]] = [[] for _ in orders]
        self.computed, self.waited = [[] for _ in orders], [[] for _ in orders]
        sending: set[int] = set()
        while any(place[stage] < len(order) for stage, order in enumerate(orders)):
            for stage, order in enumerate(orders):
                while place[stage] < len(order) and stage not in sending:
                    what, micro, chunk = order[place[stage]]
                    its = chunk * self.n_stages + stage
                    before = its - 1 if what == "F" else its + 1
                    source, waits = before % self.n_stages, 0
                    if 0 <= before < self.n_stages * self.n_chunks:
                        if (what, micro, before) not in handed:
                            break
                        posted, sent = now[stage], handed[what, micro, before]
                        takes = int(self.send_ns * self.slow_sends.get((source, stage), 1.0))
                        arrived, waits = max(posted, sent) + takes, max(sent - posted, 0)
                        rows[stage].append(("recv", posted, arrived, source))
                        rows[source].append(("send", sent, arrived, stage))
                        now[stage] = arrived + 1000
                        if self.blocks and what in self.blocking:
                            sending.remove(source)
                            now[source] = arrived + self.after_send_ns
                    length = int((_FORWARD_NS if what == "F" else _BACKWARD_NS) * self.slow.get(stage, 1.0))
                    begun = now[stage] = now[stage] + self.idle.get((stage, what, micro), 0)
                    for _ in range(self.n_kernels.get(stage, 1)):
                        rows[stage].append(("gemm", now[stage], now[stage] + length, 0))
                        now[stage] += length + 1000
                    more = self.extra.get((stage, what, micro), 0)
                    if more:
                        rows[stage].append(("gemm", now[stage], now[stage] + more, 0))
                        now[stage] += more + 1000
                    self.computed[stage].append((begun, now[stage] - 1000))
                    self.waited[stage].append(waits)
                    handed[what, micro, its] = now[stage]
                    if self.blocks and what in self.blocking and 0 <= (stage + 1 if what == "F" else stage - 1) < self.n_stages:
                        sending.add(stage)
                    place[stage] += 1
        end = self.ended_ns = max(now) + _OPTIMIZER_NS
        for stage, of_stage in enumerate(rows):
            of_stage.append(("optimizer", now[stage], now[stage] + _OPTIMIZER_NS, 0))
            if self.n_ranks is not None:
                of_stage.append(("data", now[stage] + _OPTIMIZER_NS + 1000, self.data_ns, 0))
                end = max(end, self.data_ns)
        return [self._write(folder, stage, rows[stage], end) for stage in range(self.n_stages)]

    def _order(self, stage: int) -> list[tuple[str, int, int]]:
        if self.n_chunks > 1:
            return self._of_chunks(stage)
        n = self.n_micro
        first = n if self.schedule == "GPipe" else min(self.n_stages - stage, n)
        order = [("F", micro, 0) for micro in range(first)]
        for micro in range(n):
            order.append(("B", micro, 0))
            order += [("F", micro + first, 0)] if micro + first < n else []
        return order

    def _of_chunks(self, stage: int) -> list[tuple[str, int, int]]:
        p, v = self.n_stages, self.n_chunks
        parts = [(some + micro, chunk) for some in range(0, self.n_micro, p) for chunk in range(v) for micro in range(p)]
        forward, backward = ([(*what, *part) for part in parts] for what in "FB")
        backward = [(what, micro, v - 1 - chunk) for what, micro, chunk in backward]
        first = min(2 * (p - stage - 1) + (v - 1) * p, len(parts))
        turns = [each for pair in zip(forward[first:], backward, strict=False) for each in pair]
        return [*forward[:first], *turns, *backward[len(parts) - first :]]

    def _write(self, folder: Path, stage: int, rows: list[tuple[str, int, int, int]], end_ns: int) -> Path:
        host = {"ph": "X", "pid": 9, "tid": 9}
        if self.syncs:
            end_ns = max(end for _, _, end, _ in rows)
        step = {
            **host,
            "cat": "user_annotation",
            "name": "ProfilerStep#7",
            "ts": 0,
            "dur": end_ns / 1000 + 90,
        }
        loads = self.late_input.get(stage, 0) / 1000
        events: list[dict[str, Any]] = [step, *([{**step, "name": LOADER, "dur": loads}] if loads else [])]
        # Issued in the order in which a stage does its work: a send right after what it sends.
        for number, (what, start, end, other) in enumerate(sorted(rows, key=lambda row: (row[1], row[0] != "send"))):
            at, ts, until = loads + 4.0 * (number + 1), start / 1000, end / 1000
            if what in ("send", "recv"):
                stream = 20 if what == "send" else 21
                group = range(self.first_rank, self.first_rank + self.n_stages)
                said = said_of(what, group, "PIPELINE_MODEL_PARALLEL_GROUP", str(1 + self.first_rank))
                said["Dst Rank" if what == "send" else "Src Rank"] = self.first_rank + other
                events += launch_rows(number, at, ts, until, "record_param_comms", _NCCL, stream, said)
                events[-3]["args"].update(said)
                if self.says_waits:
                    events += _waits(2 * number, at - 3.5, stream, 7) + _waits(2 * number + 1, at, 7, stream)
                    for each in (event for event in events[-6:] if event["cat"] == "cuda_sync"):
                        if 2 * number < self.n_unknown:
                            each["args"]["wait_on_cuda_event_record_corr_id"] = -1
            elif what == "data":
                said = said_of(
                    "allreduce", range(stage, self.n_ranks or 0, self.n_stages), "DATA_PARALLEL_GROUP", f"data {stage}"
                )
                rows_of = launch_rows(number, at, ts, until, "record_param_comms", _ALL_REDUCE, 22, said)
                rows_of[0]["args"].update(said)
                events += rows_of
            else:
                kernel = "sgemm_128x64_nn" if what == "gemm" else "void at::native::multi_tensor_apply_kernel<Adam>"
                events += launch_rows(number, at, ts, until, "aten::mm", kernel, 7, {})
        if self.syncs:
            at = loads + 4.0 * (len(rows) + 1)
            events.append(
                {
                    **host,
                    "cat": "cuda_runtime",
                    "name": "cudaDeviceSynchronize",
                    "ts": at,
                    "dur": end_ns / 1000 + 5 - at,
                    "args": {},
                }
            )
        return rank_file(folder, self.first_rank + stage, self.n_ranks or self.n_stages, events)


def _waits(number: int, at: float, stream: int, on: int) -> list[dict[str, Any]]:
    """One stream waits for what another has been given."""
    host = {"ph": "X", "pid": 9, "tid": 9, "cat": "cuda_runtime", "dur": 0.1}
    record, wait = 10_000 + 2 * number, 10_001 + 2 * number
    said = {"stream": stream, "device": 0, "correlation": wait, "wait_on_stream": on, "wait_on_cuda_event_record_corr_id": record}
    return [
        {**host, "name": "cudaEventRecord", "ts": at, "args": {"correlation": record}},
        {**host, "name": "cudaStreamWaitEvent", "ts": at + 0.2, "args": {"correlation": wait}},
        {
            "ph": "X",
            "pid": 0,
            "tid": stream,
            "cat": "cuda_sync",
            "name": "Stream Wait Event",
            "ts": at + 0.3,
            "dur": 0.1,
            "args": said,
        },
    ]
