"""Small logdirs, and waiting for what happens in the background."""

from __future__ import annotations

import gzip
import json
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

T = TypeVar("T")


def chrome_json(n_operators: int = 1) -> bytes:
    """A CPU profile as torch writes it, of one step with these many operators of 10 us."""
    step = {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0, "dur": 100 * n_operators}
    operators = [
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 100 * place, "dur": 10, "args": {}}
        for place in range(n_operators)
    ]
    document = {"schemaVersion": 1, "distributedInfo": {"rank": 3, "world_size": 4}, "traceEvents": [step, *operators]}
    return json.dumps(document).encode()


def put(path: Path, content: bytes | None = None) -> Path:
    """Writes a file, compressed when it is called so; a small profile when no content is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = chrome_json() if content is None else content
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" and not content.startswith(b"\x1f\x8b") else content)
    return path


def until(ask: Callable[[], T], good: Callable[[T], bool], timeout_s: float = 30.0) -> T:
    """Asks until the answer is good; the last answer, good or not."""
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
    left = until(lambda: set(threading.enumerate()) - before, lambda threads: not threads, timeout_s=5.0)
    assert left == set()
