"""Budgets through HTTP: what a server takes of the processor for each answer about a job whose summaries lie beside its profiles.

The server is `tb-plugin serve`, a process of its own with an empty cache. Before each question it rests for longer than a scan of
the log directory is good for, so that each is asked as by somebody who reads between two clicks. Each kind is asked once with
words that nobody has asked before, so that no answer is one that was kept; the second opening is the first question once more.

What would make it lie: a server that works on while nothing is asked (it is given the time until it stands still; what it took
until it had answered is told beside that, since somebody waits for it), and summaries of few collectives. Only Linux has a clock
of another process.
"""

from __future__ import annotations

import gzip
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from ranks_jobs import Line, declined, held
from ranks_page import put

from tb_plugin.runs.watch import MIN_AGE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.job.ranks.ranks import RankProfile

_RUN = "job"
_REST_S = MIN_AGE_S + 0.5
_PATIENCE_S = 300.0
_STANDS_STILL_S = 0.5

_MATRIX = (0.05, 0.2, 0.5)
_QUESTIONS: tuple[tuple[str, tuple[float, float, float], str, dict[str, str]], ...] = (
    ("the same once more", (0.2, 1.0, 3.0), "ranks", {}),
    ("one matrix, own work by host", _MATRIX, "ranks/matrix", {"measure": "own", "axes": "host"}),
    ("one matrix, wait by step", _MATRIX, "ranks/matrix", {"measure": "wait", "axes": "step"}),
    ("one matrix, wait by kind", _MATRIX, "ranks/matrix", {"measure": "wait", "axes": "kind"}),
    ("one matrix, transfer by kind", _MATRIX, "ranks/matrix", {"measure": "transfer", "axes": "kind"}),
    ("one filter change", _MATRIX, "ranks/matrix", {"measure": "wait", "axes": "step", "dimensions": "data"}),
    ("one instance with all members", (0.01, 0.02, 0.05), "ranks/collective", {"worker": "rank5"}),
)
_FIRST = (1.0, 5.0, 15.0)


def lines(profiles: Sequence[RankProfile], place: int) -> list[Line]:
    """`place`: which of the sizes of the budgets it is."""
    of = f"{len(profiles)} ranks"
    if not sys.platform.startswith("linux"):
        return [declined(25, "through HTTP", of, "CPU seconds of the server", "another process has a clock on Linux alone")]
    with tempfile.TemporaryDirectory() as name:
        put(Path(name) / "logs" / _RUN, profiles)
        with _Server(Path(name)) as server:
            first = server.took(server.ask_until_all)
            found = [_held("from summaries to the first screen", of, _FIRST[place], first)]
            row = server.row_of_a_collective()
            for what, limits, question, words in _QUESTIONS:
                asked = {**words, "row": str(row)} if "worker" in words else words
                took = server.took(partial(server.ask, question, **asked))
                found.append(_held(what, of, limits[place], took))
    return found


class _Took(NamedTuple):
    """CPU seconds of the server, all of its threads."""

    to_answer: float
    in_all: float  # until it stands still again


def _held(what: str, of: str, limit: float, took: _Took) -> Line:
    ours = f"{_seconds(took.in_all)} of the server's CPU, {_seconds(took.to_answer)} until the answer"
    asked = f"<= {limit:g} s" if limit >= 1 else f"<= {1e3 * limit:g} ms"
    return held(25, f"HTTP: {what}", of, asked, ours, good=took.in_all <= limit)


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{1e3 * value:.0f} ms"


class _Server:
    """One that looks at this folder's `logs`, and the clock of its processor."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "TB_PLUGIN_CACHE_DIR": str(folder / "cache"), "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "tb_plugin.doors.cli", "serve", str(folder / "logs"), "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self._process.stdout is not None
        self._address = self._process.stdout.readline().split()[0].partition("://")[2].rstrip("/")

    def __enter__(self) -> _Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def took(self, act: Callable[[], object]) -> _Took:
        time.sleep(_REST_S)
        before = self._cpu_s()
        act()
        answered = now = self._cpu_s()
        while True:
            time.sleep(_STANDS_STILL_S)
            then, now = now, self._cpu_s()
            if now - then < 1e-3 * _STANDS_STILL_S:
                return _Took(answered - before, now - before)

    def ask(self, question: str, **words: str) -> Any:
        connection = http.client.HTTPConnection(self._address, timeout=_PATIENCE_S)
        try:
            path = f"/api/v1/view/{question}?{urlencode({'run': _RUN, **words})}"
            connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
            response = connection.getresponse()
            content = response.read()
            if response.getheader("Content-Encoding") == "gzip":
                content = gzip.decompress(content)
            if response.status != http.HTTPStatus.OK:
                raise RuntimeError(f"{path}: {response.status} {content[:200]!r}")
            return json.loads(content)
        finally:
            connection.close()

    def ask_until_all(self) -> None:
        """As the page does, once more while ranks are to come."""
        until = time.monotonic() + _PATIENCE_S
        while self.ask("ranks")["n_pending"] and time.monotonic() < until:
            time.sleep(1)

    def row_of_a_collective(self) -> int:
        """An event of rank 5 that several are in."""
        of_rank = self.ask("ranks/instances", ranks="5")["result"]["rows"]
        return next(int(row["row"]) for row in of_rank if row["worker"] == "rank5" and row["n_ranks"] > 1)

    def _cpu_s(self) -> float:
        return time.clock_gettime((~self._process.pid << 3) | 2)  # CPUCLOCK_SCHED of a process, as clock_getcpuclockid has it
