"""Short real recordings: one profiled step takes a few milliseconds."""

from __future__ import annotations

import gzip
import json
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tb_plugin.capture.report import TraceHandlerWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def small_step() -> None:
    import torch

    (torch.ones(8, 8) @ torch.ones(8, 8)).sum()


def record(handler: Callable[[Any], None], cycles: int = 1, step: Callable[[], None] = small_step, **options: Any) -> None:
    """Profiles `cycles` cycles of one warm-up and two recorded steps each."""
    from torch.profiler import ProfilerActivity, profile, schedule

    plan = schedule(wait=0, warmup=1, active=2, repeat=cycles)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*Profiler clears events")
        with profile(activities=[ProfilerActivity.CPU], schedule=plan, on_trace_ready=handler, **options) as prof:
            for _ in range(3 * cycles):
                step()
                prof.step()


def json_of(path: Path) -> dict[str, Any]:
    """The decoded file, by the strictest reader: Python's own."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    decoded = json.loads(data)
    assert isinstance(decoded, dict)
    return decoded


def names_in(path: Path, category: str = "user_annotation") -> list[str]:
    return [event["name"] for event in json_of(path)["traceEvents"] if event.get("cat") == category]


@contextmanager
def warned() -> Iterator[list[str]]:
    """Texts of the handler's own warnings, from all threads; any other warning stays what it is."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TraceHandlerWarning)
        yield texts
    texts += [str(item.message) for item in caught if issubclass(item.category, TraceHandlerWarning)]
