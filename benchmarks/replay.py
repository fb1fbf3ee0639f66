"""What does a replay cost, and the effect of 10 % of thirty rows, in CPU seconds for 130 000 events?

    python benchmarks/replay.py [TRACE ...]        default: the three largest of ../shared/traces, or copies of the samples

Baseline: the budget alone. Times are scaled to 130 000 events; the best of three, each with a trace of which nothing is kept.
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
import time
from pathlib import Path

import inputs
from budget import Budget

from tb_plugin.formats import reader
from tb_plugin.replay.effects import effects
from tb_plugin.replay.trust import baseline, why_not

_EVENTS = 130_000
_LIES = "a trace with far fewer calls and kernels among its events than is usual"
REPLAY = Budget(name="replay", budget=0.7, unit="s", kind="informational", lies=_LIES)
EFFECTS = Budget(name="effect of 10 % of thirty rows", budget=5.0, unit="s", kind="informational", lies=_LIES)
N_RUNS = 3


def main(paths: list[Path]) -> None:
    for path in paths:
        trace = reader.read(path)
        if why_not(trace) is not None:
            continue
        replay_s = effects_s = float("inf")
        for _ in range(N_RUNS):
            fresh = dataclasses.replace(trace)
            start = time.process_time()
            base = baseline(fresh)
            replayed = time.process_time()
            effects(base, 30)
            replay_s, effects_s = min(replay_s, replayed - start), min(effects_s, time.process_time() - replayed)
        scale = _EVENTS / max(len(trace.events), 1)
        name = path.name.partition(".")[0]
        REPLAY.measured(replay_s * scale, of=name, cost=replay_s)
        EFFECTS.measured(effects_s * scale, of=name, cost=effects_s)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        main([Path(argument) for argument in sys.argv[1:]] or inputs.largest(Path(name)))
