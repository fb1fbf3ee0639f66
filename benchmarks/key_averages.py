"""`key_averages()` of a stored profile against the live profiler's `prof.events()` + `prof.key_averages()` of the same profile.

    python benchmarks/key_averages.py [--steps 30] [--runs 3] [--verbose]

Records a training of a small transformer with all options (about 4 700 events a step; 30 steps: 140 000), and
asks torch, which makes an object an event. Ours: a fresh process opens the stored file and asks the same. CPU time
(`time.process_time`), least of the runs for ours, one run for torch, which keeps its answer.

What would make it lie:
* Ours includes reading the file; torch's events are in memory. Imports are not counted on either side (printed).
* torch's `prof.events()` is made once and kept, ours too: a second question costs either side far less than the first.
* `key_averages(group_by_stack_n=5)` of ours reads all stored arguments, so it is shown by itself; torch's is measured after
  `events()` was paid for, which the first line counts.
* With `--verbose` torch makes a list of stack entries for each event, and is slower still.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from budget import Budget

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

COST = Budget(
    name="key_averages",
    budget=0.02,
    unit="of torch's own",
    kind="informational",
    lies="a few steps only: what is fixed counts; stacks are in the stored file and must be read, torch has them in memory",
)


def record(folder: Path, steps: int, *, verbose: bool) -> Any:
    """The live profile; its files are in `folder`."""
    import torch
    from torch._C._profiler import _ExperimentalConfig

    from tb_plugin import tensorboard_trace_handler

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    layer = torch.nn.TransformerEncoderLayer(32, 2, 64, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 2)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    handler = tensorboard_trace_handler(folder, "w", use_gzip=False)
    plan = torch.profiler.schedule(wait=0, warmup=1, active=steps, repeat=1)
    options = {"record_shapes": True, "profile_memory": True, "with_stack": True, "with_flops": True}
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        schedule=plan,
        on_trace_ready=handler,
        experimental_config=_ExperimentalConfig(verbose=verbose),
        **options,
    ) as profiler:
        for _ in range(steps + 1):
            model(torch.randn(4, 8, 32)).square().mean().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    handler.flush()
    return profiler


def measure(path: Path, grouping: dict[str, Any]) -> dict[str, float]:
    """Runs in a process of its own."""
    start = time.process_time()
    import tb_plugin

    load = tb_plugin.load
    import tb_plugin.formats.kineto.kineto_json
    import tb_plugin.formats.stored.profile_pb

    imported = time.process_time() - start
    start = time.process_time()
    profile = load(path)
    opened = time.process_time() - start
    rows = profile.key_averages(**grouping)
    return {"seconds": time.process_time() - start, "open": opened, "imports": imported, "rows": len(rows)}


def ours(path: Path, grouping: dict[str, int], runs: int) -> dict[str, float]:
    found: list[dict[str, float]] = []
    for _ in range(runs):
        command = [sys.executable, __file__, "--measure", str(path), json.dumps(grouping)]
        found.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return min(found, key=lambda one: one["seconds"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--verbose", action="store_true", help="torch's verbose option: stacks in the file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profiler = record(folder, options.steps, verbose=options.verbose)
        stored, text = next(folder.glob("*.pb")), next(folder.glob("*.json"))
        start = time.process_time()
        n_events = len(profiler.events())
        events_seconds = time.process_time() - start
        print(f"{n_events} events; JSON {text.stat().st_size / 1e6:.1f} MB, stored {stored.stat().st_size / 1e6:.1f} MB")
        print(f"torch: prof.events() {events_seconds:.2f} CPU s; then key_averages as below")
        print("key_averages                    torch  with events   stored   ratio   open    JSON   rows")
        for label, grouping in (
            ("plain", {}),
            ("by input shape", {"group_by_input_shape": 1}),
            ("by stack of 5", {"group_by_stack_n": 5}),
        ):
            start = time.process_time()
            rows = len(profiler.key_averages(**grouping))
            asked = time.process_time() - start
            of_stored, of_json = ours(stored, grouping, options.runs), ours(text, grouping, 1)
            assert of_stored["rows"] == rows or "group_by_stack_n" in grouping, (of_stored["rows"], rows)
            print(
                f"{label:28s} {asked:8.3f} {asked + events_seconds:12.3f} {of_stored['seconds']:8.3f} "
                f"{(asked + events_seconds) / of_stored['seconds']:6.0f}x {of_stored['open']:6.3f} {of_json['seconds']:7.3f} "
                f"{of_stored['rows']:6.0f}",
                flush=True,
            )
            COST.measured(of_stored["seconds"] / (asked + events_seconds), of=label, cost=of_stored["seconds"])
        print(f"imports {of_stored['imports']:.2f} CPU s, once a process")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(Path(sys.argv[2]), json.loads(sys.argv[3]))))
    else:
        main()
