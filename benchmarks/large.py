"""How long somebody waits for a large file, and what they see meanwhile.

    python benchmarks/large.py [--megabytes 200] [FILE ...]

Wall time from the first question to the answer of a server (`tb-plugin serve`, a process of its own), over that of `json.load` of
the same file, in turn: cold with an empty cache, then of a new server with the cache of the first. Files are read once before.
What would make it lie: another load on the machine, fewer than two free cores, a page cache that is reclaimed.

Measured 2026-11-27, two cores, load 2 to 3: 1 GB (3.3 M events) opens in 11.1 s, its timeline 1.2 s later; something
is known after 0.8 s, no word for at most 0.9 s; again in 0.05 and 0.2 s. 3.4 GB (11.2 M events): 44 s and 5.8 s, something after
0.8 s, no word for 2.0 s, the bar stands for 7.3 s; again in 0.05 and 1.3 s; 4.9 GB in the process that reads, 2 bytes an event in
the server. Both without `json.load`, whose objects of the larger one would not fit. Load 7: four times as long.

A quiet machine that evening, `--megabytes 3400`: 6.1 M events of the first kind in 36 s (0.32 of `json.load`), its timeline 2.6 s
later, again in 0.08 and 0.5 s; the bar moves every 0.5 s; working out its overview (12 s) was silent for 3.7 s and says a word
every 1.5 s since arguments are told of by block, 1.8 s with the Python stacks of the second kind (11.2 M events).
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import inputs
from budget import Budget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIES = "another load on the machine, or fewer than two free cores; a file that is not in the page cache"
_OF = "of json.load"


def _waiting(name: str, budget: float, missed: float | None = None) -> Budget:
    return Budget(name=name, budget=budget, unit=_OF, kind="informational", missed=missed, lies=LIES)


COLD_OVERVIEW = _waiting("cold, until the overview", 0.5)
COLD_TIMELINE = _waiting("cold, until the timeline", 0.6)
WARM_OVERVIEW = _waiting("from the cache, until the overview", 0.06)
WARM_TIMELINE = _waiting("from the cache, until the timeline", 0.08)
SO_FAR = Budget(name="what is read so far, shown after", budget=3.0, unit="s", kind="informational", lies=LIES)
SILENCE = Budget(name="longest time without a word about the work", budget=1.5, unit="s", kind="informational", lies=LIES)
BAR = Budget(name="longest time in which not even the bar moves a percent", budget=1.5, unit="s", kind="informational", lies=LIES)


def _private(name: str) -> Budget:
    lies = "not on Linux, or a cache on no disk of this machine; a file of few events"
    return Budget(name=name, budget=40, unit="bytes an event", kind="informational", lies=lies)


COLD_MEMORY = _private("the server's private memory, overview worked out")
WARM_MEMORY = _private("the server's private memory, from the cache")
_LOAD = "import json, sys, time; t = time.perf_counter(); json.load(open(sys.argv[1])); print(time.perf_counter() - t)"
_MOST_S = 1800.0
_EVERY_S = 0.1
"""Between two looks at what is said: more would take a tenth of both cores from those that read."""
_SETTLES_S = 0.5


@dataclass
class Wait:
    """How long an answer took, and what was said meanwhile."""

    seconds: float
    so_far_s: float | None
    silence_s: float
    silent_after: str  # the last word before that time
    still_s: float  # the bar, while it is opened


class _Gap:
    """The longest time in which something stayed as it was."""

    def __init__(self, now_s: float) -> None:
        self._since_s = now_s
        self._last: object = None
        self.longest_s, self.longest_after = 0.0, ""

    def see(self, what: object, now_s: float) -> None:
        if now_s - self._since_s > self.longest_s:
            self.longest_s, self.longest_after = now_s - self._since_s, str(self._last)
        if what != self._last:
            self._since_s, self._last = now_s, what


def _of_the_work(reply: dict[str, Any]) -> object:
    """What changes in a waiting reply only where work is done: the bar and the time left go on by the clock alone."""
    so_far = reply["so_far"] or {}
    return reply["state"], reply["stage"], {name: so_far[name] for name in so_far if name != "seconds"}


class Client:
    def __init__(self, port: int) -> None:
        self._port = port

    def get(self, path: str, *, prefer: str = "", **words: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        connection.request("GET", f"/api/v1/{path}?{urlencode(words)}", headers={"Prefer": prefer})
        reply = connection.getresponse()
        content = reply.read()
        connection.close()
        return reply.status, content

    def answer(self, path: str, said: Callable[[object], None], **words: str) -> tuple[int, bytes]:
        """As `get`; `said` gets what the server tells of the work meanwhile, as the page asks for it."""
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(lambda: self.get(path, prefer="", **words))
            while not futures.wait([asked], _EVERY_S).done:
                said([(each["part"], each["n_parts"]) for each in json.loads(self.get("work")[1])["working"]])
            return asked.result()

    def wait(self, path: str, **words: str) -> Wait:
        """Asks until there is an answer, as the page does, and looks meanwhile at what is said."""
        begun = time.monotonic()
        with ThreadPoolExecutor(1) as pool:
            seconds = pool.submit(lambda: self._seconds_to(path, words, begun))
            return replace(self._watched(path, words, begun), seconds=seconds.result())

    def _seconds_to(self, path: str, words: dict[str, str], begun: float) -> float:
        while time.monotonic() < begun + _MOST_S:
            if self.get(path, prefer="wait=1", **words)[0] != 202:
                return time.monotonic() - begun
        return _MOST_S

    def _watched(self, path: str, words: dict[str, str], begun: float) -> Wait:
        words_of_work, bar, so_far_s = _Gap(begun), _Gap(begun), None
        while time.monotonic() < begun + _MOST_S:
            status, content = self.answer(path, lambda work: words_of_work.see(work, time.monotonic()), **words)
            now = time.monotonic()
            if status == 200:
                words_of_work.see(content, now)
                return Wait(now - begun, so_far_s, words_of_work.longest_s, words_of_work.longest_after, bar.longest_s)
            assert status == 202, content
            reply = json.loads(content)
            words_of_work.see(_of_the_work(reply), now)
            bar.see(round(100 * reply["progress"]), now)
            if so_far_s is None and (reply["so_far"] or {}).get("n_events"):
                so_far_s = now - begun
            time.sleep(_EVERY_S)
        raise AssertionError(f"{path}: no answer within {_MOST_S:g} s")


@contextmanager
def server(logdir: Path, cache: Path) -> Iterator[tuple[Client, int]]:
    command = [sys.executable, "-m", "tb_plugin.doors.cli", "serve", str(logdir), "--port", "0"]
    environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(cache)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            client = Client(int(process.stdout.readline().split("/")[2].rpartition(":")[2]))
            while json.loads(client.get("runs")[1])["scanning"]:
                time.sleep(_EVERY_S)
            yield client, process.pid
        finally:
            process.terminate()


def private_bytes(pid: int) -> int:
    """0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:"))


