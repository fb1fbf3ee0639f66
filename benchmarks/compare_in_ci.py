"""Is a slowdown found by the workflow of `samples/compare_in_ci.yml`, and nothing where there is none?

    python benchmarks/compare_in_ci.py [TIMES]        default 10 of each kind

As the workflow does: both sides are recorded eight times, in turns, in processes of their own, and compared with
`--fail-if 'undisturbed>10%'`, one value a recording: the load of a shared machine drifts, and steps of one recording do not
know. Once the second side is the same program, once one that does a third more work in its step.
Counted are builds that fail (exit code 3) and those that warn (4), of either kind. On 2026-11-23, two cores with a load of 1
to 2: of ten with the slowdown ten failed (+32.7 to +36.6 %), of ten without none failed or warned (-1.9 to +3.4 %); 21 minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from budget import Budget

_LIES = "a machine whose load changes in step with the turns"
MISSED = Budget(name="slowdowns of 33 % not found", budget=0, unit="builds", kind="informational", lies=_LIES)
FALSE = Budget(name="builds failed without a slowdown", budget=0, unit="builds", kind="informational", lies=_LIES)

TRAINING = """
import sys
import torch
from tb_plugin import tensorboard_trace_handler
folder, layers = sys.argv[1], int(sys.argv[2])
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(*(torch.nn.Linear(512, 512) for _ in range(layers)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
plan = torch.profiler.schedule(wait=1, warmup=3, active=8, repeat=1)
with torch.profiler.profile(schedule=plan, on_trace_ready=tensorboard_trace_handler(folder, "ci")) as profiler:
    for _ in range(12):
        model(torch.randn(256, 512)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        profiler.step()
"""
LAYERS, SLOWER = 6, 8
RECORDINGS = 8
"""Of each side. With fewer than 4 no difference can be told, with 4 only where all of one side are slower than all of the other:
a single recording that a neighbour spoiled hides it then."""


def build(folder: Path, after: int) -> tuple[int, str]:
    """(exit code, how much longer work and step are) of one build whose second side has so many layers."""
    environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(folder / "cache")}
    for _ in range(RECORDINGS):
        for side, layers in (("before", LAYERS), ("after", after)):
            subprocess.run([sys.executable, "-c", TRAINING, str(folder / side), str(layers)], env=environment, check=True)
    command = [sys.executable, "-m", "tb_plugin.doors.cli", "compare", str(folder / "before"), str(folder / "after")]
    command += ["--format", "json", "--fail-if", "undisturbed>10%"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode in (1, 2):
        return done.returncode, done.stderr
    (pair,) = json.loads(done.stdout)["pairs"]
    held = next(of for of in pair["others"] if of["part"] == "undisturbed")
    shares = [
        f"{name} {100 * of['shift_ns'] / of[base]:+.1f} %"
        for name, of, base in (("undisturbed", held, "a_ns"), ("step", pair["step"], "a_median_ns"))
    ]
    return done.returncode, ", ".join(shares)


def main(times: int) -> None:
    codes = {LAYERS: Counter[int](), SLOWER: Counter[int]()}
    for _ in range(times):
        for after, seen in codes.items():
            with tempfile.TemporaryDirectory() as name:
                code, said = build(Path(name), after)
            seen[code] += 1
            print(f"{after} layers after {LAYERS}: {code}  {said}", flush=True)
    for after, seen in codes.items():
        print(f"{after} layers: exit codes {dict(seen)}")
    MISSED.measured(times - codes[SLOWER][3])
    FALSE.measured(codes[LAYERS][3])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
