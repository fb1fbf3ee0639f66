"""Opening the stored profile against `json.loads` of the same profile's JSON, and its size against the gzip JSON.

    python benchmarks/open_profile_pb.py [TRACE.json.gz ...] [--megabytes 60] [--runs 3]

Baseline: `json.loads` with Python's defaults (collector on) on bytes already in memory. Ours: `profile_pb.read`,
the file read included, to the complete Trace. Each in a fresh process, in turns; CPU time (`time.process_time`), least of the
runs, memory as growth of the process's peak.

What would make it lie:
* Arguments stay compressed until one event is clicked, while json.loads decodes them all: the Trace is complete for
  every view, but it is not the same amount of data in the same form.
* Imports are not counted on either side; they are printed (about 0.1 s, once a process).
* Copies of one trace share names, shapes and block boundaries, so the size ratio of the copies is too good; the sizes
  of the single traces are the honest ones.
* Below 10 MB of JSON the first calls of each library (2 ms) are most of what is measured for the stored profile.
* Files are in the page cache. On a cold network disk the smaller file gains more than is shown here.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import inputs
from budget import Budget

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

TIME = Budget(
    name="open the stored profile, time",
    budget=0.03,
    unit="of json.loads",
    kind="gate",
    missed=0.05,
    lies="under 10 MB of JSON the first calls of each library (2 ms) are most of what is measured",
)
SIZE = Budget(
    name="stored profile, size",
    budget=1.0,
    unit="of the gzip JSON",
    kind="gate",
    lies="copies of one trace share names and shapes: only single traces are asked",
)


def measure(how: str, path: Path) -> dict[str, float]:
    """Runs in a process of its own."""
    start = time.process_time()
    if how == "json":
        work: Any = json.loads
        argument: Any = path.read_bytes()
    else:
        from tb_plugin.formats.stored import profile_pb

        work, argument = profile_pb.read, path
    imported = time.process_time() - start
    assert gc.isenabled()
    before = peak_megabytes()
    start = time.process_time()
    result = work(argument)
    seconds = time.process_time() - start
    grown = peak_megabytes() - before
    assert result is not None
    return {"seconds": seconds, "megabytes": grown, "import_seconds": imported}


def peak_megabytes() -> float:
    """This process's own peak (Linux). Not `ru_maxrss`: a child inherits its parent's over fork and exec."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM:")), float("nan"))


def run(how: str, path: Path) -> dict[str, float]:
    done = subprocess.run([sys.executable, __file__, "--measure", how, str(path)], capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def compare(name: str, text: Path, gzip_bytes: int, runs: int, *, single: bool) -> None:
    stored = text.with_suffix(".pb")
    start = time.perf_counter()
    command = [sys.executable, "-m", "tb_plugin.formats.convert", str(text), str(stored)]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    converting = time.perf_counter() - start
    measured: dict[str, list[dict[str, float]]] = {"json": [], "pb": []}
    for _ in range(runs):
        measured["json"].append(run("json", text))
        measured["pb"].append(run("pb", stored))
    base, ours = (min(measured[how], key=lambda one: one["seconds"]) for how in ("json", "pb"))
    TIME.measured(ours["seconds"] / base["seconds"], of=name, cost=ours["seconds"])
    if single:
        SIZE.measured(stored.stat().st_size / gzip_bytes, of=name, cost=float(stored.stat().st_size))
    print(
        f"{name:36s} {text.stat().st_size / 1e6:7.1f} {base['seconds']:9.3f} {ours['seconds']:8.3f} "
        f"{ours['seconds'] / base['seconds']:7.3f} {stored.stat().st_size / 1e6:7.2f} {stored.stat().st_size / gzip_bytes:7.2f} "
        f"{base['megabytes']:9.0f} {ours['megabytes']:6.0f} {ours['import_seconds']:7.2f} {converting:8.1f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="*", type=Path, help="default: the three largest of ../shared/traces, or the samples")
    parser.add_argument("--megabytes", type=float, default=60, help="size of copies of two of them; 0: none")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("json, pb: MB; loads, read: CPU s; size: pb / gzip JSON; peak: MB grown by json.loads, by read; convert: wall s")
    names = ("trace", "json", "loads", "read", "ratio", "pb", "size", "peak", "", "import", "convert")
    widths = (-36, 7, 9, 8, 7, 7, 7, 9, 6, 7, 8)
    print(" ".join(name.ljust(-width) if width < 0 else name.rjust(width) for name, width in zip(names, widths, strict=True)))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = folder / "trace.json"
        for trace in options.traces or inputs.largest(folder):
            packed = trace.read_bytes()
            text.write_bytes(gzip.decompress(packed) if trace.suffix == ".gz" else packed)
            n_bytes = len(packed) if trace.suffix == ".gz" else len(gzip.compress(packed))
            compare(trace.name.partition(".")[0], text, n_bytes, options.runs, single=trace.suffix == ".gz")
        for copied in inputs.copies(folder, options.megabytes) if options.megabytes else ():
            n_bytes = len(gzip.compress(copied.read_bytes(), 6))
            compare(copied.stem, copied, n_bytes, options.runs, single=False)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
    else:
        main()
