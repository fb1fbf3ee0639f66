"""Memory and time of a server that finds 500 runs of 100 profiles each, as trends have them.

    python benchmarks/trends.py [RUNS SPANS]        default 500 100; both or none

Profiles are small ones of one step, and nothing but their first bytes is read here: what grows with the number of files is the
list of spans. A child does it, so that this process's memory is not in the figure, and says what it holds after each stage:
resident memory as Linux has it, after a collection.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from budget import Budget

_LIES = "another interpreter or numpy: what they take alone is 30 to 60 MB of the figure"
SERVER = Budget(name="server that knows 500 x 100 profiles", budget=60, unit="MB", kind="informational", lies=_LIES, missed=157)
LIST = Budget(
    name="list of 500 x 100 profiles beside the imports", budget=80, unit="MB", kind="informational", lies=_LIES, missed=100
)
FIRST = Budget(
    name="first scan of 500 x 100 profiles", budget=4, unit="CPU s", kind="informational", lies="a cold or remote disk"
)
AGAIN = Budget(
    name="scan of 500 x 100 profiles that have not changed", budget=2, unit="CPU s", kind="informational", lies="the same"
)

CHILD = """
import gc, json, sys, threading, time
from pathlib import Path
import tb_plugin.doors.serve
from tb_plugin.runs.logdirs import from_flags
from tb_plugin.runs.watch import Watch
def resident():
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1000
def said(stage):
    print(json.dumps([stage, resident(), time.process_time()]), flush=True)
said("imported")
watch = Watch(from_flags(sys.argv[1], None), min_age_s=0.0)
found = watch.catalogue(600)
said("scanned")
assert sum(1 for _ in found.spans()) == int(sys.argv[2]), sum(1 for _ in found.spans())
while watch._reading is not None or watch._unread:
    time.sleep(0.05)
said("ranks")
for _ in range(2):
    watch._rest_until = 0.0
    watch.catalogue(600)
    said("again")
watch.close()
"""


def make(folder: Path, n_runs: int, n_spans: int) -> None:
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1, "dur": 5}]
    content = gzip.compress(json.dumps({"traceEvents": events}).encode())
    for run in range(n_runs):
        place = folder / f"run{run:03d}"
        place.mkdir()
        for span in range(n_spans):
            (place / f"node1_4711.{1_700_000_000_000_000_000 + run * n_spans + span}.pt.trace.json.gz").write_bytes(content)


def main(n_runs: int, n_spans: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), n_runs, n_spans)
        command = [sys.executable, "-c", CHILD, name, str(n_runs * n_spans)]
        done = subprocess.run(command, env=os.environ, stdout=subprocess.PIPE, text=True, check=True)
    stages = [json.loads(line) for line in done.stdout.splitlines()]
    for stage, resident, seconds in stages:
        print(f"{stage:10} {resident:6.0f} MB {seconds:6.2f} s")
    SERVER.measured(stages[-1][1])
    LIST.measured(stages[-1][1] - stages[0][1])
    FIRST.measured(stages[1][2] - stages[0][2])
    AGAIN.measured(stages[-1][2] - stages[-2][2])


if __name__ == "__main__":
    main(*([int(word) for word in sys.argv[1:3]] or [500, 100]))
