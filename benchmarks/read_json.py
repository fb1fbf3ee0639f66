"""Chrome JSON to a complete Trace, against `json.loads` of the same bytes. Informational.

    python benchmarks/read_json.py [--megabytes 200] [--rounds 3] [FILE ...]

CPU time and peak memory, each side in a fresh process, in turn. `json.loads` runs with Python's defaults (collector on) on
the uncompressed bytes; ours reads the file, links launches and builds both trees. Budget: 0.5 of its CPU time and 2.5 of
the JSON in memory; goal 0.25 and 1.5. What would make it lie: another load on the machine during one side only (hence the
rounds and the median), a file so small that imports count, a trace of many threads only (nesting needs no loop then).

Measured 2026-11-20, two cores, Python 3.11, 200 MB: ResNet-50 of 2021 0.37 and 1.4, H100 with Python stacks 0.4 and 1.8.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from replicate import replicate

_ROOT = Path(__file__).resolve().parents[1]
_TRACES = _ROOT.parent / "shared" / "traces"
_SOURCES = ("v100_resnet50_workers0_a", "h100_owlv2")
_MEASURE = """
import resource, sys, time
path = sys.argv[1]
{prepare}
before = time.process_time()
{work}
print(time.process_time() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""
_LOADS = _MEASURE.format(prepare="import json; text = open(path, 'rb').read()", work="json.loads(text)")
_OURS = _MEASURE.format(prepare="from tb_plugin.formats import kineto_json", work="kineto_json.read(path)")


def measure(program: str, path: Path) -> tuple[float, float]:
    """(CPU seconds, peak bytes) of a fresh process."""
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
    times = f"ours {ours:.2f} s  json.loads {loads:.2f} s  ratio {ratio:.2f}"
    print(f"{path.name}  {size:.0f} MB  {times}  memory {memory:.2f} of the JSON")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    for path in options.files:
        report(path, options.rounds)
    if options.files:
        return
    if not _TRACES.is_dir():
        sys.exit("no ../shared/traces beside this checkout: name a file")
    with tempfile.TemporaryDirectory() as folder:
        for name in _SOURCES:
            path = Path(folder) / f"{name}.json"
            replicate(_TRACES / f"{name}.json.gz", path, options.megabytes * 1_000_000)
            report(path, options.rounds)


if __name__ == "__main__":
    main()
