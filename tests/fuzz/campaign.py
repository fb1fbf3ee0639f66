"""`python -m tests.fuzz.campaign N SEED [FORMAT]`: N cases over two workers, every failure with what repeats it.

Or `python -m tests.fuzz.campaign FORMAT:NUMBER`: that case alone; the file is left in the current directory.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.fuzz import mutations
from tests.fuzz.seeds import FORMATS, write_seeds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_N_WORKERS: Final = 2
_HANGS_AFTER_S: Final = 180.0
"""On a busy machine; the worker itself counts processor time."""


@dataclass
class Report:
    """What became of all cases."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[dict[str, Any]] = field(default_factory=list)
    cpu_s: float = 0.0

    def add(self, told: dict[str, Any]) -> None:
        self.outcomes[told["outcome"]] += 1
        self.cpu_s += told.get("cpu_s", 0.0)
        if told["outcome"] == "failed":
            self.failures.append(told)


def cases(n: int, seed: int, formats: Iterable[str] = FORMATS) -> list[tuple[str, int]]:
    """`n` cases, as many of each format. Another seed has none of them."""
    names = tuple(formats)
    return [(names[place % len(names)], (seed << 32) + place // len(names)) for place in range(n)]


def run(
    asked: list[tuple[str, int]], n_workers: int = _N_WORKERS, tell: Callable[[dict[str, Any]], None] = lambda _told: None
) -> Report:
    """Runs them all; `tell` hears of each failure."""
    report, lock = Report(), threading.Lock()
    waiting: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
    for case in asked:
        waiting.put(case)

    def work() -> None:
        worker = _Worker()
        while True:
            try:
                case = waiting.get_nowait()
            except queue.Empty:
                break
            told = worker.run(*case)
            if told is None:
                told = {"format": case[0], "number": case[1], "outcome": "failed", "reason": worker.died(), "where": ""}
                worker = _Worker()
            with lock:
                report.add(told)
                if told["outcome"] == "failed":
                    tell(told)
        worker.end()

    threads = [threading.Thread(target=work) for _ in range(n_workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return report


class _Worker:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, format_name: str, number: int) -> dict[str, Any] | None:
        """None when the worker died of it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        alarm = threading.Timer(_HANGS_AFTER_S, self._process.kill)
        alarm.start()
        try:
            self._process.stdin.write(f"{format_name} {number}\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            alarm.cancel()
        told: dict[str, Any] | None = json.loads(line) if line else None
        return told

    def died(self) -> str:
        self.end()
        return f"the process ended with {self._process.returncode}"

    def end(self) -> None:
        """Waits for it."""
        self._process.communicate()


def _repeat(format_name: str, number: int) -> str:
    """Runs one case here, with its traceback, and leaves its file."""
    from tests.fuzz.exercise import exercise

    with tempfile.TemporaryDirectory() as name:
        path = mutations.write_case(Path(name), write_seeds(Path(name)), format_name, number)
        Path(path.name).write_bytes(path.read_bytes())
        return exercise(path)


def main(arguments: list[str]) -> int:
    if arguments and ":" in arguments[0]:
        format_name, _, number = arguments[0].partition(":")
        _say(_repeat(format_name, int(number)))
        return 0
    n, seed, *formats = arguments
    seen: Counter[tuple[str, str]] = Counter()

    def tell(failure: dict[str, Any]) -> None:
        """The first of each kind."""
        kind = failure["reason"].partition(":")[0], failure["where"]
        seen[kind] += 1
        if seen[kind] == 1:
            _say(f"{failure['reason']}\n    at {failure['where'] or 'an unknown place'}")
            _say(f"    {sys.executable} -m tests.fuzz.campaign {failure['format']}:{failure['number']}")

    report = run(cases(int(n), int(seed), formats or FORMATS), tell=tell)
    for (reason, where), count in seen.most_common():
        _say(f"{count:5} x {reason} at {where}")
    _say(f"{sum(report.outcomes.values())} cases, {dict(report.outcomes)}, {report.cpu_s:.0f} s of processor time")
    return 1 if report.failures else 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
