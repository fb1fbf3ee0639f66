"""speedscope's file format: an evented profile for every thread and stream, times in ns since the profile's start.

https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources. A file holds names and nesting only. Ranges that
cross others of their thread, which its format forbids, get a profile of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from tb_plugin.formats import slices, whole_file
from tb_plugin.trace.kinds import is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def write(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """Writes the file, compressed when the name ends in .gz, and says what it cannot hold."""
    path = Path(path)
    rows = [(track, lane) for track, found in slices.ranges_by_track(trace) for lane in enumerate(slices.lanes(trace, found))]
    used = np.unique(trace.events.name_id[[row for _, (_, lane) in rows for row in lane]]) if rows else np.empty(0, np.int32)
    frame_of = {name_id: frame for frame, name_id in enumerate(used.tolist())}
    head: dict[str, Any] = {
        "$schema": _SCHEMA,
        "name": trace.info.source or path.name,
        "exporter": "torch-tb-plugin",
        "activeProfileIndex": _most_interesting(trace, [track for track, _ in rows]),
        "shared": {"frames": [{"name": trace.text(name_id)} for name_id in frame_of]},
    }
    with whole_file.written_text(path) as file:
        file.write(_json(head)[:-1] + ',\n"profiles": [')
        for place, (track, (number, lane)) in enumerate(rows):
            file.write(",\n" if place else "\n")
            _write_profile(trace, track, number, lane, frame_of, file)
        file.write("\n]}\n")
    return tuple(_lost(trace))


def _write_profile(trace: Trace, track: int, number: int, lane: list[int], frame_of: dict[int, int], file: IO[str]) -> None:
    name_ids = trace.events.name_id
    title = f"{slices.process_title(trace, track)} · {slices.track_title(trace, track)}"
    head = {
        "type": "evented",
        "name": title if number == 0 else f"{title}, crossing ranges {number}",
        "unit": "nanoseconds",
        "startValue": int(trace.events.start_ns[lane].min()),
        "endValue": int(trace.events.end_ns[lane].max()),
    }
    events = ",\n".join(
        f'{{"type":"{"O" if opens else "C"}","frame":{frame_of[int(name_ids[row])]},"at":{time}}}'
        for opens, time, row in slices.brackets(trace, lane)
    )
    file.write(f'{_json(head)[:-1]},"events":[\n{events}\n]}}')


def _most_interesting(trace: Trace, tracks: list[int]) -> int:
    """The profile that opens first: of the track with most events."""
    counts = np.bincount(trace.events.track, minlength=len(trace.tracks))
    return max(range(len(tracks)), key=lambda place: (counts[tracks[place]], -place), default=0)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _lost(trace: Trace) -> list[str]:
    lost = ["arguments", "categories", "links from launches to kernels", "when it was recorded and on what"]
    events = trace.events
    if bool(((events.start_ns == events.end_ns) & is_kind(events.kind, slices.POINTS)).any()):
        lost.append("marks without length (allocations, counters)")
    return lost
