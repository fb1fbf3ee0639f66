"""Chrome JSON to a complete Trace, against `json.loads` of the same bytes.

    python benchmarks/read_json.py [--megabytes 60] [--rounds 3] [FILE ...]

CPU time and peak memory, each side in a fresh process, in turn; medians of the rounds. `json.loads` runs with Python's defaults
(collector on) on the uncompressed bytes; ours reads the file, links launches and builds both trees. Goal: 0.35.

Measured 2026-11-27, two cores with much else to do, Python 3.11, 60 MB: MTIA 0.25, H100 qwen 0.35, MI300 0.40 and 0.41, H100 with
Python stacks 0.43, A100 with launch arguments 0.45, MI210 without a host 0.53, ResNet-50 of 2021 0.53, A100 NCCL 0.61. The same
hour before words, tracks and times were decoded together: 0.27, 0.39, 0.42 and 0.43, 0.45, 0.49, 0.58, 0.57, 0.66. Another
machine than on 2026-11-23 (ResNet-50 0.35, H100 with stacks 0.29, 0.49 to 0.52 without shapes; decision 017): of an event of the
ResNet-50 `json.loads` takes 5.1 us here, ours 2.7. Of these decoding takes 0.17, the arguments of operators and of work 0.3,
labels and tracks 0.1, trees and links 0.1 to 0.2, copies of the text 0.1. Memory 1.4 to 1.6.
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
