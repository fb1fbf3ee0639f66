"""A job that nobody has opened yet: how long until the page knows all its ranks, and what the processes cost that read them.

    python benchmarks/ranks_cold.py [FOLDER]        default: the 64 ranks of ../shared/traces/distributed

The server is `tb-plugin serve`, a process of its own with an empty cache; it is asked as the page asks, until every rank has
answered. The baseline reads and summarises the same files one after the other in one process that has started already.
What would make it lie: large files, beside which a process costs nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from budget import Budget
from inputs import ROOT
from run import NOTHING

from tb_plugin.formats import reader
from tb_plugin.trace.rank.summarise import summarise

FOLDER = ROOT.parent / "shared" / "traces" / "distributed" / "syn64_tp4_pp4_dp4_link"
PROCESSES = Budget(
    name="all ranks of a job for the first time, over reading them in one process",
    budget=4,
    unit="times the CPU",
    kind="gate",
    lies="large files, beside which a process costs nothing",
)
WALL = Budget(
    name="all ranks of a job for the first time, until the page knows them",
    budget=10,
    unit="s by the clock",
    kind="informational",
    lies="a machine that does other things",
)


def asked(folder: Path) -> tuple[float, float]:
    """(seconds by the clock, CPU seconds of the server and all its children) until every rank has answered."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(folder, Path(name) / "logs" / "job")
        command = [sys.executable, "-m", "tb_plugin.doors.cli", "serve", str(Path(name) / "logs"), "--port", "0"]
        environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(Path(name) / "cache")}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
            try:
                assert server.stdout is not None
                address = server.stdout.readline().split()[0].rstrip("/")
                begun, wait_s = time.monotonic(), 0.25
                while _reply(address)["n_pending"]:
                    time.sleep(wait_s)
                    wait_s = min(wait_s * 1.5, 1.0)
                wall = time.monotonic() - begun
                time.sleep(1)  # its children end
            finally:
                server.terminate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _reply(address: str) -> Any:
    with urlopen(f"{address}/api/v1/view/ranks?run=job") as reply:
        return json.load(reply)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    folder = parser.parse_args().folder
    paths = sorted(folder.glob("*.trace.json.gz"))
    if not paths:
        print(f"{folder}: no profiles lie there, so nothing was measured", file=sys.stderr)
        return NOTHING
    summarise(reader.read(paths[0]))  # what is imported then is no cost of a file
    begun = time.process_time()
    for path in paths:
        summarise(reader.read(path))
    alone = time.process_time() - begun
    wall, cpu = asked(folder)
    print(f"{len(paths)} ranks: {wall:.1f} s by the clock, {cpu:.1f} CPU s; one process after its start: {alone:.1f} CPU s")
    PROCESSES.measured(cpu / alone, cost=cpu)
    WALL.measured(wall)
    return 0


if __name__ == "__main__":
    sys.exit(main())
