"""Many clients at once: 200 of them look at 30 profiles for a minute, three of which are large. `python benchmarks/clients.py`.

    python benchmarks/clients.py --clients 200 --seconds 60 --megabytes 200

The server is `tb-plugin serve`, a process of its own with an empty cache. Profiles are converted and asked once before the clock
starts; then each client asks view after view of a profile by chance, gzipped, without a pause.
What would make it lie: clients share the machine's processors with the server, and fewer clients, seconds or megabytes than the
budget is for. The figures name what was run.
"""

from __future__ import annotations

import argparse
import http.client
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlencode

import inputs
from budget import Budget
from replicate import replicate

VIEWS = ("overview", "timeline", "operators", "kernels", "modules", "memory", "advice", "timeline/window")
KEPT = tuple(view for view in VIEWS if not view.startswith("timeline"))
N_PROFILES = 30
N_LARGE = 3
OPEN_WITHIN_S = 1800.0
LIES = "clients that take the server's processors; fewer clients or smaller profiles than it says"

P99 = Budget(name="99 of 100 kept answers within", budget=2.0, unit="s", kind="informational", lies=LIES)
FAILED = Budget(name="requests without an answer", budget=0, unit="of all", kind="informational", lies=LIES)
MEMORY = Budget(name="the server's memory at most", budget=1e9, unit="bytes", kind="informational", lies="not on Linux: 0")


def profiles(folder: Path, megabytes: float) -> list[str]:
    """Writes them; the names of their runs."""
    sources = sorted((inputs.ROOT / "samples" / "recordings").glob("*/*.json.gz"))
    names = [f"run{number:02}" for number in range(N_PROFILES)]
    for number, name in enumerate(names):
        target = folder / name / "w.1.pt.trace.json"
        target.parent.mkdir(parents=True)
        if number < N_LARGE:
            replicate(sources[number], target, int(megabytes * 1e6))
        else:
            shutil.copy(sources[number % len(sources)], target.with_suffix(".json.gz"))
    return names


class Client:
    """Asks one server, and notes how long it took where an answer came: one that is kept, or another."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.kept_s: list[float] = []
        self.others_s: list[float] = []
        self.n_failed = 0

    def ask(self, view: str, run: str, timeout_s: float = 60.0) -> int:
        """The status; 0 when there was no answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=timeout_s)
        try:
            connection.request("GET", f"/api/v1/view/{view}?{urlencode({'run': run})}", headers={"Accept-Encoding": "gzip"})
            reply = connection.getresponse()
            reply.read()
        except OSError:
            return 0
        finally:
            connection.close()
        return reply.status

    def ask_until(self, runs: list[str], end: float, chance: random.Random) -> None:
        while time.monotonic() < end:
            began = time.monotonic()
            view = chance.choice(VIEWS)
            status = self.ask(view, chance.choice(runs))
            if status == 200:
                (self.kept_s if view in KEPT else self.others_s).append(time.monotonic() - began)
            elif status != 202:  # a profile that was closed for another is opened again: that is an answer, too
                self.n_failed += 1


def memory_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def main(n_clients: int, seconds: float, megabytes: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = profiles(folder / "logs", megabytes)
        command = [sys.executable, "-m", "tb_plugin.doors.cli", "serve", str(folder / "logs"), "--port", "0"]
        environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(folder / "cache")}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().split("/")[2].rpartition(":")[2])
            try:
                open_all(Client(port), runs)
                clients, most_bytes = [Client(port) for _ in range(n_clients)], 0
                end = time.monotonic() + seconds
                threads = [
                    threading.Thread(target=client.ask_until, args=(runs, end, random.Random(number)))
                    for number, client in enumerate(clients)
                ]
                for thread in threads:
                    thread.start()
                while any(thread.is_alive() for thread in threads):
                    most_bytes = max(most_bytes, memory_bytes(server.pid))
                    time.sleep(0.2)
            finally:
                server.terminate()
    took = sorted(second for client in clients for second in client.kept_s)
    others = sorted(second for client in clients for second in client.others_s)
    n_failed = sum(client.n_failed for client in clients)
    of = f"({n_clients} clients, {seconds:g} s, {N_LARGE} of {N_PROFILES} profiles of {megabytes:g} MB)"
    print(f"{len(took)} answers that are kept, half of them within {took[len(took) // 2]:.3f} s")
    print(f"{len(others)} that are worked out each time, half of them within {others[len(others) // 2]:.3f} s")
    P99.measured(took[int(len(took) * 0.99)], of=of)
    FAILED.measured(n_failed / (len(took) + len(others) + n_failed), of=of)
    MEMORY.measured(most_bytes, of=of)


def open_all(client: Client, runs: list[str]) -> None:
    """Asks each view of each profile once."""
    end = time.monotonic() + OPEN_WITHIN_S
    for run in runs:
        for view in VIEWS:
            while client.ask(view, run) == 202:
                assert time.monotonic() < end, f"{run} was not opened within {OPEN_WITHIN_S:g} s"
                time.sleep(0.1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--megabytes", type=float, default=200)
    asked = parser.parse_args()
    main(asked.clients, asked.seconds, asked.megabytes)
