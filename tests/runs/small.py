"""Small logdirs, and waiting for what happens in the background."""

from __future__ import annotations

import gzip
import json
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from tb_plugin.runs.discover import search
from tb_plugin.runs.logdirs import from_flags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tb_plugin.runs.catalogue import Catalogue
    from tb_plugin.runs.loading import Loading
    from tb_plugin.runs.store import ProfileStore
    from tb_plugin.trace.model import Trace

T = TypeVar("T")

LONG_S = 120.0
"""For what takes a moment: the machine may have much else to do."""


def chrome_json(n_operators: int = 1, rank: int | None = 3, base_ns: int | None = None) -> bytes:
    """A CPU profile as torch writes it, of one step with these many operators of 10 us; `base_ns`: Unix time of its time 0."""
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0, "dur": 100 * n_operators}
    operators = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100 * place, "dur": 10, "args": {}}
        for place in range(n_operators)
    ]
    job = {} if rank is None else {"distributedInfo": {"rank": rank, "world_size": 4}}
    base = {} if base_ns is None else {"baseTimeNanoseconds": base_ns}
    return json.dumps({"schemaVersion": 1, **job, **base, "traceEvents": [step, *operators]}).encode()


FOREIGN = b'{"traceEvents": [{"ph": "X", "name": "Source", "pid": 1, "tid": 1, "ts": 5, "dur": 7}], "displayTimeUnit": "ms"}'
"""A Chrome trace as clang writes it."""


def scan(logdir: Path | str) -> Catalogue:
    """All that is in a logdir or a logdir_spec, ranks included."""
    return search(from_flags(None, str(logdir)))


def drawn(catalogue: Catalogue) -> dict[str, list[str]]:
    """run/worker: its spans."""
    return {f"{run.name}/{worker.name}": [s.name for s in worker.spans] for run in catalogue.runs for worker in run.workers}


def put(path: Path, content: bytes | None = None) -> Path:
    """Writes a file, compressed when it is called so; a small profile when no content is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = chrome_json() if content is None else content
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" and not content.startswith(b"\x1f\x8b") else content)
    return path


def until(ask: Callable[[], T], good: Callable[[T], bool], timeout_s: float = LONG_S) -> T:
    """Asks until the answer is good; the last answer, good or not. What works needs a moment, a loaded machine many."""
    end = time.monotonic() + timeout_s
    while True:
        answer = ask()
        if good(answer) or time.monotonic() > end:
            return answer
        time.sleep(0.02)


@contextmanager
def no_thread_left() -> Iterator[None]:
    """Fails when a thread that was started inside is still there afterwards."""
    before = set(threading.enumerate())
    yield
    left = until(lambda: set(threading.enumerate()) - before, lambda threads: not threads, timeout_s=60.0)
    assert left == set()


def loaded(store: ProfileStore, worker: str | None = None) -> Loading[Trace]:
    return until(lambda: store.ask(store.find(None, worker, None)), lambda now: now.state in ("ready", "failed"))


def entries(cache_dir: Path) -> list[Path]:
    """What is kept; beside each lies the lock by which servers take turns."""
    return list(cache_dir.glob("*.pt.columns"))
