"""Tracks with the names that metadata events give to their process and thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tb_plugin.formats.kineto.int_columns import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.formats.interning import TrackIds
    from tb_plugin.trace.raw import RawTrack


def named(track_ids: TrackIds, names: Sequence[tuple[str, str, str, dict[str, Any]]]) -> list[RawTrack]:
    """All of them. `names`: (name of the event, pid, tid, arguments), in file order."""
    tracks = track_ids.tracks
    threads = [tracks[track_ids[(pid, tid)]] for _, pid, tid, _ in names]
    processes: dict[str, list[RawTrack]] = {}
    for track in tracks:
        processes.setdefault(track.pid, []).append(track)
    # The last name of a process is its name: one that is named again and again costs no more.
    of_processes = {(name, pid): args for name, pid, _, args in names if name.startswith("process")}
    for (name, pid), args in of_processes.items():
        for track in processes[pid]:
            if name == "process_name":
                track.process_name = str(args.get("name", ""))
            elif name == "process_labels":
                track.process_labels = str(args.get("labels", ""))
            elif name == "process_sort_index":
                track.sort_index = whole(args.get("sort_index"))
    for thread, (name, _, _, args) in zip(threads, names, strict=True):
        if name == "thread_name":
            thread.thread_name = str(args.get("name", ""))
    return tracks