def settled_bytes(pid: int) -> int:
    """What stays: a server gives back what an answer left over once the answer is on its way."""
    before, now = -1, private_bytes(pid)
    while now != before:
        time.sleep(_SETTLES_S)
        before, now = now, private_bytes(pid)
    return now


def json_load_s(path: Path) -> float:
    return float(subprocess.run([sys.executable, "-c", _LOAD, str(path)], capture_output=True, text=True, check=True).stdout)


def report(path: Path) -> None:
    path.read_bytes()
    with tempfile.TemporaryDirectory() as name:
        logdir, cache = Path(name) / "logs", Path(name) / "cache"
        logdir.mkdir()
        (logdir / "w.1.pt.trace.json").symlink_to(path)
        load_s = json_load_s(path)
        waits: list[tuple[Wait, Wait]] = []
        per_event: list[float] = []
        for _ in ("cold", "warm"):
            with server(logdir, cache) as (client, pid):
                bare = settled_bytes(pid)
                overview, timeline = client.wait("view/overview"), client.wait("view/timeline")
                tracks: dict[str, Any] = json.loads(client.get("view/timeline")[1])["result"]
                window = {"t0_ns": tracks["start_ns"], "t1_ns": tracks["end_ns"], "width_px": 1300}
                picture = client.wait("view/timeline/window", **{name: str(value) for name, value in window.items()})
                waits.append((overview, replace(timeline, seconds=timeline.seconds + picture.seconds)))
                per_event.append((settled_bytes(pid) - bare) / tracks["n_events"])
        load_s = min(load_s, json_load_s(path))
    (cold, cold_timeline), (warm, warm_timeline) = waits
    of = path.stem
    size_mb = path.stat().st_size / 1e6
    print(f"{of}: {size_mb:.0f} MB, {tracks['n_events']:,} events, json.load {load_s:.2f} s")
    for budget, seconds in (
        (COLD_OVERVIEW, cold.seconds),
        (COLD_TIMELINE, cold.seconds + cold_timeline.seconds),
        (WARM_OVERVIEW, warm.seconds),
        (WARM_TIMELINE, warm.seconds + warm_timeline.seconds),
    ):
        budget.measured(seconds / load_s, of=of, cost=seconds)
    SILENCE.measured(cold.silence_s, of=of)
    print(f"   after {cold.silent_after[:150]}")
    BAR.measured(cold.still_s, of=of)
    if cold.so_far_s is not None:
        SO_FAR.measured(cold.so_far_s, of=of)
    for budget, n_bytes in zip((COLD_MEMORY, WARM_MEMORY), per_event, strict=True):
        budget.measured(n_bytes, of=of)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for path in options.files or inputs.copies(Path(folder), options.megabytes):
            report(path.resolve())


if __name__ == "__main__":
    main()
