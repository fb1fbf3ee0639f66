"""What do all views of a trace cost? Gate: at most 0.15 of the CPU time that json.loads takes on the same bytes.

    python benchmarks/views.py [TRACE ...]        default: the three largest of ../shared/traces

Baseline: `json.loads` of the uncompressed file, in this process, between the runs of the views. CPU time, the best of three of
each. Every run starts with a trace of which nothing is kept yet (`trace.kept`), so that the first views pay for what the later
ones share; "again" is the second run on the same trace. Views that the trace has nothing for are not computed, as in the
server. What would make it lie: a trace that is not Chrome JSON, or so small that fixed costs of a view are all there is.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from isal import igzip

from tb_plugin import views
from tb_plugin.formats import reader

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET = 0.15
N_RUNS = 3


def cpu_s(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def main(paths: list[Path]) -> int:
    worst = 0.0
    for path in paths:
        raw = path.read_bytes()
        raw = igzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        trace = reader.read(path)
        asked = [view for view in views.ALL if view.missing(trace) is None]
        loads_s = float("inf")
        first, again = ({view.id: float("inf") for view in asked} for _ in range(2))
        for _ in range(N_RUNS):
            loads_s = min(loads_s, cpu_s(partial(json.loads, raw)))
            fresh = dataclasses.replace(trace)
            for best in (first, again):
                for view in asked:
                    best[view.id] = min(best[view.id], cpu_s(partial(view.compute, fresh, view.params())))
        ratio, ratio_again = (sum(best.values()) / loads_s for best in (first, again))
        worst = max(worst, ratio)
        each = "  ".join(f"{name} {1000 * s:6.1f} ms" for name, s in first.items())
        print(f"{path.name:44} {len(trace.events):8} events  json.loads {1000 * loads_s:7.1f} ms  {each}")
        print(f"{'':44} ratio {ratio:.3f}  again {ratio_again:.3f}")
    print(f"worst ratio {worst:.3f}, budget {BUDGET}")
    return 0 if worst <= BUDGET else 1


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    folder = Path(__file__).resolve().parents[2] / "shared" / "traces"
    largest = sorted(folder.glob("*.json.gz"), key=lambda path: path.stat().st_size)[-3:]
    sys.exit(main(given or largest))
