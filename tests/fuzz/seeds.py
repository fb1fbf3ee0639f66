"""Small sound files to damage, of every format that is read: 100 to 300 events with links, arrows, memory, stacks and modules."""

from __future__ import annotations

import gzip
import json
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.formats import reader, targets
from tests.formats.nvidia import made_nsight, made_nvprof
from tests.formats.nvidia.made_databases import database
from tests.formats.snapshot.made_snapshots import snapshot, training
from tests.profiles import sample

if TYPE_CHECKING:
    from pathlib import Path

FORMATS: Final = ("kineto", "stored", "snapshot", "perfetto", "nsight", "nvprof")
ENDINGS: Final = {
    "kineto": ".pt.trace.json",
    "stored": ".pt.profile.pb",
    "snapshot": ".pickle",
    "perfetto": ".pftrace",
    "nsight": ".sqlite",
    "nvprof": ".nvprof",
}
_CUT: Final = (("cuda", 250), ("rocm", 120), ("cnn", 200), ("transformer", 200))
"""Samples, and how many of their events a seed has."""


@dataclass(frozen=True)
class Seeds:
    """Of each format its files; of Kineto and the snapshot what is in them, decoded."""

    files: dict[str, list[Path]]
    json: list[dict[str, Any]]
    snapshots: list[dict[str, Any]]
    tables: dict[str, dict[str, list[dict[str, Any]]]]


def write_seeds(folder: Path) -> Seeds:
    """Writes the files into `folder`."""
    traces = [_part(sample(name), n_events) for name, n_events in _CUT]
    files: dict[str, list[Path]] = {name: [] for name in FORMATS}
    for number, trace in enumerate(traces):
        path = folder / f"{number}{ENDINGS['kineto']}"
        path.write_text(json.dumps(trace))
        files["kineto"].append(path)
        for target in ("stored", "perfetto"):
            made = folder / f"{number}{ENDINGS[target]}"
            targets.write(reader.read(path), str(made))
            files[target].append(made)
    snapshots = [snapshot(training(2), training(1, device=1))]
    (folder / "a.pickle").write_bytes(pickle.dumps(snapshots[0]))
    files["snapshot"].append(folder / "a.pickle")
    tables = {"nsight": made_nsight.profile(), "nvprof": made_nvprof.profile()}
    for name, made_of in tables.items():
        files[name].append(database(folder / f"a{ENDINGS[name]}", made_of))
    return Seeds(files, traces, snapshots, tables)


def _part(path: Path, n_events: int) -> dict[str, Any]:
    """The names of the tracks, and the events from the middle of a file on, with the arrows between."""
    whole = json.loads(gzip.decompress(path.read_bytes()))
    names = [event for event in whole["traceEvents"] if event["ph"] == "M"]
    timed = sorted((event for event in whole["traceEvents"] if event["ph"] != "M"), key=lambda event: event["ts"])
    steps = [event for event in timed if event["name"].startswith("ProfilerStep")]
    first = next(place for place, event in enumerate(timed) if event["ts"] >= steps[len(steps) // 2]["ts"])
    return {**whole, "traceEvents": [*names, *timed[first : first + n_events]]}
