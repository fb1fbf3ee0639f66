"""Chrome JSON to a complete Trace, against `json.loads` of the same bytes.

    python benchmarks/read_json.py [--megabytes 60] [--rounds 3] [FILE ...]

CPU time and peak memory, each side in a fresh process, in turn; medians of the rounds. `json.loads` runs with Python's defaults
(collector on) on the uncompressed bytes; ours reads the file, links launches and builds both trees. Goal: 0.35.

Measured 2026-11-27, two cores with much else to do, Python 3.11, 60 MB, both versions and `json.loads` in turn, before and after
columns came from tuples of whole events (of the least times): MTIA 0.28 and 0.25, H100 qwen 0.39 and 0.33, MI300 0.39 and 0.36,
0.41 and 0.39, H100 with Python stacks 0.44 and 0.39, ResNet-50 of 2021 0.47 and 0.42, MI210 without a host 0.49 and 0.43, A100
with launch arguments 0.50 and 0.45, A100 NCCL 0.63 and 0.57. Another machine than on 2026-11-23 (ResNet-50 0.35, H100 with stacks
0.29; decision 017).

On 2026-11-28, copies of 40 MB, least of four in turn, load 8 to 12, before and after few arguments were decoded apart and
columns put together one by one: what `json.loads` reads at 1.8 to 3 us an event misses the goal. AlexNet 0.62 and 0.56, V100 of
2024 0.55 and 0.53, CUPTI counters 0.60 and 0.55, sglang 0.58 and 0.56, NCCL 0.50 and 0.47. Of AlexNet, ns an event of 1 330
(`json.loads` 2 100, of which the goal leaves 720): events to objects 262, of which looking at the text alone is 154, and
freeing them 46; objects to columns, labels and tracks 306; reading and cutting 70: these four alone are 0.33. Arguments 270
(were 370), packing them 63; times 35; putting columns together 125; order, trees and links 135. Of all that the first touch of
memory is some 130. Tried and left: names as words the decoder knows (35 to 40 ns less), arguments typed as events are decoded
(20 ns instead of a second decoding, but their text, which details show, is lost), columns out of one flat list or field by
field (slower than tuples).

Where it went on the 27th, ns an event of the A100 NCCL (2 350, `json.loads` 4 400 to 4 800; a third of its events are arrows,
of 214 bytes with little to skip) and of the MI210 (2 360 of 5 650): events to objects 475 and 500, of which looking at the text
alone is 210 and 240; objects to columns, labels, tracks and times 570 both; arguments decoded a second time, by kind, 350 and
410; their columns 230 and 180; reading, cutting and freeing 190 both; putting all columns together 140 and 120; trees 130 and
40; arguments packed 90. Not copying the arguments would save a twentieth. Names as words the decoder knows: 40, and each new
name decodes its chunk twice. Memory 1.4 to 1.6.
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
