"""The logdir the browser looks at, the same wherever the tests run: our samples, what is made of them, and a broken file."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
from typing import TYPE_CHECKING, Any

from tests.formats.snapshot.made_snapshots import snapshot, training
from tests.profiles import DEVICES, RECORDINGS, sample

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPAN = 1700000000000000000
N_BLOCKS = 3000
DEVICE_ROWS = ("kernel", "gpu_memcpy", "gpu_memset")


def make(logdir: Path) -> None:
    """Runs: `cnn` with two cycles, the newest; `cuda` and the other vendors; `device_only`; `no_memory`; `snapshot`; `broken`."""
    for vendor in (path.parent for path in DEVICES):
        shutil.copytree(vendor, logdir / vendor.name)
    _keep(lambda event: event.get("cat") in DEVICE_ROWS or event["ph"] == "M", logdir / "device_only")
    _keep(lambda event: event["name"] != "[memory]", logdir / "no_memory", profile_memory=0)
    _write_snapshot(logdir / "snapshot")
    _write_broken(logdir / "broken")
    (logdir / "cnn").mkdir()
    for source in (RECORDINGS / "cnn").iterdir():
        for span in (SPAN + 1, SPAN + 2):
            shutil.copyfile(source, logdir / "cnn" / source.name.replace(str(SPAN), str(span)))


def _keep(wanted: Callable[[dict[str, Any]], bool], run: Path, **options: int) -> None:
    """The profile of a GPU with some of its events, recorded with these options."""
    content = json.loads(gzip.decompress(sample("cuda").read_bytes())) | options
    content["traceEvents"] = [event for event in content["traceEvents"] if wanted(event)]
    run.mkdir()
    (run / sample("cuda").name).write_bytes(gzip.compress(json.dumps(content).encode(), mtime=0))


def _write_snapshot(run: Path) -> None:
    """A memory snapshot with thousands of blocks, of which the page holds a few. Its name tells no time: the file's is old."""
    allocator = training(steps=3)
    for size in range(N_BLOCKS):
        allocator.free(allocator.alloc(1000 + size, "forward"))
    run.mkdir()
    (run / "rank0.pickle").write_bytes(pickle.dumps(snapshot(allocator)))
    os.utime(run / "rank0.pickle", ns=(SPAN, SPAN))


def _write_broken(run: Path) -> None:
    """A file with the right name and nothing of a profile in it."""
    run.mkdir()
    (run / f"node1_8.{SPAN}.pt.trace.json").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 8)
