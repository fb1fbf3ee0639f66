"""What do all views of a trace cost, against the CPU time that json.loads takes on the same bytes?

    python benchmarks/views.py [TRACE ...]        default: the three largest of ../shared/traces, or copies of the samples

Baseline: `json.loads` of the uncompressed file, in this process, between the runs of the views. CPU time, the best of three of
each. Every run starts with a trace of which nothing is kept yet (`trace.kept`), so that the first views pay for what the later
ones share; "again" is the second run on the same trace. Views that the trace has nothing for are not computed, as in the
server. What if has a budget of its own (`replay.py`).
"""

from __future__ import annotations

import copy
import dataclasses
import gzip
import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import inputs
from budget import Budget

from tb_plugin import views
from tb_plugin.formats import reader

if TYPE_CHECKING:
    from collections.abc import Callable

COST = Budget(
    name="all views",
    budget=0.15,
    unit="of json.loads",
    kind="gate",
    missed=0.29,  # then; now 0.25 mi300_resnet_ddp_checkpoint and a100_rank0_queue, 0.19 h100_owlv2. docs/design/013 says of what
    lies="a trace so small that the fixed costs of a view are all there is",
)
N_RUNS = 3


def cpu_s(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def main(paths: list[Path]) -> None:
    for path in paths:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        trace = reader.read(path)
        asked = [view for view in views.OF_ONE if view.id != "whatif" and view.main.missing(trace) is None]
        loads_s = float("inf")
        first, again = ({view.id: float("inf") for view in asked} for _ in range(2))
        for _ in range(N_RUNS):
            loads_s = min(loads_s, cpu_s(partial(json.loads, raw)))
            fresh = dataclasses.replace(trace, args=copy.copy(trace.args))
            for best in (first, again):
                for view in asked:
                    best[view.id] = min(best[view.id], cpu_s(partial(view.main.answer, fresh, view.main.params())))
        ratio, ratio_again = (sum(best.values()) / loads_s for best in (first, again))
        each = "  ".join(f"{name} {1000 * s:6.1f} ms" for name, s in first.items())
        print(f"{path.name:44} {len(trace.events):8} events  json.loads {1000 * loads_s:7.1f} ms  {each}")
        print(f"{'':44} again {ratio_again:.3f}")
        COST.measured(ratio, of=path.name.partition(".")[0], cost=sum(first.values()))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main([Path(argument) for argument in sys.argv[1:]] or inputs.largest(Path(name)))
