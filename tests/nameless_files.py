"""Files of 2023 of a small simulated job, which name no process group: a stream for each of a rank's groups, and the truth.

    step    loader | layer 0: gemm, all-reduce on stream 20 of the first groups | layer 1 ... | buckets on stream 24 of the second

The rank goes on when a collective has ended; the host launches all of a step while the first kernel runs, or the one before.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.job_files import FIRST_STEP, launch_rows, rank_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

WORD: Final = {
    "all_reduce": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
    "all_gather": "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
    "reduce_scatter": "ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
}


@dataclass(kw_only=True)
class Use:
    """Collectives of one kind that a rank starts, on a stream of its own for each purpose. `groups` share the ranks out."""

    kind: str
    stream: int
    groups: tuple[tuple[int, ...], ...]
    transfer_ns: int
    n: int  # in each step
    is_in_layers: bool = True  # else all at the end of the step


@dataclass(kw_only=True)
class Nameless:
    """`late`: (rank, step) to ns more in its loader; `jitter_ns`: a gemm takes up to so much more, by chance.

    `over`: hosts are a step ahead, and recorded once so many collectives of the first step, by rank, have ended.
    """

    uses: list[Use]
    n_ranks: int = 8
    ranks_per_node: int = 4
    n_steps: int = 4
    gemm_ns: int = 300_000
    jitter_ns: int = 100_000
    ends_ns: int = 3000  # apart, on the ranks of one
    late: dict[tuple[int, int], int] = field(default_factory=dict)
    slow: dict[int, float] = field(default_factory=dict)
    offset_ns: dict[int, int] = field(default_factory=dict)  # by node
    drift_ppm: dict[int, float] = field(default_factory=dict)
    has_hosts: bool = True  # their devices are numbered, so that ranks are dealt host by host
    without: tuple[int, ...] = ()  # ranks whose files are not there
    over: dict[int, int] = field(default_factory=dict)
    seed: int = 1
    waited: dict[tuple[int, int], int] = field(default_factory=dict)  # (rank, place among its collectives in the file) to true ns

    def write(self, folder: Path) -> list[Path]:
        """One file a rank."""
        rows: dict[int, list[tuple[str, int, int, int]]] = {rank: [] for rank in range(self.n_ranks)}
        self.waited.clear()
        now, rng, n_met = dict.fromkeys(rows, 0), random.Random(self.seed), {rank: -self.over.get(rank, 0) for rank in rows}
        for step in range(FIRST_STEP, FIRST_STEP + self.n_steps):
            begun = dict(now)
            for rank in now:
                now[rank] += 50_000 + self.late.get((rank, step), 0)
            for use in self._in_order():
                for rank in now:
                    took = int(self.gemm_ns * self.slow.get(rank, 1.0)) + rng.randrange(self.jitter_ns + 1)
                    took = took if use.is_in_layers else 20_000
                    rows[rank].append(("gemm", now[rank], now[rank] + took, 7))
                    now[rank] += took + 3000
                for group in use.groups:
                    last = max(now[rank] for rank in group)
                    for rank in group:
                        end = last + use.transfer_ns + rng.randrange(self.ends_ns)
                        rows[rank].append((use.kind, now[rank], end, use.stream))
                        if n_met[rank] >= 0:
                            self.waited[rank, n_met[rank]] = last - now[rank]
                        n_met[rank] += 1
                        now[rank] = end + 3000
            for rank in now:
                now[rank] += 20_000
                rows[rank].append(("step", begun[rank], now[rank], step))
        return [self._write(folder, rank, rows[rank]) for rank in rows if rank not in self.without]

    def _in_order(self) -> Iterator[Use]:
        layers = [use for use in self.uses if use.is_in_layers]
        for layer in range(max((use.n for use in layers), default=0)):
            yield from (use for use in layers if layer < use.n)
        for use in self.uses:
            yield from (use for _ in range(0 if use.is_in_layers else use.n))

    def _write(self, folder: Path, rank: int, rows: Sequence[tuple[str, int, int, int]]) -> Path:
        node = rank // self.ranks_per_node
        events: list[Any] = []
        launched = 0.0

        def local(true_ns: int) -> float:
            drifted = int(true_ns * self.drift_ppm.get(node, 0.0) * 1e-6)
            return (1_000_000 + true_ns + self.offset_ns.get(node, 0) + drifted) / 1000

        rows = sorted(rows, key=lambda row: (row[1], -row[2]))
        over = self.over.get(rank, 0)
        since = [end for what, _, end, _ in rows if what in WORD][over - 1] if over else 0
        before: tuple[int, int] | None = None  # the step on the device
        is_launched = not over
        for number, (what, start, end, of) in enumerate(rows):
            if what == "step":
                at, before = (before if over else (start, end)), (max(start, since), end)
                if at is None:
                    continue
                is_launched = True
                begun, ended = map(local, at)
                span = {"ph": "X", "pid": 9, "tid": 9, "ts": begun, "dur": ended - begun}
                events.append({**span, "cat": "user_annotation", "name": f"ProfilerStep#{of}"})
                launched = begun + 10
                continue
            if end <= since:
                continue
            launched += 4
            operator, kernel = ("aten::mm", "sgemm_128x64_nn") if what == "gemm" else ("record_param_comms", WORD[what])
            its = launch_rows(number, launched, local(start), local(end), operator, kernel, of, {})
            its[-1]["args"]["device"] = its[-1]["pid"] = rank % self.ranks_per_node if self.has_hosts else 0
            events += its if is_launched else its[-1:]
        return rank_file(folder, rank, self.n_ranks, events, None)
