"""Chrome JSON to a complete Trace, against `json.loads` of the same bytes.

    python benchmarks/read_json.py [--megabytes 60] [--rounds 3] [FILE ...]

CPU time and peak memory, each side in a fresh process, in turn; medians of the rounds. `json.loads` runs with Python's defaults
(collector on) on the uncompressed bytes; ours reads the file, links launches and builds both trees. Goal: 0.35.

What is missed, and why: `json.loads` reads small events in 2.3 to 4 us, of which the goal leaves 0.8 to 1.4. Measured
2026-11-28, copies of 40 MB, CPU, least of five in turn, load 11 to 15, before and after columns came out of one list and memory
was used again: CUDA sync (AlexNet) 0.62 and 0.57, CUPTI counters 0.61 and 0.56, NCCL 0.56 and 0.52, V100 of 2024 0.58 and 0.52,
sglang 0.54 and 0.48, MI210 without a host 0.47 and 0.43, A100 queue 0.48 and 0.45, vllm 0.45 and 0.42; calm, they were 0.03 to
0.09 less before.

Of AlexNet (1 560 ns an event): events to objects 330, of which looking at the text alone is 165, and freeing them 73; objects
to columns 108, labels and tracks 160; arguments decoded, those of few apart, 330 (device work, a tenth of the events, is 143 of
these) and packed 73; times 40; arrows and what each event is 70; reading and cutting 86; putting columns together 90; order,
trees and links 100. First touch of memory is a sixteenth.

Tried and left. Names as words the decoder knows: 40 to 60 ns, but a new name, which a third of the chunks of a file that is no
copy has, decodes them twice; ids of processes and threads as words: 5 to 20. Arguments typed as events are decoded: their text,
which details show, is lost, and a pattern that finds it takes 160 ns. Columns field by field, by `zip`, by NumPy's objects:
2.7, 1.3 and 5 times as long. Chunks of 512 kB: -4, +1, -1 and -4 % (AlexNet, sglang, V100, NCCL), for blocks of arguments twice
as large; of 96 to 192 kB 0 to 13 % more. Copies of text that could be saved: 16 ns. Nesting takes up to 190 ns where events
overlap, no part of it more than 60.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import inputs
from budget import Budget

_ROOT = Path(__file__).resolve().parents[1]
TIME = Budget(
    name="JSON to a Trace, time",
    budget=0.35,
    unit="of json.loads",
    kind="gate",
    missed=0.36,
    lies="another load on the machine during one side only; a file of many threads (nesting needs no loop then)",
)
MEMORY = Budget(
    name="JSON to a Trace, memory",
    budget=1.5,
    unit="of the JSON",
    kind="gate",
    missed=1.8,
    lies="a file so small that the modules loaded while reading count",
)
# The process's own peak (Linux): `ru_maxrss` begins with that of the parent, which made the file.
_MEASURE = """
import sys, time
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
path = sys.argv[1]
{prepare}
before, peak_before = time.process_time(), peak()
{work}
print(time.process_time() - before, peak() - peak_before)
"""
_LOADS = _MEASURE.format(prepare="import json; text = open(path, 'rb').read()", work="json.loads(text)")
_OURS = _MEASURE.format(prepare="from tb_plugin.formats.kineto import kineto_json", work="kineto_json.read(path)")


def measure(program: str, path: Path) -> tuple[float, float]:
    """(CPU seconds, bytes by which the peak grew) of a fresh process."""
    run = subprocess.run([sys.executable, "-c", program, str(path)], cwd=_ROOT, capture_output=True, text=True, check=True)
    seconds, peak = run.stdout.split()
    return float(seconds), float(peak)


def report(path: Path, rounds: int) -> None:
    """One line: medians over the rounds."""
    pairs = [(measure(_OURS, path), measure(_LOADS, path)) for _ in range(rounds)]
    ours, loads = (statistics.median(pair[side][0] for pair in pairs) for side in (0, 1))
    ratio = statistics.median(pair[0][0] / pair[1][0] for pair in pairs)
    memory = statistics.median(pair[0][1] for pair in pairs) / path.stat().st_size
    size = path.stat().st_size / 1e6
    print(f"{path.name}  {size:.0f} MB  ours {ours:.2f} s  json.loads {loads:.2f} s")
    TIME.measured(ratio, of=path.stem, cost=min(pair[0][0] for pair in pairs))
    MEMORY.measured(memory, of=path.stem)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files or inputs.copies(Path(folder), options.megabytes):
            report(path, options.rounds)


if __name__ == "__main__":
    main()
